"""Messages of all hosts to all others, without a list of the pairs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rankwise.network.fabric.model import Subnet
from rankwise.network.routes.destinations import ARRIVES, Destinations, Exits, LostError, lids_of, outcomes
from rankwise.network.routes.steps import Floats, gathered, walked

_CELLS = 1 << 20
"""Number of (switch, destination) cells that are processed at a time."""


@dataclass(frozen=True)
class AllToAll:
    """The loads of all-to-all traffic: one message of weight 1 for each ordered pair.

    Attributes:
        loads: shape (L,): weights on each directed link.
        missing: pairs that messages do not arrive of.
        by_hops: shape (H,): the weights that arrive, by the number of switches that they pass; of a message
            that is split, each part by its own way.
    """

    loads: Floats
    missing: int
    by_hops: Floats


def all_to_all(subnet: Subnet, ports: ArrayLike, *, lid_offset: int | None = 0) -> AllToAll:
    """Send a message from each host port to each other host port.

    Args:
        subnet: with L links.
        ports: shape (N,): host ports, each once.
        lid_offset: as of `routed`.
    """
    hosts = np.asarray(ports, np.int64)
    exits, links = Exits(subnet), len(subnet.links)
    first = exits.first[hosts].astype(np.int64)
    at = np.bincount(first, minlength=exits.switches).astype(np.float64)
    loads, sent = np.zeros(links), np.full(len(hosts), len(hosts) - 1.0)
    by_hops: list[float] = [0.0]
    width = max(1, _CELLS // max(1, exits.switches))
    for begin in range(0, len(hosts), width):
        chunk = slice(begin, begin + width)
        place, lids, share = lids_of(subnet, hosts[chunk], lid_offset)
        to, own = Destinations(hosts[chunk][place], lids), first[chunk][place]
        amount = np.repeat(at[:, None], len(to), axis=1)
        amount[own, np.arange(len(to))] -= 1.0  # no rank sends to itself
        amount *= share
        try:
            loads_of_chunk, arrived = _loads_of_table(exits, to, links, amount)
        except LostError:
            worst = np.zeros((len(hosts[chunk]), exits.switches), np.int8)
            np.maximum.at(worst, place, outcomes(exits, to).T)
            lost = worst != ARRIVES
            amount = np.where(lost[place].T, 0.0, amount)
            loads_of_chunk, arrived = _loads_of_table(exits, to, links, amount, guarded=False)
            sent -= lost.sum(axis=0)[first]
            sent[chunk] += lost[np.arange(len(lost)), first[chunk]]
        loads += loads_of_chunk
        by_hops += [0.0] * (1 + len(arrived) - len(by_hops))
        for passed, weights in enumerate(arrived, 1):
            by_hops[passed] += float(weights.sum())
    loads[subnet.up[hosts]] += sent
    return AllToAll(loads, round(len(hosts) * (len(hosts) - 1.0) - sent.sum()), np.array(by_hops))


def _loads_of_table(
    exits: Exits, to: Destinations, links: int, amount: Floats, *, guarded: bool = True
) -> tuple[Floats, list[Floats]]:
    """Return the loads, shape (L,), of amounts, shape (S, C), that begin at switches, and what arrives.

    The latter after each hop, shapes (1,).
    """
    group = np.zeros(len(to), np.int64)
    arrived: list[Floats] = []
    if exits.forward.shape[2] > 1:
        where = np.flatnonzero(amount)
        parts = amount.reshape(1, -1)[:, where]
        loads = walked(exits, to, group, 1, links, where, parts, guarded=guarded, arrived=arrived)
        return loads.reshape(links), arrived
    # Nearly all messages take their first hop apart, and only then meet others: that hop is a dense array.
    begin = np.flatnonzero(amount.any(axis=1))
    column = np.broadcast_to(np.arange(len(to)), (len(begin), len(to)))
    link = exits.links(begin[:, None], exits.forward[begin[:, None], to.lids, 0])
    amount = amount[begin]
    if not amount.all():
        some = amount != 0
        column, link, amount = column[some], link[some], amount[some]
    going = exits.going(link, to.ports[column], 0, guarded=guarded)
    loads = np.bincount(link.ravel(), amount.ravel(), links).astype(np.float64)
    states = exits.ends(link[going]).astype(np.int64) * len(to) + column[going]
    where, parts = gathered(states, amount[None, going], exits.switches * len(to))
    arrived.append(amount[None, ~going].sum(axis=1))
    if len(where):
        more = walked(exits, to, group, 1, links, where, parts, guarded=guarded, arrived=arrived)
        loads += more.reshape(links)
    return loads, arrived

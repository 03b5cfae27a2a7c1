"""Messages of all hosts to all others, without a list of the pairs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rankwise.network.fabric.model import Subnet
from rankwise.network.routes.destinations import ARRIVES, Destinations, Exits, LostError, lids_of, outcomes
from rankwise.network.routes.steps import Floats, walked

_CELLS = 1 << 20
"""Number of (switch, destination) cells that are processed at a time."""


@dataclass(frozen=True)
class AllToAll:
    """The loads of all-to-all traffic: one message of weight 1 for each ordered pair.

    Attributes:
        loads: shape (L,): weights on each directed link.
        missing: pairs that messages do not arrive of.
    """

    loads: Floats
    missing: int


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
    width = max(1, _CELLS // max(1, exits.switches))
    for begin in range(0, len(hosts), width):
        chunk = slice(begin, begin + width)
        place, lids, share = lids_of(subnet, hosts[chunk], lid_offset)
        to, own = Destinations(hosts[chunk][place], lids), first[chunk][place]
        amount = np.repeat(at[:, None], len(to), axis=1)
        amount[own, np.arange(len(to))] -= 1.0  # no rank sends to itself
        amount *= share
        try:
            loads += _loads_of_table(exits, to, links, amount)
        except LostError:
            worst = np.zeros((len(hosts[chunk]), exits.switches), np.int8)
            np.maximum.at(worst, place, outcomes(exits, to).T)
            lost = worst != ARRIVES
            amount = np.where(lost[place].T, 0.0, amount)
            loads += _loads_of_table(exits, to, links, amount, guarded=False)
            sent -= lost.sum(axis=0)[first]
            sent[chunk] += lost[np.arange(len(lost)), first[chunk]]
    loads[subnet.up[hosts]] += sent
    return AllToAll(loads, round(len(hosts) * (len(hosts) - 1.0) - sent.sum()))


def _loads_of_table(
    exits: Exits, to: Destinations, links: int, amount: Floats, *, guarded: bool = True
) -> Floats:
    """Return the loads, shape (L,), of amounts, shape (S, C), that begin at switches."""
    where, group = np.flatnonzero(amount), np.zeros(len(to), np.int64)
    parts = amount.reshape(1, -1)[:, where]
    return walked(exits, to, group, 1, links, where, parts, guarded=guarded).reshape(links)

"""Flows between ranks as flows between ports of a fabric, rail by rail."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.network.job.flows import Flows
from rankwise.network.job.rank_ports import Places, Rail


@dataclass(frozen=True)
class RailJourneys:
    """The traffic on one subnet: J parts of flows, each from one host port to another.

    Attributes:
        flow: shape (J,), int64: index into the entries of the flows.
        source, destination: shape (J,), int32: indices into the subnet's host ports.
        share: shape (J,): of the flow's bytes and messages.
    """

    flow: NDArray[np.int64]
    source: NDArray[np.int32]
    destination: NDArray[np.int32]
    share: NDArray[np.float64]


@dataclass(frozen=True)
class Journeys:
    """The rails that flows take. A flow may also stay within its host, or be lost.

    Attributes:
        rails: one entry for each subnet of the fabric; the shares of a flow over all rails add up to 1.
        within_hosts: shape (n,), int64: flows between ranks of one host, which take no link.
        lost: shape (n,), int64: flows of ranks that have no place in the fabric, or no rail in common: they
            are on no link, so that loads are too small by them.
    """

    rails: tuple[RailJourneys, ...]
    within_hosts: NDArray[np.int64]
    lost: NDArray[np.int64]


def journeys(flows: Flows, places: Places) -> Journeys:
    """Find the ports that flows go from and to.

    The sender's rail policy says which rails a flow takes, as far as the receiver has a port there; where it
    has no port in any of them, all rails that both have share it evenly. On a rail, each port of the sender's
    that it takes there sends to each of the receiver's, by their shares.
    """
    source, destination = flows.source, flows.destination
    host = places.host
    within = (host[source] == host[destination]) & (host[source] >= 0)
    # Shares of each rank by rail, and whether it can be reached there.
    wanted = np.stack([rail.shares.sum(axis=1) for rail in places.rails], axis=1)
    has = np.stack([(rail.ports >= 0).any(axis=1) for rail in places.rails], axis=1)
    has &= wanted.sum(axis=1, keepdims=True) > 0
    takes = wanted[source] * has[destination]
    stranded = takes.sum(axis=1) == 0
    takes[stranded] = has[source[stranded]] & has[destination[stranded]]
    takes[within] = 0
    total = takes.sum(axis=1)
    lost = np.flatnonzero((total == 0) & ~within)
    takes /= np.where(total > 0, total, 1)[:, np.newaxis]
    rails = tuple(
        _of_rail(rail, source, destination, takes[:, number]) for number, rail in enumerate(places.rails)
    )
    return Journeys(rails, np.flatnonzero(within), lost)


def _of_rail(
    rail: Rail, source: NDArray[np.int32], destination: NDArray[np.int32], takes: NDArray[np.float64]
) -> RailJourneys:
    """Split the traffic of a rail among the ports at both ends.

    Args:
        rail: ports of the ranks.
        source: shape (E,): ranks.
        destination: shape (E,): ranks.
        takes: shape (E,): the share of each flow that takes this rail.
    """
    # A rank whose policy names only other rails receives through all its ports on this rail.
    here = rail.shares.sum(axis=1, keepdims=True) > 0
    within = np.where(here, rail.shares, rail.ports >= 0)
    total = within.sum(axis=1, keepdims=True)
    within /= np.where(total > 0, total, 1)
    entries = np.flatnonzero(takes)
    a, b = source[entries], destination[entries]
    parts = []
    for column in range(rail.ports.shape[1]):
        for other in range(rail.ports.shape[1]):
            share = takes[entries] * within[a, column] * within[b, other]
            some = np.flatnonzero(share)
            parts.append(
                RailJourneys(
                    entries[some], rail.ports[a[some], column], rail.ports[b[some], other], share[some]
                )
            )
    if not parts:
        return RailJourneys(np.empty(0, np.int64), np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0))
    return RailJourneys(
        np.concatenate([part.flow for part in parts]),
        np.concatenate([part.source for part in parts]),
        np.concatenate([part.destination for part in parts]),
        np.concatenate([part.share for part in parts]),
    )

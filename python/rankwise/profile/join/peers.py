"""Identifies the peers of messages: ranks, or addresses that other processes recorded as their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from rankwise.profile.collect.counters import Counters
from rankwise.profile.collect.layout import CONSTANTS
from rankwise.profile.join.own_ids import translated

UNKNOWN = CONSTANTS["PEER_UNKNOWN"]
"""Replaces a process outside MPI_COMM_WORLD, or without a known address."""
OTHER = CONSTANTS["PEER_OTHER"]
"""Stands for several processes: there was no room for a row of each."""
IMPOSSIBLE = -1
"""Stands for a number that no peer has: the row is damaged."""

_FIRST_ENDPOINT = CONSTANTS["FIRST_ENDPOINT"]


class Peers:
    """The peers of all processes of a world.

    Attributes:
        owners: for each rank, whose the endpoints are that it sent to: world ranks, or UNKNOWN.
    """

    def __init__(self, world: Mapping[int, Counters], size: int) -> None:
        """Match the addresses that the processes sent to with their own addresses.

        Args:
            world: counters by rank.
            size: of MPI_COMM_WORLD.
        """
        self._size = size
        owners: dict[tuple[int, int], int] = {}
        for rank, counters in world.items():
            for address in _addresses(counters, own=True):
                # An address that two processes claim belongs to neither.
                owners[address] = rank if owners.get(address, rank) == rank else UNKNOWN
        # Most processes send only to ranks.
        nobody = np.empty(0, np.int64)
        self.owners: dict[int, NDArray[np.int64]] = {
            rank: np.array([owners.get(address, UNKNOWN) for address in _addresses(counters)], np.int64)
            if len(counters.endpoints)
            else nobody
            for rank, counters in world.items()
        }

    def known(self, rank: int, peers: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the world ranks of a process's peers, or UNKNOWN, OTHER, IMPOSSIBLE.

        Args:
            rank: of the process.
            peers: numbers as in the keys of messages.
        """
        return known_peers([self.owners[rank]], np.zeros(len(peers), np.intp), peers, self._size)


def known_peers(
    owners: Sequence[NDArray[np.int64]], senders: NDArray[np.intp], peers: NDArray[np.int64], size: int
) -> NDArray[np.int64]:
    """Return the world ranks of processes' peers, or UNKNOWN, OTHER, IMPOSSIBLE.

    Args:
        owners: as in `Peers`, of each process; at least one.
        senders: places in `owners`, whose each peer is.
        peers: numbers as in the keys of messages.
        size: of MPI_COMM_WORLD.
    """
    is_told = (peers >= 0) & (peers < size) | (peers == UNKNOWN) | (peers == OTHER)
    # (At the end of each, what stands for all that are beyond it.)
    ends = [np.append(own, IMPOSSIBLE) for own in owners]
    of_endpoints = translated(ends, senders, peers - _FIRST_ENDPOINT, IMPOSSIBLE)
    return np.where(of_endpoints != IMPOSSIBLE, of_endpoints, np.where(is_told, peers, IMPOSSIBLE))


def _addresses(counters: Counters, *, own: bool = False) -> list[tuple[int, int]]:
    rows = counters.endpoints[counters.endpoints["own"] == 1] if own else counters.endpoints
    return [(first, second) for first, second in rows["address"].tolist()]

"""Whose the peers of messages are: ranks, or addresses that other processes call their own."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from rankwise.profile.counters import Counters
from rankwise.profile.layout import CONSTANTS

UNKNOWN = CONSTANTS["PEER_UNKNOWN"]
"""Stands for a process that is not in MPI_COMM_WORLD, or of which nothing was read that tells its address."""
OTHER = CONSTANTS["PEER_OTHER"]
"""Stands for several processes: there was no room for a row of each."""
IMPOSSIBLE = -1
"""Stands for a number that no peer has: the row is damaged."""

_FIRST_ENDPOINT = CONSTANTS["FIRST_ENDPOINT"]


class Peers:
    """The peers of all processes of a world."""

    def __init__(self, world: Mapping[int, Counters], size: int) -> None:
        """Match the addresses that the processes sent to with those that they call their own.

        Args:
            world: counters by rank.
            size: of MPI_COMM_WORLD.
        """
        self._size = size
        owners: dict[tuple[int, int], int] = {}
        for rank, counters in world.items():
            for address in _addresses(counters, own=True):
                # An address that two call their own is nobody's.
                owners[address] = rank if owners.get(address, rank) == rank else UNKNOWN
        self._endpoints = {
            rank: np.array(
                [owners.get(address, UNKNOWN) for address in _addresses(counters)] or [UNKNOWN], np.int64
            )
            for rank, counters in world.items()
        }
        self._counts = {rank: len(counters.endpoints) for rank, counters in world.items()}

    def known(self, rank: int, peers: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the world ranks of a process's peers, or UNKNOWN, OTHER, IMPOSSIBLE.

        Args:
            rank: of the process.
            peers: numbers as in the keys of messages.
        """
        owners = self._endpoints[rank]
        indices = peers - _FIRST_ENDPOINT
        is_endpoint = (indices >= 0) & (indices < self._counts[rank])
        is_told = (peers >= 0) & (peers < self._size) | (peers == UNKNOWN) | (peers == OTHER)
        found: NDArray[np.int64] = np.where(
            is_endpoint,
            owners[np.clip(indices, 0, len(owners) - 1)],
            np.where(is_told, peers, IMPOSSIBLE),
        )
        return found


def _addresses(counters: Counters, *, own: bool = False) -> list[tuple[int, int]]:
    rows = counters.endpoints[counters.endpoints["own"] == 1] if own else counters.endpoints
    return [(first, second) for first, second in rows["address"].tolist()]

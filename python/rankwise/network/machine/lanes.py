"""Paths of an even split, as several tables with one port per entry and equal shares."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.network.fabric.model import NO_PORT, Subnet

_MOST_LANES = 32
Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class Lanes:
    """One or more tables for S switches and N nodes.

    A message chooses a path at several switches in turn. So that all combinations occur equally often in the
    tables, the choice of a switch is a digit of the table's number: switches that a message may pass on the
    same path have different digits, all others share one.

    Attributes:
        ports: shape (S, N, W): the ports of each entry, and NO_PORT after them.
        ways: shape (S, N): how many they are, at least 1.
        digit: shape (S, N): of the table's number, that chooses between them.
        bases: of each digit.
        count: of tables.
        to: shape (S, N, W): the switch behind each of the ports; -1: none.
    """

    ports: NDArray[np.uint16]
    ways: Numbers
    digit: Numbers
    bases: tuple[int, ...]
    count: int
    to: NDArray[np.int32]

    def exits(self, number: int) -> NDArray[np.uint16]:
        """Return shape (S, N): the ports of a table."""
        return np.take_along_axis(self.ports, self._place(number)[:, :, None], axis=2)[:, :, 0]

    def are_even(self, starts: NDArray[np.bool_]) -> bool:
        """Return whether links have the loads of the even split, which is possible without some combinations.

        They do if equally many tables take each way, among those by which messages from one switch reach
        another one.

        Args:
            starts: shape (S, N): messages for each node begin at these switches.
        """
        if self.count == math.prod(self.bases):
            return True
        nodes, width = self.ways.shape[1], self.ports.shape[2]
        places = np.array([self._place(number) for number in range(self.count)])
        for first in np.flatnonzero(starts.any(axis=1)).tolist():
            node = np.tile(np.flatnonzero(starts[first]), self.count)
            table = np.repeat(np.arange(self.count), len(node) // self.count)
            at, taken = np.full(len(node), first), []
            for _ in range(len(self.ways)):
                place = places[table, at, node]
                taken.append((at * nodes + node) * width + place)
                to = self.to[at, node, place]
                at, node, table = to[to >= 0], node[to >= 0], table[to >= 0]
            way, times = np.unique(np.concatenate(taken), return_counts=True)
            begins = np.flatnonzero(np.diff(way // width, prepend=-1))
            different = np.diff(np.r_[begins, len(way)]) != self.ways.ravel()[way[begins] // width]
            if (
                different.any()
                or (np.maximum.reduceat(times, begins) > np.minimum.reduceat(times, begins)).any()
            ):
                return False
        return True

    def _place(self, number: int) -> Numbers:
        """Return shape (S, N): which of its ports each entry has in a table.

        Each digit has those before it added. So no way is left out if there are fewer tables than needed.
        For the same reason, not all entries begin with their first port.
        """
        digits: list[int] = []
        before: list[int] = []
        for base in self.bases:
            number, own = divmod(number, base)
            ahead = sum(digit * (len(before) - place) for place, digit in enumerate(before))
            digits.append(own + ahead)
            before.append(own)
        turn = np.add.outer(np.arange(self.ways.shape[0]), np.arange(self.ways.shape[1]))
        place: Numbers = (np.array([*digits, 0])[self.digit] + turn) % self.ways
        return place


def lanes_of(subnet: Subnet, entries: NDArray[np.uint16], starts: NDArray[np.bool_]) -> Lanes:
    """Find the tables for messages, at most 32.

    Args:
        subnet: with S switches.
        entries: shape (S, N, W): its forwarding tables for N nodes.
        starts: shape (S, N): messages for each node begin at these switches.
    """
    ports = np.sort(entries, axis=2)
    ways = np.maximum((ports != NO_PORT).sum(axis=2), 1)
    to = _next(subnet, ports)
    if ports.shape[2] == 1:
        return Lanes(ports, ways, np.zeros(ways.shape, np.int64), (), 1, to)
    switch, node = np.nonzero(_passed(to, starts))
    of_cell = ways[switch, node]
    # The next cells of each cell, by number; the last number: none.
    number = np.full(ways.shape, len(switch))
    number[switch, node] = np.arange(len(switch))
    behind = to[switch, node]
    follows = np.where(behind >= 0, number[behind, node[:, None]], len(switch))
    digit = np.full(ways.shape, -1)
    bases: list[int] = []
    for base in sorted(set(of_cell[of_cell > 1].tolist()), reverse=True):
        chooses = of_cell == base
        depth = _depths(chooses, follows, len(subnet.switches.names))
        digit[switch[chooses], node[chooses]] = len(bases) + depth[chooses] - 1
        bases += [base] * int(depth.max())
    needed, each = math.prod(bases), math.lcm(*bases)
    most = _MOST_LANES // each * each or _MOST_LANES
    return Lanes(ports, ways, digit, tuple(bases), needed if needed <= _MOST_LANES else most, to)


def _depths(chooses: NDArray[np.bool_], follows: Numbers, switches: int) -> Numbers:
    """Return the number of choosing cells on the path from each cell, including it, that has the most."""
    depth = np.zeros(len(chooses) + 1, np.int64)
    for _ in range(switches):
        before = depth[:-1].copy()
        depth[:-1] = chooses + depth[follows].max(axis=1)
        if (depth[:-1] == before).all():
            break
    return depth[:-1]


def _passed(to: NDArray[np.int32], starts: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return shape (S, N): the switches that messages for each node may come by."""
    passed: NDArray[np.bool_] = starts.copy()
    switch, node = np.nonzero(starts)
    while len(switch):
        behind = to[switch, node]
        new = np.zeros(passed.shape, bool)
        new[behind[behind >= 0], np.repeat(node, (behind >= 0).sum(axis=1))] = True
        new &= ~passed
        passed |= new
        switch, node = np.nonzero(new)
    return passed


def _next(subnet: Subnet, ports: NDArray[np.uint16]) -> NDArray[np.int32]:
    """Return the switch behind each port, of shape (S, ...); -1 without one."""
    out, switches = subnet.out, len(subnet.switches.names)
    behind = np.where(out >= 0, subnet.links.destination[out], -1)
    none = np.full((switches, 1), -1, np.int32)
    behind = np.concatenate([np.where(behind < switches, behind, -1).astype(np.int32), none], axis=1)
    next_cells: NDArray[np.int32] = behind[
        np.arange(switches)[:, None, None], np.minimum(ports, behind.shape[1] - 1)
    ]
    return next_cells

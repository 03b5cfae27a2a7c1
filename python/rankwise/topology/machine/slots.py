"""The slots of a machine as arrays: which objects each is in, and where two of them meet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankwise.native import Arguments
from rankwise.topology.machine.objects import Object


@dataclass(frozen=True)
class Slots:
    """N slots, from left to right in the tree, and D levels.

    Where an object skips levels, it stands for a separate object in each of them.

    Attributes:
        numbers: shape (N, D): which object of each level a slot is in, counted over the whole machine.
        os: shape (N, D): the kernel's number of that object, -1 where unknown; of the slot itself in the last
            column.
        host: shape (N,): place of the slot's node in Machine.nodes, ascending.
    """

    numbers: NDArray[np.int32]
    os: NDArray[np.int32]
    host: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.host)

    def meet(self, first: ArrayLike, second: ArrayLike) -> NDArray[np.int64]:
        """Return the level of the smallest object that holds both slots.

        Args:
            first: places of slots.
            second: places of slots, of the same shape or one that numpy broadcasts.

        Returns:
            places in Machine.levels; of a slot with itself, the innermost level.
        """
        same = self.numbers[np.asarray(first)] == self.numbers[np.asarray(second)]
        # Objects are nested: once different, always different.
        return np.asarray(same.sum(axis=-1) - 1, dtype=np.int64)

    def distance(self, first: ArrayLike, second: ArrayLike) -> NDArray[np.int64]:
        """Return the number of levels up from two slots to their common object; 0: the same slot."""
        return np.asarray(self.numbers.shape[1] - 1 - self.meet(first, second), dtype=np.int64)

    def hops(self) -> NDArray[np.float64]:
        """Return how many hops apart slots are that meet at each level: shape (D,).

        Levels to go up from the nearest that two slots can be; levels that divide nothing do not count.
        """
        slots, depth = self.numbers.shape
        levels_up, given = np.empty(depth + 1), Arguments()
        objects = given.pointer(self.numbers, np.int32, "int32_t *")
        if given.library.rankwise_hops(
            objects, slots, depth, given.ffi.cast("double *", levels_up.ctypes.data)
        ):
            raise MemoryError
        # By the number of common objects: slots that meet at level k have k + 1, as the machine is one.
        return levels_up[1:]

    def in_node(self, level: int) -> NDArray[np.int64]:
        """Return the logical number of each slot's object within its node: shape (N,), from 0."""
        column = self.numbers[:, level]
        first = np.searchsorted(self.host, np.arange(int(self.host[-1]) + 1))
        return (column - column[first][self.host]).astype(np.int64)


def slots_below(root: Object, depth: int, node: int) -> Slots:
    """Return the slots below `root`; the machine has `depth` levels, and `node` is the place of `node`."""
    numbers, os = _Tables(depth).of(root, 0)
    return Slots(numbers, os, numbers[:, node].copy())


def numbered(groups: Sequence[int]) -> NDArray[np.int64]:
    """Return the same groups, numbered from 0 in the order of their first rank."""
    numbers: dict[int, int] = {}
    return np.array([numbers.setdefault(int(group), len(numbers)) for group in groups], dtype=np.int64)


Table = tuple[NDArray[np.int32], NDArray[np.int32]]


class _Tables:
    """Numbers and kernel's numbers of the slots below objects; made once for children that are shared."""

    def __init__(self, depth: int) -> None:
        self._depth = depth
        self._known: dict[tuple[int, int], Table] = {}

    def of(self, top: Object, above: int) -> Table:
        """Return the columns `above`, ... of the slots below `top`, counted from 0 below it."""
        numbers, os = self._inside(top)
        missing = top.level - above  # skipped levels: the object itself stands for them
        count = len(numbers)
        own = np.full((count, missing + 1), -1, dtype=np.int32)
        own[:, -1] = top.os
        return (
            np.hstack([np.zeros((count, missing + 1), dtype=np.int32), numbers]),
            np.hstack([own, os]),
        )

    def _inside(self, top: Object) -> Table:
        """Return the columns of the levels below `top`."""
        below = top.level + 1
        if not top.children:
            columns = self._depth - below
            return np.zeros((1, columns), dtype=np.int32), np.full((1, columns), top.os, dtype=np.int32)
        key = (id(top.children), top.level)  # the tree keeps the children alive, so an id is theirs alone
        if key not in self._known:
            tables = [self.of(child, below) for child in top.children]
            heights = [len(numbers) for numbers, _ in tables]
            sizes = np.array([numbers[-1] + 1 for numbers, _ in tables])
            before = np.cumsum(sizes, axis=0) - sizes
            numbers = np.vstack([numbers for numbers, _ in tables]) + np.repeat(before, heights, axis=0)
            self._known[key] = (numbers.astype(np.int32), np.vstack([os for _, os in tables]))
        return self._known[key]

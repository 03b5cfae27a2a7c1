"""Symmetry of a machine: objects that are alike inside, so that ranks can change from one to the other."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray


class Tree:
    """The objects above some slots, counted from 0 at each level, from left to right."""

    def __init__(self, objects: NDArray[np.int32], fixed: int = 0) -> None:
        """Sort the objects of each level by what is in them.

        Args:
            objects: shape (N, D): rows of Slots.numbers, in their order. The first column is the machine, the
                last one each slot.
            fixed: so many levels, from the outermost, have no two objects that are alike.
        """
        slots = [np.unique(column, return_inverse=True)[1].ravel() for column in objects.T]
        self.depth = len(slots)
        self._slots = slots
        self._parents = [outer[np.unique(inner, return_index=True)[1]] for outer, inner in pairwise(slots)]
        self._classes = self._symmetry_classes(fixed)

    def holding(self, level: int, slots: NDArray[np.int64]) -> set[int]:
        """Return the numbers of the objects of a level that some of the slots are in."""
        return set(self._slots[level][slots].tolist())

    def parent(self, level: int, number: int) -> int:
        """Return the number of the object, at the level above, that an object is in."""
        return int(self._parents[level - 1][number])

    def children(self, level: int, number: int) -> range:
        """Return the numbers of the objects, at the level below, that an object holds."""
        first, end = np.searchsorted(self._parents[level], (number, number + 1)).tolist()
        return range(first, end)

    def symmetry_class(self, level: int, number: int) -> int:
        """Return a number that objects of this level share if the same is in them, apart from its order."""
        return int(self._classes[level][number])

    def _symmetry_classes(self, fixed: int) -> list[NDArray[np.int64]]:
        classes = [np.zeros(len(self._slots[-1]), dtype=np.int64)]
        for level in range(self.depth - 2, -1, -1):
            parents = self._parents[level]
            if level < fixed:
                classes.insert(0, np.arange(int(parents[-1]) + 1))
                continue
            order = np.lexsort((classes[0], parents))
            inside = np.split(classes[0][order], np.flatnonzero(np.diff(parents)) + 1)
            known: dict[bytes, int] = {}
            numbers = [known.setdefault(one.tobytes(), len(known)) for one in inside]
            classes.insert(0, np.array(numbers, dtype=np.int64))
        return classes

"""Of all placements that are as good because parts of the machine are alike, the one nearest to the present.

What is found says which ranks are to be together, and at which level. Which of several equal nodes they get
is all the same, and so is which of its cores each gets: as many ranks as can be stay where they are.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankwise.placement.alike import Tree

_DENSE = 1 << 24  # cells of a matrix that may be filled; beyond it, only what is not zero

Pair = tuple[int, int]  # an object, and the one that takes its place
Gains = dict[Pair, int]  # ranks that stay where they are if it does


def nearest(
    objects: NDArray[np.int32], found: ArrayLike, present: ArrayLike, fixed: int = 0
) -> NDArray[np.int64]:
    """Exchange equal parts of the machine, with all ranks in them, so that the most ranks stay.

    Ranks that had a level in common still have it, so no cost that depends on levels alone changes. From the
    innermost level outwards, the children of two equal objects are assigned to each other for the most gain.

    Args:
        objects: shape (N, D): rows of Slots.numbers, in their order.
        found: shape (R,): place of each rank in `objects`, no two the same.
        present: likewise, where they are now.
        fixed: so many levels, from the outermost, whose objects keep their places.

    Returns:
        as `found`. The number of ranks that stay is the largest that such exchanges can reach.
    """
    tree = Tree(objects, fixed)
    slot = np.asarray(found)
    chosen = _chosen(tree, dict.fromkeys(zip(slot.tolist(), np.asarray(present).tolist(), strict=True), 1))
    images = {0: 0}
    for level in range(1, tree.depth):
        images = _images(tree, level, images, chosen[level - 1], tree.holding(level, slot))
    return np.array([images[place] for place in slot.tolist()], dtype=np.int64)


def _chosen(tree: Tree, stay: Gains) -> list[dict[Pair, list[Pair]]]:
    """Return for each level, but the last, which of an object's children best take the places of which.

    Only for pairs of objects with a rank that is to be in the one and is in the other: others gain nothing.
    """
    found: list[dict[Pair, list[Pair]]] = []
    for level in range(tree.depth - 1, 0, -1):
        inside: dict[Pair, Gains] = defaultdict(dict)
        for (one, other), gain in stay.items():
            above = tree.parent(level, one), tree.parent(level, other)
            if tree.kind(level - 1, above[0]) == tree.kind(level - 1, above[1]):
                inside[above][one, other] = gain
        best = {pair: _best(gains) for pair, gains in inside.items()}
        stay = {pair: sum(inside[pair][each] for each in best[pair]) for pair in best}
        found.insert(0, best)
    return found


def _best(gains: Gains) -> list[Pair]:
    """Choose pairs, no two with the same first or second part, whose gains add up to the most."""
    if len({one for one, _ in gains}) == len({other for _, other in gains}) == len(gains):
        return list(gains)
    first, second = np.array(list(gains)).T
    rows, columns = (np.unique(side, return_inverse=True)[1].ravel() for side in (first, second))
    weights = np.array(list(gains.values()), dtype=np.float64)
    taken = set(_assigned(rows, columns, weights))
    cells = zip(gains, rows.tolist(), columns.tolist(), strict=True)
    return [pair for pair, row, column in cells if (row, column) in taken]


def _assigned(
    rows: NDArray[np.int64], columns: NDArray[np.int64], weights: NDArray[np.float64]
) -> list[Pair]:
    """Solve the assignment problem for weights above 0 in some cells of a matrix; all others are 0."""
    from scipy.optimize import linear_sum_assignment
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    count, width = int(rows.max()) + 1, int(columns.max()) + 1
    if count * width <= _DENSE:
        matrix = np.zeros((count, width))
        matrix[rows, columns] = weights
        return _pairs(linear_sum_assignment(matrix, maximize=True))
    # Here each row must be matched: it has a column of its own, worth nothing. A weight of 0 is no cell.
    own = np.arange(count)
    at = np.concatenate([rows, own]), np.concatenate([columns, width + own])
    cells = csr_matrix((np.concatenate([weights + 1, np.ones(count)]), at), shape=(count, width + count))
    return _pairs(min_weight_full_bipartite_matching(cells, maximize=True))


def _pairs(sides: tuple[NDArray[np.int64], NDArray[np.int64]]) -> list[Pair]:
    return list(zip(sides[0].tolist(), sides[1].tolist(), strict=True))


def _images(
    tree: Tree, level: int, parents: dict[int, int], chosen: dict[Pair, list[Pair]], used: set[int]
) -> dict[int, int]:
    """Return what each used object of a level becomes, given what those of the level above become."""
    images: dict[int, int] = {}
    for one, other in parents.items():
        fits = dict(chosen.get((one, other), ()))
        taken = set(fits.values())
        free: dict[int, list[int]] = defaultdict(list)
        for child in reversed(tree.children(level - 1, other)):
            if child not in taken:
                free[tree.kind(level, child)].append(child)
        for child in tree.children(level - 1, one):
            if child in used:
                images[child] = fits[child] if child in fits else free[tree.kind(level, child)].pop()
    return images

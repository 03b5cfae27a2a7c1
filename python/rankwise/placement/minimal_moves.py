"""Of all placements that are as good because parts of the machine are alike, the one with the fewest moves.

What is found says which ranks are to be together, and at which level. Which of several equal nodes they get
is all the same, and so is which of its cores each gets: as many ranks as can be stay where they are.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankwise.placement.engine import choose_pairs
from rankwise.placement.symmetry import Tree

Pair = tuple[int, int]  # an object, and the one that takes its place
Gains = dict[Pair, int]  # ranks that stay where they are if it does


def minimal_moves(
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
            if tree.symmetry_class(level - 1, above[0]) == tree.symmetry_class(level - 1, above[1]):
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
    chosen = choose_pairs(rows, columns, weights)
    return [pair for pair, taken in zip(gains, chosen.tolist(), strict=True) if taken]


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
                free[tree.symmetry_class(level, child)].append(child)
        for child in tree.children(level - 1, one):
            if child in used:
                images[child] = (
                    fits[child] if child in fits else free[tree.symmetry_class(level, child)].pop()
                )
    return images

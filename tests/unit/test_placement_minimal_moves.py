"""Equal parts of a machine change places so that the most ranks stay: against all permutations."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from golden import Golden
from rankwise.errors import RankwiseError
from rankwise.placement.engine import choose_pairs
from rankwise.placement.minimal_moves import minimal_moves

Numbers = NDArray[np.int64]


def tree(shape: object) -> NDArray[np.int32]:
    """Slots of nested lists: [[2, 2], [3]] is a switch with two nodes of 2 slots, one with a node of 3."""
    rows: list[list[int]] = []
    counts: list[int] = []

    def add(part: object, above: list[int]) -> None:
        while len(counts) <= len(above):
            counts.append(0)
        for inner in part if isinstance(part, list) else [None] * int(str(part)):
            here = [*above, counts[len(above)]]
            counts[len(above)] += 1
            if inner is None:
                rows.append([0, *here])
            else:
                add(inner, here)

    add(shape, [])
    return np.array(rows, dtype=np.int32)


def meet(objects: NDArray[np.int32], slots: Numbers) -> Numbers:
    """Levels that each two of the slots have in common: shape (..., R, R)."""
    rows = objects[slots]
    return np.asarray((rows[..., :, None, :] == rows[..., None, :, :]).sum(axis=-1))


SHAPES = [[2, 2, 2], [[2, 2], [2, 1]], [[1, 1], [2, 2]], [[[1, 1], [1, 1]], [[2], [2]]], [7], [3, 2, 2]]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("fewer", [0, 2])
@pytest.mark.reported("placing/moves")
def test_no_other_exchange_moves_fewer(shape: object, fewer: int) -> None:
    objects = tree(shape)
    count = len(objects)
    everything = np.array(list(permutations(range(count))))
    apart = meet(objects, np.arange(count))
    exchanges = everything[[bool((meet(objects, order) == apart).all()) for order in everything]]
    random = np.random.default_rng(3)
    for _ in range(40):
        placement, present = (random.permutation(count)[: count - fewer] for _ in range(2))
        near = minimal_moves(objects, placement, present)
        assert len(set(near.tolist())) == len(near)
        assert (meet(objects, near) == meet(objects, placement)).all()
        assert (near == present).sum() == (exchanges[:, placement] == present).sum(axis=1).max()


def test_known_case() -> None:
    """Nodes changed their names, and cores within them: everything can stay."""
    objects = tree([4, 4, 4])
    present = np.arange(12)
    placement = np.array([9, 8, 11, 10, 3, 2, 1, 0, 4, 5, 6, 7])
    assert minimal_moves(objects, placement, present).tolist() == present.tolist()
    # Two ranks change their nodes for good: the other ten stay.
    placement[[0, 4]] = placement[[4, 0]]
    near = minimal_moves(objects, placement, present)
    assert sorted(np.flatnonzero(near != present).tolist()) == [0, 4]


def test_levels_that_keep_their_places() -> None:
    objects = tree([2, 2])
    placement, present = np.array([1, 0, 3, 2]), np.array([2, 3, 0, 1])
    assert minimal_moves(objects, placement, present).tolist() == present.tolist()
    kept = minimal_moves(objects, placement, present, fixed=2)
    assert objects[kept, 1].tolist() == objects[placement, 1].tolist()


def test_pairs_are_worth_the_most() -> None:
    """Against an exact solver of full matrices, from empty and sparse ones to full ones with many ties."""
    random = np.random.default_rng(5)
    for _ in range(300):
        shape = random.integers(1, 13, size=2)
        matrix = random.integers(0, random.choice([2, 4, 1000]), size=shape)
        matrix[random.random(shape) < random.random()] = 0
        rows, columns = np.nonzero(matrix)
        chosen = choose_pairs(rows, columns, matrix[rows, columns].astype(float))
        assert len(set(rows[chosen].tolist())) == len(set(columns[chosen].tolist())) == chosen.sum()
        best = linear_sum_assignment(matrix, maximize=True)
        assert matrix[rows[chosen], columns[chosen]].sum() == matrix[best].sum()


@pytest.mark.parametrize("weight", [-1.0, np.nan, np.inf])
def test_pairs_that_can_not_be(weight: float, golden: Golden) -> None:
    zero = np.zeros(1, dtype=np.int64)
    with pytest.raises(RankwiseError) as error:
        choose_pairs(zero, zero, np.array([weight]))
    golden.says(error.value, "0")
    with pytest.raises(RankwiseError) as error:
        choose_pairs(zero - 1, zero, np.ones(1))
    golden.says(error.value)

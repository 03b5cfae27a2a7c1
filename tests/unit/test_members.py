"""Compact lists of members, both ways."""

from __future__ import annotations

import random

import pytest

from golden import Golden
from rankwise.profile.join.members import compact, compact_sparse, count, missing_ranks, parse


@pytest.mark.parametrize(
    ("ranks", "text"),
    [
        ([], ""),
        ([0], "0"),
        ([0, 1, 2, 3, 9, *range(12, 97, 4)], "0-3,9,12-96:4"),
        ([4, 5], "4-5"),
        ([4, 6], "4,6"),
        ([0, 4, 5, 6], "0,4-6"),
        ([7, 6, 5, 0], "7-5:-1,0"),
        ([0, -1, 2], "0,?,2"),
        ([-1, -1, 5, 6, 7, -1], "?x2,5-7,?"),
        ([3, 3, 3], "3,3,3"),
    ],
)
def test_both_directions(ranks: list[int], text: str) -> None:
    assert compact(ranks) == text
    assert parse(text) == ranks


def test_random_lists_survive() -> None:
    generator = random.Random(5)
    for _ in range(300):
        ranks = [generator.randrange(-1, 12) for _ in range(generator.randrange(20))]
        assert parse(compact(ranks)) == ranks


def test_members_are_counted_without_being_made() -> None:
    assert count("0-999999999999") == 10**12
    generator = random.Random(6)
    for _ in range(100):
        ranks = [generator.randrange(12) for _ in range(generator.randrange(20))]
        assert count(compact(ranks)) == len(ranks)
    for text in ("0,?", "?x3", "0..3", "3-1"):
        with pytest.raises(ValueError, match="not"):
            count(text)


def test_a_large_communicator_of_which_little_is_known_costs_nothing() -> None:
    assert compact_sparse({1: 7, 2: 8}, 2**28) == "?,7-8,?x268435453"


@pytest.mark.parametrize("text", ["x", "0-", "1-2:0", "5-3", "0-4:3", "0,,1", "-1", "?x", "1-9:-1"])
def test_what_is_no_list_is_refused(text: str, golden: Golden) -> None:
    with pytest.raises(ValueError) as error:
        parse(text)
    golden.says(error.value)


@pytest.mark.parametrize(
    ("seen", "size", "text"),
    [
        ([], 1, "0"),
        ([1, 0], 6, "2-5"),
        ([0, 2, 5], 6, "1,3-4"),
        ([3], 10**12, "0-2,4-999999999999"),
        (range(0, 40, 2), 40, "1,3,5,7,9,11,13,15,..."),
        (range(4), 4, ""),
    ],
)
def test_missing_ranks(seen: list[int], size: int, text: str) -> None:
    assert missing_ranks(seen, size) == text

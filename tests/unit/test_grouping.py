"""Rows that are alike, and numbers of which each is wanted once."""

from __future__ import annotations

import numpy as np
import pytest

from rankwise.profile.join.grouping import distinct


@pytest.mark.parametrize("numbers", [[], [7], [3, -1, 3, 2, -1], [2**62, 0, 2**62]])
def test_distinct_numbers_are_those_of_a_set(numbers: list[int]) -> None:
    assert distinct(np.array(numbers, np.int64)).tolist() == sorted(set(numbers))

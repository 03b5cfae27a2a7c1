"""Who runs first in each pair."""

from __future__ import annotations

import random
from typing import Literal

Side = Literal["before", "after"]


def order(pair: int, seed: int) -> tuple[Side, Side]:
    """Return the sides of a pair in the order of their runs.

    By A B, B A, A B, ... a machine that gets slower or faster all the time favours neither side; which one
    begins is drawn by lot.

    Args:
        pair: its number, from 0.
        seed: of the lot.
    """
    before_begins = random.Random(seed).random() < 0.5
    return ("before", "after") if before_begins == (pair % 2 == 0) else ("after", "before")

"""Measured values as text."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankwise.profile.join.members import compact
from rankwise.text.units import digits_text, second_text
from rankwise.views.view import Format

_UNKNOWN = "-"
FACTOR = Format("factor", lambda factor: factor_text(factor), right=True)
"""How many times slower."""


def value_format(what: str) -> Format:
    """Return how values of a latency or bandwidth are written."""
    unit = "MB/s" if what == "bandwidth" else "us"
    return Format(what, lambda value: value_text(what, value), unit, right=True)


def value_text(what: str, value: float | None) -> str:
    """Return a latency in us as `1.23 us`, a bandwidth in MB/s as `940 MB/s`; a dash for none."""
    if value is None or np.isnan(value):
        return _UNKNOWN
    return f"{digits_text(value)} MB/s" if what == "bandwidth" else second_text(value * 1e-6)


def factor_text(factor: float | None) -> str:
    """Return how many times slower: `1.02 x`; a dash for none."""
    return _UNKNOWN if factor is None or np.isnan(factor) else f"{digits_text(factor)} x"


def number_text(value: float | None) -> str:
    """Return a number with three digits; a dash for none."""
    return _UNKNOWN if value is None or np.isnan(value) else digits_text(value)


def ranks_text(ranks: Sequence[int]) -> str:
    """Return ranks as a compact list: `0-3,8`."""
    return compact(ranks)

"""Shares in percent."""

from __future__ import annotations


def percent(part: float, whole: float) -> float:
    """Return `part` in percent of `whole`; 0 if `whole` is 0."""
    return 100.0 * part / whole if whole > 0 else 0.0

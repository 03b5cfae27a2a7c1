"""Ranks in a sentence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rankwise.profile.collect.counters import Header
from rankwise.profile.join.members import compact


def named(ranks: Iterable[int], headers: Mapping[int, Header]) -> str:
    """Return `ranks 0-3`, or of one rank `rank 2 (its host)`."""
    numbers = sorted(ranks)
    if len(numbers) > 1:
        return f"ranks {compact(numbers)}"
    host = headers[numbers[0]].host
    return f"rank {numbers[0]} ({host})" if host else f"rank {numbers[0]}"

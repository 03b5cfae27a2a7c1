"""Compact lists of the members of a communicator: ``0-3,8,12-96:4``.

An entry is a rank, ``first-last`` or ``first-last:stride`` (the stride may be negative: ``7-0:-1``). A member
whose counters are missing is unknown: ``?``, or ``?x12`` for twelve in a row.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

UNKNOWN = -1
"""Stands for an unknown member in lists of numbers."""

_MOST_STRETCHES = 8

_ENTRY = re.compile(r"(?P<first>\d+)(?:-(?P<last>\d+)(?::(?P<stride>-?\d+))?)?|\?(?:x(?P<unknown>\d+))?")


def compact(ranks: Iterable[int]) -> str:
    """Write the compact list of world ranks in order of their rank in the communicator; UNKNOWN = unknown."""
    places = dict(enumerate(ranks))
    return compact_sparse({place: rank for place, rank in places.items() if rank != UNKNOWN}, len(places))


def compact_ascending(ranks: Sequence[int]) -> str:
    """Write the compact list of ranks in ascending order, at least one: fast for neighbours, as most are."""
    first, last = ranks[0], ranks[-1]
    return _range(first, last, 1) if last - first + 1 == len(ranks) else ",".join(_runs(ranks))


def compact_sparse(known: Mapping[int, int], size: int) -> str:
    """Write the compact list of a partly known communicator.

    Args:
        known: rank in the communicator → world rank.
        size: number of members; may be large at no cost.
    """
    entries: list[str] = []
    run: list[int] = []
    expected = 0
    for place in sorted(known):
        if place > expected:
            entries += [*_runs(run), _unknown(place - expected)]
            run = []
        run.append(known[place])
        expected = place + 1
    entries += _runs(run)
    if size > expected:
        entries.append(_unknown(size - expected))
    return ",".join(entries)


def missing_ranks(present: Iterable[int], size: int) -> str:
    """Write the ranks below `size` that are not among those seen: at most 8 stretches of them.

    Args:
        present: ranks.
        size: may be large, it costs nothing.
    """
    ends = [-1, *sorted(rank for rank in present if rank < size), size]
    gaps = [(first + 1, last - 1) for first, last in pairwise(ends) if last - first > 1]
    texts = [str(first) if first == last else f"{first}-{last}" for first, last in gaps[:_MOST_STRETCHES]]
    return ",".join([*texts, *(["..."] if len(gaps) > _MOST_STRETCHES else [])])


def parse(text: str) -> list[int]:
    """Read a compact list: world ranks by rank in the communicator; UNKNOWN = unknown.

    Raises:
        ValueError: the text is no compact list.
    """
    ranks: list[int] = []
    for run, unknown in _entries(text):
        ranks += run
        ranks += [UNKNOWN] * unknown
    return ranks


def count(text: str) -> int:
    """Return how many members a compact list has; it costs nothing, however many they are.

    Raises:
        ValueError: the text is no compact list, or has unknown members.
    """
    total = 0
    for run, unknown in _entries(text):
        if unknown:
            raise ValueError("not all members are known")
        total += len(run)
    return total


def known_ranks(text: str, end: int) -> set[int]:
    """Return the known members below `end`; it costs no more than these, however many are listed.

    Raises:
        ValueError: the text is no compact list.
    """
    ranks: set[int] = set()
    for run, _ in _entries(text):
        upwards = run if run.step > 0 else run[::-1]
        ranks.update(range(upwards.start, min(upwards.stop, end), upwards.step))
    return ranks


def stretches(text: str) -> Iterator[range | None]:
    """Give the members as ranges of world ranks, at least one in each; None = unknown members.

    Raises:
        ValueError: the text is no compact list.
    """
    for run, unknown in _entries(text):
        yield None if unknown else run


def _entries(text: str) -> Iterator[tuple[range, int]]:
    """Give the known members of each entry, or how many unknown ones it has."""
    for entry in text.split(",") if text else []:
        match = _ENTRY.fullmatch(entry)
        if match is None:
            raise ValueError(f"not an entry of a member list: {entry!r}")
        if match["first"] is None:
            yield range(0), int(match["unknown"] or 1)
            continue
        first, stride = int(match["first"]), int(match["stride"] or 1)
        last = int(match["last"] or first)
        if stride == 0 or (last - first) % stride or (last - first) // stride < 0:
            raise ValueError(f"not an entry of a member list: {entry!r}")
        yield range(first, last + (1 if stride > 0 else -1), stride), 0


def _unknown(count: int) -> str:
    return "?" if count == 1 else f"?x{count}"


def _runs(ranks: Sequence[int]) -> list[str]:
    """Write the entries for known ranks: the longest runs of one stride, taken greedily."""
    entries: list[str] = []
    start = 0
    while start < len(ranks):
        stride = ranks[start + 1] - ranks[start] if start + 1 < len(ranks) else 0
        end = start + 1
        while stride and end < len(ranks) and ranks[end] - ranks[end - 1] == stride:
            end += 1
        # Without a range, two ranks that are not neighbours are shorter, and the second may start a longer
        # one.
        if end - start == 2 and stride != 1:
            end = start + 1
        entries.append(_range(ranks[start], ranks[end - 1], stride))
        start = end
    return entries


def _range(first: int, last: int, stride: int) -> str:
    if first == last:
        return str(first)
    return f"{first}-{last}" if stride == 1 else f"{first}-{last}:{stride}"

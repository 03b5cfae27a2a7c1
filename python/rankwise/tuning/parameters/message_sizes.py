"""The sizes of the program's point-to-point messages, and what the calls with them take."""

from __future__ import annotations

import sqlite3
from collections import Counter
from dataclasses import dataclass

from rankwise.analysis.calls.bins import bin_range
from rankwise.analysis.calls.totals import JOIN_PROCEDURES, totals_by


@dataclass(frozen=True)
class MessageSize:
    """Messages of one size.

    Attributes:
        bytes: of one; where only the size bin is known, the most that it holds.
        messages: sent, over the ranks.
        seconds: in calls that send and receive them, and that complete these, mean over the ranks: more
            than a cheaper way to send them can save.
    """

    bytes: int
    messages: int
    seconds: float


def message_sizes(connection: sqlite3.Connection) -> list[MessageSize]:
    """Return the sizes of messages with data, ascending.

    A bin's calls are shared among the sizes that the sample of waits has seen in it, by their numbers there.

    Args:
        connection: the profile.
    """
    sent: Counter[int] = Counter()
    volume: Counter[int] = Counter()
    seconds: dict[int, float] = {}
    completing = 0.0
    for (class_, _, place), totals in totals_by(
        connection, "procedures.class, procedures.name, size_bin", JOIN_PROCEDURES, sums="family_sums"
    ):
        if class_ == "completion":
            completing += totals.seconds
        elif class_ == "point-to-point":
            seconds[place] = seconds.get(place, 0.0) + totals.seconds
            if totals.bytes_sent:
                sent[place] += totals.calls
                volume[place] += totals.bytes_sent
    (ranks,) = connection.execute("SELECT COUNT(*) FROM ranks").fetchone()
    everything = sum(sent.values())
    sampled = _sampled(connection)
    found = []
    for place, messages in sent.items():
        low, high = bin_range(place)
        if not low or not high:
            continue
        spent = (seconds[place] + completing * messages / everything) / max(ranks, 1)
        in_bin = {size: count for size, count in sampled.items() if low <= size <= high}
        if not in_bin:  # all have the smallest size, or they have whatever there is in the bin
            in_bin = {low if volume[place] == low * messages else high: 1}
        for size, count in in_bin.items():
            share = count / sum(in_bin.values())
            found.append(MessageSize(size, round(messages * share), spent * share))
    return sorted(found, key=lambda one: one.bytes)


def _sampled(connection: sqlite3.Connection) -> dict[int, int]:
    """Return how often the sample of waits has messages of each size."""
    return dict(connection.execute("SELECT bytes, COUNT(*) FROM wait_messages GROUP BY bytes"))

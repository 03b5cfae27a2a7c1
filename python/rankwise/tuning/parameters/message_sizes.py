"""The sizes of the program's point-to-point messages, and the time of their calls."""

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
        bytes: of a message; if only the size bin is known, the largest size of the bin.
        messages: sent, summed over the ranks.
        seconds: in calls that send, receive and complete them, averaged over ranks: more than a cheaper way
            to send them can save.
    """

    bytes: int
    messages: int
    seconds: float


def message_sizes(connection: sqlite3.Connection) -> list[MessageSize]:
    """Return the sizes of messages with data, ascending.

    A bin's calls are divided among the sizes that the sample of waits has in it, by their frequency.

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
    sizes = []
    for place, messages in sent.items():
        low, high = bin_range(place)
        if not low or not high:
            continue
        spent = (seconds[place] + completing * messages / everything) / max(ranks, 1)
        in_bin = {size: count for size, count in sampled.items() if low <= size <= high}
        if not in_bin:  # all have the smallest size, or unknown sizes of the bin
            in_bin = {low if volume[place] == low * messages else high: 1}
        for size, count in in_bin.items():
            share = count / sum(in_bin.values())
            sizes.append(MessageSize(size, round(messages * share), spent * share))
    return sorted(sizes, key=lambda message_size: message_size.bytes)


def _sampled(connection: sqlite3.Connection) -> dict[int, int]:
    """Return how often the sample of waits has messages of each size."""
    return dict(connection.execute("SELECT bytes, COUNT(*) FROM wait_messages GROUP BY bytes"))

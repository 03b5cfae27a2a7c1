"""Blocking collectives with little data: how much of their time is waiting, and what one takes without it."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from rankwise.analysis.waiting.instances import Floats
from rankwise.analysis.waiting.one_collective import Table
from rankwise.records import dataclass


@dataclass(frozen=True)
class SmallCalls:
    """The small calls of a collective on a family of communicators, by the sample.

    Attributes:
        waiting: share of their time in which members were waited for that had not come, 0 to 1.
        latency_seconds: of one call: its time without waiting, no more than some times its median; the mean.
    """

    waiting: float
    latency_seconds: float


def small_calls(
    connection: sqlite3.Connection, tables: Sequence[Table], most: int, of_median: float
) -> dict[tuple[str, str], SmallCalls]:
    """Return them by procedure and family of communicators; those that have small calls in the sample.

    Args:
        connection: to the profile.
        tables: its blocking collectives.
        most: bytes of a small call.
        of_median: times the median that a call's latency is at most: what is beyond has other causes, such as
            a lost processor.
    """
    families: dict[int, str] = dict(connection.execute("SELECT id, family FROM communicators").fetchall())
    groups: defaultdict[tuple[str, str], list[Floats]] = defaultdict(list)
    for table in tables:
        instances = table.instances
        small = instances.selected & (instances.bytes <= most)
        scale = np.broadcast_to(table.weights, small.shape)
        columns = (scale, instances.departure - instances.arrival, table.waits.seconds)
        groups[instances.procedure, families[instances.communicator]].append(
            np.stack([column[small] for column in columns])
        )
    return {
        key: calls
        for key, group in groups.items()
        if (calls := _small_calls(np.concatenate(group, axis=1), of_median))
    }


def _small_calls(values: Floats, of_median: float) -> SmallCalls | None:
    scale, length, waited = values
    whole = float(scale @ length)
    if whole <= 0:
        return None
    without_waiting = length - waited
    latency = np.minimum(without_waiting, of_median * np.median(without_waiting))
    return SmallCalls(float(scale @ waited) / whole, float(scale @ latency) / float(scale.sum()))

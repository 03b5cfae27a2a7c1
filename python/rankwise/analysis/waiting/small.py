"""Blocking collectives with little data: their share of waiting, and their latency without waiting."""

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
    """The small calls of a collective on a family of communicators, from the sample.

    Attributes:
        waiting: share of their time spent waiting for late members, 0 to 1.
        latency_seconds: mean time of a call without waiting; each call counts at most `of_median` medians.
    """

    waiting: float
    latency_seconds: float


def small_calls(
    connection: sqlite3.Connection, tables: Sequence[Table], most: int, of_median: float
) -> dict[tuple[str, str], SmallCalls]:
    """Return small calls by procedure and family of communicators, for collectives with some in the sample.

    Args:
        connection: to the profile.
        tables: its blocking collectives.
        most: largest size of a small call, bytes.
        of_median: multiple of the median that limits a call's latency: time beyond it has other causes, such
            as a lost processor.
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

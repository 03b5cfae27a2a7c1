"""Figures about the runs of the last days, for monitoring: a bounded number of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta, timezone
from typing import Any

from rankwise.centre import questions
from rankwise.centre.asked import ALL_ROWS, Asked
from rankwise.centre.engines.engine import Engine
from rankwise.centre.waste import KINDS
from rankwise.records import dataclass

Row = Mapping[str, Any]

MOST_PROGRAMS = 20
MOST_PARTITIONS = 50
OTHER = "(other)"
"""Stands for programs and partitions without a series, and kinds that this Rankwise does not know."""
NO_PARTITION = "(none)"
"""Of runs without a job in the accounting."""


@dataclass(frozen=True, kw_only=True)
class Metric:
    """A figure, a gauge.

    Attributes:
        name: in Prometheus.
        meaning: with its unit, without a full stop.
        label: name of its label; '' = it has none.
        values: by the label's value; of one without a label, by ''.
    """

    name: str
    meaning: str
    label: str = ""
    values: Mapping[str, float]


def metrics(engine: Engine, now: datetime, days: int) -> list[Metric]:
    """Return the figures; one that is not known has no values.

    Args:
        engine: over the store.
        now: UTC.
        days: whose runs count, with today.
    """
    asked = Asked(since=f"{now - timedelta(days=days - 1):%Y-%m-%d}")
    waste = questions.waste(engine, asked, ALL_ROWS)
    programs = questions.programs(engine, asked, ALL_ROWS).programs
    partitions = [
        {**row, "partition": row["partition"] or NO_PARTITION} for row in questions.partitions(engine, asked)
    ]
    hosts = questions.hosts(engine, asked)
    totals, missing = waste.scope.totals, waste.scope.without_profile_percent
    kinds = dict.fromkeys((*KINDS, OTHER), 0.0)
    for row in waste.kinds:
        kinds[row["waste"] if row["waste"] in KINDS else OTHER] += row["node_hours"]

    def one(name: str, meaning: str, value: float | None) -> Metric:
        return Metric(name=name, meaning=meaning, values={} if value is None else {"": float(value)})

    def by(name: str, meaning: str, label: str, values: Mapping[str, float]) -> Metric:
        return Metric(name=name, meaning=meaning, label=label, values=values)

    def top(rows: Sequence[Row], label: str, value: str, most: int) -> dict[str, float]:
        return dict(_with_other(rows, label, value, most))

    newest = totals["last_started"]
    return [
        one("rankwise_window_days", "Days whose runs the other figures are about", days),
        one("rankwise_runs", "MPI runs with a profile", totals["runs"]),
        one("rankwise_node_hours", "Node hours of these runs", totals["node_hours"]),
        one(
            "rankwise_waste_node_hours",
            "Node hours that could be saved: of each run the largest saving of high confidence",
            totals["waste_node_hours"],
        ),
        one(
            "rankwise_recorded_ratio",
            "Share of the accounted node hours in jobs with a profile, 0 to 1",
            None if missing is None else 1 - missing / 100,
        ),
        one(
            "rankwise_newest_run_timestamp_seconds",
            "Start of the newest run, since 1970",
            newest.replace(tzinfo=timezone.utc).timestamp() if newest else None,
        ),
        by(
            "rankwise_waste_kind_node_hours",
            "Node hours that could be saved by kind of waste; kinds of one run overlap",
            "waste",
            kinds,
        ),
        by(
            "rankwise_partition_node_hours",
            "Node hours of runs by partition of their job",
            "partition",
            top(partitions, "partition", "node_hours", MOST_PARTITIONS),
        ),
        by(
            "rankwise_partition_waste_node_hours",
            "Node hours that could be saved by partition",
            "partition",
            top(partitions, "partition", "waste_node_hours", MOST_PARTITIONS),
        ),
        by(
            "rankwise_program_node_hours",
            "Node hours of the programs that could save most",
            "program",
            top(programs, "program", "node_hours", MOST_PROGRAMS),
        ),
        by(
            "rankwise_program_waste_node_hours",
            "Node hours that could be saved by program",
            "program",
            top(programs, "program", "waste_node_hours", MOST_PROGRAMS),
        ),
        one("rankwise_slow_hosts", "Hosts that are slower than others in most runs", len(hosts.slow)),
        one("rankwise_blocked_ports", "Network ports that are blocked in most runs", len(hosts.blocked)),
        one("rankwise_faulty_ports", "Network ports that count errors in several runs", len(hosts.faulty)),
    ]


def _with_other(rows: Sequence[Row], label: str, value: str, most: int) -> Iterator[tuple[str, float]]:
    """Give the values of the first rows, and the sum of the others."""
    yield from ((row[label], row[value]) for row in rows[:most])
    yield OTHER, float(sum(row[value] for row in rows[most:]))

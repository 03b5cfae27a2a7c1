"""What the pairs of runs say about each row: what was added, and whether that misses the aim."""

from __future__ import annotations

import statistics
from dataclasses import dataclass

from rows import READS, Row
from runs import Job


@dataclass
class Result:
    """A row measured: one value of each kind for each pair of runs."""

    row: Row
    without: list[float]
    with_: list[float]
    reads: list[float]  # two clock reads in ns, in the same pair; empty where they are no measure

    @property
    def differences(self) -> list[float]:
        """What was added, pair by pair."""
        return [b - a for a, b in zip(self.without, self.with_, strict=True)]

    @property
    def added(self) -> float:
        """The median over the pairs of what was added."""
        return statistics.median(self.differences)

    @property
    def ratio(self) -> float | None:
        """What was added in units of two clock reads; None where that makes no sense."""
        if not self.reads or self.row.key == READS:
            return None
        return statistics.median(d / r for d, r in zip(self.differences, self.reads, strict=True))

    @property
    def mark(self) -> str:
        """``over`` if every pair missed the aim, ``over?`` if only their median did, which may be noise."""
        if self.row.aim is None:
            return ""
        aim = self.row.aim + self.row.slack
        values = self.differences
        if self.row.aim_in_reads:
            values = [d / r for d, r in zip(values, self.reads, strict=True)]
        if statistics.median(values) <= aim:
            return ""
        return "over" if min(values) > aim else "over?"


def _figure(row: Row, job: Job, statistic: str) -> float:
    """Find what one run says about one line of the table, in the line's unit."""
    if row.key.startswith("whole job"):
        return job.seconds * 1e3
    if row.key.startswith("Finalize"):
        return job.worst("finalize_ms", None, "finalize_cpu_ms" if "CPU" in row.key else "finalize_ms")
    if row.unit == "MB":
        when = {"resident after 2000 communicators": "communicators"}.get(
            row.key, "calls" if row.key.endswith("calls") else "traffic"
        )
        return job.worst("memory", when, "hwm_kb" if row.key.startswith("peak") else "rss_kb") / 1024
    return job.worst("row", row.key, f"{statistic}_ns") / (1000 if row.unit == "us" else 1)


def compare(rows: tuple[Row, ...], jobs: list[tuple[Job, Job]], statistic: str) -> list[Result]:
    """Make the lines of the table from the pairs of runs."""
    results = []
    for row in rows:
        without = [_figure(row, pair[0], statistic) for pair in jobs]
        with_ = [_figure(row, pair[1], statistic) for pair in jobs]
        reads = []
        if row.unit == "ns":
            key = f"{statistic}_ns"
            reads = [statistics.mean(job.worst("row", READS, key) for job in pair) for pair in jobs]
        results.append(Result(row, without, with_, reads))
    return results

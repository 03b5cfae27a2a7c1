"""The figures of one run that scaling is judged by: little of a profile, so that many are read quickly."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from pathlib import Path

from rankwise.analysis.calls.totals import JOIN_PROCEDURES, totals_by
from rankwise.analysis.nodes.system_counters import counter_totals
from rankwise.analysis.overview import Run, run_facts, trust
from rankwise.analysis.timing.efficiency import Efficiency, unsplit_efficiency
from rankwise.comparison.places import site_totals
from rankwise.errors import RankwiseError
from rankwise.records import dataclass
from rankwise.runs.configuration import Configuration, configuration
from rankwise.runs.scaling_processors import Processors, processors_of

Key = tuple[str, ...]

BY = ("communicator", "call", "region", "site")
"""Ways to group the calls."""
NAMES_OF_KEYS = {
    "communicator": ("communicator", "call"),
    "call": ("call",),
    "region": ("region",),
    "site": ("site", "function", "call"),
}
"""The meaning of each name in a key."""


@dataclass(frozen=True)
class Amount:
    """Calls of one kind: time and bytes sent, means per rank."""

    seconds: float
    bytes_sent: float

    def __add__(self, other: Amount) -> Amount:
        return Amount(self.seconds + other.seconds, self.bytes_sent + other.bytes_sent)


@dataclass(frozen=True)
class Counters:
    """Hardware counters of the run, MPI calls included, summed over ranks."""

    instructions: float
    cycles: float
    cpu_seconds: float


@dataclass(frozen=True, kw_only=True)
class ScalingRun:
    """The figures of one run.

    Attributes:
        path: of the profile.
        run: facts of the run.
        configuration: program, ranks, nodes, library and tags.
        efficiency: of the run, without the factors of communication efficiency.
        counters: hardware counters; None = they are missing on a rank.
        amounts: calls of each of `BY`, by key.
        user_names: names that the program gave to its communicators, by family.
        processors: what the ranks had of their processors.
    """

    path: Path
    run: Run
    configuration: Configuration
    efficiency: Efficiency
    counters: Counters | None
    amounts: dict[str, dict[Key, Amount]]
    user_names: dict[str, str]
    processors: Processors

    @property
    def most_computing_seconds(self) -> float:
        """Upper bound of the useful time in which ranks had a processor or needed none, mean per rank."""
        with_processor = (1 - self.processors.without) * self.mean_seconds
        if not self.processors.is_exact:
            with_processor = max(with_processor, self.processors.used_seconds or self.mean_seconds)
        return min(with_processor, self.efficiency.useful_mean_seconds)

    @property
    def least_computing_seconds(self) -> float:
        """Lower bound: ranks may have lacked their processors only outside of MPI."""
        waited = self.processors.without * self.mean_seconds
        return max(self.efficiency.useful_mean_seconds - waited, 0.0)

    @property
    def mean_seconds(self) -> float:
        """Time between MPI_Init and MPI_Finalize, mean per rank: useful, or in MPI."""
        return self.efficiency.useful_mean_seconds + self.seconds_in_mpi

    @property
    def seconds_in_mpi(self) -> float:
        """Time in MPI calls, mean per rank; times of several threads are added up."""
        return sum(amount.seconds for amount in self.amounts["call"].values())


def reader(*, sites: bool) -> Callable[[sqlite3.Connection, Path], ScalingRun]:
    """Return what reads the figures of an open profile.

    Args:
        sites: also by call site, which takes longest.
    """
    return lambda connection, path: _read(connection, path, sites=sites)


def _read(connection: sqlite3.Connection, path: Path, *, sites: bool) -> ScalingRun:
    """Return the figures of the open profile at `path`.

    Raises:
        RankwiseError: the run did not end, so its times are too short.
    """
    gaps = trust(connection)
    if not gaps.complete:
        why = gaps.partial_reason or "not all ranks reached the end of MPI_Finalize"
        raise RankwiseError(f"{path} is of a run that did not end ({why}): record it again")
    efficiency = unsplit_efficiency(connection)
    if efficiency is None or efficiency.useful_mean_seconds <= 0:
        raise RankwiseError(f"{path} has no time between MPI_Init and MPI_Finalize: record a longer run")
    run = run_facts(connection)
    names = connection.execute(
        "SELECT family, user_name FROM communicators WHERE user_name <> '' ORDER BY id DESC"
    )
    return ScalingRun(
        path=path,
        run=run,
        configuration=configuration(run),
        efficiency=efficiency,
        counters=_counters(connection),
        amounts=_amounts(connection, efficiency.ranks, sites=sites),
        user_names=dict(names.fetchall()),
        processors=processors_of(connection),
    )


def _amounts(connection: sqlite3.Connection, ranks: int, *, sites: bool) -> dict[str, dict[Key, Amount]]:
    groups = totals_by(
        connection,
        "family, procedures.name, regions.path",
        f"{JOIN_PROCEDURES} JOIN regions ON regions.id = calls.region",
        sums="family_sums",
    )
    calls = [
        (tuple(map(str, key)), Amount(totals.seconds / ranks, totals.bytes_sent / ranks))
        for key, totals in groups
    ]
    amounts = {
        "communicator": _sums((key[:2], amount) for key, amount in calls),
        "call": _sums((key[1:2], amount) for key, amount in calls),
        "region": _sums((key[2:], amount) for key, amount in calls),
    }
    if sites:
        amounts["site"] = {
            key: Amount(totals.seconds / ranks, totals.bytes_sent / ranks)
            for key, totals in site_totals(connection).items()
        }
    return amounts


def _sums(amounts: Iterable[tuple[Key, Amount]]) -> dict[Key, Amount]:
    sums: dict[Key, Amount] = {}
    for key, amount in amounts:
        sums[key] = sums[key] + amount if key in sums else amount
    return sums


def _counters(connection: sqlite3.Connection) -> Counters | None:
    totals = counter_totals(connection)
    if totals is None:
        return None
    counts = totals.counted.counts
    if not counts.instructions or not counts.cycles or not counts.task_clock_seconds:
        return None
    return Counters(counts.instructions, counts.cycles, counts.task_clock_seconds)

"""The compared figures of a profile: the whole run, the diagnosis, and the calls by several keys."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from pathlib import Path

from rankwise.analysis.calls.totals import JOIN_PROCEDURES, THREAD_SECONDS, Totals, totals_by
from rankwise.analysis.evidence import Evidence
from rankwise.analysis.overview import Run, Trust, run_facts, trust
from rankwise.analysis.timing.times import times
from rankwise.comparison.places import site_totals
from rankwise.diagnosis.kept import diagnosis
from rankwise.diagnosis.model import Diagnosis
from rankwise.mpi_libraries import version_of

Key = tuple[str, ...]

_JOIN_REGIONS = "JOIN regions ON regions.id = calls.region"

KINDS = ("communicator_calls", "communicators", "calls", "regions", "sites")
"""Ways to group the calls."""

METRICS = {
    "wall": "s",
    "mpi": "s",
    "other": "s",
    "init_finalize": "s",
    "mpi_percent": "%",
    "calls": "",
    "bytes_sent": "B",
    "messages": "",
}
"""Figures of the run as a whole, and their units. `wall` is the time of the longest rank, other times are
means per rank, counts and bytes are sums over all ranks. Messages inside collectives count if observed."""

KEYS: dict[str, Key] = {
    "communicator_calls": ("communicator", "procedure"),
    "communicators": ("communicator",),
    "calls": ("procedure",),
    "regions": ("region",),
    "sites": ("site", "function", "procedure"),
}
"""The kind of each name in a key."""


@dataclass(frozen=True)
class Amount:
    """Calls of one kind: their number, bytes sent, and seconds (mean per rank)."""

    calls: int = 0
    bytes_sent: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Figures:
    """The compared figures of one profile.

    Attributes:
        path: of the file.
        run: facts of the run.
        ranks_seen: number of ranks with counters; times are means over these.
        trust: the missing parts.
        programs: command lines of the programs.
        mpi_library: its name and version.
        whole: figures of the run as a whole, by the names of `METRICS`.
        amounts: calls of each of `KINDS`, by key.
        user_names: names that the program gave to its communicators, by family.
        diagnosis: of the run.
    """

    path: Path
    run: Run
    ranks_seen: int
    trust: Trust
    programs: list[list[str]]
    mpi_library: str
    whole: dict[str, float]
    amounts: dict[str, dict[Key, Amount]]
    user_names: dict[str, str]
    diagnosis: Diagnosis


def figures(connection: sqlite3.Connection, path: Path) -> Figures:
    """Return the figures of the open profile at `path`."""
    (ranks,) = connection.execute("SELECT COUNT(*) FROM ranks").fetchone()
    amounts: dict[str, dict[Key, Amount]] = {
        "communicator_calls": _amounts(connection, ranks, "family, procedures.name", JOIN_PROCEDURES),
        "communicators": _amounts(connection, ranks, "family"),
        "calls": _amounts(connection, ranks, "procedures.name", JOIN_PROCEDURES),
        "regions": _amounts(connection, ranks, "regions.name", _JOIN_REGIONS),
        "sites": {key: _amount(totals, ranks) for key, totals in site_totals(connection).items()},
    }
    run = run_facts(connection)
    label, number = version_of(run.mpi_library)
    names = connection.execute(
        "SELECT family, user_name FROM communicators WHERE user_name <> '' ORDER BY id DESC"
    )
    return Figures(
        path=path,
        run=run,
        ranks_seen=ranks,
        trust=trust(connection),
        programs=run.programs or [[run.executable]],
        mpi_library=f"{label} {number}" if label else run.mpi_library,
        whole=_whole(connection, max(ranks, 1), amounts["calls"]),
        amounts=amounts,
        user_names=dict(names.fetchall()),
        diagnosis=diagnosis(Evidence(connection)),
    )


def _amounts(connection: sqlite3.Connection, ranks: int, keys: str, joins: str = "") -> dict[Key, Amount]:
    groups = totals_by(connection, keys, joins, sums="family_sums")
    return {tuple(map(str, key)): _amount(totals, ranks) for key, totals in groups}


def _amount(totals: Totals, ranks: int) -> Amount:
    return Amount(int(totals.calls), int(totals.bytes_sent), totals.seconds / max(ranks, 1))


def _whole(connection: sqlite3.Connection, ranks: int, calls: dict[Key, Amount]) -> dict[str, float]:
    run_times = times(connection)
    mpi, run = connection.execute(f"SELECT TOTAL(mpi), TOTAL({THREAD_SECONDS}) FROM ranks").fetchone()
    (messages,) = connection.execute("SELECT COALESCE(SUM(messages), 0) FROM messages").fetchone()
    whole = {
        "wall": run_times.wall_seconds,
        "mpi": mpi / ranks,
        "other": max(run - mpi, 0.0) / ranks,
        "init_finalize": run_times.init_finalize_seconds,
        "mpi_percent": run_times.mpi_percent_of_run,
        "calls": sum(amount.calls for amount in calls.values()),
        "bytes_sent": sum(amount.bytes_sent for amount in calls.values()),
        "messages": messages,
    }
    return {name: _number(value) for name, value in whole.items()}


def _number(value: float) -> float:
    """Return a quantity.

    Raises:
        ValueError: it is negative or NaN, so the profile is damaged.
    """
    if not value >= 0:
        raise ValueError(f"{value} is not a quantity")
    return value

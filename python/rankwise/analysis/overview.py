"""The facts of the run, and the reliability of its numbers."""

from __future__ import annotations

import sqlite3

from rankwise.analysis.columns import decoded_if_known, decoded_list
from rankwise.analysis.percent import percent
from rankwise.analysis.rows import rows_by_name
from rankwise.records import dataclass


@dataclass(frozen=True, kw_only=True)
class Run:
    """The facts of the run, as in the profile's table `run`, and the numbers of ranks, nodes and calls.

    Attributes:
        kernels: releases of Linux on the nodes, each once, by name; [] = not known.
    """

    rankwise_version: str
    command: list[str]
    executable: str
    directory: str
    launcher: str
    job: str
    mpi_abi: str
    mpi_library: str
    thread_level: str
    started: str
    stopped: str
    wall_seconds: float
    exit_status: int | None
    ranks: int
    world: int
    worlds: int
    nodes: int
    calls: int
    kernels: list[str]
    programs: list[list[str]]
    tags: dict[str, str]


@dataclass(frozen=True, kw_only=True)
class Trust:
    """The gaps in the numbers, and the cost of recording them.

    Attributes:
        complete: every rank finished MPI_Finalize.
        partial_reason: one sentence, '' if complete.
        dropped_records: sum of `dropped`.
        dropped: number of records that did not fit into a bounded table, by kind.
        not_covered: MPI procedures that the program imports and Rankwise does not record; None if unknown.
        overhead_percent_of_wall: Rankwise's time in percent of the wall time, both summed over all ranks.
        overhead_seconds_per_rank: Rankwise's time, mean per rank.
        own_calls_per_rank: MPI calls, mean per rank.
        own_seconds_per_call: Rankwise's time in calls, mean per call; None if there were no calls.
        setup_overhead_seconds_per_rank: the rest: processor time in MPI_Init and MPI_Finalize, mean per rank.
        threads: largest number of threads of a rank that called MPI; their time in MPI is added up.
        memory: number of ranks with their totals in each kind of memory (`ranks.memory`).
    """

    complete: bool
    partial_reason: str
    ranks_seen: int
    ranks_expected: int
    dropped_records: int
    dropped: dict[str, int]
    not_covered: list[str] | None
    overhead_percent_of_wall: float
    overhead_seconds_per_rank: float
    own_calls_per_rank: float
    own_seconds_per_call: float | None
    setup_overhead_seconds_per_rank: float
    threads: int
    memory: dict[str, int]
    warnings: list[str]


def run_facts(connection: sqlite3.Connection) -> Run:
    """Return the facts of the run."""
    (row,) = rows_by_name(connection, "SELECT * FROM run")
    (nodes,) = connection.execute("SELECT COUNT(DISTINCT host) FROM ranks").fetchone()
    (calls,) = connection.execute("SELECT COALESCE(SUM(calls), 0) FROM rank_sums").fetchone()
    return Run(
        rankwise_version=row["rankwise_version"],
        command=decoded_list(row["command"]),
        executable=row["executable"],
        directory=row["directory"],
        launcher=row["launcher"],
        job=row["job"],
        mpi_abi=row["mpi_abi"],
        mpi_library=row["mpi_library"],
        thread_level=row["thread_level"],
        started=row["started"],
        stopped=row["stopped"],
        wall_seconds=row["wall"],
        exit_status=row["exit_status"],
        ranks=row["ranks_expected"],
        world=row["world"],
        worlds=row["worlds"],
        nodes=nodes,
        calls=calls,
        kernels=kernels(connection),
        programs=_programs(row["programs"]),
        tags=tags(connection),
    )


def kernels(connection: sqlite3.Connection) -> list[str]:
    """Return the releases of Linux on the nodes of the run, each once, by name; [] = not known."""
    rows = connection.execute("SELECT DISTINCT release FROM kernels ORDER BY release")
    return [release for (release,) in rows]


def tags(connection: sqlite3.Connection) -> dict[str, str]:
    """Return the tags of the run by name: `rankwise run --tag`, commit and branch."""
    return dict(connection.execute("SELECT name, value FROM tags ORDER BY name").fetchall())


def _programs(text: str) -> list[list[str]]:
    return [[str(word) for word in words] for words in decoded_list(text) if isinstance(words, list)]


def trust(connection: sqlite3.Connection) -> Trust:
    """Return the gaps in the numbers, and the overhead."""
    partial, reason, ranks_seen, expected, not_covered = connection.execute(
        "SELECT partial, partial_reason, ranks_seen, ranks_expected, not_covered FROM run"
    ).fetchone()
    cost, setup, wall, ranks, threads = connection.execute(
        "SELECT TOTAL(overhead), TOTAL(setup_overhead), TOTAL(wall), COUNT(*), COALESCE(MAX(threads), 0)"
        " FROM ranks"
    ).fetchone()
    (calls,) = connection.execute("SELECT COALESCE(SUM(calls), 0) FROM rank_sums").fetchone()
    dropped: dict[str, int] = dict(
        connection.execute(
            "SELECT what, SUM(count) FROM dropped GROUP BY what HAVING SUM(count) > 0 ORDER BY what"
        ).fetchall()
    )
    memory: dict[str, int] = dict(
        connection.execute("SELECT memory, COUNT(*) FROM ranks GROUP BY memory ORDER BY memory").fetchall()
    )
    return Trust(
        complete=not partial,
        partial_reason=reason,
        ranks_seen=ranks_seen,
        ranks_expected=expected,
        dropped_records=sum(dropped.values()),
        dropped=dropped,
        not_covered=decoded_if_known(not_covered),
        overhead_percent_of_wall=percent(cost, wall),
        overhead_seconds_per_rank=cost / ranks if ranks else 0.0,
        own_calls_per_rank=calls / ranks if ranks else 0.0,
        own_seconds_per_call=(cost - setup) / calls if calls else None,
        setup_overhead_seconds_per_rank=setup / ranks if ranks else 0.0,
        threads=threads,
        memory=memory,
        warnings=[text for (text,) in connection.execute("SELECT text FROM warnings ORDER BY id")],
    )

"""The headline of a run: the little that a list shows of it. Reading it takes a millisecond."""

from __future__ import annotations

import os
import pwd
import sqlite3
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

from rankwise.analysis.calls.totals import RUN_SECONDS, THREAD_SECONDS
from rankwise.analysis.columns import decoded_list
from rankwise.analysis.opened import opened_profile
from rankwise.analysis.overview import tags
from rankwise.analysis.percent import percent
from rankwise.diagnosis.kept_content import content_by_any_rules
from rankwise.errors import RankwiseError
from rankwise.records import dataclass
from rankwise.runs.configuration import program_and_arguments
from rankwise.runs.unreadable import Unreadable
from rankwise.text.names import library_name

_FEW = 100  # profiles that one process reads
_TABLES = ("run", "ranks", "tags", "diagnosis")
_SUMS = (
    f"SELECT COUNT(DISTINCT host), TOTAL(mpi), TOTAL({THREAD_SECONDS}), MAX({RUN_SECONDS}),"
    f" AVG({RUN_SECONDS} - MIN(mpi / MAX(threads, 1), {RUN_SECONDS})) FROM ranks"
)


@dataclass(frozen=True, kw_only=True)
class Headline:
    """What a list shows of a run.

    Attributes:
        file: path of the profile.
        job: id of the scheduler or launcher; '' = unknown.
        started: when the first rank entered MPI_Init, ISO 8601.
        user: owner of the file: its name, or its number if it has no name here.
        program: name of the program.
        arguments: of the program.
        mpi_library: name and version.
        ranks: number of processes in MPI_COMM_WORLD.
        nodes: number of nodes.
        wall_seconds: of the longest rank.
        mpi_percent_of_run: as in the summary.
        parallel_efficiency: as POP defines it; None = unknown.
        limit: what limits the run, in a word or two; '' = the profile keeps no diagnosis.
        verdict: the same in a sentence or two.
        by_older_rules: limit and verdict are by another version of Rankwise; today's may say something else.
        complete: every rank finished MPI_Finalize.
        exit_status: of the launch; None = unknown.
        tags: names and values.
    """

    file: str
    job: str
    started: str
    user: str
    program: str
    arguments: str
    mpi_library: str
    ranks: int
    nodes: int
    wall_seconds: float
    mpi_percent_of_run: float
    parallel_efficiency: float | None
    limit: str
    verdict: str
    by_older_rules: bool
    complete: bool
    exit_status: int | None
    tags: dict[str, str]


class Headlines(NamedTuple):
    """The headlines of many profiles.

    Attributes:
        runs: headlines, in the order of the files.
        unreadable: files that are damaged, of another version, or no profiles.
    """

    runs: list[Headline]
    unreadable: list[Unreadable]


def headlines(paths: Iterable[Path]) -> Headlines:
    """Read the headlines of profiles; what can't be read is left out, and named."""
    read = Headlines([], [])
    for headline in _read(list(paths)):
        if isinstance(headline, Unreadable):
            read.unreadable.append(headline)
        else:
            read.runs.append(headline)
    return read


def _read(paths: Sequence[Path]) -> Iterable[Headline | Unreadable]:
    workers = min(len(os.sched_getaffinity(0)), len(paths) // _FEW)
    if workers < 2:
        return map(_headline_of, paths)
    with ProcessPoolExecutor(workers, get_context("fork")) as pool:  # whose start takes as long as some files
        return list(pool.map(_headline_of, paths, chunksize=_FEW // 4))


def _headline_of(path: Path) -> Headline | Unreadable:
    try:
        with opened_profile(path, _TABLES) as connection:
            return _headline(connection, path)
    except RankwiseError as error:
        return Unreadable(path, str(error))


def _headline(connection: sqlite3.Connection, path: Path) -> Headline:
    job, started, executable, library, wall, ranks, partial, status, programs = connection.execute(
        "SELECT job, started, executable, mpi_library, wall, ranks_expected, partial, exit_status, programs"
        " FROM run"
    ).fetchone()
    if not all(isinstance(text, str) for text in (job, started, executable, library)):
        raise TypeError("a text is none")
    nodes, mpi, thread_seconds, longest, useful = connection.execute(_SUMS).fetchone()
    limit, verdict, by_older_rules = _conclusion(connection)
    program, arguments = program_and_arguments(decoded_list(programs), executable)
    return Headline(
        file=str(path),
        job=job,
        started=started,
        user=owner_name(path.stat().st_uid),
        program=program,
        arguments=arguments,
        mpi_library=library_name(library),
        ranks=ranks,
        nodes=nodes,
        wall_seconds=float(wall),
        mpi_percent_of_run=percent(mpi, thread_seconds),
        parallel_efficiency=useful / longest if longest else None,
        limit=limit,
        verdict=verdict,
        by_older_rules=by_older_rules,
        complete=not partial,
        exit_status=status,
        tags=tags(connection),
    )


def _conclusion(connection: sqlite3.Connection) -> tuple[str, str, bool]:
    """Return the limit, the verdict, and whether they are by other rules than today's."""
    try:
        kept, is_of_today = content_by_any_rules(connection) or ({}, True)
        return str(kept["limit"]), str(kept["verdict"]), not is_of_today
    except (TypeError, LookupError):
        return "", "", False  # none is kept, or it is damaged


@cache
def owner_name(uid: int) -> str:
    """Return the name of a user, or the number if it has no name here."""
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)

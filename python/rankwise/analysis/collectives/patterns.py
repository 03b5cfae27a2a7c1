"""The algorithms of collectives, found from the messages of one call of each shape."""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rankwise.analysis.calls.families import names_of_all
from rankwise.analysis.calls.totals import JOIN_PROCEDURES, Totals, totals_by
from rankwise.analysis.collectives.algorithms import name_of
from rankwise.analysis.collectives.asked import CLASSES, Collective, collectives
from rankwise.analysis.collectives.visibility import MOVED, Visibilities, moved_otherwise
from rankwise.profile.join.families import with_library
from rankwise.records import dataclass

MOST_PROCESSES = 2048
"""Largest communicator whose messages are compared with algorithms; a matrix has the square of this size."""

UNKNOWN = "unknown"
NOT_SAMPLED = "not sampled on all members"
TOO_MANY = f"not compared: more than {MOST_PROCESSES} processes"
INTERCOMMUNICATOR = "not compared: an intercommunicator"
NO_PATTERN = "not compared: no individual calls were kept"


@dataclass(frozen=True, kw_only=True)
class Algorithm:
    """A shape of a collective, with its algorithm.

    Attributes:
        procedure: name.
        communicator: name.
        user_name: of the communicator, '' if the program set none.
        processes: number of processes of the communicator.
        calls: of this shape, on one process.
        text: the algorithm's name, or why it is unknown.
        pattern: its id in the profile; None = no messages of single calls were kept.
        root: rank in the communicator; None = the procedure has no root.
        size: of the message, bytes; None = differs by process, or no single calls were kept.
        messages: sent inside one call; None = unknown or invisible.
        bytes: sent inside one call; None = unknown or invisible.
        algorithm: the name of the algorithm that explains all messages; None = no algorithm does.
        exact: whether the algorithm explains the bytes, too, not only the messages.
        also: names of others that would send the same messages.
        family: of the communicator.
        seconds: time in the calls of this shape, summed over all ranks. The communicator's time in the
            procedure is distributed among its shapes by their calls, and by the time per call of this size
            on the family.
        percent_of_mpi: `seconds` in percent of all ranks' time in MPI.
    """

    procedure: str
    communicator: str
    user_name: str
    processes: int
    calls: int
    text: str
    pattern: int | None = None
    root: int | None = None
    size: int | None = None
    messages: int | None = None
    bytes: int | None = None
    algorithm: str | None = None
    exact: bool = False
    also: tuple[str, ...] = ()
    family: str = ""
    seconds: float = 0.0
    percent_of_mpi: float = 0.0


@dataclass(frozen=True, kw_only=True)
class AlgorithmFamily:
    """The shapes of a collective on the communicators of a family with the same algorithm.

    Attributes:
        communicator: name of the communicator if there is only one, else of the family.
        user_names: of the communicators, without repeats; empty if some have none.
        communicators: their number.
        size_min: processes of the smallest communicator.
        size_max: processes of the largest communicator.
        shapes: number of different combinations of message size, root and communicator.
        roots: number of different roots.
        least: size of the smallest message, bytes; None = all differ by process, or no calls were kept.
        most: size of the largest message, bytes; None as for `least`.
        varies: whether some sizes differ by process.
        calls: on one process; if communicators differ, on the communicator with the most calls.
        text: the algorithm's name, or why it is unknown.
        algorithm: its name; None = unknown.
        exact: as for `Algorithm`.
        also: as for `Algorithm`, but only names that all shapes share.
        seconds: as for `Algorithm`, sum of the shapes.
        percent_of_mpi: as for `Algorithm`, sum of the shapes.
    """

    procedure: str
    communicator: str
    user_names: list[str]
    communicators: int
    size_min: int
    size_max: int
    shapes: int
    roots: int
    least: int | None
    most: int | None
    varies: bool
    calls: int
    text: str
    algorithm: str | None
    exact: bool
    also: tuple[str, ...]
    seconds: float
    percent_of_mpi: float


@dataclass(frozen=True)
class _Pattern:
    """A row of the table `patterns`."""

    id: int
    communicator: int
    root: int | None
    size: int | None
    calls: int
    kept_call: int
    complete: bool
    remote_size: int


def algorithms(connection: sqlite3.Connection) -> list[Algorithm]:
    """Return every shape of every collective; the collectives with the most time in MPI come first."""
    patterns: dict[tuple[str, str], list[_Pattern]] = {}
    for procedure, communicator, *row in connection.execute(
        "SELECT procedures.name, communicators.name, patterns.id, patterns.communicator, root, patterns.size,"
        " calls, kept_call, complete, remote_size FROM patterns"
        " JOIN procedures ON procedures.id = patterns.procedure"
        " JOIN communicators ON communicators.id = patterns.communicator"
        " ORDER BY calls DESC, patterns.size DESC, root, patterns.id"
    ):
        patterns.setdefault((procedure, communicator), []).append(_Pattern(*row))
    visible = Visibilities(connection)
    per_call = _seconds_per_call(connection)
    algorithm_rows: list[Algorithm] = []
    for collective in collectives(connection, visible):
        shapes = patterns.get((collective.procedure, collective.communicator), [])
        if shapes:
            rows = [_algorithm(connection, visible, collective, shape) for shape in shapes]
            algorithm_rows += _with_times(rows, collective, per_call)
        elif collective.class_name in CLASSES:
            algorithm_rows.append(_without_pattern(collective))
    return algorithm_rows


def algorithm_families(rows: Sequence[Algorithm]) -> list[AlgorithmFamily]:
    """Sum up shapes by families of communicators and algorithms, most time in MPI first.

    Args:
        rows: result of `algorithms`.
    """
    groups: dict[tuple[str, str, str, bool], list[Algorithm]] = {}
    for row in rows:
        groups.setdefault((row.procedure, row.family, row.text, row.exact), []).append(row)
    return sorted(map(_family, groups.values()), key=lambda row: -row.seconds)


def _family(group: Sequence[Algorithm]) -> AlgorithmFamily:
    first = group[0]
    names = dict.fromkeys(row.communicator for row in group)
    sizes = [row.size for row in group if row.size is not None]
    calls = Counter[str]()
    for row in group:
        calls[row.communicator] += row.calls
    return AlgorithmFamily(
        procedure=first.procedure,
        communicator=with_library(first.communicator, first.family) if len(names) == 1 else first.family,
        user_names=names_of_all(row.user_name for row in group),
        communicators=len(names),
        size_min=min(row.processes for row in group),
        size_max=max(row.processes for row in group),
        shapes=len(group),
        roots=len({row.root for row in group if row.root is not None}),
        least=min(sizes, default=None),
        most=max(sizes, default=None),
        varies=any(row.size is None and row.pattern is not None for row in group),
        calls=max(calls.values()),
        text=first.text,
        algorithm=first.algorithm,
        exact=first.exact,
        also=tuple(name for name in first.also if all(name in row.also for row in group)),
        seconds=sum(row.seconds for row in group),
        percent_of_mpi=sum(row.percent_of_mpi for row in group),
    )


def _seconds_per_call(connection: sqlite3.Connection) -> dict[tuple[str, str], dict[int | None, float]]:
    """Return the seconds per call, by family and procedure, for each size bin and for all sizes (None)."""
    sums: dict[tuple[str, str], dict[int | None, Totals]] = defaultdict(lambda: defaultdict(Totals))
    for (family, procedure, size_bin), totals in totals_by(
        connection, "family, procedures.name, size_bin", JOIN_PROCEDURES, sums="family_sums"
    ):
        for key in (size_bin, None):
            sums[family, procedure][key] += totals
    return {
        key: {size_bin: totals.seconds / totals.calls for size_bin, totals in bins.items() if totals.calls}
        for key, bins in sums.items()
    }


def _with_times(
    rows: Sequence[Algorithm],
    collective: Collective,
    per_call: Mapping[tuple[str, str], Mapping[int | None, float]],
) -> list[Algorithm]:
    """Distribute the time of a collective on a communicator among its shapes."""
    known = per_call.get((collective.family, collective.procedure), {})
    weights = [
        row.calls * known.get(None if row.size is None else row.size.bit_length(), known.get(None, 0.0))
        for row in rows
    ]
    whole = sum(weights)
    parts = [weight / whole if whole else 1 / len(rows) for weight in weights]
    return [
        replace(
            row,
            seconds=collective.totals.seconds * part,
            percent_of_mpi=collective.totals.percent_of_mpi * part,
        )
        for row, part in zip(rows, parts, strict=True)
    ]


def matrices(
    connection: sqlite3.Connection, pattern: int, processes: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return messages and bytes of a pattern, each n x n: from row to column, ranks in the communicator.

    Raises:
        ValueError: the profile is damaged: a rank is not in the communicator.
    """
    messages = np.zeros((processes, processes), np.int64)
    volumes = np.zeros((processes, processes), np.int64)
    for source, destination, number, volume in connection.execute(
        "SELECT source, destination, messages, bytes FROM pattern_messages WHERE pattern = ?", (pattern,)
    ):
        if not (0 <= source < processes and 0 <= destination < processes):
            raise ValueError(f"pattern {pattern} has a message from {source} to {destination}")
        messages[source, destination] = number
        volumes[source, destination] = volume
    return messages, volumes


def _algorithm(
    connection: sqlite3.Connection, visible: Visibilities, collective: Collective, pattern: _Pattern
) -> Algorithm:
    known = pattern.kept_call > 0 and not pattern.remote_size
    messages, volume = connection.execute(
        "SELECT COALESCE(SUM(messages), 0), COALESCE(SUM(bytes), 0) FROM pattern_messages WHERE pattern = ?",
        (pattern.id,),
    ).fetchone()
    visibility = visible.of(
        pattern.communicator, collective.procedure, seen=messages > 0, with_data=pattern.size != 0
    )
    named = None
    if pattern.remote_size:
        text = INTERCOMMUNICATOR
    elif not pattern.complete and (messages or collective.messages is not None):
        text = NOT_SAMPLED
    elif not visibility.whole:
        text = visibility.text
    elif moved_otherwise(collective.procedure, collective.processes, pattern.size, messages, volume):
        text = MOVED
    elif collective.processes > MOST_PROCESSES:
        text = TOO_MANY
    else:
        named = name_of(
            collective.procedure,
            collective.processes,
            pattern.root,
            pattern.size,
            *matrices(connection, pattern.id, collective.processes),
        )
        # If an algorithm explains all messages, none is missing.
        text = named.name if named else visibility.text or UNKNOWN
    return replace(
        _without_pattern(collective),
        calls=pattern.calls,
        text=text,
        pattern=pattern.id,
        root=pattern.root,
        size=pattern.size,
        messages=messages if known and messages else None,
        bytes=volume if known and messages else None,
        algorithm=named.name if named else None,
        exact=named.exact if named else False,
        also=named.also if named else (),
    )


def _without_pattern(collective: Collective) -> Algorithm:
    """Return the row of a collective without kept calls: nothing is visible, or it has a vector of sizes."""
    return Algorithm(
        procedure=collective.procedure,
        communicator=collective.communicator,
        user_name=collective.user_name,
        processes=collective.processes,
        calls=-(-collective.totals.calls // max(collective.processes, 1)),
        text=NO_PATTERN if collective.messages is not None else collective.visibility.text,
        family=collective.family,
        seconds=collective.totals.seconds,
        percent_of_mpi=collective.totals.percent_of_mpi,
    )

"""The algorithms of collectives, told by the messages of one call of each shape."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rankwise.analysis.algorithms import name_of
from rankwise.analysis.collectives import CLASSES, Collective, collectives
from rankwise.analysis.visibility import MOVED, Visibilities, moved_otherwise

MOST_PROCESSES = 2048
"""Of the communicators whose messages are compared with algorithms: a matrix has its square many numbers."""

UNKNOWN = "unknown"
NOT_SAMPLED = "not sampled on all members"
TOO_MANY = f"not compared: more than {MOST_PROCESSES} processes"
INTERCOMMUNICATOR = "not compared: an intercommunicator"
NO_PATTERN = "not compared: no single calls were kept"


@dataclass(frozen=True)
class Algorithm:
    """One shape of a collective, and how the MPI library carried it out.

    Attributes:
        procedure: name.
        communicator: name.
        user_name: of the communicator, '' if the program set none.
        processes: of the communicator.
        calls: of this shape, on one process.
        text: the algorithm's name, or why there is none.
        pattern: its id in the profile; None = no messages of single calls were kept.
        root: rank in the communicator; None = the procedure has none.
        size: of the message, bytes; None = differs by process, or no single calls were kept.
        messages: sent inside one call; None = they are not known, or not visible.
        bytes: likewise.
        algorithm: the name of the one that explains every message; None = there is none.
        exact: whether the bytes are those of the algorithm, too, not the messages alone.
        also: names of others that would send the same messages.
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
    found: list[Algorithm] = []
    for collective in collectives(connection):
        shapes = patterns.get((collective.procedure, collective.communicator), [])
        found += [_algorithm(connection, visible, collective, shape) for shape in shapes]
        if not shapes and collective.class_name in CLASSES:
            found.append(_without_pattern(collective))
    return found


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
    seen = visible.of(
        pattern.communicator, collective.procedure, seen=messages > 0, with_data=pattern.size != 0
    )
    named = None
    if pattern.remote_size:
        text = INTERCOMMUNICATOR
    elif not pattern.complete and (messages or collective.messages is not None):
        text = NOT_SAMPLED
    elif not seen.whole:
        text = seen.text
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
        # Where all messages are explained, none is missing.
        text = named.name if named else seen.text or UNKNOWN
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
    """Make the row of a collective without single calls: nothing is visible, or it has a vector of sizes."""
    return Algorithm(
        collective.procedure,
        collective.communicator,
        collective.user_name,
        collective.processes,
        -(-collective.counted.calls // max(collective.processes, 1)),
        NO_PATTERN if collective.messages is not None else collective.visibility.text,
    )

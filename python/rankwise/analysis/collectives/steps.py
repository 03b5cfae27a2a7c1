"""The load of the busiest process in collectives, by the recorded messages of single calls."""

from __future__ import annotations

import sqlite3

from rankwise.records import dataclass


@dataclass(frozen=True)
class Steps:
    """A call of a collective of some shape.

    Attributes:
        pattern: its number in the profile.
        procedure: name.
        processes: number of processes of the communicator.
        size: of the message, bytes; None = differs by process.
        messages: the most that a process sends or that a process receives.
        bytes: the most that a process sends or that a process receives.
    """

    pattern: int
    procedure: str
    processes: int
    size: int | None
    messages: int
    bytes: int


def steps(connection: sqlite3.Connection) -> list[Steps]:
    """Return the shapes for which all messages of a call were kept."""
    most: dict[int, tuple[int, int]] = {}
    for end in ("source", "destination"):
        for pattern, messages, size in connection.execute(
            "SELECT pattern, MAX(messages), MAX(bytes) FROM (SELECT pattern, SUM(messages) AS messages,"
            f" SUM(bytes) AS bytes FROM pattern_messages GROUP BY pattern, {end}) GROUP BY pattern"
        ):
            before = most.get(pattern, (0, 0))
            most[pattern] = max(before[0], messages), max(before[1], size)
    return [
        Steps(pattern, procedure, processes, size, *most[pattern])
        for pattern, procedure, processes, size in connection.execute(
            "SELECT patterns.id, procedures.name, communicators.size, patterns.size FROM patterns"
            " JOIN procedures ON procedures.id = patterns.procedure"
            " JOIN communicators ON communicators.id = patterns.communicator"
            " WHERE complete AND remote_size = 0 ORDER BY patterns.id"
        )
        if pattern in most
    ]

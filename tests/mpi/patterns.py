"""Names of the algorithms in a recorded run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from recording import Recording

from rankwise.analysis.collectives.algorithms import Named, name_of


@dataclass(frozen=True)
class Seen:
    """A call of a collective, and what its messages say.

    Attributes:
        on: name of the communicator that the program has set; empty = the world.
        collective: without MPI_.
        size: bytes; None where processes may differ.
        named: None = unknown.
        messages: how many.
    """

    on: str
    collective: str
    size: int | None
    named: Named | None
    messages: int

    def __str__(self) -> str:
        return f"{self.collective} of {self.size} B {self.on}: {self.messages} messages, {self.named}"


def seen(recording: Recording, processes: int) -> Iterator[Seen]:
    """All calls of collectives whose messages the profile has; each must be complete."""
    rows = recording.rows(
        """SELECT patterns.id, communicators.user_name, procedures.name, root, patterns.size, complete
           FROM patterns JOIN communicators ON communicators.id = patterns.communicator
           JOIN procedures ON procedures.id = patterns.procedure ORDER BY patterns.id"""
    )
    for pattern, on, procedure, root, size, complete in rows:
        messages = np.zeros((processes, processes), np.int64)
        sent = np.zeros_like(messages)
        for source, destination, count, total in recording.rows(
            "SELECT source, destination, messages, bytes FROM pattern_messages WHERE pattern = ?", pattern
        ):
            messages[source, destination], sent[source, destination] = count, total  # type: ignore[index]
        assert complete, (procedure, size, on)
        named = name_of(str(procedure), processes, root, size, messages, sent)  # type: ignore[arg-type]
        collective = str(procedure).removeprefix("MPI_")
        yield Seen(str(on or ""), collective, size, named, int(messages.sum()))  # type: ignore[arg-type]

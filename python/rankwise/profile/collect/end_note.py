"""The note in a run directory that its job has ended: written by `rankwise run`, read by observers.

It has the observations of the processes on the node of `rankwise run`. A killed process leaves files
like those of a waiting one; the note says until when it lived, and how it ended.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from rankwise.profile.collect.notes import read_note
from rankwise.profile.collect.text import harmless

if TYPE_CHECKING:
    from rankwise.profile.collect.counters import Counters

FILE_NAME = "ended"

_MOST_STATUS = 0xFFFF
_MOST_EXIT_STATUS = 0xFF


class Seen(NamedTuple):
    """The observed end of a process.

    Attributes:
        order: its place in the order of the observed ends, from 1; 0 = it lived when the note was made.
        gone_ns: when its end was observed, on its node's CLOCK_MONOTONIC; 0 = it lived.
        wait_status: as returned by waitpid; None = unknown.
    """

    order: int = 0
    gone_ns: int = 0
    wait_status: int | None = None


class EndNote(NamedTuple):
    """The end of a job, as far as it is known.

    Attributes:
        host: of `rankwise run`.
        monotonic_ns: when the note was written, on the clock of that host.
        realtime_ns: the same instant, nanoseconds since 1970.
        interrupted_ns: when a signal came that asked the launch to end; None = none came.
        processes: by the name of their counters files.
        exit_status: of the launch, as a shell reports it; None = unknown.
        interrupted: what ended the launch from the outside, as part of a sentence; '' if nothing did.
    """

    host: str
    monotonic_ns: int
    realtime_ns: int
    interrupted_ns: int | None = None
    processes: Mapping[str, Seen] = {}
    exit_status: int | None = None
    interrupted: str = ""

    def seen(self, counters: Counters) -> Seen | None:
        """Return the observation of a process; None = none."""
        return self.processes.get(counters.path.name)

    def lived_until_ns(self, counters: Counters) -> int | None:
        """Return the latest instant until which a process is taken to have lived; None = nothing is known.

        Processes on other nodes can't be seen: while one of them hangs, that is the end of the job.

        Returns:
            nanoseconds of its node's CLOCK_MONOTONIC.
        """
        observation = self.seen(counters)
        if observation:
            return observation.gone_ns or self.monotonic_ns
        latest = counters.header.stamps["latest"]
        if counters.header.host == self.host or not latest.used:
            return None
        return latest.monotonic_ns + max(self.realtime_ns - latest.realtime_ns, 0)

    def text(self) -> dict[str, Any]:
        """Return it as an object for JSON."""
        processes = {
            name: {"order": end.order, "gone_ns": end.gone_ns, "wait_status": end.wait_status}
            for name, end in self.processes.items()
        }
        return {
            "host": self.host,
            "monotonic_ns": self.monotonic_ns,
            "realtime_ns": self.realtime_ns,
            "interrupted_ns": self.interrupted_ns,
            "processes": processes,
            "exit_status": self.exit_status,
            "interrupted": self.interrupted,
        }


def has_ended(run_directory: Path) -> bool:
    """Whether the job of a run directory is known to have ended."""
    return os.path.lexists(run_directory / FILE_NAME)


def read_end_note(run_directory: Path) -> EndNote | None:
    """Read the note of a run directory; None = the job has not ended, or nothing is known of its end."""
    try:
        note = read_note(run_directory / FILE_NAME)
        return EndNote(
            str(note["host"]),
            int(note["monotonic_ns"]),
            int(note["realtime_ns"]),
            _number(note.get("interrupted_ns")),
            {
                str(name): Seen(
                    int(process["order"]), int(process["gone_ns"]), _wait_status(process["wait_status"])
                )
                for name, process in dict(note["processes"]).items()
            },
            _exit_status(note.get("exit_status")),
            harmless(str(note.get("interrupted", ""))),
        )
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _number(value: Any) -> int | None:
    return None if value is None else int(value)


def _exit_status(value: Any) -> int | None:
    return value if isinstance(value, int) and 0 <= value <= _MOST_EXIT_STATUS else None


def _wait_status(value: Any) -> int | None:
    """Return a number that is the status of a process that ended, else None."""
    known = isinstance(value, int) and 0 <= value <= _MOST_STATUS
    return value if known and (os.WIFEXITED(value) or os.WIFSIGNALED(value)) else None

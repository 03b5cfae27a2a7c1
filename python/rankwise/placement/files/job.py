"""What every launcher is to start, and what it is told."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from rankwise.errors import RankwiseError
from rankwise.placement.seats import Seat, by_host

# What host names may consist of, so that no launcher's file takes a part of one for something else.
_HOST = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")


@dataclass(frozen=True)
class Job:
    """The ranks of a program, each with its place.

    Attributes:
        seats: in the order of ranks, from 0 and without gaps.
        directory: of the files; absolute.
        program: its words.
    """

    seats: tuple[Seat, ...]
    directory: Path
    program: tuple[str, ...]

    @property
    def size(self) -> str:
        """Number of ranks, as a word."""
        return str(len(self.seats))

    def hosts(self) -> list[str]:
        """Each host once, in the order of their first ranks."""
        return list(by_host(self.seats))

    def runs(self) -> list[tuple[str, int]]:
        """Return the host and number of each run of successive ranks that are on one host."""
        return [(host, len(list(run))) for host, run in groupby(seat.host for seat in self.seats)]

    def is_split(self) -> bool:
        """Tell whether ranks of one host have a rank of another one between them."""
        return len(self.runs()) > len(self.hosts())


@dataclass(frozen=True)
class Written:
    """A file for a launcher, and how to use it.

    Attributes:
        path: of the file.
        launcher: its name, for people.
        text: what the file holds.
        words: of the command, with those of the program at its end; empty if there is none.
        environment: variables that the command needs.
        note: what this launcher can't be told, or needs; empty if there is nothing to say.
    """

    path: Path
    launcher: str
    text: str
    words: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    note: str = ""

    @property
    def command_line(self) -> str:
        """The command as it is pasted into a shell."""
        settings = [f"{name}={shlex.quote(value)}" for name, value in self.environment]
        return " ".join([*settings, *map(shlex.quote, self.words)])


def job_of(seats: Sequence[Seat], directory: Path, program_words: Sequence[str]) -> Job:
    """Check the seats and put them in order.

    Raises:
        RankwiseError: there are none, or a rank is missing or has two, or a host has a name that files of
            launchers can't hold.
    """
    ordered = tuple(sorted(seats, key=lambda seat: seat.rank))
    if not ordered:
        raise RankwiseError("there are no ranks to write files for")
    for expected, seat in enumerate(ordered):
        if seat.rank != expected:
            raise RankwiseError(
                f"each rank needs one place: the one of rank {min(expected, seat.rank)} is not clear"
            )
        if not _HOST.fullmatch(seat.host):
            raise RankwiseError(
                f"rank {seat.rank} is on {seat.host!r}, which launchers can't take for a host's name"
            )
    return Job(ordered, directory.absolute(), tuple(program_words))


def lines(entries: Sequence[str]) -> str:
    """Return the text of a file with an entry a line."""
    return "".join(f"{entry}\n" for entry in entries)

"""Reads the figures of many profiles, to compare them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from rankwise.analysis.opened import opened_profile
from rankwise.comparison.figures import Figures, figures
from rankwise.errors import RankwiseError


class Unreadable(NamedTuple):
    """A profile that is left out.

    Attributes:
        path: of the file.
        reason: a line that names the file and the cure.
    """

    path: Path
    reason: str


class Loaded(NamedTuple):
    """The figures that could be read.

    Attributes:
        runs: figures of each run, in the order of the files.
        unreadable: files that are damaged, of another version, or no profiles.
        repeated: files that hold the same run as an earlier one, and are left out.
    """

    runs: list[Figures]
    unreadable: list[Unreadable]
    repeated: list[Path]


def load(paths: Iterable[Path]) -> Loaded:
    """Read the figures of profiles; what can't be read is left out, and named."""
    loaded = Loaded([], [], [])
    known: set[tuple[object, ...]] = set()
    for path in paths:
        try:
            with opened_profile(path) as connection:
                read = figures(connection, path)
        except RankwiseError as error:
            loaded.unreadable.append(Unreadable(path, str(error)))
            continue
        run = read.run
        identity = (run.job, run.started, run.world, run.wall_seconds, *run.command)
        if identity in known:
            loaded.repeated.append(path)
        else:
            known.add(identity)
            loaded.runs.append(read)
    return loaded

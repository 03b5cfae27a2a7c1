"""Reads the figures of many profiles, to compare them."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from rankwise.analysis.opened import opened_profile
from rankwise.analysis.overview import Run
from rankwise.comparison.figures import Figures, figures
from rankwise.errors import RankwiseError
from rankwise.runs.unreadable import Unreadable


class OfRun(Protocol):
    """Figures of a run."""

    @property
    def run(self) -> Run:
        """Facts of the run."""


Read = TypeVar("Read", bound=OfRun)


@dataclass(frozen=True)
class LoadedAs(Generic[Read]):
    """The figures that could be read.

    Attributes:
        runs: figures of each run, in the order of the files.
        unreadable: files that are damaged, of another version, or no profiles; directories.
        repeated: files that hold the same run as an earlier one, and are left out.
    """

    runs: list[Read] = field(default_factory=list)
    unreadable: list[Unreadable] = field(default_factory=list)
    repeated: list[Path] = field(default_factory=list)


Loaded = LoadedAs[Figures]


def load(paths: Iterable[Path], skipped: Iterable[Unreadable] = ()) -> Loaded:
    """Read the compared figures of profiles; what can't be read is left out, and named.

    Args:
        paths: of the profiles.
        skipped: directories that are named with what can't be read.
    """
    return load_with(paths, figures, skipped)


def load_with(
    paths: Iterable[Path],
    read: Callable[[sqlite3.Connection, Path], Read],
    skipped: Iterable[Unreadable] = (),
) -> LoadedAs[Read]:
    """Read figures of profiles; what can't be read is left out, and named.

    Args:
        paths: of the profiles.
        read: returns the figures of the open profile at a path.
        skipped: directories that are named with what can't be read.
    """
    loaded: LoadedAs[Read] = LoadedAs()
    known: set[tuple[object, ...]] = set()
    for path in paths:
        try:
            with opened_profile(path) as connection:
                its_figures = read(connection, path)
        except RankwiseError as error:
            loaded.unreadable.append(Unreadable(path, str(error)))
            continue
        run = its_figures.run
        identity = (run.job, run.started, run.world, run.wall_seconds, *run.command)
        if identity in known:
            loaded.repeated.append(path)
        else:
            known.add(identity)
            loaded.runs.append(its_figures)
    loaded.unreadable.extend(skipped)
    return loaded

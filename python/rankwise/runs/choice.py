"""The runs that a user wants of many, and their order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Any

from rankwise.records import dataclass
from rankwise.runs.headline import Headline

SORTS: Mapping[str, Callable[[Headline], Any]] = {
    "started": lambda run: run.started,
    "program": lambda run: (run.program, run.arguments, run.started),
    "ranks": lambda run: (run.ranks, run.started),
    "nodes": lambda run: (run.nodes, run.started),
    "wall": lambda run: -run.wall_seconds,
    "mpi": lambda run: -run.mpi_percent_of_run,
    "efficiency": lambda run: 2.0 if run.parallel_efficiency is None else run.parallel_efficiency,
    "file": lambda run: run.file,
}
"""Orders by their names: times by date, what costs most first."""


@dataclass(frozen=True, kw_only=True)
class Choice:
    """Which runs are wanted; an empty attribute excludes none.

    Attributes:
        program: name of the program, with * and ? as in a shell.
        ranks: number of ranks, 0 = any.
        since: earliest start, ISO 8601 as far as it goes: `2026-11`, `2026-11-20`, `2026-11-20T12:00`.
        tags: values by name; the run has all.
    """

    program: str = ""
    ranks: int = 0
    since: str = ""
    tags: Mapping[str, str]

    def __contains__(self, run: Headline) -> bool:
        return (
            (not self.program or fnmatchcase(run.program, self.program))
            and self.ranks in (0, run.ranks)
            and run.started >= self.since
            and all(run.tags.get(name) == value for name, value in self.tags.items())
        )


def chosen(runs: Iterable[Headline], choice: Choice, sort: str) -> list[Headline]:
    """Return the wanted runs in an order of `SORTS`."""
    return sorted((run for run in runs if run in choice), key=SORTS[sort])

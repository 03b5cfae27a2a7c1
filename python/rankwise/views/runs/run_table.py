"""The runs behind an answer on many runs, as a table of its page: each names its profile."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from rankwise.views.view import SECONDS, WORD, Column, Table, label


class RunLine(NamedTuple):
    """A run.

    Attributes:
        profile: path.
        of: what it belongs to: a side, a commit, a number of ranks.
        wall_seconds: of the longest rank.
        started: ISO 8601; '' = it is not shown.
    """

    profile: str
    of: str
    wall_seconds: float
    started: str = ""


def runs_table(heading: str, runs: Sequence[RunLine]) -> Table:
    """Return the runs in the given order.

    Args:
        heading: of the column on what each run belongs to; '' = no such column.
        runs: all.
    """
    columns: list[Column[RunLine]] = [
        Column(
            "profile",
            lambda run: Path(run.profile).name,
            WORD,
            "file; opens its report if there is one",
            obvious=True,
            file=lambda run: run.profile,
        )
    ]
    if heading:
        columns.append(label(heading, lambda run: run.of or None, "of the run", kind=WORD, choice=True))
    if any(run.started for run in runs):
        columns.append(
            label("started", lambda run: run.started[:16].replace("T", " "), "first MPI_Init, UTC", kind=WORD)
        )
    columns.append(Column("wall", lambda run: run.wall_seconds, SECONDS, "of the longest rank", obvious=True))
    return Table(columns, runs, "No run is left.", title="Profiles")

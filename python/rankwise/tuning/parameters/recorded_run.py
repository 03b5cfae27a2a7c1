"""Runs the program once with variables, as trials record it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from rankwise.analysis.opened import opened_profile
from rankwise.analysis.totals import RUN_SECONDS
from rankwise.launch import inside_options
from rankwise.launch.signals import Signals
from rankwise.trials.recorded import Command, Limit, Recording, record

Run = Callable[[Mapping[str, str], str, float], float]
"""Is given variables, a name for the run's files, and the seconds that are left; returns those of the run.

It raises RankwiseError if the run failed, Interrupted if a signal came.
"""


@dataclass(frozen=True)
class Limits:
    """How long a run may take.

    Attributes:
        run: seconds; None: ten times the first one, and a minute.
        first: of the first run, if there is no other limit.
        cure: how the user can give a run more, for people.
    """

    run: float | None = None
    first: float = 300.0
    cure: str = "is it hanging?"


def recorded_runs(command: Command, directory: Path, signals: Signals, limits: Limits) -> Run:
    """Return what runs a command and takes the time of its longest rank from MPI_Init to MPI_Finalize.

    Variables are set for the launcher, which may be whom they are for, and for every rank.

    Args:
        command: the program's.
        directory: for what the runs leave.
        signals: that came to us.
        limits: of each run.
    """
    limit = limits.run or limits.first

    def run(variables: Mapping[str, str], name: str, left: float) -> float:
        nonlocal limit
        profile = directory / f"{name}.rankwise"
        profile.unlink(missing_ok=True)
        how = Recording({**inside_options.nothing(), **variables})
        told = Command(command.words, {**command.variables, **variables})
        end = record(told, how, profile, Limit(min(limit, left), limits.cure), signals)
        limit = limits.run or max(limit if limit != limits.first else 0.0, 10 * end.seconds + 60)
        with opened_profile(profile) as connection:
            (seconds,) = connection.execute(f"SELECT MAX({RUN_SECONDS}) FROM ranks").fetchone()
        return float(seconds)

    return run

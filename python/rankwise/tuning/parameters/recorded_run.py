"""Runs the program once with variables, as trials record it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from rankwise.errors import RankwiseError
from rankwise.launch.signals import Signals
from rankwise.trials.recorded import Command
from rankwise.trials.run import Rejected
from rankwise.trials.ways import Runs, Way

Run = Callable[[Mapping[str, str], str, float], float]
"""Gets variables, a name for the run's files, and the remaining seconds; returns the seconds of the run.

It raises RankwiseError if the run failed or its output differs, UnrunnableError if the run would also fail
without the variables, and Interrupted if a signal came.
"""


@dataclass(frozen=True)
class Limits:
    """How long a run may take, and how its output is judged.

    Attributes:
        run: seconds; None: ten times the first run, and a minute.
        first: of the first run, if there is no other limit.
        check: command that compares the outputs of runs; empty: they are not compared.
    """

    run: float | None = None
    first: float = 300.0
    check: tuple[str, ...] = ()


def recorded_runs(command: Command, directory: Path, signals: Signals, limits: Limits) -> Run:
    """Return a function that runs a command and returns the time of its longest rank in MPI's lifetime.

    Variables are set for the launcher, which may read them itself, and for every rank.

    Args:
        command: the program's.
        directory: for the files of the runs.
        signals: that arrived here.
        limits: of each run.
    """
    given = Way("as given", command, as_given=True)
    runs = Runs(directory, signals, limits.run, limits.first, limits.check, given=given)

    def run(variables: Mapping[str, str], name: str, left: float) -> float:
        with_variables = Command(command.words, {**command.variables, **variables})
        try:
            return runs.seconds(Way(name, with_variables, variables, as_given=not variables), 0, left)
        except Rejected as why:
            raise RankwiseError(str(why), 1) from why

    return run

"""The launch of the user's program, also where a script starts it: the place that a probe takes."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Mapping
from pathlib import Path

from rankwise.errors import RankwiseError
from rankwise.launch import inside_options
from rankwise.launch.detect import Kind
from rankwise.launch.inner_launch import LaunchWatch
from rankwise.launch.signals import Signals
from rankwise.trials.recorded import Command, Limit, Recording, record
from rankwise.tuning.program import OwnSettingsError, Program

_EXAMPLE = "give the launch itself, as in: mpirun -n 4 ./app"


def launched(
    program: Program, directory: Path, signals: Signals, limit: float, say: Callable[[str], None]
) -> Program:
    """Return the command that starts the program by a launcher: as given, or the one that a script holds.

    A script runs once for that.

    Args:
        program: as given.
        directory: for what that run leaves; every node sees it.
        signals: that came to us.
        limit: seconds that the run may take.
        say: is told what is found.

    Raises:
        RankwiseError: the script fails, or starts no launcher that is known, or several.
        trials.run.Interrupted: a signal came.
    """
    line = program.planned.command
    started = {found.kind for found in program.planned.detections}
    if line.known or line.containers or started & {Kind.MPI, Kind.PYTHON}:
        return program
    say(f"finding the launch inside {program.words[0]} by running it")
    watch = LaunchWatch()
    how = Recording({**inside_options.nothing(), "RANKWISE_SITES": "off"})
    profile = directory / "launch.rankwise"
    profile.unlink(missing_ok=True)  # of another command
    record(program.command, how, profile, Limit(limit, "give it more with --run-limit"), signals, watch)
    if not watch.launches:
        raise RankwiseError(f"{program.words[0]} starts no known launcher of MPI programs: {_EXAMPLE}")
    if len(watch.launches) > 1:
        several = "; ".join(shlex.join(inner.words) for inner in watch.launches)
        raise RankwiseError(f"{program.words[0]} contains several launches, {several}: give one of them")
    (inner,) = watch.launches
    say(f"inside {program.words[0]}: {shlex.join(inner.words)}")
    return Program.of(inner.words, inner.environment)


def refuse_inside(
    program: Program, inner: Program, *, rules: bool, ours: Mapping[str, str] | None = None
) -> None:
    """Refuse settings of the user's own that are in force for a launch; see Program.refuse_own_settings.

    Args:
        program: as given.
        inner: as from `launched`.
        rules: whether algorithms of collectives are to be chosen.
        ours: variables that are to be set.

    Raises:
        OwnSettingsError: there are some, and the program can be run without them.
        RankwiseError: there are some in a script: it can't be run without what it sets.
    """
    try:
        inner.refuse_own_settings(rules=rules, ours=ours)
    except OwnSettingsError as refusal:
        if inner is program:
            raise
        raise RankwiseError(f"inside {program.words[0]}: {refusal}") from refusal


def command_inside(program: Program, inner: Program, command: Command) -> Command:
    """Return what is started in the place of a command: the launch that it holds, with the same variables.

    Args:
        program: as given.
        inner: as from `launched`.
        command: of the program as given, or of one that is placed otherwise.
    """
    if inner is program or command.words != program.words:
        return command
    theirs = {name: value for name, value in inner.environment.items() if os.environ.get(name) != value}
    return Command(inner.words, {**theirs, **command.variables})

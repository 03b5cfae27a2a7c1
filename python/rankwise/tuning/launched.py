"""The launch of the user's program, which a probe replaces; also where a script contains it."""

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
    """Return the launch of the program: the given command, or the launch inside a script.

    To find it, a script runs once.

    Args:
        program: as given.
        directory: for the files of that run; every node sees it.
        signals: that arrived here.
        limit: seconds that the run may take.
        say: gets a line about each step.

    Raises:
        RankwiseError: the script fails, or starts no known launcher, or several launches.
        trials.run.Interrupted: a signal came.
    """
    line = program.planned.command
    started = {detection.kind for detection in program.planned.detections}
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
    """Refuse the user's settings that are in force for a launch; see Program.refuse_own_settings.

    Args:
        program: as given.
        inner: as from `launched`.
        rules: whether algorithms of collectives are to be chosen.
        ours: variables that are to be set.

    Raises:
        OwnSettingsError: there are settings, and the program can be run without them.
        RankwiseError: a script sets them, and can't be run without them.
    """
    try:
        inner.refuse_own_settings(rules=rules, ours=ours)
    except OwnSettingsError as refusal:
        if inner is program:
            raise
        raise RankwiseError(f"inside {program.words[0]}: {refusal}") from refusal


def command_inside(program: Program, inner: Program, command: Command) -> Command:
    """Return the launch inside a command, with the command's variables; started in place of the command.

    Args:
        program: as given.
        inner: as from `launched`.
        command: of the program as given, or with another placement.
    """
    if inner is program or command.words != program.words:
        return command
    theirs = {name: value for name, value in inner.environment.items() if os.environ.get(name) != value}
    return Command(inner.words, {**theirs, **command.variables})

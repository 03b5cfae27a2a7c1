"""The launch that takes our variables to every rank on every node, and changes nothing else."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from typing import NamedTuple

from rankwise.errors import RankwiseError
from rankwise.launch import containers
from rankwise.launch.commandline import CommandLine, Context
from rankwise.launch.wrappers import behind, carry
from rankwise.launchers import launchers, version
from rankwise.launchers.base import Launcher, Preload, Program, by_environment
from rankwise.launchers.known import openmpi

_LEAST_SAVE_S, _MOST_SAVE_S = 0.1, 86400.0


class Launch(NamedTuple):
    """What to start, with which environment."""

    words: list[str]
    environment: dict[str, str]
    how: str  # the variables get to the ranks, in words


def save_every(seconds: float) -> dict[str, str]:
    """Return the variable that says how often the keeper of a node saves what its processes have counted.

    Raises:
        RankwiseError: it is no time.
    """
    if not _LEAST_SAVE_S <= seconds <= _MOST_SAVE_S:
        raise RankwiseError(f"--save-every {seconds:g}s: give {_LEAST_SAVE_S:g}s to {_MOST_SAVE_S / 3600:g}h")
    return {"RANKWISE_SAVE_EVERY_MS": str(round(seconds * 1000))}


def mpirun_version(environment: Mapping[str, str]) -> str:
    """Version of the Open MPI whose mpirun is on PATH, '' without one."""
    mpirun = shutil.which("mpirun", path=environment.get("PATH"))
    label, number, _ = version.ask(mpirun) if mpirun else ("", "", "")
    return number if label == openmpi.LAUNCHER.answers[0].label else ""


def prepare(
    command: CommandLine, preload: Preload, environment: Mapping[str, str], script_mpirun: str | None = None
) -> Launch:
    """Rewrite a command so that every MPI process that it starts finds our variables.

    Args:
        command: as the user gave it.
        preload: what the processes have to find.
        environment: of the user.
        script_mpirun: the command is a script, and this the version of the Open MPI that it is likely to call
            ('' = unknown); None = it is no script.
    """
    at_start = behind(command.wrappers, environment)
    theirs = at_start.get("LD_PRELOAD", "")
    boxed = containers.variables(command.containers, command.words, at_start, preload)
    preload = preload._replace(settings={**preload.settings, **boxed})
    contexts = command.contexts
    if command.known is None:
        variables, how = preload.variables(theirs), "its environment"
        for launcher in launchers() if script_mpirun is not None else ():
            delivery = launcher.deliver_to_script(preload, at_start, theirs, script_mpirun or "")
            variables |= delivery.environment
            how += f", and {delivery.how}" if delivery.how else ""
    else:
        programs = [context.options for context in contexts]
        if all(context.program or _has_file_in_place(context, command.known) for context in contexts):
            delivery = command.known.deliver(programs, preload, at_start, theirs)
        else:  # What comes from a file gets nothing but the environment.
            delivery = by_environment(programs, preload, theirs)
        pairs = zip(contexts, delivery.programs, strict=True)
        contexts = tuple(_with_variables(context, program, preload) for context, program in pairs)
        variables, how = dict(delivery.environment), delivery.how
    if boxed:
        how += f", and into the container by {', '.join(boxed)}"
    rewritten = command._replace(wrappers=carry(command.wrappers, variables), contexts=contexts)
    return Launch(rewritten.words, {**environment, **variables}, how)


def _has_file_in_place(context: Context, launcher: Launcher) -> bool:
    return any(option.name in launcher.file_in_place for option in context.options)


def _with_variables(context: Context, program: Program, preload: Preload) -> Context:
    """Return the context with its options, and with `env` between launcher and program set right."""
    theirs = behind(context.wrappers, {"LD_PRELOAD": program.theirs}).get("LD_PRELOAD", "")
    wrappers = carry(context.wrappers, preload.variables(theirs))
    return context._replace(options=program.options, wrappers=wrappers)

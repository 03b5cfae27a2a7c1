"""The launch that takes our variables to every rank on every node, and changes nothing else."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from typing import NamedTuple

from rankwise.errors import RankwiseError
from rankwise.launch import containers, version
from rankwise.launch.commandline import CommandLine
from rankwise.launch.launchers import OTHER
from rankwise.launch.launchers.base import Preload
from rankwise.launch.launchers.openmpi import script_environment
from rankwise.launch.wrappers import behind, carry

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
        raise RankwiseError(f"--save-every {seconds:g}: give {_LEAST_SAVE_S:g} to {_MOST_SAVE_S:g} seconds")
    return {"RANKWISE_SAVE_EVERY_MS": str(round(seconds * 1000))}


def mpirun_version(environment: Mapping[str, str]) -> str:
    """Version of the Open MPI whose mpirun is on PATH, '' if there is none."""
    mpirun = shutil.which("mpirun", path=environment.get("PATH"))
    label, number, _ = version.ask(mpirun) if mpirun else ("", "", "")
    return number if label == "Open MPI" else ""


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
    if command.family is None:
        variables, how = preload.variables(theirs), "its environment"
        if script_mpirun is not None:
            variables |= script_environment(preload, theirs, at_start, script_mpirun)
            how += ", and Open MPI's list of variables for other hosts"
    else:
        # Without a program on the command line (it comes from a file) only the environment is left.
        family = command.family if all(context.program for context in contexts) else OTHER
        delivery = family.deliver(contexts, preload, at_start, theirs)
        contexts, variables, how = delivery.contexts, dict(delivery.environment), delivery.how
    if boxed:
        how += f", and into the container by {', '.join(boxed)}"
    rewritten = command._replace(wrappers=carry(command.wrappers, variables), contexts=contexts)
    return Launch(rewritten.words, {**environment, **variables}, how)

"""The launch of the user's program, for the probe instead of the program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rankwise.errors import RankwiseError
from rankwise.launch.commandline import parse
from rankwise.launch.plan import check_startable
from rankwise.launch.wrappers import behind
from rankwise.probes.launch import Launch, refuse_files


def understand(words: Sequence[str], environment: Mapping[str, str]) -> Launch:
    """Return a launch without its program; wrappers of the program, such as numactl, stay.

    Args:
        words: the command, such as mpirun -n 4 ./app.
        environment: that it will be started with.

    Raises:
        RankwiseError: no command is given or found, or the probe can't replace its program.
    """
    example = "as in: mpirun -n 4 ./app"
    if not words:
        raise RankwiseError(f"no command: put the program's launch after `--`, {example}")
    check_startable(words[0], environment, "tune")
    command = parse(words)
    if not command.known:
        raise RankwiseError(f"{words[0]} is not a known launcher of MPI programs: give one, {example}")
    if boxes := command.containers:
        raise RankwiseError(
            f"the probe can't replace a program in a container ({boxes[0].name}) with its own MPI library: "
            "run Rankwise inside the container"
        )
    for context in command.contexts:
        refuse_files(context, command.known)
    inner = behind(command.wrappers, environment)
    check_startable(command.launcher, inner, "tune")
    contexts = tuple(context._replace(program=()) for context in command.contexts)
    return Launch(command._replace(contexts=contexts), inner)

"""A launch that starts a probe: the user's own, with the probe in every place for a program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rankwise.errors import RankwiseError
from rankwise.launch.commandline import CommandLine, Context, parse
from rankwise.launch.plan import check_startable
from rankwise.launch.wrappers import behind, strip
from rankwise.launchers.base import Launcher

_NO_COMMAND = "no command: put the launch{} after `--`, as in: rankwise {} -- mpirun -n 4"


@dataclass(frozen=True)
class Launch:
    """A launch without a program.

    Attributes:
        command: taken apart.
        environment: as the launcher sees it, behind the user's `env`.
    """

    command: CommandLine
    environment: Mapping[str, str]

    @property
    def launcher(self) -> str:
        """As the user named it."""
        return self.command.launcher

    @property
    def ranks(self) -> int | None:
        """How many ranks the launch asks for; None if it does not say."""
        launcher = self.command.known
        assert launcher
        counts = [launcher.ranks(context.options) for context in self.command.contexts]
        if None not in counts:
            return sum(count for count in counts if count)
        allocated = self.environment.get(launcher.allocated, "")
        return int(allocated) if allocated.isdecimal() else None

    def words(self, program: Sequence[str]) -> list[str]:
        """Return the launch with a program in every place for one."""
        contexts = (context._replace(program=tuple(program)) for context in self.command.contexts)
        return self.command._replace(contexts=tuple(contexts)).words


def refuse_files(context: Context, launcher: Launcher) -> None:
    """Refuse a launch that reads from a file which programs it starts.

    Raises:
        RankwiseError: it does.
    """
    if file := next((option for option in context.options if option.name in launcher.from_file), None):
        raise RankwiseError(f"{file.words[0]} takes programs from a file: give the launch by options alone")


def understand(
    words: Sequence[str], environment: Mapping[str, str], verb: str = "latency", *, with_program: bool = False
) -> Launch:
    """Take a launch apart.

    Args:
        words: the command, such as mpirun -n 4.
        environment: that it will be started with.
        verb: of Rankwise, with the options that ask for such a launch.
        with_program: it may have a program, whose place the probe takes.

    Raises:
        RankwiseError: it is missing, is not found, starts no MPI processes, or has a program.
    """
    without = "" if with_program else ", without a program,"
    if not words:
        raise RankwiseError(_NO_COMMAND.format(without, verb))
    check_startable(words[0], environment, verb)
    command = parse(words)
    if not command.known:
        named = next((context.program[0] for context in command.contexts if context.program), words[0])
        raise RankwiseError(
            f"{named} is not a known launcher of MPI programs: give one{without or ','} as in: rankwise "
            f"{verb} -- mpirun -n 4"
        )
    launcher = command.known
    contexts = tuple(
        _without_program(context, launcher, refused=not with_program) for context in command.contexts
    )
    inner = behind(command.wrappers, environment)
    check_startable(command.launcher, inner, verb)
    return Launch(command._replace(contexts=contexts), inner)


def _without_program(context: Context, launcher: Launcher, *, refused: bool) -> Context:
    """Return a context that is ready for a program.

    A wrapper at its end (`mpirun -n 4 taskset -c 0-3`) wraps the probe; a bare word behind an option that the
    launcher does not know (`mpirun --agent ssh`) is the option's value.
    """
    refuse_files(context, launcher)
    last = context.options[-1] if context.options else None
    if last and "=" not in last.words[0] and len(last.words) <= launcher.values.get(last.name, 0):
        raise RankwiseError(f"{last.words[0]} needs a value")
    marker = ("probe",)
    wrappers, rest = strip((*context.program, *marker))
    if rest == marker:
        return context._replace(wrappers=(*context.wrappers, *wrappers), program=())
    unknown = last and len(last.words) == 1 and "=" not in last.words[0]
    unknown = unknown and last and last.name not in launcher.flags and last.name not in launcher.values
    if unknown and last and len(context.program) == 1 and "/" not in context.program[0]:
        option = last._replace(words=(*last.words, *context.program))
        return context._replace(options=(*context.options[:-1], option), program=())
    if not refused:
        return context._replace(program=())
    raise RankwiseError(f"the probe replaces the program: remove {' '.join(context.program)}")

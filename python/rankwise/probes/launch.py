"""A launch that starts a probe: the user's own, with the probe in every place for a program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rankwise.errors import RankwiseError
from rankwise.launch.commandline import CommandLine, Context
from rankwise.launchers.base import Launcher


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

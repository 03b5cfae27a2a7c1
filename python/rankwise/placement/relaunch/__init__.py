"""The user's launch, changed so that each rank gets its place, and in nothing else."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rankwise.errors import RankwiseError
from rankwise.launch.commandline import CommandLine, Context, parse
from rankwise.launch.wrappers import behind, carry
from rankwise.launchers.base import Option
from rankwise.placement.files.job import Written, job_of
from rankwise.placement.relaunch.launcher import Launcher
from rankwise.placement.relaunch.which import Version, asked, which
from rankwise.placement.seats import Seat

__all__ = ["Launch", "Relaunched", "Version", "understand"]

_FROM_FILE = ("app", "configfile", "multi-prog")


@dataclass(frozen=True)
class Relaunched:
    """A launch that tells each rank its place.

    Attributes:
        words: of the command.
        variables: that it needs in the environment.
    """

    words: tuple[str, ...]
    variables: Mapping[str, str]

    @property
    def command_line(self) -> str:
        """The command as it is pasted into a shell."""
        settings = [f"{name}={shlex.quote(value)}" for name, value in self.variables.items()]
        return " ".join([*settings, shlex.join(self.words)])


@dataclass(frozen=True)
class Launch:
    """The user's launch.

    Attributes:
        command: taken apart; of one program.
        launcher: what is known of its launcher.
        environment: as the launcher sees it.
    """

    command: CommandLine
    launcher: Launcher
    environment: Mapping[str, str]

    @property
    def _context(self) -> Context:
        return self.command.contexts[0]

    def seats(self, seats: Sequence[Seat]) -> list[Seat]:
        """Return the seats as they are told: without cores, if they can't be or the user binds no ranks."""
        written = self.launcher.file(job_of(seats, Path(), ()))
        told = any(map(self.launcher.binds, _options(written, self.launcher)))
        if told and not self.launcher.hosts_only(self._context.options, self.environment):
            return list(seats)
        return [Seat(seat.rank, seat.host) for seat in seats]

    def relaunched(self, seats: Sequence[Seat], directory: Path) -> Relaunched:
        """Return the launch with each rank in its seat.

        Args:
            seats: of the ranks, as from `seats`.
            directory: of the launchers' files, as placement.files.write_all makes them.

        Raises:
            RankwiseError: the launcher can't be told these seats.
        """
        job = job_of(seats, directory, ())
        written = self.launcher.file(job)
        if not written.words:
            raise RankwiseError(f"{written.launcher}: {written.note}")
        if job.is_split() and self.launcher.needs_whole_hosts:
            raise RankwiseError(
                f"{self.launcher.name} takes a host whose ranks are not successive for several nodes: "
                "it needs MPICH 4.1 or later"
            )
        ours = _options(written, self.launcher)
        binds = any(map(self.launcher.binds, ours))
        kept = [o for o in self._context.options if not self.launcher.replaces(o, binds=binds)]
        if any(map(self.launcher.counts, kept)):
            ours = [option for option in ours if not self.launcher.counts(option)]
        variables = dict(written.environment)
        context = self._context._replace(options=(*kept, *ours))
        wrappers = carry(self.command.wrappers, variables)
        changed = self.command._replace(contexts=(context,), wrappers=wrappers)
        return Relaunched(tuple(changed.words), variables)


def _options(written: Written, launcher: Launcher) -> list[Option]:
    """Take the options out of the command that goes with a file; none if there is no command."""
    return list(parse(written.words, lambda _: launcher.label).contexts[0].options)


def understand(
    words: Sequence[str], environment: Mapping[str, str], library: Version | None = None
) -> Launch:
    """Take a launch apart, and refuse one that can't be told places.

    Args:
        words: of the command.
        environment: that it would be started with.
        library: whose launcher it is; None: the launcher that is found here is asked.

    Raises:
        RankwiseError: there is none, its launcher is not known, or it starts several programs or none.
    """
    if not words:
        raise RankwiseError(
            "no command: put the job after `--`, as in: rankwise map --verify F.rankwise -- mpirun -n 4 ./app"
        )
    command = parse(words, lambda _: library.label) if library else parse(words)
    inside = behind(command.wrappers, environment)
    launcher = which(command, library or asked(command, inside))
    if len(command.contexts) > 1:
        raise RankwiseError("the command starts several programs: only a launch of one can be told places")
    [context] = command.contexts
    if file := next((option for option in context.options if option.name in _FROM_FILE), None):
        raise RankwiseError(f"{file.words[0]} takes programs from a file: give the launch by options alone")
    if not context.program:
        raise RankwiseError(f"{words[-1]} is no program: put the job's program after its launcher's options")
    launcher.check(context.options)
    return Launch(command, launcher, inside)

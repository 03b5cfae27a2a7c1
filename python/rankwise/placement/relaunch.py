"""The user's launch, changed so that each rank gets its place, and in nothing else."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

from rankwise.errors import RankwiseError
from rankwise.launch.commandline import CommandLine, Context, parse
from rankwise.launch.wrappers import behind, carry
from rankwise.launchers import SHARED_COMMANDS, launchers, version
from rankwise.launchers.base import Launcher
from rankwise.launchers.binding import Binding
from rankwise.launchers.option import Option
from rankwise.launchers.placing import Job, Relaunching, Written, job_of
from rankwise.mpi_libraries import Version


class PlacementError(RankwiseError):
    """The launcher can't give each rank a place; the order of MPI_COMM_WORLD can be changed all the same."""


@dataclass(frozen=True)
class Relaunched:
    """A launch that gives each rank its place.

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
        launcher: its launcher; None = unknown.
        placing: how it takes bindings.
        environment: as the launcher sees it.
    """

    command: CommandLine
    launcher: Launcher
    placing: Relaunching
    environment: Mapping[str, str]

    @property
    def _context(self) -> Context:
        return self.command.contexts[0]

    def file(self, job: Job) -> Written:
        """Return the file with the places for its launcher."""
        return self.placing.files[0](job)

    def bindings(self, bindings: Sequence[Binding]) -> list[Binding]:
        """Return the bindings for it: without cores, if it can't take these or the user binds no ranks."""
        written = self.file(job_of(bindings, Path(), ()))
        binds = any(map(self.placing.binds, self._options(written)))
        theirs = [self.launcher.split(option) for option in self._context.options]
        if binds and not self.placing.hosts_only(theirs, self.environment):
            return list(bindings)
        return [Binding(binding.rank, binding.host) for binding in bindings]

    def relaunched(self, bindings: Sequence[Binding], directory: Path) -> Relaunched:
        """Return the launch with each rank bound as given.

        Args:
            bindings: of the ranks, as from `bindings`.
            directory: of the launchers' files, as placement.files.write_all makes them.

        Raises:
            PlacementError: the launcher can't take these bindings.
        """
        job = job_of(bindings, directory, ())
        written = self.file(job)
        if not written.words:
            raise PlacementError(f"{written.launcher}: {written.note}")
        if job.is_split() and self.placing.needs_whole_hosts:
            raise PlacementError(
                f"{self.placing.name} treats a host whose ranks are not consecutive as several nodes: it "
                "needs MPICH 4.1 or later"
            )
        ours = self._options(written)
        binds = any(map(self.placing.binds, ours))
        split, replaces = self.launcher.split, self.placing.replaces
        kept = [o for o in self._context.options if not replaces(split(o), binds=binds)]
        if any(split(option).name in self.launcher.counting for option in kept):
            ours = [option for option in ours if option.name not in self.launcher.counting]
        variables = dict(written.environment)
        context = self._context._replace(options=(*kept, *ours))
        wrappers = carry(self.command.wrappers, variables)
        changed = self.command._replace(contexts=(context,), wrappers=wrappers)
        return Relaunched(tuple(changed.words), variables)

    def _options(self, written: Written) -> list[Option]:
        """Take the options out of the command that goes with a file; none if there is no command."""
        return list(parse(written.words, lambda _: self.placing.label).contexts[0].options)


def understand(
    words: Sequence[str], environment: Mapping[str, str], library: Version | None = None
) -> Launch:
    """Analyse a launch, and refuse it if it can't take bindings.

    Args:
        words: of the command.
        environment: that it would be started with.
        library: whose launcher it is; None: the launcher that is found here is asked.

    Raises:
        RankwiseError: there is no launch, or it starts several programs or none.
        PlacementError: its launcher is unknown, or can't take bindings.
    """
    if not words:
        raise RankwiseError(
            "no command: put the job after `--`, as in: rankwise map verify F.rankwise -- mpirun -n 4 ./app"
        )
    command = parse(words, lambda _: library.label) if library else parse(words)
    inside = behind(command.wrappers, environment)
    launcher, placing = placing_of(command, inside, library)
    if len(command.contexts) > 1:
        raise RankwiseError("the command starts several programs: only a launch of one can take placements")
    [context] = command.contexts
    if file := next((option for option in context.options if option.name in launcher.from_file), None):
        raise RankwiseError(f"{file.words[0]} reads programs from a file: give the launch by options only")
    if not context.program:
        raise RankwiseError(
            f"{words[-1]} is not a program: put the job's program after its launcher's options"
        )
    placing.check([launcher.split(option) for option in context.options])
    return Launch(command, launcher, placing, inside)


def placing_of(
    command: CommandLine, environment: Mapping[str, str], library: Version | None = None
) -> tuple[Launcher, Relaunching]:
    """Return the launcher of a command, and how it takes bindings.

    Args:
        command: taken apart.
        environment: as the launcher sees it.
        library: whose launcher it is; None: the launcher that is found here is asked.

    Raises:
        PlacementError: it can't take any, or is unknown.
    """
    launcher = command.known
    name = PurePath(command.launcher).name
    placing = launcher and launcher.placing(name, library or _asked(command, environment))
    if not launcher or not isinstance(placing, Relaunching):
        first = command.launcher or (command.contexts[0].program or ("the command",))[0]
        raise PlacementError(f"{first} can't take placements; launchers that can: {_known()}")
    return launcher, placing


def _asked(command: CommandLine, environment: Mapping[str, str]) -> Version:
    """Ask the launcher of a command, as it is found here."""
    path = shutil.which(command.launcher, path=environment.get("PATH"))
    ask = path and command.known and command.known.has_own_library
    return Version(*version.ask(path)[:2]) if path and ask else Version()


def _known() -> str:
    """Name the launchers that can take bindings."""
    known = [
        launcher for launcher in launchers() if any(isinstance(p, Relaunching) for p in launcher.placings)
    ]
    labels = [answer.label for launcher in known for answer in launcher.answers if answer.library]
    own = [name for launcher in known for name in launcher.commands if not name.startswith(SHARED_COMMANDS)]
    return f"{' and '.join(SHARED_COMMANDS)} of {', '.join(labels)}; {', '.join(own)}"

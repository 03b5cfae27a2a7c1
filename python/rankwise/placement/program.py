"""The program of a run and its launcher, to start it again or with another launcher."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rankwise.analysis.overview import Run
from rankwise.errors import RankwiseError
from rankwise.launch.commandline import CommandLine, parse
from rankwise.launchers import by_command, launcher_of
from rankwise.launchers.binding import Binding
from rankwise.launchers.placing import job_of
from rankwise.mpi_libraries import version_of
from rankwise.placement.files import EVERY, Written, write_all
from rankwise.placement.relaunch import Launch, understand


@dataclass(frozen=True)
class Relaunch:
    """How a run is started again.

    Attributes:
        program: and its arguments; none if they are not known, or there were several programs.
        launchers: that files are for, see placement.files.LAUNCHERS.
        launch: the run's own, for new bindings; None if it can't take them, or another launcher is wanted.
    """

    program: tuple[str, ...]
    launchers: tuple[str, ...]
    launch: Launch | None

    @classmethod
    def of(cls, run: Run, wanted: str | None) -> Relaunch:
        """Find out how a run can be started again.

        Args:
            run: of the profile.
            wanted: the launcher that files are to be for, or `all`; None: the run's own, or all if unknown.
        """
        own = choice_of(run)
        name = wanted or own or "all"
        launchers = EVERY if name == "all" else (name,)
        return cls(tuple(program_of(run)), launchers, launch_of(run) if own in launchers else None)

    def write(self, bindings: Sequence[Binding], directory: Path, *, force: bool) -> list[Written]:
        """Write the files; the command for the run's own launcher has the options of the run.

        Raises:
            RankwiseError: see placement.files.write_all.
        """
        given_bindings = (
            self.launch.bindings(bindings) if self.launch and len(self.launchers) == 1 else bindings
        )
        written = write_all(given_bindings, directory, self.program, self.launchers, force=force)
        if self.launch is None:
            return written
        try:
            again = self.launch.relaunched(given_bindings, directory)
        except RankwiseError:  # the file's own note says why
            return written
        used = self.launch.file(job_of(given_bindings, directory, ())).path
        return [
            file._replace(words=again.words, environment=tuple(again.variables.items()))
            if file.path == used
            else file
            for file in written
        ]


def program_of(run: Run) -> list[str]:
    """Return the program and its arguments; none if they are not known, or there were several programs."""
    contexts = _command(run).contexts
    if len(contexts) != 1 or not contexts[0].program:
        return []
    [only] = contexts
    return [*(word for wrapper in only.wrappers for word in wrapper.words), *only.program]


def choice_of(run: Run) -> str | None:
    """Return which of placement.files.LAUNCHERS started the run; None if that is not known."""
    library = version_of(run.mpi_library)
    own = by_command().get(run.launcher)
    launcher = own if own and own.placings and not own.has_own_library else launcher_of("", library.label)
    placing = launcher.placing(run.launcher, library)
    return placing.choice if placing else None


def launch_of(run: Run) -> Launch | None:
    """Return the run's own launch, if it can take bindings; None if it can't."""
    try:
        return understand(run.command, {}, version_of(run.mpi_library))
    except RankwiseError:
        return None


def _command(run: Run) -> CommandLine:
    # The library shows the owner of the `mpirun`, which may differ from the one on this PATH.
    return parse(run.command, lambda _: version_of(run.mpi_library).label)

"""Settings of a file, applied to a launch: the option --with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import NamedTuple

from rankwise.errors import RankwiseError
from rankwise.launch.commandline import CommandLine, parse
from rankwise.launch.plan import Plan
from rankwise.mpi_libraries import UNKNOWN, beside, title, version_of
from rankwise.placement.files import write_all
from rankwise.placement.relaunch import Launch, understand
from rankwise.text.names import library_name
from rankwise.tuning.settings.apply import materialise, translate
from rankwise.tuning.settings.file import read
from rankwise.tuning.settings.in_force import in_force
from rankwise.tuning.settings.installed import library_version
from rankwise.tuning.settings.model import Settings

_NAMED, _MOST_COUNTS = 3, 6
"""Rules and numbers of processes in a line."""

PLACEMENT = "placement"
"""Directory of the launchers' files, below that of the library's own files."""


class WithSettings(NamedTuple):
    """Settings that fit a launch.

    Attributes:
        path: of their file.
        settings: that it has.
        library: the file with the MPI library that the programs use; None if that can't be seen.
        version: first line of MPI_Get_library_version; '' if it can't be asked.
        launch: gets the places of ranks; None if the settings have none.
        notes: side effects of the settings, a line each.
    """

    path: Path
    settings: Settings
    library: Path | None
    version: str
    launch: Launch | None
    notes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, path: Path, planned: Plan, environment: Mapping[str, str], mpi: str | None = None
    ) -> WithSettings:
        """Read settings, and refuse those that can't be applied to a launch; nothing is written.

        Args:
            path: of the file.
            planned: the launch, as far as it is known.
            environment: of the user.
            mpi: the user's --mpi.

        Raises:
            RankwiseError: the file can't be read or is for another library, the library or the launcher
            can't be given its settings, or the user's settings contradict it.
        """
        settings = read(path)
        library, version = _library(planned)
        _check_library(path, settings, planned, version, mpi)
        translation = translate(settings, library)
        theirs = in_force(
            version_of(settings.about.library).label,
            environment,
            planned.words,
            translation.variables,
            rules=bool(settings.rules),
        )
        if theirs:
            raise RankwiseError(
                f"--with {path}: your own settings are in force, {'; '.join(theirs)}: remove them, or "
                "remove --with"
            )
        launch = _launch(path, settings, planned.words, environment) if settings.bindings else None
        if settings.order:
            _check_ranks(path, len(settings.order.new_rank), planned.command)
        return cls(path, settings, library, version, launch, translation.notes)

    def variables(self, directory: Path) -> dict[str, str]:
        """Write the library's own files to a directory, and return the variables that the ranks get."""
        return materialise(self.settings, directory, self.library)

    def command(self, directory: Path) -> tuple[CommandLine, Mapping[str, str]] | None:
        """Return the command in which each rank gets its place, and the variables that it is started with.

        Args:
            directory: of the files for the launcher.

        Returns:
            None if the settings have no places.
        """
        if self.launch is None:
            return None
        seats = self.launch.bindings(self.settings.bindings)
        place = directory / PLACEMENT
        write_all(seats, place, ())
        relaunched = self.launch.relaunched(seats, place)
        return parse(relaunched.words), relaunched.variables

    def other_version(self) -> str:
        """Say that the library's version is not the measured one; '' if it is."""
        about = self.settings.about
        if not self.version or version_of(self.version) == version_of(about.library):
            return ""
        return self._doubt(f"this is {library_name(self.version)}")

    def other_place(self, profile: Path) -> str:
        """Say that a run was on other hosts than the measurement; '' if it was not, or if that is unknown.

        Args:
            profile: of the run.
        """
        from rankwise.analysis.opened import opened_profile

        measured = set(self.settings.about.hosts)
        with suppress(RankwiseError), opened_profile(profile) as connection:
            hosts = {str(host) for (host,) in connection.execute("SELECT DISTINCT host FROM ranks")}
            if hosts and measured and not hosts <= measured:
                return self._doubt(f"this run was on {_some(sorted(hosts))}")
        return ""

    def other_nodes(self, profile: Path) -> str:
        """Say that the order of MPI_COMM_WORLD was found for other places; '' if not, or if it is unknown.

        Args:
            profile: of the run.
        """
        from rankwise.analysis.messages.traffic import whereabouts
        from rankwise.analysis.opened import opened_profile
        from rankwise.placement.present_placement import known_hosts
        from rankwise.placement.verification.check_bindings import order_kept

        order = self.settings.order
        if order is None:
            return ""
        with suppress(RankwiseError), opened_profile(profile) as connection:
            hosts = known_hosts(whereabouts(connection))
            is_applied = len(hosts) == len(order.new_rank) and not order_kept(profile)
            if is_applied and (why := order.elsewhere(hosts)):
                return (
                    f"--with {self.path}: the order of MPI_COMM_WORLD is for other places: {why}; launch the "
                    "job as before, or find a new order with `rankwise optimize`"
                )
        return ""

    def unmet(self, profiles: Sequence[Path]) -> str:
        """Say which rules match no call of a run; '' if each matches one, or if that is unknown.

        Args:
            profiles: of the run, one for each of its programs.
        """
        from rankwise.analysis.opened import opened_profile
        from rankwise.tuning.settings.met import met
        from rankwise.tuning.settings.words import what_for

        rules = self.settings.rules
        if not rules:
            return ""
        with suppress(RankwiseError), ExitStack() as opened:
            connections = [opened.enter_context(opened_profile(profile)) for profile in profiles]
            unmet, processes = met(connections, rules)
            if not unmet:
                return ""
            named = "; ".join(map(what_for, unmet[:_NAMED]))
            more = f"; and {len(unmet) - _NAMED} more" if len(unmet) > _NAMED else ""
            which = f"{len(unmet)} of its {len(rules)} rules" if len(unmet) < len(rules) else "its rules"
            return (
                f"--with {self.path}: no call of this run fits {which} ({named}{more}); "
                f"{_communicators(processes)}"
            )
        return ""

    def _doubt(self, what: str) -> str:
        about = self.settings.about
        return (
            f"--with {self.path}: measured with {library_name(about.library)} on {_some(about.hosts)}, "
            f"{what}: check them with `rankwise tune recheck {self.path}`"
        )


def _library(planned: Plan) -> tuple[Path | None, str]:
    """Return the file with the MPI library of the programs, and what it says of itself."""
    files = list(dict.fromkeys(d.library for d in planned.detections if d.library))
    if len(files) > 1:
        names = " and ".join(str(file) for file in files)
        raise RankwiseError(
            f"the command's programs use different MPI libraries, {names}: settings are for one library"
        )
    if not files:
        return None, ""
    return files[0], library_version(files[0], planned.environment)


def _check_library(path: Path, settings: Settings, planned: Plan, version: str, mpi: str | None) -> None:
    wanted = version_of(settings.about.library).label or library_name(settings.about.library)
    used = version_of(version).label if version else ""
    if not used:
        others = {name for d in planned.detections if (name := d.mpi) != UNKNOWN} | ({mpi} if mpi else set())
        same = beside(settings.about.abi)
        used = next((title(name) for name in sorted(others) if name not in same), "")
    if used and used != wanted:
        raise RankwiseError(
            f"--with {path}: these are settings for {wanted}, and the program uses {used}: give settings "
            "found with its library"
        )


def _launch(path: Path, settings: Settings, words: Sequence[str], environment: Mapping[str, str]) -> Launch:
    try:
        launch = understand(words, environment)
    except RankwiseError as error:
        raise RankwiseError(f"--with {path} has places for the ranks: {error}") from error
    [context] = launch.command.contexts
    ranks = launch.launcher.ranks(context.options)
    if ranks is not None and ranks != len(settings.bindings):
        raise RankwiseError(
            f"--with {path} has places for {len(settings.bindings)} ranks, and the command starts {ranks}: "
            'start as many, or take its "bindings" out'
        )
    return launch


def _check_ranks(path: Path, wanted: int, command: CommandLine) -> None:
    """Refuse a command that starts another number of ranks than an order has, as far as its options tell."""
    known = command.known
    counts = [known.ranks(context.options) if known else None for context in command.contexts]
    ranks = sum(filter(None, counts))
    if None not in counts and ranks != wanted:
        raise RankwiseError(
            f"--with {path} has an order of {wanted} ranks, and the command starts {ranks}: "
            'start as many, or take its "order" out'
        )


def _communicators(processes: Sequence[int]) -> str:
    """Say which communicators a run has: `its communicators have 2, 4 or 8 processes`; of many, the ends."""
    if not processes:
        return "it has no communicator of two processes or more"
    words = [str(number) for number in processes]
    listed = " or ".join(filter(None, [", ".join(words[:-1]), words[-1]]))
    if len(words) > _MOST_COUNTS:
        listed = f"{words[0]} to {words[-1]}"
    return f"its communicators have {listed} processes"


def _some(hosts: Sequence[str]) -> str:
    return ", ".join(hosts) if len(hosts) <= 4 else f"{', '.join(hosts[:3])} and {len(hosts) - 3} others"

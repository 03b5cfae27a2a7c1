"""The user's command, and the MPI library of its program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rankwise.errors import RankwiseError
from rankwise.launch.plan import Plan, library, plan
from rankwise.mpi_libraries import UNKNOWN, version_of
from rankwise.text.names import library_name
from rankwise.trials.recorded import Command
from rankwise.tuning.libraries.base import Assignment
from rankwise.tuning.settings.in_force import contradicting
from rankwise.tuning.settings.installed import library_version


@dataclass(frozen=True)
class Program:
    """The user's command, and facts about it from before it runs.

    Attributes:
        words: of the command.
        environment: Rankwise's.
        planned: what the command starts.
        library: the file with the MPI library that the loader would take; None: unknown.
        said: first line of MPI_Get_library_version; '' if it can't be asked.
    """

    words: tuple[str, ...]
    environment: Mapping[str, str]
    planned: Plan
    library: Path | None
    said: str

    @classmethod
    def of(cls, words: Sequence[str], environment: Mapping[str, str]) -> Program:
        """Inspect a command, and refuse one that can't be recorded; nothing is run.

        Raises:
            RankwiseError: see launch.plan.plan; or its programs use different MPI libraries.
        """
        library()
        planned = plan(words, environment)
        files = list(
            dict.fromkeys(detection.library for detection in planned.detections if detection.library)
        )
        if len(files) > 1:
            names = " and ".join(str(file) for file in files)
            raise RankwiseError(
                f"the command's programs use different MPI libraries, {names}: give one of them"
            )
        said = library_version(files[0], planned.environment) if files else ""
        return cls(tuple(words), environment, planned, files[0] if files else None, said)

    @property
    def command(self) -> Command:
        """The same, for repeated runs."""
        return Command(self.words, {})

    @property
    def label(self) -> str:
        """The library, such as "Open MPI"; '' if unknown."""
        return version_of(self.said).label

    def refuse_other_library(self, said: str, abi: str, shown: Path) -> None:
        """Refuse a file for another MPI library than the program's.

        Args:
            said: first line of MPI_Get_library_version in the file.
            abi: in the file.
            shown: the file.

        Raises:
            RankwiseError: the libraries differ.
        """
        abis = {detection.mpi for detection in self.planned.detections} - {UNKNOWN}
        other = self.said and version_of(self.said).label != version_of(said).label
        if other or (abis and abi not in abis):
            raise RankwiseError(
                f"{shown} is of {library_name(said)}, and the program uses "
                f"{library_name(self.said) or 'another MPI library'}: "
                "give a file and a command of one library"
            )

    def refuse_own_settings(
        self, *, rules: bool, ours: Mapping[str, str] | None = None, label: str = ""
    ) -> None:
        """Refuse a command with settings of the user that would hide or contradict Rankwise's.

        Args:
            rules: whether algorithms of collectives are to be chosen.
            ours: variables that are to be set.
            label: of the library, if the program does not show it.

        Raises:
            OwnSettingsError: it has such settings; nothing is changed.
        """
        theirs = contradicting(self.label or label, self.environment, self.words, ours, rules=rules)
        if theirs:
            raise OwnSettingsError(self, theirs)

    def own_settings(self) -> list[Assignment]:
        """Return the user's settings that choose algorithms, or serve only speed."""
        return contradicting(self.label, self.environment, self.words, for_speed=True)


class OwnSettingsError(RankwiseError):
    """The user's settings in force would hide or contradict Rankwise's.

    Args:
        program: for which they are in force.
        theirs: the settings.
    """

    def __init__(self, program: Program, theirs: Sequence[Assignment]) -> None:
        named = "; ".join(dict.fromkeys(setting.text for setting in theirs))
        super().__init__(
            f"your own settings are in force, {named}: remove them, because they would influence the "
            "measurement"
        )
        self.program, self.theirs = program, tuple(theirs)

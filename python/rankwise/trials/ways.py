"""Ways to run the user's program, and runs of them."""

from __future__ import annotations

import math
import re
import shlex
import statistics
import subprocess
import time
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from tempfile import TemporaryFile
from typing import NoReturn

from rankwise.analysis.calls.totals import RUN_SECONDS
from rankwise.analysis.opened import opened_profile
from rankwise.errors import RankwiseError
from rankwise.launch import inside_options
from rankwise.launch.signals import Signals
from rankwise.trials.recorded import Command, Limit, Recording, record
from rankwise.trials.run import OutOfTime, Rejected, UnrunnableError
from rankwise.trials.saved_runs import SavedPairs, SavedRuns

_CHECK_SECONDS = 600
_AGAIN = 990  # number of the run that checks whether the program still runs as given
_ROOM_BYTES = 64 * 1024
_EXISTS = re.compile(r"(?<!not )(?<!n't )(?<!non)(?<!non-)exist|already|overwrit", re.IGNORECASE)
_RUNS_OF_LIMIT = 10
_LEAST_LIMIT = 60.0


@dataclass(frozen=True)
class Way:
    """A way to run the program.

    Attributes:
        name: for people.
        command: that starts it.
        variables: that its ranks get.
        as_given: whether it is the user's own, so that a failure ends everything: others are rejected then.
    """

    name: str
    command: Command
    variables: Mapping[str, str] = field(default_factory=dict)
    as_given: bool = False

    def recording(self, *, inside: bool, watch: bool = False) -> Recording:
        """Return how a run is recorded: with the messages inside collectives, or as little as can be.

        Args:
            inside: whether with these messages.
            watch: see Recording.
        """
        settings = {} if inside else {**inside_options.nothing(), "RANKWISE_SITES": "off"}
        return Recording({**settings, **self.variables}, clocks=inside, watch=watch)


@dataclass
class Runs:
    """Runs ways, and keeps what all of them have in common.

    Attributes:
        directory: for profiles and output; every node sees it.
        signals: that came to us.
        run_limit: seconds that a run may take; None: ten times the longest so far, and a minute.
        first_limit: of the first run, if there is no run_limit.
        check: command that compares two outputs; empty: they are not compared.
        reference: output of the first run, that others are compared with.
        took: seconds of each run so far, its launch included.
        given: the program as given; it runs once more when another way fails, so that the settings are not
        held responsible for a failure without them. None: others are rejected at once.
        saved: times that an earlier call has measured, which are not measured again; None: not kept.
        race: that runs belong to, among the saved ones.
    """

    directory: Path
    signals: Signals
    run_limit: float | None = None
    first_limit: float = 300.0
    check: tuple[str, ...] = ()
    _: KW_ONLY
    reference: Path | None = None
    took: list[float] = field(default_factory=list)
    given: Way | None = None
    saved: SavedRuns | None = None
    race: str = ""

    def seconds(self, way: Way, number: int, left: float = math.inf) -> float:
        """Run a way once, and return the time from MPI_Init to MPI_Finalize of its longest rank.

        Args:
            way: to run.
            number: that tells this run from others of the way.
            left: seconds that there are for it.

        Raises:
            Interrupted: a signal came.
            OutOfTime: the run was ended after the seconds that were left.
            Rejected: its output is another one; or it failed, and is not as given.
            UnrunnableError: it failed, and as given it fails, too; or the run can't be kept.
        """
        # What outputs are compared with must come from a run of this call.
        saved = None if self.check and self.reference is None else self.saved
        if saved and (before := saved.run(self.race, way.name, number)) is not None:
            self.took.append(before)
            return before
        profile = self.profile(way, number, left=left)
        with opened_profile(profile) as connection:
            (seconds,) = connection.execute(f"SELECT MAX({RUN_SECONDS}) FROM ranks").fetchone()
        if self.saved:
            self.saved.add(self.race, way.name, number, float(seconds))
        return float(seconds)

    def profile(
        self, way: Way, number: int, *, inside: bool = False, watch: bool = False, left: float = math.inf
    ) -> Path:
        """Run a way once, and return its profile; see `seconds`."""
        profile = self.directory / f"{number:03d}.{way.name.replace(' ', '-').replace('/', '-')}.rankwise"
        profile.unlink(missing_ok=True)  # of a run that was not finished
        end_of_all = time.monotonic() + left
        try:
            limit = Limit(min(self._limit(), left), "give it more with --run-limit")
            end = record(way.command, way.recording(inside=inside, watch=watch), profile, limit, self.signals)
        except (RankwiseError, OSError) as error:
            self._blame(way, error, end_of_all)
        self.took.append(end.seconds)
        self._compare(profile.with_suffix(".out"))
        return profile

    def saved_pairs(self, before: Way, after: Way) -> SavedPairs | None:
        """Return the saved pairs of two ways, for a proof that goes on from them; None: none are kept."""
        return self.saved.pairs(self.race, before.name, after.name) if self.saved else None

    def usual_seconds(self) -> float:
        """Return how long a run takes, its launch included: one slow run, such as the first, says little."""
        return statistics.median(self.took) if self.took else self.first_limit

    def _blame(self, way: Way, error: RankwiseError | OSError, end_of_all: float) -> NoReturn:
        """Return the cause of a failed run: Rankwise, the program, or its settings."""
        if time.monotonic() >= end_of_all:
            raise OutOfTime from error
        if why := _no_room(self.directory):
            raise UnrunnableError(
                f"the output of the runs can't be written to {self.directory}: {why}", 1
            ) from error
        if isinstance(error, OSError):
            raise UnrunnableError(f"the run {way.name}: {error.strerror or error}", 1) from error
        if not way.as_given:
            self._run_given_again(error, end_of_all)
            raise Rejected(f"the program failed: {error}") from error
        if not self.took and not _EXISTS.search(str(error)):
            raise UnrunnableError(f"the run {way.name}: {error}", error.exit_status) from error
        raise UnrunnableError(
            f"the run {way.name} failed, although the program ran before: {error}; {_cure(error)}", 1
        ) from error

    def _run_given_again(self, error: RankwiseError, end_of_all: float) -> None:
        """See that the program still runs as given: else settings are not what it fails of.

        Raises:
            UnrunnableError: it does not.
        """
        if self.given is None:
            return
        try:
            self.profile(self.given, _AGAIN, left=end_of_all - time.monotonic())
        except Rejected:
            return  # it runs, with any output
        except UnrunnableError as again:
            raise UnrunnableError(
                f"the program also fails without the settings, although it ran before: {error}; "
                f"{_cure(error)}",
                1,
            ) from again

    def _limit(self) -> float:
        if self.run_limit:
            return self.run_limit
        return _RUNS_OF_LIMIT * max(self.took) + _LEAST_LIMIT if self.took else self.first_limit

    def _compare(self, output: Path) -> None:
        if not self.check:
            return
        if self.reference is None:
            self.reference = output
            return
        words = [*self.check, str(self.reference), str(output)]
        try:
            done = subprocess.run(
                words,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=_CHECK_SECONDS,
                check=False,
            )
        except (OSError, subprocess.SubprocessError) as error:
            raise RankwiseError(f"--check {shlex.join(self.check)}: {error}") from None
        if done.returncode:
            raise Rejected(f"`{shlex.join(words)}` ended with status {done.returncode}")


def _cure(error: RankwiseError) -> str:
    if _EXISTS.search(str(error)):
        return (
            "it seems to reject files of an earlier run: give a script that removes them and starts the "
            "program"
        )
    return "give a command that can run repeatedly in the same place"


def _no_room(directory: Path) -> str:
    """Return why nothing can be written to a directory; '' if something can."""
    try:
        with TemporaryFile(dir=directory) as file:
            file.write(bytes(_ROOM_BYTES))
    except OSError as error:
        return error.strerror or str(error)
    return ""


def check_words(text: str | None) -> tuple[str, ...]:
    """Return the words of the command that compares outputs.

    Raises:
        RankwiseError: it is none.
    """
    try:
        words = tuple(shlex.split(text or ""))
    except ValueError as error:
        raise RankwiseError(f"--check {text}: {error}; quote it for a shell") from None
    if text is not None and not words:
        raise RankwiseError("--check is empty: give a command that compares two outputs, such as 'diff -q'")
    return words

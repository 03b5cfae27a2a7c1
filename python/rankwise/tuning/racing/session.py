"""Races in one job: the probe chooses algorithms while it runs, if the library allows it."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

from rankwise.errors import RankwiseError
from rankwise.launch.output import telling_line
from rankwise.probes.failure import complaint, failed, of_another_library
from rankwise.probes.job import Job
from rankwise.text.units import second_text
from rankwise.tuning.cells.cell import Cell
from rankwise.tuning.libraries import offers_of
from rankwise.tuning.racing.arms import DEFAULT
from rankwise.tuning.racing.batch import Arm, Batch
from rankwise.tuning.racing.offers import Offers, control_variables
from rankwise.tuning.racing.racer import Unfit
from rankwise.tuning.racing.setup import Setup
from rankwise.tuning.settings.rule import Algorithm

_LOOK_SECONDS = 0.01
_VISIT_SECONDS = 10e-3  # at least, so that a moment without a processor has little weight
_MOST_VISIT_SECONDS = 50e-3  # where the least number of repetitions needs it
_LEAST_REPETITIONS, _MOST_REPETITIONS = 7, 50
_PILOT_REPETITIONS = 5
_END_SECONDS = 10  # for the probe to end by itself
_ALONE_SECONDS = 120  # without a new batch for so long, the probe ends by itself


class _Lost(Exception):  # noqa: N818
    """The job ended; the text is the end of a sentence."""


class _Hung(_Lost):
    """The job did not answer in time and has to be stopped: its exit status then says only that."""


class Session:
    """A Racer with a job of the probe, which ends with the context.

    If an arm kills the job, another job is started for the next batch.
    """

    relaunches = False

    def __init__(self, setup: Setup, variables: Mapping[str, str] | None = None) -> None:
        """Start nothing yet.

        Args:
            setup: of all launches.
            variables: further ones for the environment of the launch.
        """
        self.library = ""
        self.hosts: tuple[str, ...] = ()
        self.overruled = False
        self._setup = setup
        self._environment = {**setup.environment, **(variables or {})}
        self._offers = Offers()
        self._job: Job | None = None
        self._jobs = 0
        self._directory = setup.directory
        self._batches = 0
        self._of_call: dict[Cell, float] = {}

    def __enter__(self) -> Session:
        """Start the job, and wait until it has reported the library, the nodes and the offers.

        Raises:
            RankwiseError: it fails.
            Interrupted: a signal came.
            OutOfTime: the deadline is over.
        """
        try:
            self._start()
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._end(patient=kind is None)

    @property
    def offers(self) -> Offers:
        """The library's algorithms, and how they are chosen."""
        return self._offers

    def offered(self, procedure: str) -> tuple[Algorithm, ...]:
        """See Racer."""
        choice = self._offers.choices.get(procedure)
        return choice.algorithms if choice else ()

    def run(
        self, cell: Cell, arms: Mapping[str, Arm], rounds: Sequence[Sequence[str]]
    ) -> list[dict[str, float]]:
        """See Racer; arms may also be calls that replace the collective."""
        return self._answered(Batch(cell, arms, rounds, self._repetitions(cell)))

    def of_call(self, cell: Cell) -> float:
        """Return the seconds of a call with the library's own choice: the median of a few."""
        self._check_ranks(cell)
        if cell not in self._of_call:
            (pilot,) = self._answered(Batch(cell, {DEFAULT: None}, [[DEFAULT]], _PILOT_REPETITIONS))
            self._of_call[cell] = pilot[DEFAULT]
        return self._of_call[cell]

    def of_visit(self, cell: Cell) -> float:
        """Return about how many seconds the library's own choice takes in a round, barriers included."""
        barrier = replace(cell, procedure="MPI_Barrier", low=0, high=0, size=0)
        return self._repetitions(cell) * (self.of_call(cell) + self.of_call(barrier))

    def _repetitions(self, cell: Cell) -> int:
        wanted = math.ceil(_VISIT_SECONDS / max(self.of_call(cell), 1e-9))
        affordable = int(_MOST_VISIT_SECONDS / max(self.of_call(cell), 1e-9))
        least = min(max(affordable, 1), _LEAST_REPETITIONS)
        return min(max(wanted, least), _MOST_REPETITIONS)

    def known_of_call(self, cell: Cell, seconds: float) -> None:
        """Set the time of a call, so that it need not be measured."""
        self._of_call[cell] = seconds

    def _check_ranks(self, cell: Cell) -> None:
        ranks = {rank for grouping in cell.groupings for group in grouping.groups for rank in group}
        if max(ranks) >= len(self.hosts):
            raise RankwiseError(
                f"{cell.name} is of a run with rank {max(ranks)}, but the launch starts {len(self.hosts)} "
                "ranks: give the launch of the profile"
            )

    def _answered(self, batch: Batch) -> list[dict[str, float]]:
        """Run a batch, and return its times."""
        if self._job and not self._job.running:  # it had no batch for too long
            self._end()
        if not self._job:
            self._start()
        number, self._batches = self._batches, self._batches + 1
        (self._directory / "batch.new").write_text(batch.text(self._offers), encoding="ascii")
        (self._directory / "batch.new").replace(self._directory / f"batch.{number}")
        # The slowest arm may take far longer than the library's own choice.
        slow = 20 * batch.visits * batch.repetitions * self._of_call.get(batch.cell, 0.0)
        try:
            answer = self._wait_for(f"times.{number}", self._setup.patience + slow)
        except _Lost as lost:
            said, error = self._ended()
            phase, at = self._now(number)
            name = list(batch.arms)[at] if phase == "checks" else ""
            if name and batch.arms[name] is not None:
                why = f"{lost}: {said}" if said else str(lost)
                raise Unfit({name: why}) from None
            if isinstance(lost, _Hung):
                raise RankwiseError(f"{batch.cell.name}: {lost}", 1) from None
            raise error from None
        return batch.times(answer)

    def _start(self) -> None:
        setup = self._setup
        self._directory = setup.directory / f"probe-{self._jobs}"
        self._jobs += 1
        self._batches = 0
        self._directory.mkdir(parents=True)
        words = setup.launch.words([str(setup.program), str(self._directory), str(_ALONE_SECONDS)])
        try:
            self._job = Job(words, self._environment)
        except OSError as error:
            raise RankwiseError(f"{words[0]}: {error.strerror}", 1) from None
        try:
            about = json.loads(self._wait_for("about", math.inf))
        except _Lost:
            raise self._ended()[1] from None
        self.library = str(about["library"]).partition("\n")[0]
        self.hosts = tuple(about["hosts"])
        if len(self.hosts) == 1 and (setup.launch.ranks or 0) > 1:
            complaint_text = f"each of the {setup.launch.ranks} processes ran as a separate job, so "
            raise of_another_library(setup.launch, setup.compiler, complaint_text)
        offers = (self._directory / "offers").read_text(encoding="utf-8")
        variables = control_variables(json.loads(offers)["variables"])
        self._offers = offers_of(self.library, variables)
        self.overruled = self._offers.overruled

    def _wait_for(self, name: str, patience: float) -> str:
        """Return the text of a file of the probe once it exists."""
        assert self._job
        path, now = self._directory / name, ""
        since = time.monotonic()
        while not path.exists():
            self._setup.check()
            if not self._job.running:
                raise _Lost("it ends the job")
            if (progress := self._read("now")) != now:
                now, since = progress, time.monotonic()
            if time.monotonic() - since > patience:
                raise _Hung(f"it does not end within {second_text(patience)}")
            self._job.wait(_LOOK_SECONDS)
        return path.read_text(encoding="utf-8", errors="replace")

    def _read(self, name: str) -> str:
        try:
            return (self._directory / name).read_text(encoding="ascii")
        except OSError:
            return ""

    def _now(self, number: int) -> tuple[str, int]:
        """Return the probe's last step in a batch, such as ("checks", 3): its fourth arm."""
        words = self._read("now").split()
        return (words[1], int(words[2])) if len(words) == 3 and words[0] == str(number) else ("", 0)

    def _ended(self) -> tuple[str, RankwiseError]:
        """End the remains of the job; return the most telling line of its output, and the error."""
        assert self._job
        job, setup = self._job, self._setup
        while job.running:
            job.stop()
            job.wait()
        end = job.end()
        self._end()
        if own := complaint(self._directory):
            return own, RankwiseError(own, 1)
        begun = (self._directory / "about").exists()
        error = failed(end, setup.launch, setup.program, setup.compiler, begun=begun, consequence="")
        return telling_line(end.said), error

    def _end(self, *, patient: bool = False) -> None:
        """Let the job end, or end it."""
        job, self._job = self._job, None
        if not job:
            return
        with job:
            (self._directory / "stop").touch()
            end = time.monotonic() + _END_SECONDS * patient
            while job.running and time.monotonic() < end:
                job.wait()

"""Running many seeds: in batches; where one fails, alone, then ever smaller until all of it matters."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import job
from generator.generate import BATCH, generate
from generator.program import Program
from job import Outcome
from libraries import Mpi
from quirks import lacking

TRIES = 3
_MOST_OF_THEM = 2
_ENOUGH = 3  # failed seeds: the search ends; the first is shrunk
_LIMIT_SECONDS, _LIMIT_A_SEED = 10.0, 2.5


class OutOfTimeError(Exception):
    """The search has used up its time."""


@dataclass
class Tally:
    """What became of the seeds.

    Attributes:
        matched: seeds whose profile was as expected.
        calls: MPI calls of these.
        left_out: seeds with which the library fails without Rankwise, too, and how.
        unexplained: failures that did not come again, and the library did not fail without Rankwise.
        reports: of the seeds that failed.
    """

    matched: int = 0
    batches: int = 0
    calls: int = 0
    left_out: dict[int, str] = field(default_factory=dict)
    unexplained: int = 0
    reports: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def __str__(self) -> str:
        left = f", {len(self.left_out)} left out: {self.left_out}" if self.left_out else ""
        strange = f", unexplained: {self.unexplained}" if self.unexplained else ""
        return f"{self.matched} seeds, {self.calls} calls as expected in {self.seconds:.0f} s{left}{strange}"


class Hunt:
    """The search on one library; it ends after some seconds, whatever it finds."""

    def __init__(self, mpi: Mpi, place: Path, seconds: float = math.inf) -> None:
        self.mpi = mpi
        self.place = place
        self.ends = time.monotonic() + seconds
        self.lacking = lacking(mpi)
        self.interpreter = job.compile_interpreter(mpi, place)

    def program(self, seed: int) -> Program:
        """The program of a seed on this library."""
        return generate(seed, self.lacking)

    def run(self, *programs: Program, profiled: bool = True) -> Outcome:
        """One job."""
        limit = _LIMIT_SECONDS + _LIMIT_A_SEED * len(programs)
        left = self.ends - time.monotonic()
        if left <= 0:
            raise OutOfTimeError
        place = self.place / "job"
        outcome = job.run(self.mpi, self.interpreter, programs, place, min(limit, left), profiled=profiled)
        if outcome.hangs and left < limit:
            raise OutOfTimeError
        return outcome

    def search(self, seeds: Iterable[int], until: Callable[[], bool] = lambda: False) -> Tally:
        """Runs the seeds, batch by batch, to their end or until it is told to stop."""
        tally = Tally()
        started = time.monotonic()
        for batch in _batches(seeds):
            if until() or len(tally.reports) >= _ENOUGH:
                break
            try:
                self._batch(batch, tally)
            except OutOfTimeError:
                break
            finally:
                tally.seconds = time.monotonic() - started
        return tally

    def _batch(self, batch: Sequence[int], tally: Tally) -> None:
        outcome = self.run(*map(self.program, batch))
        if outcome.good:
            tally.matched += len(batch)
            tally.calls += outcome.calls
        else:
            what, before = f"seeds {batch[0]} to {batch[-1]} in one job", _found(tally)
            try:
                self._one_by_one(batch, tally)
            except OutOfTimeError:
                if outcome.differences and _found(tally) == before:
                    tally.reports.append(_described(what, self.mpi, outcome))
                tally.unexplained += bool(outcome.failure) and _found(tally) == before
                raise
            if _found(tally) == before:
                self._judge(what, batch, outcome, tally)
        tally.batches += 1

    def _one_by_one(self, batch: Sequence[int], tally: Tally) -> None:
        for seed in batch:
            outcome = self.run(self.program(seed))
            if outcome.good:
                tally.matched += 1
                tally.calls += outcome.calls
                continue
            self._judge(f"seed {seed}", [seed], outcome, tally)
            if len(tally.reports) >= _ENOUGH:
                return

    def _judge(self, what: str, seeds: Sequence[int], outcome: Outcome, tally: Tally) -> None:
        """Whose fault it is. A difference is real; a crash or a hang may be the library's whim."""
        programs = [self.program(seed) for seed in seeds]
        if outcome.failure:
            fault = self._library_fault(outcome, *programs)
            if fault:
                tally.left_out[seeds[0]] = fault
                return
            # Jobs of Intel MPI hang now and then, without Rankwise, too, but not always in most of the tries.
            if (outcome.hangs and self.mpi.vendor == "Intel") or self.run(*programs).good:
                tally.unexplained += 1
                return
        if len(programs) == 1 and not tally.reports:
            tally.reports.append(self.report(*self.shrink(programs[0], outcome)))
        else:
            tally.reports.append(_described(what, self.mpi, outcome))

    def _library_fault(self, outcome: Outcome, *programs: Program) -> str:
        """How the job fails without Rankwise, in most runs and in the same way; '' if it doesn't."""
        plain: list[Outcome] = []
        for _ in range(TRIES):
            failures = [run for run in plain if run.failure and run.hangs == outcome.hangs]
            if len(failures) >= _MOST_OF_THEM or len(failures) + TRIES - len(plain) < _MOST_OF_THEM:
                break
            plain.append(self.run(*programs, profiled=False))
        failures = [run for run in plain if run.failure and run.hangs == outcome.hangs]
        return " ".join(failures[0].failure.split())[:200] if len(failures) >= _MOST_OF_THEM else ""

    def shrink(self, program: Program, outcome: Outcome) -> tuple[Program, Outcome]:
        """The program without the steps that it fails without, as far as time allows, and how it fails."""
        with contextlib.suppress(OutOfTimeError):
            size = max(len(program.steps) // 2, 1)
            while size:
                for start in range(len(program.steps) - size, -1, -size):
                    smaller = program.without(set(range(start, start + size)))
                    if len(smaller.steps) == len(program.steps):
                        continue
                    its = self.run(smaller)
                    if not its.good and not (its.failure and self._library_fault(its, smaller)):
                        program, outcome = smaller, its
                size //= 2
        return program, outcome

    def report(self, program: Program, outcome: Outcome) -> str:
        """A failing program in readable form, and how to run it again."""
        lines = [_described(f"seed {program.seed}", self.mpi, outcome)]
        for step in program.steps:
            if step.what == "room":
                continue
            lines.append(f"{step.what}:")
            lines += [
                f"  rank {rank}: {call}" for rank, calls in sorted(step.calls.items()) for call in calls
            ]
        lines.append(f"again: python tests/random/run.py {program.seed} --mpi {self.mpi.name}")
        return "\n".join(lines)


def _found(tally: Tally) -> int:
    return len(tally.reports) + len(tally.left_out) + tally.unexplained


def _described(what: str, mpi: Mpi, outcome: Outcome) -> str:
    return "\n".join(
        [f"{what} on {mpi.name}: {outcome.failure}", *(f"  {line}" for line in outcome.differences)]
    )


def _batches(seeds: Iterable[int]) -> Iterator[list[int]]:
    """Seeds of a batch have the same number of ranks, and numbers for communicators of their own."""
    batch: list[int] = []
    for seed in seeds:
        if batch and seed // BATCH != batch[0] // BATCH:
            yield batch
            batch = []
        batch.append(seed)
    if batch:
        yield batch

"""Running many seeds: in batches; where one fails, alone, then ever smaller until all of it matters."""

from __future__ import annotations

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
_SHRINKING_SECONDS = 60
_ENOUGH = 3  # failed seeds: the search ends; the first is shrunk


@dataclass
class Tally:
    """What became of the seeds.

    Attributes:
        matched: seeds whose profile was as expected.
        calls: MPI calls of these.
        left_out: seeds with which the library fails without Rankwise, too, and how.
        reports: of the seeds that failed.
    """

    matched: int = 0
    batches: int = 0
    calls: int = 0
    left_out: dict[int, str] = field(default_factory=dict)
    reports: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def __str__(self) -> str:
        left = f", {len(self.left_out)} left out: {self.left_out}" if self.left_out else ""
        return f"{self.matched} seeds, {self.calls} calls as expected in {self.seconds:.0f} s{left}"


class Hunt:
    """The search on one library."""

    def __init__(self, mpi: Mpi, place: Path) -> None:
        self.mpi = mpi
        self.place = place
        self.lacking = lacking(mpi)
        self.interpreter = job.compile_interpreter(mpi, place)

    def program(self, seed: int) -> Program:
        """The program of a seed on this library."""
        return generate(seed, self.lacking)

    def run(self, *programs: Program, profiled: bool = True) -> Outcome:
        """One job."""
        return job.run(self.mpi, self.interpreter, programs, self.place / "job", profiled=profiled)

    def search(self, seeds: Iterable[int], until: Callable[[], bool] = lambda: False) -> Tally:
        """Runs the seeds, batch by batch, to their end or until it is told to stop."""
        tally = Tally()
        started = time.monotonic()
        for batch in _batches(seeds):
            if until() or len(tally.reports) >= _ENOUGH:
                break
            outcome = self.run(*map(self.program, batch))
            if outcome.good:
                tally.matched += len(batch)
                tally.calls += outcome.calls
            else:
                self._one_by_one(batch, outcome, tally)
            tally.batches += 1
            tally.seconds = time.monotonic() - started
        return tally

    def _one_by_one(self, batch: Sequence[int], whole: Outcome, tally: Tally) -> None:
        failed = 0
        for seed in batch:
            outcome = self.run(self.program(seed))
            if outcome.good:
                tally.matched += 1
                tally.calls += outcome.calls
                continue
            failed += 1
            fault = self._library_fault(outcome, self.program(seed))
            if fault:
                tally.left_out[seed] = fault
            elif outcome.differences or not self.run(self.program(seed)).good:
                program = self.program(seed)
                tally.reports.append(
                    _described(f"seed {seed}", self.mpi, outcome)
                    if tally.reports
                    else self.report(self.shrink(program))
                )
                if len(tally.reports) >= _ENOUGH:
                    break
        # What only the whole batch shows: a difference is real, a crash or hang may be the library's whim.
        if not failed and whole.differences:
            tally.reports.append(_described(f"seeds {batch[0]} to {batch[-1]} in one job", self.mpi, whole))
        elif not failed and not self._library_fault(whole, *map(self.program, batch)):
            again = [self.run(*map(self.program, batch)) for _ in range(TRIES)]
            if not any(outcome.good for outcome in again):
                tally.reports.append(
                    _described(f"seeds {batch[0]} to {batch[-1]} in one job", self.mpi, whole)
                )

    def _library_fault(self, outcome: Outcome, *programs: Program) -> str:
        """How the job fails without Rankwise; '' if it doesn't."""
        if not outcome.failure:
            return ""
        for _ in range(TRIES):
            plain = self.run(*programs, profiled=False)
            if plain.failure:
                return " ".join(plain.failure.split())[:200]
        return ""

    def shrink(self, program: Program) -> Program:
        """The program without the steps that it fails without."""
        ends = time.monotonic() + _SHRINKING_SECONDS
        size = max(len(program.steps) // 2, 1)
        while size and time.monotonic() < ends:
            for start in range(len(program.steps) - size, -1, -size):
                smaller = program.without(set(range(start, start + size)))
                if (
                    time.monotonic() < ends
                    and len(smaller.steps) < len(program.steps)
                    and not self._is_good(smaller)
                ):
                    program = smaller
            size //= 2
        return program

    def _is_good(self, program: Program) -> bool:
        outcome = self.run(program)
        return outcome.good or (bool(outcome.failure) and bool(self._library_fault(outcome, program)))

    def report(self, program: Program) -> str:
        """A failing program in readable form, and how to run it again."""
        lines = [_described(f"seed {program.seed}", self.mpi, self.run(program))]
        for step in program.steps:
            if step.what == "room":
                continue
            lines.append(f"{step.what}:")
            lines += [
                f"  rank {rank}: {call}" for rank, calls in sorted(step.calls.items()) for call in calls
            ]
        lines.append(f"again: python tests/random/run.py {program.seed} --mpi {self.mpi.name}")
        return "\n".join(lines)


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

"""Running programs on an MPI library, with Rankwise or without, within a time limit."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from generator.program import Program
from libraries import Mpi
from model.comparison import differences, read
from model.walk import Polls, expect

import leftovers

RANKWISE = Path(sys.executable).with_name("rankwise")
INTERPRETER = sorted((Path(__file__).parent / "programs").glob("*.c"))


@dataclass
class Outcome:
    """How a job ended.

    Attributes:
        failure: that it did not come to its end, and why; "" = it did.
        hangs: it failed by not ending.
        differences: of the profile from what it must hold.
        calls: MPI calls that were compared.
    """

    failure: str = ""
    hangs: bool = False
    differences: list[str] = field(default_factory=list)
    calls: int = 0

    @property
    def good(self) -> bool:
        return not self.failure and not self.differences


def compile_interpreter(mpi: Mpi, place: Path) -> Path:
    """The interpreter for a library."""
    program = place / f"{mpi.name}.interpreter"
    if not program.exists():
        mpi.compile(program, *INTERPRETER, options=["-O1", "-w"])
    return program


def run(
    mpi: Mpi,
    interpreter: Path,
    programs: Sequence[Program],
    place: Path,
    limit: float,
    *,
    profiled: bool = True,
) -> Outcome:
    """Runs programs one after the other in one job, and compares its profile with what it must hold."""
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    write_scripts(programs, place)
    ranks = programs[0].ranks
    words = mpi.launch(ranks, interpreter, place)
    profile = place / "random.rankwise"
    if profiled:
        words = [str(RANKWISE), "run", "--quiet", "-o", str(profile), "--", *words]
    outcome = _execute(words, mpi.env(), place, limit)
    if outcome.failure or not profiled:
        return outcome
    expected = expect(programs, read_polls(place, ranks))
    calls = sum(row[0] for row in expected.calls.values()) + expected.either.total()
    return Outcome(differences=differences(expected, read(profile)), calls=calls)


def write_scripts(programs: Sequence[Program], place: Path) -> None:
    """What each rank has to do."""
    for rank in range(programs[0].ranks):
        lines = [
            call.line for program in programs for step in program.steps for call in step.calls.get(rank, [])
        ]
        (place / f"{rank}.script").write_text("".join(f"{line}\n" for line in lines))


def read_polls(place: Path, ranks: int) -> Polls:
    """What the interpreter says of the calls whose number nobody knows before."""
    polls: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for rank in range(ranks):
        for line in (place / f"{rank}.calls").read_text().splitlines():
            number, mask, times = map(int, line.split())
            polls.setdefault((rank, number), []).append((mask, times))
    return polls


def _execute(words: Sequence[str], environment: dict[str, str], place: Path, limit: float) -> Outcome:
    """Runs a command, of which nothing is left if it fails. Says what went wrong."""
    output, mark = place / "output", leftovers.new_mark()
    marked = {**environment, leftovers.MARK: mark}
    with output.open("w") as written:
        process = subprocess.Popen(
            words, stdout=written, stderr=written, env=marked, cwd=place, start_new_session=True
        )
        try:
            status = process.wait(limit)
        except subprocess.TimeoutExpired:
            process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(5)
            leftovers.end(mark)
            process.wait()
            return Outcome(f"not finished after {limit:.0f} s", hangs=True)
    if not status:
        return Outcome()
    leftovers.end(mark)
    return Outcome(f"status {status}: {output.read_text()[-2000:]}")

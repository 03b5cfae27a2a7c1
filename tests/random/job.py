"""Running programs on an MPI library, with Rankwise or without, within a time limit."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from generator.program import Program
from libraries import Mpi
from model.comparison import differences, read
from model.walk import Polls, expect

RANKWISE = Path(sys.executable).with_name("rankwise")
INTERPRETER = sorted((Path(__file__).parent / "programs").glob("*.c"))
LIMIT_SECONDS = 30


@dataclass
class Outcome:
    """How a job ended.

    Attributes:
        failure: that it did not come to its end, and why; "" = it did.
        differences: of the profile from what it must hold.
        calls: MPI calls that were compared.
    """

    failure: str = ""
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
    mpi: Mpi, interpreter: Path, programs: Sequence[Program], place: Path, *, profiled: bool = True
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
    failure = _execute(words, mpi.env(), place)
    if failure or not profiled:
        return Outcome(failure)
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


def _execute(words: Sequence[str], environment: dict[str, str], place: Path) -> str:
    """Runs a command in a session of its own, of which nothing is left. Says what went wrong."""
    output = place / "output"
    with output.open("w") as written:
        process = subprocess.Popen(
            words, stdout=written, stderr=written, env=environment, cwd=place, start_new_session=True
        )
        try:
            status = process.wait(LIMIT_SECONDS)
        except subprocess.TimeoutExpired:
            _end(process)
            return f"not finished after {LIMIT_SECONDS} s"
    return f"status {status}: {output.read_text()[-2000:]}" if status else ""


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(5)
    while left := _of_session(process.pid):
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.1)
    process.wait()


def _of_session(session: int) -> list[int]:
    """Processes of a session, zombies aside."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session and fields[0] != "Z":
            found.append(int(entry.name))
    return found

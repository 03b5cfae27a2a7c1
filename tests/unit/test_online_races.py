"""What is decided while a program runs, on made-up times: what wins, how often in vain, and what it costs."""

from __future__ import annotations

import subprocess
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest

from exhaustive import repeated
from rankwise.trials.interval import ratio_interval

SOURCES = (
    Path(__file__).with_name("online_races.cpp"),
    Path(__file__).parents[2] / "src" / "online" / "race.cpp",
)
EQUAL = (1.0,) * 6


class Raced(NamedTuple):
    state: str
    candidate: int
    cost: float  # share of the time
    seconds: float  # of all calls
    interval: tuple[float, float, float]
    pairs: tuple[float, ...]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("online") / "races"
    words = ["c++", "-std=c++20", "-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    subprocess.run([*words, "-o", path, *SOURCES], check=True, timeout=240)
    return path


def race(
    program: Path,
    seed: int,
    arms: tuple[float, ...],
    *,
    calls: int = 30_000,
    ns: int = 50_000,
    between: int = 50_000,
    scatter: float = 0.2,
    cost: float = 0.02,
) -> Raced:
    words = map(str, (seed, calls, ns, between, scatter, round(1e6 * cost), *arms))
    said = subprocess.run([program, *words], capture_output=True, text=True, check=True, timeout=60).stdout
    first, second = said.splitlines()
    state, candidate, millionths, in_calls, _, *interval = first.split()
    low, middle, high = map(float, interval)
    pairs = tuple(map(float, second.split()))
    return Raced(
        state, int(candidate), float(millionths) / 1e6, float(in_calls) / 1e9, (low, middle, high), pairs
    )


@repeated(15, 40)
def test_what_is_faster_is_kept(program: Path, times: int) -> None:
    races = [race(program, seed, (1, 1.2, 0.88, 3, 30, 1)) for seed in range(times)]
    assert Counter((raced.state, raced.candidate) for raced in races)["kept", 3] >= 0.9 * times
    assert max(raced.cost for raced in races) <= 0.02


@repeated(15, 40)
def test_nothing_is_kept_where_all_are_equal(program: Path, times: int) -> None:
    races = [race(program, seed, EQUAL, scatter=scatter) for seed in range(times) for scatter in (0.1, 0.5)]
    assert "kept" not in {raced.state for raced in races}
    assert max(raced.cost for raced in races) <= 0.02


@repeated(15, 40)
def test_a_far_slower_one_costs_two_calls(program: Path, times: int) -> None:
    races = [race(program, seed, (100, 1), calls=20_000) for seed in range(times)]
    assert max(raced.cost for raced in races) <= 0.02
    assert "kept" not in {raced.state for raced in races}


@repeated(15, 40)
def test_the_cost_is_what_was_allowed(program: Path, times: int) -> None:
    slow = (1.2, 1.2, 1.2, 1.2)
    for allowed in (0.002, 0.01, 0.05):
        costs = [race(program, seed, slow, cost=allowed).cost for seed in range(times)]
        assert max(costs) <= allowed + 0.0005  # what disturbs the last calls can't be foreseen


@repeated(15, 40)
def test_what_comes_faster_is_not_explored_too_early(program: Path, times: int) -> None:
    for seed in range(times):
        raced = race(program, seed, (2, 2, 2), calls=60_000, between=-1)
        assert raced.cost <= 0.02


def test_what_takes_little_time_is_left_alone(program: Path) -> None:
    raced = race(program, 1, (0.5,), ns=5_000, between=5_000_000)
    assert (raced.state, raced.candidate) == ("watching", 0)
    assert raced.cost < 1e-4


def test_the_program_gains(program: Path) -> None:
    tuned, alone = race(program, 3, (0.5, 2)), race(program, 3, (1,))
    assert tuned.seconds < 0.7 * alone.seconds


def test_the_interval_is_that_of_pairs_of_runs(program: Path) -> None:
    raced = race(program, 5, (0.8,))
    assert len(raced.pairs) >= 16
    known = ratio_interval([1.0] * len(raced.pairs), raced.pairs)
    # Of the inverse: default / candidate.
    assert raced.interval == pytest.approx((1 / known.high, 1 / known.ratio, 1 / known.low), rel=1e-6)


def test_all_members_decide_alike(program: Path) -> None:
    assert race(program, 7, (1, 0.9, 1.1)) == race(program, 7, (1, 0.9, 1.1))

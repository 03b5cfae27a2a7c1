"""Paired trials: the order, the interval, how many pairs, and what ends them early. Truths are known."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import t

from rankwise.errors import RankwiseError
from rankwise.launch.signals import Signals
from rankwise.trials import process
from rankwise.trials.announcement import announcement
from rankwise.trials.interval import _signed_rank, ratio_interval
from rankwise.trials.measured import Measured, unsteady
from rankwise.trials.order import order
from rankwise.trials.plan import MOST_PAIRS, Aim, _students_t, least_pairs, pairs_needed
from rankwise.trials.recorded import Interrupted, OutOfTime
from rankwise.trials.series import Series, about, run_series

Times = NDArray[np.float64]
Noise = Callable[[np.random.Generator, int], Times]


def spikes(generator: np.random.Generator, count: int) -> Times:
    late = (generator.random(count) < 0.15) * generator.exponential(1, count)
    return 1 + 0.02 * generator.random(count) + late


NOISES: dict[str, Noise] = {
    "normal": lambda generator, count: np.exp(0.05 * generator.standard_normal(count)),
    "wide": lambda generator, count: np.exp(0.4 * generator.standard_normal(count)),
    "skewed": lambda generator, count: 1 + generator.exponential(0.3, count),
    "spikes": spikes,
}


def test_the_order() -> None:
    begins = [order(pair, 7)[0] for pair in range(6)]
    assert all(one != next_ for one, next_ in pairwise(begins))
    assert all(set(order(pair, 7)) == {"before", "after"} for pair in range(6))
    assert {order(0, seed)[0] for seed in range(20)} == {"before", "after"}
    assert [order(pair, 7) for pair in range(6)] == [order(pair, 7) for pair in range(6)]


def test_the_signed_rank_distribution() -> None:
    """Of 3 ranks, each sum from 0 to 6 comes up once in 8 choices of signs, 3 twice."""
    assert _signed_rank(3).tolist() == [1 / 8, 1 / 8, 1 / 8, 2 / 8, 1 / 8, 1 / 8, 1 / 8]


def test_the_pairs_that_are_needed_by_another_formula() -> None:
    logs = np.array([0.08, -0.08, 0.02])
    count = np.arange(6, 200)
    half = t.ppf(0.975, count - 1) * np.std(logs, ddof=1) / np.sqrt(count * 3 / np.pi)
    expected = int(count[half <= np.log(1.05)][0])
    assert pairs_needed(np.exp(logs).tolist(), [1.0] * 3, 0.05) == expected


@pytest.mark.parametrize(("most", "said"), [(101, ""), (105, "differ by up to 5 %")])
def test_runs_that_do_not_send_the_same_are_told(most: int, said: str) -> None:
    alike, other = Measured(1.0, 0.5, most, 1, 0, 0), Measured(1.0, 0.5, 100, 1, 0, 0)
    assert said in unsteady([alike, alike], [alike, other])
    assert bool(unsteady([alike, alike], [alike, other])) == bool(said)


def test_intervals_by_hand() -> None:
    before = [2.0, 4.0, 8.0, 16.0, 32.0, 64.0]
    found = ratio_interval(before, [1.0] * 6)
    assert (found.low, found.high) == (pytest.approx(2), pytest.approx(64))
    assert found.ratio == pytest.approx(2**3.5)
    assert (found.confidence, found.verdict) == (1 - 2 / 64, "faster")
    assert ratio_interval([1.0] * 6, before).verdict == "slower"
    five = ratio_interval(before[:5], [1.0] * 5)
    assert (five.confidence, five.reached, five.verdict) == (0.9375, False, "no difference shown")
    assert ratio_interval([1.0] * 5, before[:5]).verdict == "no difference shown"
    assert ratio_interval(before[:5], [1.0] * 5, 0.9).verdict == "faster"
    assert ratio_interval([1.0, 2.0] * 4, [2.0, 1.0] * 4).verdict == "no difference shown"
    assert ratio_interval([1.0] * 8, [1.0] * 8).verdict == "no difference shown"
    assert ratio_interval([3.0], [1.0]).confidence == 0
    # 4 pairs at 75 %: P(sum <= 1) = 2/16, so one average is left out at either end.
    four = ratio_interval([2.0, 4.0, 8.0, 16.0], [1.0] * 4, 0.75)
    assert (four.confidence, four.low, four.high) == (0.75, pytest.approx(2**1.5), pytest.approx(2**3.5))
    for bad in ([], [0.0], [-1.0], [float("nan")]):
        with pytest.raises(ValueError, match="above 0"):
            ratio_interval(bad, [1.0] * len(bad))


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("truth", [1.0, 1.3])
def test_the_interval_covers_the_truth(noise: str, truth: float) -> None:
    generator, make, runs = np.random.default_rng(5), NOISES[noise], 800
    for pairs in (6, 11):
        hits, confidence = 0, 0.0
        for _ in range(runs):
            found = ratio_interval((truth * make(generator, pairs)).tolist(), make(generator, pairs).tolist())
            hits += found.low <= truth <= found.high
            confidence = found.confidence
        assert hits / runs > confidence - 3 * (confidence * (1 - confidence) / runs) ** 0.5
        assert confidence >= 0.95


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("truth", [1.0, 1.2])
def test_the_truth_is_covered_where_the_first_pairs_say_how_many(noise: str, truth: float) -> None:
    generator, make, runs, hits = np.random.default_rng(9), NOISES[noise], 300, 0
    for _ in range(runs):
        before, after = (truth * make(generator, MOST_PAIRS)).tolist(), make(generator, MOST_PAIRS).tolist()
        pairs = min(pairs_needed(before[:6], after[:6], 0.05), MOST_PAIRS)
        found = ratio_interval(before[:pairs], after[:pairs])
        hits += found.low <= truth <= found.high
    assert hits / runs > 0.95 - 3 * (0.95 * 0.05 / runs) ** 0.5


def test_quantiles_of_students_t() -> None:
    for confidence in (0.8, 0.9, 0.95, 0.99, 0.999):
        freedom = np.arange(least_pairs(confidence) - 1, 1000)
        found = _students_t((1 + confidence) / 2, freedom)
        assert found == pytest.approx(t.ppf((1 + confidence) / 2, freedom), rel=1e-3)


def test_how_many_pairs() -> None:
    assert [least_pairs(confidence) for confidence in (0.5, 0.75, 0.9, 0.95, 0.99)] == [2, 3, 5, 6, 8]
    steady, ones = [1.0, 1.001] * 3, [1.0] * 6
    assert pairs_needed(steady, ones, 0.05) == 6
    wild = [1.0, 1.3] * 3  # a scatter of 14 %
    assert pairs_needed(wild, ones, 0.05) > pairs_needed(wild, ones, 0.1) > 6
    # 20 times faster: a quarter of that is resolved at once.
    assert pairs_needed([20 * one for one in wild], ones, 0.05) == 6
    # So many are needed, and so many do: the half width of a normal sample of that scatter is 5 %.
    scatter = float(np.std(np.log(wild), ddof=1))
    pairs = pairs_needed(wild, ones, 0.05)
    assert 2 * scatter / pairs**0.5 == pytest.approx(0.05, rel=0.1)


def test_what_is_said_beforehand() -> None:
    assert announcement(Aim(), 12) == [
        "6 pairs = 12 runs of about 12 s and 2 to warm up: about 3 min; they show whether more are needed"
        " (at most 20 pairs)"
    ]
    assert announcement(Aim(pairs=8), 0.1) == [
        "8 pairs = 16 runs of less than a second and 2 to warm up: about 2 s"
    ]
    [_, few] = announcement(Aim(pairs=5), 12)
    assert few == "5 pairs, which give at most 93.8 % confidence, not 95 %: too few to show a difference"
    [_, short] = announcement(Aim(seconds=100), 12)
    assert "allows no more than 3 pairs, which give at most 75.0 % confidence" in short
    with pytest.raises(RankwiseError, match="too short for a pair"):
        announcement(Aim(seconds=40), 12)
    assert [about(seconds) for seconds in (0.2, 42, 240, 9000)] == [
        "about 1 s",
        "about 42 s",
        "about 4 min",
        "about 2.5 h",
    ]


class Job:
    """Runs that take the times they are told, and no other."""

    def __init__(self, times: Iterator[float], end: Exception | None = None, factor: int = 2) -> None:
        self.times, self.end, self.factor, self.now, self.said = times, end, factor, 0.0, list[str]()
        self.sides: list[str] = []

    def once(self, side: str, pair: int) -> float:
        assert pair == len(self.sides) // 2 + 1
        time = next(self.times, None)
        if time is None:
            assert self.end
            raise self.end
        self.now += time
        self.sides.append(side)
        return time * (self.factor if side == "before" else 1)

    def run(self, aim: Aim) -> Series[float]:
        return run_series(aim, 1, 1.0, self.once, lambda result: result, self.said.append, lambda: self.now)


def test_as_many_as_are_needed() -> None:
    job = Job(iter([1.0] * 100))
    made = job.run(Aim())
    assert (made.before, made.after) == ([2.0] * 6, [1.0] * 6)
    assert (made.needed, made.ended, len(job.said)) == (6, "", 6)
    assert job.said[0] == "pair 1 of 6: before 2 s, after 1 s"


def test_more_are_needed() -> None:
    job = Job(iter([1.0, 1.05, 1.1] * 100), factor=1)
    made = job.run(Aim(resolve=0.05))
    assert made.needed is not None
    assert 6 < len(made.before) == min(made.needed, MOST_PAIRS)
    assert "pairs are needed" in job.said[6]
    job = Job(iter([1.0, 3.0, 2.0, 1.0, 1.0] * 100), factor=1)
    made = job.run(Aim(resolve=0.01))
    assert made.needed is not None
    assert made.needed > MOST_PAIRS == len(made.before)
    assert "no more than 20 are run" in job.said[6]


def test_a_fixed_number() -> None:
    job = Job(iter([1.0, 3.0] * 100))
    made = job.run(Aim(pairs=3))
    assert (len(made.before), made.needed, len(job.said)) == (3, None, 3)


def test_no_pair_begins_that_would_not_end_in_time() -> None:
    made = Job(iter([1.0] * 100)).run(Aim(seconds=7))
    assert len(made.before) == 3
    assert made.ended == "The time limit came after 3 of 6 pairs."


def test_a_run_that_outlives_the_time_limit_is_left_out() -> None:
    made = Job(iter([1.0] * 5), OutOfTime()).run(Aim(pairs=6, seconds=1000))
    assert (len(made.before), len(made.after)) == (2, 2)
    assert made.ended == "The time limit came after 2 of 6 pairs."


def test_what_is_whole_is_kept_of_an_interruption() -> None:
    made = Job(iter([1.0] * 5), Interrupted()).run(Aim())
    assert (len(made.before), len(made.after)) == (2, 2)
    assert made.ended == "Interrupted after 2 of 6 pairs."


def test_a_failure_ends_it() -> None:
    with pytest.raises(RankwiseError, match="burst"):
        Job(iter([1.0] * 5), RankwiseError("burst")).run(Aim())


def shell(place: Path, text: str, limit: float = 60, signals: Signals | None = None) -> process.End:
    words = ["sh", "-c", text]
    return process.run(words, os.environ, place / "out", limit, signals or Signals())


def test_a_process(tmp_path: Path) -> None:
    end = shell(tmp_path, "echo out; echo err >&2; exit 3")
    assert (end.status, end.too_long, end.interrupted) == (3, False, False)
    assert (tmp_path / "out").read_text() == "out\nerr\n"
    assert shell(tmp_path, "kill -9 $$").status == 137


def test_a_process_that_does_not_end(tmp_path: Path) -> None:
    end = shell(tmp_path, "exec sleep 100", 0.2)
    assert (end.status, end.too_long, end.interrupted) == (128 + signal.SIGTERM, True, False)


def test_a_process_that_is_interrupted(tmp_path: Path) -> None:
    with Signals() as signals:
        end = shell(tmp_path, f"kill -INT {os.getpid()}; exec sleep 100", signals=signals)
    assert (end.interrupted, end.too_long, signals.last) == (True, False, signal.SIGINT)


def test_each_run_reads_all_of_the_input(tmp_path: Path) -> None:
    (tmp_path / "in").write_text("input\n")
    kept = os.dup(0)
    with (tmp_path / "in").open() as file:
        os.dup2(file.fileno(), 0)
        try:
            for _ in range(2):
                shell(tmp_path, "cat")
                assert (tmp_path / "out").read_text() == "input\n"
        finally:
            os.dup2(kept, 0)
            os.close(kept)

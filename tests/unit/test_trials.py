"""Paired trials: the interval, how many rounds, and the runs themselves. Truths are known."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import numpy as np
import pytest
from noises import NOISES
from scipy.stats import t

import rankwise.trials
from exhaustive import repeated
from golden import Golden
from rankwise.errors import RankwiseError
from rankwise.launch.signals import Signals
from rankwise.placement.verification.measured import Measured, unsteady
from rankwise.trials import process
from rankwise.trials.interval import _signed_rank, ratio_interval
from rankwise.trials.plan import (
    MOST_ROUNDS,
    Aim,
    _students_t,
    about,
    announcement,
    least_rounds,
    rounds_needed,
)


def test_the_signed_rank_distribution() -> None:
    """Of 3 ranks, each sum from 0 to 6 comes up once in 8 choices of signs, 3 twice."""
    assert _signed_rank(3).tolist() == [1 / 8, 1 / 8, 1 / 8, 2 / 8, 1 / 8, 1 / 8, 1 / 8]


def test_the_pairs_that_are_needed_by_another_formula() -> None:
    logs = np.array([0.08, -0.08, 0.02])
    count = np.arange(6, 200)
    half = t.ppf(0.975, count - 1) * np.std(logs, ddof=1) / np.sqrt(count * 3 / np.pi)
    expected = int(count[half <= np.log(1.05)][0])
    assert rounds_needed(np.exp(logs).tolist(), [1.0] * 3, 0.05) == expected


@pytest.mark.parametrize(("most", "said"), [(101, ""), (105, "5 %")])
def test_runs_that_do_not_send_the_same_are_told(most: int, said: str) -> None:
    first, other = Measured(1.0, 0.5, most, 1, 0, 0), Measured(1.0, 0.5, 100, 1, 0, 0)
    assert said in unsteady([first, first], [first, other])
    assert bool(unsteady([first, first], [first, other])) == bool(said)


def test_intervals_by_hand() -> None:
    before = [2.0, 4.0, 8.0, 16.0, 32.0, 64.0]
    interval = ratio_interval(before, [1.0] * 6)
    assert (interval.low, interval.high) == (pytest.approx(2), pytest.approx(64))
    assert interval.ratio == pytest.approx(2**3.5)
    assert (interval.confidence, interval.verdict) == (1 - 2 / 64, "faster")
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


@repeated(250, 800)
@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("truth", [1.0, 1.3])
def test_the_interval_covers_the_truth(noise: str, truth: float, times: int) -> None:
    generator, make, runs = np.random.default_rng(5), NOISES[noise], times
    for pairs in (6, 11):
        hits, confidence = 0, 0.0
        for _ in range(runs):
            interval = ratio_interval(
                (truth * make(generator, pairs)).tolist(), make(generator, pairs).tolist()
            )
            hits += interval.low <= truth <= interval.high
            confidence = interval.confidence
        assert hits / runs > confidence - 3 * (confidence * (1 - confidence) / runs) ** 0.5
        assert confidence >= 0.95


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("truth", [1.0, 1.2])
def test_the_truth_is_covered_where_the_first_pairs_say_how_many(noise: str, truth: float) -> None:
    generator, make, runs, hits = np.random.default_rng(9), NOISES[noise], 300, 0
    for _ in range(runs):
        before, after = (truth * make(generator, MOST_ROUNDS)).tolist(), make(generator, MOST_ROUNDS).tolist()
        pairs = min(rounds_needed(before[:6], after[:6], 0.05), MOST_ROUNDS)
        interval = ratio_interval(before[:pairs], after[:pairs])
        hits += interval.low <= truth <= interval.high
    assert hits / runs > 0.95 - 3 * (0.95 * 0.05 / runs) ** 0.5


def test_quantiles_of_students_t() -> None:
    for confidence in (0.8, 0.9, 0.95, 0.99, 0.999):
        freedom = np.arange(least_rounds(confidence) - 1, 1000)
        quantiles = _students_t((1 + confidence) / 2, freedom)
        assert quantiles == pytest.approx(t.ppf((1 + confidence) / 2, freedom), rel=1e-3)


def test_how_many_pairs() -> None:
    assert [least_rounds(confidence) for confidence in (0.5, 0.75, 0.9, 0.95, 0.99)] == [2, 3, 5, 6, 8]
    steady, ones = [1.0, 1.001] * 3, [1.0] * 6
    assert rounds_needed(steady, ones, 0.05) == 6
    wild = [1.0, 1.3] * 3  # a scatter of 14 %
    assert rounds_needed(wild, ones, 0.05) > rounds_needed(wild, ones, 0.1) > 6
    # 20 times faster: a quarter of that is resolved at once.
    assert rounds_needed([20 * seconds for seconds in wild], ones, 0.05) == 6
    # So many are needed, and so many do: the half width of a normal sample of that scatter is 5 %.
    scatter = float(np.std(np.log(wild), ddof=1))
    pairs = rounds_needed(wild, ones, 0.05)
    assert 2 * scatter / pairs**0.5 == pytest.approx(0.05, rel=0.1)


def test_what_is_said_beforehand(golden: Golden) -> None:
    [line] = announcement(Aim(), 12)
    golden.says(line, "6 .. 12 .. 12 s .. 2 .. 3 min .. 20")
    [line] = announcement(Aim(rounds=8), 0.1)
    golden.says(line, "8 .. 16 .. 2 .. 2 s")
    [_, few] = announcement(Aim(rounds=5), 12)
    golden.says(few, "5 .. 93.8 % .. 95 %")
    [_, short] = announcement(Aim(seconds=100), 12)
    golden.says(short, "3 .. 75.0 %")
    with pytest.raises(RankwiseError) as error:
        announcement(Aim(seconds=40), 12)
    golden.says(error.value)
    assert [about(seconds) for seconds in (0.2, 42, 240, 9000)] == [
        "about 1 s",
        "about 42 s",
        "about 4 min",
        "about 2.5 h",
    ]


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


def test_trials_know_nothing_of_their_users() -> None:
    for source in Path(rankwise.trials.__path__[0]).glob("*.py"):
        for user in ("placement", "commands", "report", "topology"):
            assert f"rankwise.{user}" not in source.read_text(), source.name

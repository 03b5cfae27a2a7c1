"""Races of several arms: the order, who wins, who is dropped, and what ends them early. Truths are known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

import numpy as np
import pytest
from noises import NOISES

from exhaustive import few, repeated
from golden import Golden, assert_facts
from rankwise.errors import RankwiseError
from rankwise.trials.plan import MOST_ROUNDS, Aim
from rankwise.trials.race import Race, order
from rankwise.trials.run import Arm, Interrupted, OutOfTime, Ran, Rejected, run

Lasts = Callable[[str, int, float], float]
RACE = Aim(most=40, risk=0.05)


def at_most(hits: int, runs: int, rate: float) -> bool:
    """Whether so many hits are no more than by a rate, but for three standard deviations."""
    return hits <= runs * rate + 3 * (runs * rate * (1 - rate)) ** 0.5


def raced(truths: Sequence[float], aim: Aim, noise: str, generator: np.random.Generator) -> Race:
    """Run arms that take such times, with a factor of each round that all arms have in common."""
    names = [f"arm {number}" for number in range(len(truths))]
    race = Race(names, aim, seed=1)
    while not race.over:
        times = np.asarray(truths) * NOISES[noise](generator, len(truths)) * generator.uniform(0.5, 2)
        race.add(
            {name: time for name, time in zip(names, times.tolist(), strict=True) if name in race.running}
        )
    return race


def test_the_order_of_two() -> None:
    begins = [order(("before", "after"), pair, 7)[0] for pair in range(6)]
    assert all(begin != next_ for begin, next_ in pairwise(begins))
    assert all(set(order(("before", "after"), pair, 7)) == {"before", "after"} for pair in range(6))
    assert {order(("before", "after"), 0, seed)[0] for seed in range(20)} == {"before", "after"}
    assert begins == [order(("before", "after"), pair, 7)[0] for pair in range(6)]


@pytest.mark.parametrize("count", range(2, 10))
def test_the_order_is_balanced(count: int) -> None:
    """Each arm is as often in each place, and right after each other one."""
    arms = [str(number) for number in range(count)]
    rounds = [order(arms, number, 3) for number in range(count if count % 2 == 0 else 2 * count)]
    assert all(sorted(round_) == arms for round_ in rounds)
    places = Counter((name, place) for round_ in rounds for place, name in enumerate(round_))
    assert set(places.values()) == {len(rounds) // count}
    assert len(places) == count**2
    after = Counter(pair for round_ in rounds for pair in pairwise(round_))
    assert set(after.values()) == {len(rounds) // count}
    assert len(after) == count * (count - 1)


@repeated(40, 100)
@pytest.mark.parametrize("noise", ["normal", "skewed", "spikes"])
def test_the_right_arm_wins(noise: str, times: int) -> None:
    generator, runs = np.random.default_rng(3), times
    won, rounds = 0, 0
    for _ in range(runs):
        race = raced([1, 1.2, 0.98, 0.6, 1, 1.5], RACE, noise, generator)
        winner = race.winner()
        won += winner is not None and winner.arm == "arm 3"
        rounds += sum(map(len, race.times.values()))
    assert won >= 0.95 * runs
    assert rounds < runs * 6 * RACE.most


@repeated(70, 200)
@pytest.mark.parametrize("noise", NOISES)
def test_all_intervals_cover_together(noise: str, times: int) -> None:
    """None of those that stay in the race leaves out the truth, as often as the confidence says."""
    generator, runs, truths = np.random.default_rng(5), times, [1, 0.8, 1, 1.25, 1.1]
    wrong = 0
    for _ in range(runs):
        comparisons = raced(truths, Aim(), noise, generator).comparisons()
        assert all(
            comparison.interval is not None and comparison.interval.reached for comparison in comparisons
        )
        wrong += any(
            comparison.interval is not None
            and not comparison.interval.low <= 1 / truth <= comparison.interval.high
            for comparison, truth in zip(comparisons, truths[1:], strict=True)
        )
    assert at_most(wrong, runs, 0.05)


@repeated(70, 200)
@pytest.mark.parametrize("noise", few(NOISES, 1))
def test_nobody_wins_where_all_are_equal(noise: str, times: int) -> None:
    generator, runs = np.random.default_rng(6), times
    won = sum(raced([1] * 6, RACE, noise, generator).winner() is not None for _ in range(runs))
    assert at_most(won, runs, 0.05)


@pytest.mark.each_value
@repeated(70, 200)
@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("truths", [[1, 0.97, 1, 1, 1], [1] * 5, [1, 0.8, 0.82, 0.84]])
def test_the_best_is_not_dropped(noise: str, truths: Sequence[float], times: int) -> None:
    """Of several that are equally good, each one: it is dropped no more often than the stated risk."""
    generator, runs = np.random.default_rng(7), times
    best = f"arm {1 + int(np.argmin(truths[1:]))}"
    dropped = sum(best in raced(truths, RACE, noise, generator).dropped for _ in range(runs))
    assert at_most(dropped, runs, 0.05)


def test_what_is_clearly_worse_is_dropped_early() -> None:
    generator = np.random.default_rng(8)
    race = raced([1, 2, 0.97, 3], Aim(resolve=0.01, risk=0.05, most=60), "normal", generator)
    assert set(race.dropped) == {"arm 1", "arm 3"}
    assert all(drop.rounds < race.rounds and drop.slower_than for drop in race.dropped.values())
    assert len(race.times["arm 1"]) == race.dropped["arm 1"].rounds
    assert len(race.times["arm 0"]) == race.rounds
    [slow, *_] = race.comparisons()
    assert slow.interval is not None
    assert (slow.interval.verdict, slow.dropped) == ("slower", race.dropped["arm 1"])


def test_two_equal_arms_are_said_to_be_alike() -> None:
    generator, runs = np.random.default_rng(9), 200
    judgements = [
        raced([1, truth], Aim(rounds=30, resolve=0.1), "normal", generator).comparisons()[0].equivalent
        for truth in [1.0] * runs + [1.1] * runs
    ]
    assert sum(judgements[:runs]) > 0.9 * runs
    assert at_most(sum(judgements[runs:]), runs, 0.025)
    few = Race(["a", "b"], Aim(rounds=3), 1)
    for _ in range(3):
        few.add({"a": 1.0, "b": 1.0})
    assert not few.comparisons()[0].equivalent  # by chance


def test_the_baseline_stays() -> None:
    race = Race(["slow", "fast", "faster"], Aim(risk=0.05, most=30), 1)
    while not race.over:
        race.add({"slow": 9.0, "fast": 2.0 + race.rounds % 3, "faster": 1.0 + race.rounds % 2 / 10})
    assert "slow" in race.running
    winner = race.winner()
    assert winner is not None
    assert winner.arm == "faster"


def test_a_race_goes_on_from_its_rounds() -> None:
    whole = raced([1, 0.9, 1.3, 1.1], RACE, "wide", np.random.default_rng(1))
    again = Race(whole.arms, RACE, seed=1)
    for number in range(whole.rounds):
        again.add({name: times[number] for name, times in whole.times.items() if number < len(times)})
    assert (again.running, again.wanted, again.dropped) == (whole.running, whole.wanted, whole.dropped)
    assert again.comparisons() == whole.comparisons()


def test_all_rounds_up_to_a_look_at_once() -> None:
    """As whoever runs them in one job does it: the same rounds as one by one."""
    race, generator = Race(["a", "b", "c"], RACE, 4), np.random.default_rng(2)
    batches = []
    while batch := race.until_look():
        batches.append(len(batch))
        for round_ in batch:
            assert round_ == race.order()
            race.add(dict(zip(round_, NOISES["wide"](generator, len(round_)).tolist(), strict=True)))
    assert (batches[0], sum(batches), race.over) == (RACE.first_look(2), race.rounds, True)
    assert len(batches) > 1
    fixed = Race(["a", "b"], Aim(rounds=9), 4)
    assert [len(fixed.until_look())] == [6]
    for _ in range(6):
        fixed.add({"a": 1.0, "b": 1.0})
    assert len(fixed.until_look()) == 3


def test_what_is_no_race() -> None:
    for names in ([], ["a"], ["a", "a"]):
        with pytest.raises(ValueError, match="two arms"):
            Race(names, Aim(), 1)
    race = Race(["a", "b", "c"], Aim(), 1)
    assert race.comparisons()[0].interval is None
    assert race.winner() is None
    for times in ({"a": 1.0, "b": 1.0}, {"a": 1.0, "b": 1.0, "c": 0.0}):
        with pytest.raises(ValueError, match="a time above 0"):
            race.add(times)
    with pytest.raises(ValueError, match="can't be rejected"):
        race.reject("a", "it is the baseline")
    race.reject("c", "another result")
    with pytest.raises(ValueError, match="can't be rejected"):
        race.reject("c", "twice")


class Job:
    """Two arms that take the times they are told, and no other."""

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

    def run(self, aim: Aim) -> Ran[float]:
        arms = [
            Arm("before", lambda pair, _: self.once("before", pair)),
            Arm("after", lambda pair, _: self.once("after", pair)),
        ]
        return run(arms, aim, 1, 1.0, lambda result: result, self.said.append, lambda: self.now)


class Jobs:
    """Arms that last as long as a function of name, round and time left says; the clock is theirs."""

    def __init__(self, names: Sequence[str], lasts: Lasts) -> None:
        self.names, self.lasts, self.now, self.said = names, lasts, 0.0, list[str]()

    def run(self, aim: Aim) -> Ran[float]:
        arms = [Arm(name, self._launcher(name)) for name in self.names]
        return run(arms, aim, 1, 1.0, lambda result: result, self.said.append, lambda: self.now)

    def _launcher(self, name: str) -> Callable[[int, float], float]:
        def launch(number: int, left: float) -> float:
            time = self.lasts(name, number, left)
            self.now += min(time, left)
            if time > left:
                raise OutOfTime
            return time

        return launch


def test_as_many_as_are_needed() -> None:
    job = Job(iter([1.0] * 100))
    made = job.run(Aim())
    assert made.results == {"before": [2.0] * 6, "after": [1.0] * 6}
    assert (made.race.needed, made.ended, len(job.said)) == (6, "", 6)
    assert job.said[0] == "pair 1 of 6: before 2 s, after 1 s; 10 runs left, about 10 s"
    so_far = "time -50.0 % (-50.0 to -50.0 %, 50 % sure); 8 runs left, about 12 s"
    assert job.said[1] == f"pair 2 of 6: before 2 s, after 1 s; {so_far}"
    assert "left" not in job.said[-1]


def test_more_are_needed() -> None:
    job = Job(iter([1.0, 1.05, 1.1] * 100), factor=1)
    race = job.run(Aim(resolve=0.05)).race
    assert race.needed is not None
    assert 6 < race.rounds == min(race.needed, MOST_ROUNDS)
    assert "pairs are needed" in job.said[6]
    job = Job(iter([1.0, 3.0, 2.0, 1.0, 1.0] * 100), factor=1)
    race = job.run(Aim(resolve=0.01)).race
    assert race.needed is not None
    assert race.needed > MOST_ROUNDS == race.rounds
    assert "no more than 20 are run" in job.said[6]


def test_a_fixed_number() -> None:
    job = Job(iter([1.0, 3.0] * 100))
    race = job.run(Aim(rounds=3)).race
    assert (race.rounds, race.needed, len(job.said)) == (3, None, 3)


def test_no_pair_begins_that_would_not_end_in_time(golden: Golden) -> None:
    made = Job(iter([1.0] * 100)).run(Aim(seconds=7))
    assert made.race.rounds == 3
    golden.says(made.ended, "3 .. 6")


@pytest.mark.parametrize(
    ("aim", "end", "facts"),
    [
        (Aim(rounds=6, seconds=1000), OutOfTime(), "2 .. 6"),
        (Aim(), Interrupted(), "Interrupted .. 2 .. 6"),
    ],
)
def test_what_is_whole_is_kept(aim: Aim, end: Exception, facts: str, golden: Golden) -> None:
    made = Job(iter([1.0] * 5), end).run(aim)
    assert [len(results) for results in made.results.values()] == [2, 2]
    assert made.race.rounds == 2
    golden.says(made.ended, facts)


def test_a_failure_ends_it() -> None:
    with pytest.raises(RankwiseError, match="burst"):
        Job(iter([1.0] * 5), RankwiseError("burst")).run(Aim())


@pytest.mark.parametrize("seed", few(range(40), 10))
def test_the_budget_is_never_exceeded(seed: int) -> None:
    generator = np.random.default_rng(seed)
    seconds, most = float(generator.uniform(1, 400)), int(generator.integers(1, 30))
    aims = [
        Aim(seconds=seconds, most=most, risk=0.05, give_up=bool(seed % 2)),
        Aim(seconds=seconds, rounds=most),
    ]
    for aim in aims:
        jobs = Jobs("abcd", lambda name, *_: float(generator.exponential("abcd".index(name) + 1)) + 0.01)
        made = jobs.run(aim)
        assert jobs.now <= seconds
        assert made.race.rounds <= most
        assert {len(made.results[name]) for name in made.race.running} == {made.race.rounds}
        assert made.ended or made.race.over


def test_an_arm_with_a_wrong_result_is_out(golden: Golden) -> None:
    def lasts(name: str, number: int, _left: float) -> float:
        if name == "c" and number == 3:
            raise Rejected("the sum differs from that of a")
        return {"a": 2.0, "b": 1.0, "c": 0.1}[name]

    jobs = Jobs("abc", lasts)
    made = jobs.run(Aim())
    assert made.race.dropped["c"].rounds == 2
    golden.says(made.race.dropped["c"].why, "a")
    assert (len(made.results["c"]), made.race.rounds) == (2, 7)
    assert sum(line.startswith("c is ") for line in jobs.said) == 1
    winner = made.race.winner()
    assert winner is not None
    assert winner.arm == "b"
    # Nobody is left to compare; and without the baseline there is nothing to compare with.
    made = Jobs("ac", lasts).run(Aim())
    assert (made.race.rounds, made.race.over, made.ended) == (2, True, "")
    with pytest.raises(RankwiseError, match="c: the sum differs"):
        Jobs("ca", lasts).run(Aim())


def test_it_ends_where_nothing_can_become_clear(golden: Golden) -> None:
    """A scatter of 40 % hides the 3 %, and 20 rounds do not change that: the first 6 show it."""
    generator = np.random.default_rng(1)

    def lasts(name: str, *_: float) -> float:
        return float((1 if name == "a" else 0.97) * np.exp(0.4 * generator.standard_normal()))

    made = Jobs("ab", lasts).run(Aim(give_up=True))
    golden.says(made.ended, "6 .. 20")
    assert Jobs("ab", lasts).run(Aim()).race.rounds == MOST_ROUNDS
    # A change that is seen is not given up.
    assert (
        Jobs("ab", lambda name, number, _: "ab".find(name) + 1 + number % 2 / 10).run(Aim(give_up=True)).ended
        == ""
    )


def test_what_is_said_of_many_arms(golden: Golden) -> None:
    jobs = Jobs(["default", "slow", "fast"], lambda name, *_: {"default": 2.0, "slow": 3.0}.get(name, 1.0))
    made = jobs.run(Aim(risk=0.05))
    rounds, out = jobs.said[:-1], jobs.said[-1]
    assert len(rounds) == 7
    for number, line in enumerate(rounds, 1):
        assert_facts(line, f"{number} .. 7 .. default 2 s .. slow 3 s .. fast 1 s")
    golden.says(out, "slow .. fast")
    assert made.ended == ""

"""Races of algorithms with racers that run nothing: who wins, what is kept, how often chance wins."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from exhaustive import repeated
from golden import Golden, assert_facts
from rankwise.errors import RankwiseError
from rankwise.trials.plan import Aim
from rankwise.trials.run import Interrupted
from rankwise.tuning.cells.cell import Cell, Grouping
from rankwise.tuning.racing.batch import Batch
from rankwise.tuning.racing.offers import Choice, Offers
from rankwise.tuning.racing.race import AGAIN, AIM, VALIDATION_ROUNDS, race, screened, validate
from rankwise.tuning.racing.racer import Unfit
from rankwise.tuning.racing.store import Store
from rankwise.tuning.settings.rule import Algorithm

GROUPINGS = (
    Grouping(((0, 1, 2, 3), (4, 5, 6, 7)), share=0.75, root=2, late=((1, 0.0), (5, 2.5e-6))),
    Grouping(((0, 2, 4, 6),), share=0.25),
)
CELL = Cell(
    procedure="MPI_Allreduce",
    processes=4,
    low=4096,
    high=8192,
    size=8192,
    calls=100,
    seconds=2.0,
    tunable_seconds=1.0,
    groupings=GROUPINGS,
)
ARMS: dict[str, Algorithm | None] = {
    "default": None,
    "linear": Algorithm("linear", 1),
    "ring": Algorithm("ring", 4),
    "tree": Algorithm("tree", 6),
}


class Chance:
    """A racer whose calls take given times, and scatter about them."""

    library = "None 1.0"
    hosts: tuple[str, ...] = ("a", "b")
    overruled = False
    relaunches = False

    def __init__(self, seconds: Mapping[str, float], scatter: float = 0.0, seed: int = 1) -> None:
        self.seconds, self.scatter = seconds, scatter
        self.random = random.Random(seed)
        self.unfit: dict[str, str] = {}
        self.rounds = 0
        self.interrupted_after = 1 << 30

    def offered(self, procedure: str) -> tuple[Algorithm, ...]:
        raise NotImplementedError

    def run(
        self, cell: Cell, arms: Mapping[str, Algorithm | None], rounds: Sequence[Sequence[str]]
    ) -> list[dict[str, float]]:
        assert cell == CELL
        assert all(set(names) == set(arms) for names in rounds)
        if unfit := {name: why for name, why in self.unfit.items() if name in arms}:
            raise Unfit(unfit)
        if self.rounds >= self.interrupted_after:
            raise Interrupted
        self.rounds += len(rounds)
        return [{name: self._time(arms[name]) for name in names} for names in rounds]

    def _time(self, algorithm: Algorithm | None) -> float:
        scatter = self.random.lognormvariate(0, self.scatter)
        return self.seconds[algorithm.name if algorithm else "default"] * scatter


def test_without_noise_the_fastest_wins() -> None:
    said: list[str] = []
    racer = Chance({"default": 2e-3, "linear": 1e-3, "ring": 9e-3, "tree": 1.9e-3})
    outcome = race(racer, CELL, ARMS, say=said.append)
    assert outcome.winner == ARMS["linear"]
    assert set(outcome.race.dropped) == {"ring", "tree"}
    assert outcome.race.rounds == racer.rounds < AIM.most
    assert said[0].startswith("Allreduce/4/8192: ")
    assert said[0].endswith("1 of 3 algorithms left; linear leads, 2.00 x")


def test_with_noise_the_fastest_wins() -> None:
    for seed in range(5):
        racer = Chance({"default": 2e-3, "linear": 1.4e-3, "ring": 2e-3, "tree": 1.7e-3}, 0.2, seed)
        outcome = race(racer, CELL, ARMS, seed=seed)
        assert outcome.winner == ARMS["linear"]
        validation = validate(racer, CELL, Algorithm("linear", 1), 0.99, seed=seed)
        assert validation.proven
        assert not validation.too_noisy
        assert validation.evidence.low < 2 / 1.4 < validation.evidence.high
        assert validation.evidence.confidence >= 0.99
        assert validation.evidence.rounds == VALIDATION_ROUNDS
        assert validation.evidence.default_us == pytest.approx(2000, rel=0.2)
        assert validation.evidence.chosen_us == pytest.approx(1400, rel=0.2)


def test_few_are_raced_where_each_is_a_launch() -> None:
    seconds = {"default": 2e-3, **{f"a{number}": (3 - 0.1 * number) * 1e-3 for number in range(20)}}
    arms: dict[str, Algorithm | None] = {name: Algorithm(name, 1) for name in seconds}
    arms["default"] = None
    racer = Chance(seconds)
    racer.unfit = {"a19": "it fails"}
    assert list(screened(racer, CELL, arms)) == ["default", "a15", "a16", "a17", "a18"]
    assert list(screened(racer, CELL, ARMS)) == list(ARMS)  # they are few


@repeated(120, 400)
def test_chance_seldom_wins(times: int) -> None:
    """Where no algorithm is better than another one, in at most 5 % of the races one is called the winner."""
    seconds = dict.fromkeys(["default", "linear", "ring", "tree"], 1e-3)
    aim = Aim(confidence=AIM.confidence, resolve=AIM.resolve, risk=AIM.risk, most=32)
    outcomes = [race(Chance(seconds, 0.2, seed), CELL, ARMS, aim, seed) for seed in range(times)]
    assert sum(outcome.winner is not None for outcome in outcomes) <= 0.05 * times


def test_an_arm_that_can_not_be_used_leaves(tmp_path: Path) -> None:
    racer = Chance({"default": 2e-3, "linear": 1e-3, "ring": 1e-4, "tree": 3e-3})
    racer.unfit = {"ring": "it computes something else than it should", "tree": "it fails: no"}
    said: list[str] = []
    path = tmp_path / "kept"
    outcome = race(racer, CELL, ARMS, say=said.append, store=Store(path))
    assert outcome.winner == ARMS["linear"]
    assert outcome.race.dropped["ring"].why == racer.unfit["ring"]
    assert_facts("\n".join(said), "Allreduce/4/8192")
    assert race(Chance({}), CELL, ARMS, store=Store(path)).race.dropped == outcome.race.dropped
    racer.unfit = {"linear": "it fails: no"}
    with pytest.raises(RankwiseError, match="linear: it fails: no"):
        validate(racer, CELL, Algorithm("linear", 1), 0.95)


def test_a_race_goes_on_where_it_was_interrupted(tmp_path: Path) -> None:
    seconds = {"default": 2e-3, "linear": 1.5e-3, "ring": 1.8e-3, "tree": 2.1e-3}
    path = tmp_path / "kept"
    whole = race(Chance(seconds, 0.2, 7), CELL, ARMS, seed=3)
    first = Chance(seconds, 0.2, 7)
    first.interrupted_after = 12
    with pytest.raises(Interrupted):
        race(first, CELL, ARMS, seed=3, store=Store(path))
    kept = path.read_text()
    assert kept.count("\n") == first.rounds >= 12
    path.write_text(kept + '{"key": "cut o')
    first.interrupted_after = 1 << 30
    resumed = race(first, CELL, ARMS, seed=3, store=Store(path))
    assert resumed.race.rounds == first.rounds == whole.race.rounds
    assert resumed.race.times == whole.race.times
    assert resumed.race.comparisons() == whole.race.comparisons()


def test_a_hold_out_goes_on_too(tmp_path: Path) -> None:
    path, ring = tmp_path / "kept", Algorithm("ring", 4)
    racer = Chance({"default": 2e-3, "ring": 1e-3}, 0.1)
    racer.interrupted_after = 3
    with pytest.raises(Interrupted):
        validate(racer, CELL, ring, 0.95, store=Store(path))
    kept, racer.interrupted_after = racer.rounds, 1 << 30
    validation = validate(racer, CELL, ring, 0.95, store=Store(path))
    assert kept >= 3
    assert racer.rounds == validation.evidence.rounds == validation.interval.pairs == VALIDATION_ROUNDS
    assert validate(Chance({}), CELL, ring, 0.95, store=Store(path)) == validation
    # Other nodes, another race.
    racer.hosts = ("a", "c")
    validate(racer, CELL, ring, 0.95, store=Store(path))
    assert racer.rounds == 2 * VALIDATION_ROUNDS


@pytest.mark.parametrize(
    ("us", "again", "proven", "too_noisy"),
    [
        (1e-3, 1.2, True, False),  # much faster than the noise
        (1.8e-3, 1.2, False, True),
        (2e-3, 1.2, False, True),  # it could be a gain
        (2e-3, 1.01, False, False),
        (1.5e-3, 1.01, True, False),
        (3e-3, 1.2, False, False),
    ],
)
@pytest.mark.parametrize("inverse", [False, True])
def test_a_gain_has_to_exceed_the_noise(
    us: float, again: float, proven: bool, too_noisy: bool, inverse: bool
) -> None:
    """A default that differs from itself, by however little, is what gains are compared with."""

    class Drifting(Chance):
        def run(
            self, cell: Cell, arms: Mapping[str, Algorithm | None], rounds: Sequence[Sequence[str]]
        ) -> list[dict[str, float]]:
            slower = {AGAIN: 1 / again if inverse else again}
            timings = super().run(cell, arms, rounds)
            return [{name: timing[name] * slower.get(name, 1) for name in timing} for timing in timings]

    racer = Drifting({"default": 2e-3, "ring": us}, 0.002)
    validation = validate(racer, CELL, Algorithm("ring", 4), 0.95)
    assert validation.control.verdict != "no difference shown"
    assert (validation.proven, validation.is_worth_it, validation.too_noisy) == (proven, proven, too_noisy)


def test_perfect_cells_do_not_die_by_chance() -> None:
    """Of 20 controls, one leaves out 1 by chance: that must not cost a gain."""
    worth = [
        validate(
            Chance({"default": 2e-3, "ring": 1.5e-3}, 0.02, seed), CELL, Algorithm("ring", 4), 0.95
        ).is_worth_it
        for seed in range(60)
    ]
    assert all(worth)


def test_rounds_enough_for_the_confidence() -> None:
    racer = Chance({"default": 2e-3, "ring": 1e-3}, 0.01)
    validation = validate(racer, CELL, Algorithm("ring", 4), 1 - 1e-4, rounds=5)
    assert validation.proven
    assert validation.evidence.rounds == 15


OFFERS = Offers({"MPI_Allreduce": Choice((Algorithm("ring", 4),), "algorithm", "segment")}, overruled=True)


def test_what_the_probe_is_told() -> None:
    arms = {"default": None, "ring": Algorithm("ring", 4, 512)}
    text = Batch(CELL, arms, [["default", "ring"], ["ring", "default"]], 7).text(OFFERS)
    assert text.splitlines() == [
        *("collective Allreduce", "bytes 8192", "chosen communicators", "warmups 3", "repetitions 7"),
        *("grouping 0.75 2", "group 0 1 2 3", "group 4 5 6 7", "late 5 2500"),
        *("grouping 0.25 0", "group 0 2 4 6"),
        *("arm 0", "arm 1", "set algorithm 4", "set segment 512"),
        *("round 0 1", "round 1 0"),
    ]


def test_what_the_probe_answers(golden: Golden) -> None:
    arms = {"default": None, "ring": Algorithm("ring", 4)}
    batch = Batch(CELL, arms, [["default", "ring"], ["ring", "default"]], 7)
    assert batch.times("time 0 0 1e-3\ntime 0 1 2e-3\ntime 1 1 3e-3\ntime 1 0 4e-3\n") == [
        {"default": 1e-3, "ring": 2e-3},
        {"ring": 3e-3, "default": 4e-3},
    ]
    with pytest.raises(Unfit) as unfit:
        batch.times("rejected 1 it fails: no room\n")
    assert unfit.value.why == {"ring": "it fails: no room"}
    with pytest.raises(RankwiseError) as error:
        batch.times("rejected 0 it fails: no room\n")
    golden.says(error.value)
    with pytest.raises(RankwiseError, match="incomplete"):
        batch.times("time 0 0 1e-3\n")

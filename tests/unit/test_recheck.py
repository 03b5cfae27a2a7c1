"""Rules of a settings file measured again, by a racer that runs nothing: what is said of them, what stays."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from settings_made import EVIDENCE, MPICH_4, OPEN_MPI_4, rule, settings

from golden import Golden, assert_facts
from rankwise.errors import RankwiseError
from rankwise.render.terminal.recheck import print_rechecked
from rankwise.trials.run import Interrupted, OutOfTime
from rankwise.tuning.cells.cell import Cell, Grouping
from rankwise.tuning.libraries.openmpi import OpenMpi
from rankwise.tuning.measured import cells_again, cells_like, raced_of
from rankwise.tuning.racing.racer import Racer, Unfit
from rankwise.tuning.recheck import Outcome, Request, recheck
from rankwise.tuning.settings.model import Settings
from rankwise.tuning.settings.rule import Algorithm, Raced, Rule

GROUPINGS = (
    Grouping(((0, 2), (1, 3)), share=0.75, root=1, late=((1, 2.5e-6), (2, 1e-6))),
    Grouping(((2, 1),), share=0.25),
)


class Calls:
    """A racer: a rule's algorithm is the faster by a factor, the control differs by another one."""

    library = "Open MPI v4.1.4"
    hosts: tuple[str, ...] = ("b", "b", "a", "a")
    overruled = False
    relaunches = False

    def __init__(self, faster: float = 2.0, *, drift: float = 1.0) -> None:
        self.faster, self.drift, self.random = faster, drift, random.Random(1)
        self.ends: Exception | None = None
        self.cells: list[Cell] = []
        self.names: set[str] = set()

    def offered(self, procedure: str) -> tuple[Algorithm, ...]:
        return () if procedure == "MPI_Scan" else (Algorithm("y", 1), Algorithm("x", 7))

    def run(
        self, cell: Cell, arms: Mapping[str, Algorithm | None], rounds: Sequence[Sequence[str]]
    ) -> list[dict[str, float]]:
        if self.ends:
            raise self.ends
        if cell not in self.cells:
            self.cells.append(cell)
        assert [arm.number for arm in arms.values() if arm] == [7]  # as this library numbers it
        return [{name: self._seconds(name, arms[name]) for name in round_} for round_ in rounds]

    def _seconds(self, name: str, algorithm: Algorithm | None) -> float:
        seconds = 1e-4 / self.faster if algorithm else 1e-4 * (self.drift if "again" in name else 1)
        return seconds * self.random.lognormvariate(0, 0.02)


def _recheck(racer: Racer, given: Settings, untranslatable: Callable[[Rule], str] = lambda _: "") -> Outcome:
    @contextlib.contextmanager
    def open_racer() -> Iterator[Racer]:
        yield racer

    about = replace(given.about, created="now", hosts=(), command=("mpirun", "./new"), gain=None)
    said: list[str] = []
    outcome = recheck(Request(given, open_racer, untranslatable, about, 0.95, 1), said.append)
    assert said
    return outcome


def _shown(outcome: Outcome, *, asked: bool = False) -> str:
    file = StringIO()
    print_rechecked(outcome, Path("s.json"), [], asked=asked, file=file)
    return " ".join(file.getvalue().split())


def test_a_rule_that_still_wins(golden: Golden) -> None:
    given = settings(rule("Bcast", 2, 8, 24), environment={"A": "b"})
    outcome = _recheck(Calls(), given)
    (checked,) = outcome.rules
    assert checked.verdict == "still wins"
    assert outcome.settings is not None
    (kept,) = outcome.settings.rules
    assert (kept.procedure, kept.processes, kept.low, kept.high) == ("MPI_Bcast", 2, 8, 24)
    assert kept.algorithm == Algorithm("x", 7)
    assert kept.evidence is not None
    assert kept.evidence.low < 2 < kept.evidence.high
    assert kept.evidence != EVIDENCE
    about = outcome.settings.about
    assert (about.library, about.hosts, about.gain) == ("Open MPI v4.1.4", ("a", "b"), None)
    assert outcome.settings.environment == {"A": "b"}
    shown = _shown(outcome)
    assert_facts(shown, "1 .. 1")
    assert_facts(shown, "a, b .. node1, node2")
    golden.says(shown[shown.index("1 of 1") :])


def test_a_call_that_the_clock_can_not_tell(golden: Golden) -> None:
    outcome = _recheck(Calls(faster=2000.0), settings(rule("Bcast", 2)))
    assert [checked.verdict for checked in outcome.rules] == ["unknown"]
    shown = _shown(outcome)
    golden.says(shown[shown.index("Bcast on 2") :], "0 of 1")


@pytest.mark.parametrize(
    ("faster", "verdict"), [(1.0, "no longer wins"), (1.015, "no longer wins"), (0.5, "slower now")]
)
def test_a_rule_that_does_not(faster: float, verdict: str) -> None:
    outcome = _recheck(Calls(faster), settings(rule("Bcast", 2)))
    assert outcome.rules[0].verdict == verdict
    assert outcome.settings is None
    assert "nothing is written" in " ".join(_shown(outcome, asked=True).split())


def test_an_algorithm_that_is_the_default_anyway_seldom_wins() -> None:
    """A/A: rules whose algorithm equals the library's own choice."""
    racer = Calls(1.0)
    given = settings(*(rule("Bcast", 2, size, size) for size in range(10)))
    wins = sum(_recheck(racer, given).counted("still wins") for _ in range(10))
    assert wins <= 1


def test_noise_is_no_verdict() -> None:
    outcome = _recheck(Calls(drift=2.5), settings(rule("Bcast", 2)))
    assert outcome.rules[0].verdict == "unknown"
    assert outcome.settings is None  # it is not known to win, so it is not all that a new file says
    assert "differs from itself" in _shown(outcome)


def test_beside_a_rule_that_wins_one_that_is_unsure_stays_without_evidence(golden: Golden) -> None:
    class Changing(Calls):
        def run(
            self, cell: Cell, arms: Mapping[str, Algorithm | None], rounds: Sequence[Sequence[str]]
        ) -> list[dict[str, float]]:
            self.drift = 2.5 if cell.procedure == "MPI_Reduce" else 1.0
            return super().run(cell, arms, rounds)

    unsure = replace(rule("Reduce", 2, 8, 8), raced=(Raced(8, 1, 1.0, 0, ("0-1",)),))
    outcome = _recheck(Changing(), settings(rule("Bcast", 2), unsure))
    assert [checked.verdict for checked in outcome.rules] == ["still wins", "unknown"]
    assert outcome.settings is not None
    assert [kept.evidence is None for kept in outcome.settings.rules] == [False, True]
    assert outcome.settings.rules[1].raced == unsure.raced
    golden.says(_shown(outcome), "1")


def test_what_the_library_has_no_longer() -> None:
    racer = Calls()
    gone = settings(rule("Bcast", 2, 0, 8, "z"), rule("Scan", 2), rule("Bcast", 2, 9, 9))
    outcome = _recheck(racer, gone)
    assert [checked.verdict for checked in outcome.rules] == [
        "no longer offered",
        "no longer offered",
        "still wins",
    ]
    assert outcome.settings is not None
    assert len(outcome.settings.rules) == 1
    assert_facts(outcome.rules[0].why, "z")
    racer.ends = Unfit({"x": "it fails: no"})
    outcome = _recheck(racer, settings(rule("Bcast", 2)))
    assert (outcome.rules[0].verdict, outcome.rules[0].why) == ("can't be used", "it fails: no")
    outcome = _recheck(Calls(), settings(rule("Bcast", 2)), lambda _: "no such file")
    assert (outcome.rules[0].verdict, outcome.rules[0].why) == ("can't be used", "no such file")


def test_a_job_that_fails_is_no_verdict() -> None:
    racer = Calls()
    racer.ends = RankwiseError("burst")
    with pytest.raises(RankwiseError, match="burst"):
        _recheck(racer, settings(rule("Bcast", 2)))


@pytest.mark.parametrize(("end", "said"), [(Interrupted(), "Interrupted"), (OutOfTime(), "--budget")])
def test_it_ends_early(end: Exception, said: str) -> None:
    racer = Calls()
    racer.ends = end
    outcome = _recheck(racer, settings(rule("Bcast", 2), environment={"A": "b"}))
    assert outcome.settings is None
    assert outcome.rules[0].verdict == "not rechecked"
    assert said in outcome.ended
    assert "nothing is written" in _shown(outcome)


def test_variables_stay_where_no_rule_does() -> None:
    outcome = _recheck(
        Calls(1.0), settings(rule("Bcast", 2), environment={"A": "b", **OpenMpi.not_overruled})
    )
    assert outcome.settings is not None
    assert outcome.settings.rules == ()
    assert outcome.settings.environment == {"A": "b"}  # the other one is for rules alone
    assert (
        _recheck(Calls(1.0), settings(rule("Bcast", 2), environment=OpenMpi.not_overruled)).settings is None
    )


def test_han_is_left_out_where_it_has_come_since() -> None:
    racer = Calls()
    racer.overruled = True
    outcome = _recheck(racer, settings(rule("Bcast", 2)))
    assert outcome.settings is not None
    assert outcome.settings.environment == OpenMpi.not_overruled


def test_too_few_ranks(golden: Golden) -> None:
    with pytest.raises(RankwiseError) as error:
        _recheck(Calls(), settings(rule("Bcast", 5)))
    golden.says(error.value, "5 .. 4")


def test_the_same_is_raced_again() -> None:
    """What was raced comes out of the rule as it went in, but for what a race does not look at."""
    cells = tuple(
        Cell(
            procedure="MPI_Bcast",
            processes=2,
            low=1,
            high=99,
            size=size,
            calls=10 * size,
            seconds=1.0,
            tunable_seconds=1.0,
            groupings=GROUPINGS,
        )
        for size in (64, 8)
    )
    raced_rule = replace(rule("Bcast", 2), raced=raced_of(cells))
    assert [raced.late_us for raced in raced_rule.raced] == [(0.0, 1.0, 2.5, 0.0), ()] * 2
    again = cells_again(raced_rule, 4)
    assert [(cell.size, cell.calls, cell.procedure, cell.processes) for cell in again] == [
        (64, 640, "MPI_Bcast", 2),
        (8, 80, "MPI_Bcast", 2),
    ]
    for cell in again:
        for mine, other in zip(cell.groupings, GROUPINGS, strict=True):
            assert (mine.groups, mine.share, mine.root) == (other.groups, other.share, other.root)
            assert dict(mine.late) == pytest.approx(dict(other.late))
    racer = Calls()
    outcome = _recheck(racer, settings(raced_rule))
    assert racer.cells == list(again)
    assert outcome.rules[0].as_found
    assert cells_again(raced_rule, 3) == ()  # rank 3 is not there


def test_blocks_of_ranks_where_nothing_else_is_known() -> None:
    racer = Calls()
    outcome = _recheck(racer, settings(rule("Bcast", 2, 8, 24), rule("Barrier", 3)))
    pair, *three = racer.cells
    assert (pair.size, pair.groupings) == (16, (Grouping(((0, 1), (2, 3))),))
    assert [(cell.size, cell.groupings) for cell in three] == [
        (size, (Grouping(((0, 1, 2),)),)) for size in (8, 1024, 65536)
    ]
    assert not outcome.rules[0].as_found
    assert "blocks of ranks" in " ".join(_shown(outcome).split())
    assert [len(cell.groupings[0].groups) for cell in cells_like(rule("Bcast", 3), 11)] == [3, 3, 3]


def test_versions() -> None:
    outcome = _recheck(Calls(), settings(rule("Bcast", 2)))
    assert outcome.same_library
    assert_facts(_shown(outcome), "MPI 4.1.4")
    racer = Calls()
    racer.library = OPEN_MPI_4.replace("4.1.4", "4.1.6")
    outcome = _recheck(racer, settings(rule("Bcast", 2)))
    assert not outcome.same_library
    assert "Open MPI 4.1.6; before: Open MPI 4.1.4" in _shown(outcome)
    assert not _recheck(racer, settings(rule("Bcast", 2), library=MPICH_4)).same_library

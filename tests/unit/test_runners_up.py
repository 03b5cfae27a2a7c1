"""Where the program fails with the winner of a race, the runner-up takes its place, or is named."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
import test_tuning as tuning

from golden import Golden
from rankwise.optimization.collectives import _failed
from rankwise.render.terminal.tuning import print_tuned
from rankwise.trials.run import Rejected
from rankwise.trials.ways import Way
from rankwise.tuning import tune as whole
from rankwise.tuning.effect import Effect, Effects
from rankwise.tuning.racing.race import race
from rankwise.tuning.racing.runners_up import runners_up
from rankwise.tuning.settings.model import Settings
from rankwise.tuning.settings.rule import Algorithm, Rule
from rankwise.tuning.target import Together, targets
from rankwise.tuning.tune import Request, Tuned, tune
from rankwise.views.tuning import tuned_as_data

OFFERED = (Algorithm("linear", 1), Algorithm("ring", 4), Algorithm("tree", 5))
US = {"default": 100.0, "linear": 30.0, "ring": 50.0, "tree": 140.0}
ROUNDING = replace(tuning.SAFE, rounds=True)


class Calls(tuning.Calls):
    def offered(self, procedure: str) -> tuple[Algorithm, ...]:
        del procedure
        return OFFERED


class Program(tuning.Program):
    """A program that fails, or prints something else, with some algorithms of some collectives."""

    def __init__(self, directory: Path, *fails_with: str) -> None:
        super().__init__(directory, 1.5)
        self.fails_with, self.ran = set(fails_with), 0

    def _run(self, way: Way) -> None:
        self.ran += 1
        rules = set(way.variables.get("RULES", "").split())
        if failing := rules & self.fails_with:
            raise Rejected(f"`diff` ended with status 1 ({' '.join(sorted(failing))})")

    def seconds(self, way: Way, number: int, left: float = 0.0) -> float:
        self._run(way)
        return super().seconds(way, number, left)

    def profile(
        self, way: Way, number: int, *, inside: bool = False, watch: bool = False, left: float = 0.0
    ) -> Path:
        self._run(way)
        return super().profile(way, number, inside=inside, watch=watch, left=left)


def materialise(settings: Settings) -> dict[str, str]:
    return {"RULES": " ".join(f"{rule.procedure[4:]}:{rule.algorithm.name}" for rule in settings.rules)}


@pytest.fixture(autouse=True)
def effects(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    def changed(before: Path, after: Path, rules: Sequence[Rule]) -> Effects:
        del before, after
        return Effects([Effect(rule, "changed") for rule in rules], [])

    monkeypatch.setattr(whole, "effects", changed)
    yield


def request(directory: Path, *procedures: str, **changes: object) -> Request:
    traits = changes.pop("traits", tuning.SAFE)
    cells = [tuning._cell(name, traits=traits) for name in procedures]
    return tuning._request(directory, Calls(US), targets(cells), materialise=materialise, **changes)


def rules(tuned: Tuned) -> dict[str, str]:
    return {rule.procedure: rule.algorithm.name for rule in tuned.settings.rules} if tuned.settings else {}


def shown(tuned: Tuned) -> str:
    file = StringIO()
    print_tuned(tuned, [], 100.0, [], file)
    return " ".join(file.getvalue().split())


def test_the_fastest_of_the_others_comes_first(tmp_path: Path) -> None:
    del tmp_path
    (target,) = targets([tuning._cell()])
    arms = {
        "default": None,
        **{algorithm.name: algorithm for algorithm in OFFERED},
        "linear2": Algorithm("linear2", 6),
    }
    calls = Calls({**US, "linear2": 40.0})
    raced = race(Together(calls, target), target.first, arms)
    assert raced.winner == OFFERED[0]
    others = runners_up(raced)
    assert [algorithm.name for algorithm, _ in others] == ["linear2", "ring"]  # tree is slower than default
    for (_, evidence), true in zip(others, (100 / 40, 100 / 50), strict=True):
        assert evidence.ratio == pytest.approx(true, rel=0.1)
        assert evidence.low <= evidence.ratio <= evidence.high
        assert evidence.rounds >= 8


def test_the_runner_up_takes_the_place_of_a_winner_that_fails(tmp_path: Path, golden: Golden) -> None:
    program = Program(tmp_path, "Allreduce:linear")
    tuned = tune(request(tmp_path, "MPI_Allreduce", traits=ROUNDING), program, tuning._quiet)
    assert rules(tuned) == {"MPI_Allreduce": "ring"}
    assert tuned.proof is not None
    assert tuned.proof.is_gain
    (tried,) = tuned.tried
    assert list(tried.failed) == ["linear"]
    golden.says(shown(tuned), "Allreduce: linear .. status 1 .. ring .. Proven")
    (cell,) = tuned_as_data(tuned, [])["cells"]  # type: ignore[misc]
    assert cell["program_fails_with"] == tried.failed


def test_where_all_of_them_fail_they_are_named(tmp_path: Path, golden: Golden) -> None:
    program = Program(tmp_path, "Allreduce:linear", "Allreduce:ring")
    tuned = tune(request(tmp_path, "MPI_Allreduce", traits=ROUNDING), program, tuning._quiet)
    assert not rules(tuned)
    assert tuned.proof is not None
    assert tuned.proof.rejected
    golden.says(shown(tuned), "linear .. ring .. --bitwise")
    assert _failed(tuned) == ["Allreduce not by linear, ring"]  # what `rankwise optimize` says of it


def test_one_rule_that_fails_does_not_cost_the_others(tmp_path: Path) -> None:
    """Sums that change are left alone, as --bitwise does it, and Bcast keeps its winner."""
    program = Program(tmp_path, "Allreduce:linear", "Allreduce:ring")
    tuned = tune(request(tmp_path, "MPI_Allreduce", "MPI_Bcast"), program, tuning._quiet)
    assert rules(tuned) == {"MPI_Bcast": "linear"}
    assert tuned.proof is not None
    assert tuned.proof.is_gain
    by_call = {tried.target.procedure: tried for tried in tuned.tried}
    assert list(by_call["MPI_Allreduce"].failed) == ["linear", "ring"]
    assert not by_call["MPI_Bcast"].failed
    assert not tuned.digits


def test_rules_that_fail_together_alone_are_out(tmp_path: Path) -> None:
    class Together2(Program):
        def _run(self, way: Way) -> None:
            if len(way.variables.get("RULES", "").split()) > 1:
                raise Rejected("boom")

    tuned = tune(request(tmp_path, "MPI_Allreduce", "MPI_Bcast"), Together2(tmp_path), tuning._quiet)
    assert not rules(tuned)
    assert tuned.proof is not None
    assert tuned.proof.rejected == "boom"


def test_a_program_that_does_not_fail_runs_no_more_than_before(tmp_path: Path) -> None:
    program = Program(tmp_path)
    tuned = tune(request(tmp_path, "MPI_Allreduce", "MPI_Bcast"), program, tuning._quiet)
    assert rules(tuned) == {"MPI_Allreduce": "linear", "MPI_Bcast": "linear"}
    assert tuned.proof is not None
    assert tuned.proof.interval is not None
    assert program.ran == 2 + 2 + 2 * tuned.proof.interval.pairs  # the effect, warming up, pairs


def test_the_runner_up_of_a_winner_that_can_not_stand_beside_others(tmp_path: Path) -> None:
    def untranslatable(settings: Settings) -> str:
        linear = [rule for rule in settings.rules if rule.algorithm.name == "linear"]
        return "there is room for one" if len(linear) > 1 else ""

    tuned = tune(
        request(tmp_path, "MPI_Allreduce", "MPI_Bcast", untranslatable=untranslatable),
        Program(tmp_path),
        tuning._quiet,
    )
    assert sorted(rules(tuned).values()) == ["linear", "ring"]
    (tried,) = (tried for tried in tuned.tried if tried.beside)
    assert tried.rule is not None
    assert "ring" in shown(tuned)

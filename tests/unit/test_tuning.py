"""From targets to proven settings, with a racer and runs that run nothing."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from exhaustive import repeated
from golden import Golden
from rankwise.errors import RankwiseError
from rankwise.launch.signals import Signals
from rankwise.mpi_libraries import Version
from rankwise.trials.plan import Aim
from rankwise.trials.recorded import Command
from rankwise.trials.run import Interrupted, Rejected, UnrunnableError
from rankwise.trials.ways import Runs, Way
from rankwise.tuning import tune as whole
from rankwise.tuning.cells.cell import Cell, Grouping, Traits
from rankwise.tuning.effect import Effect, Effects, Messages
from rankwise.tuning.gate import changes_digits, refusal
from rankwise.tuning.libraries.openmpi import OpenMpi
from rankwise.tuning.racing.racer import Racer
from rankwise.tuning.settings.model import About, Settings
from rankwise.tuning.settings.rule import Algorithm, Evidence, Rule
from rankwise.tuning.target import Target, Together, targets
from rankwise.tuning.tune import Request, refuse_short, tune, worth_racing

SAFE = Traits(True, not_commutative=False, rounds=False, in_place=False)
OPENMPI = Version("Open MPI", "4.1.4")
MPICH = Version("MPICH", "4.0.2")
ABOUT = About("1.0", "2026-11-25T00:00:00+00:00", "Open MPI v4.1.4", "openmpi", ("a",), ("mpirun", "./app"))
OFFERED = (Algorithm("linear", 1), Algorithm("ring", 4))


def _cell(procedure: str = "MPI_Allreduce", size: int = 65536, **changes: object) -> Cell:
    cell = Cell(
        procedure=procedure,
        processes=4,
        low=size,
        high=size,
        size=size,
        calls=100,
        seconds=20.0,
        tunable_seconds=10.0,
        groupings=(Grouping(((0, 1, 2, 3),)),),
        traits=SAFE,
    )
    return replace(cell, **changes)  # type: ignore[arg-type]


class TestTargets:
    def test_sizes_are_apart_where_all_processes_see_them(self) -> None:
        grouped = targets([_cell(size=8), _cell(size=4096), _cell("MPI_Bcast")])
        assert [(target.procedure, target.low, target.high) for target in grouped] == [
            ("MPI_Allreduce", 4096, 4096),
            ("MPI_Allreduce", 8, 8),
            ("MPI_Bcast", 65536, 65536),
        ]

    @pytest.mark.parametrize(
        "procedure",
        ["Gather", "Gatherv", "Scatter", "Scatterv", "Alltoallv", "Alltoallw", "Barrier", "Scan", "Exscan"],
    )
    def test_elsewhere_they_are_together(self, procedure: str) -> None:
        name = f"MPI_{procedure}"
        (merged,) = targets([_cell(name, 8), _cell(name, 4096, tunable_seconds=11.0)])
        assert (merged.low, merged.high, merged.first.size) == (0, None, 4096)
        assert (merged.seconds, merged.tunable_seconds) == (40.0, 21.0)
        assert merged.whole

    @pytest.mark.parametrize("procedure", ["MPI_Allgather", "MPI_Allgatherv", "MPI_Alltoall"])
    def test_in_place_counts_are_ignored(self, procedure: str) -> None:
        grouped = targets([_cell(procedure, 8), _cell(procedure, 4096)])
        assert [target.high for target in grouped] == [4096, 8]
        in_place = replace(SAFE, in_place=True)
        (merged,) = targets([_cell(procedure, 8), _cell(procedure, 4096, traits=in_place)])
        assert merged.high is None
        (merged,) = targets([_cell(procedure, traits=Traits())])  # nobody knows
        assert merged.high is None

    def test_only_what_takes_time_is_worth_a_race(self) -> None:
        grouped = targets([_cell(size=8 << n, tunable_seconds=10.0 / 4**n) for n in range(8)])
        assert [target.first.size for target in worth_racing(grouped, 100.0, 0.01, 8)] == [8, 16]
        assert len(worth_racing(grouped, 100.0, 0.0, 3)) == 3


class TestGate:
    def test_what_commutes_may_be_reordered(self) -> None:
        (target,) = targets([_cell()])
        for library in (OPENMPI, MPICH):
            assert not refusal(target, library, Algorithm("ring", 4), bitwise=False)

    def test_what_does_not_commute_may_not(self) -> None:
        for traits in (replace(SAFE, not_commutative=True), Traits()):
            (target,) = targets([_cell(traits=traits)])
            assert refusal(target, OPENMPI, Algorithm("ring", 4), bitwise=False)
            assert not refusal(target, OPENMPI, Algorithm("recursive_doubling", 3), bitwise=False)
            assert refusal(target, MPICH, Algorithm("recursive_doubling", 1), bitwise=False)
        (target,) = targets([_cell("MPI_Bcast", traits=Traits())])  # it has no operation
        assert not refusal(target, OPENMPI, Algorithm("chain", 2), bitwise=False)

    def test_last_digits(self) -> None:
        (rounding,) = targets([_cell(traits=replace(SAFE, rounds=True))])
        (whole_numbers,) = targets([_cell()])
        ring = Algorithm("ring", 4)
        assert changes_digits(rounding)
        assert refusal(rounding, OPENMPI, ring, bitwise=True)
        assert not refusal(rounding, OPENMPI, ring, bitwise=False)
        assert not changes_digits(whole_numbers)
        assert not refusal(whole_numbers, OPENMPI, ring, bitwise=True)

    def test_two_processes(self) -> None:
        (four,), (two,) = targets([_cell("MPI_Barrier")]), targets([_cell("MPI_Barrier", processes=2)])
        assert refusal(four, OPENMPI, Algorithm("two_proc", 5), bitwise=False)
        assert not refusal(two, OPENMPI, Algorithm("two_proc", 5), bitwise=False)


class Calls:
    """A racer whose algorithms take given times."""

    library = ABOUT.library
    hosts: tuple[str, ...] = ("a",) * 4
    overruled = False
    relaunches = False

    def __init__(self, us: Mapping[str, float], scatter: float = 0.05, seed: int = 1) -> None:
        self.us, self.scatter, self.random = us, scatter, random.Random(seed)
        self.stops = False

    def offered(self, procedure: str) -> tuple[Algorithm, ...]:
        del procedure
        return OFFERED

    def run(
        self, cell: Cell, arms: Mapping[str, Algorithm | None], rounds: Sequence[Sequence[str]]
    ) -> list[dict[str, float]]:
        if self.stops:
            raise Interrupted
        return [
            {
                name: self._seconds(cell, arms[name]) * self.random.lognormvariate(0, self.scatter)
                for name in round_
            }
            for round_ in rounds
        ]

    def _seconds(self, cell: Cell, algorithm: Algorithm | None) -> float:
        return 1e-6 * self.us[algorithm.name if algorithm else "default"] * cell.size / 65536


def test_a_target_of_several_sizes_is_raced_by_its_mean_call() -> None:
    many, few = _cell("MPI_Scatter", 65536, calls=30), _cell("MPI_Scatter", 2 * 65536, calls=10)
    (target,) = targets([many, few])
    racer = Together(Calls({"default": 8.0, "linear": 4.0}, 0.0), target)
    (times,) = racer.run(many, {"default": None, "linear": OFFERED[0]}, [["linear", "default"]])
    assert times == pytest.approx({"default": 1e-6 * (8 * 30 + 16 * 10) / 40, "linear": 1e-6 * 5})


class Program(Runs):
    """Runs that only tell how long they take: with rules, `gain` times as fast."""

    def __init__(self, directory: Path, gain: float, seed: int = 1) -> None:
        super().__init__(directory, Signals(), None, 60.0)
        self.gain, self.random = gain, random.Random(seed)
        self.effect: str = "changed"
        self.fails = False
        self.scatter = 0.05
        self.took = [1.0]

    def seconds(self, way: Way, number: int, left: float = 0.0) -> float:
        del number, left
        if self.fails and not way.as_given:
            raise Rejected("the program failed: boom")
        took = self.random.lognormvariate(0, self.scatter) / (self.gain if not way.as_given else 1)
        self.took.append(took)
        return took

    def profile(
        self, way: Way, number: int, *, inside: bool = False, watch: bool = False, left: float = 0.0
    ) -> Path:
        assert inside and watch  # Open MPI can be watched
        del number, left
        if self.fails and not way.as_given:
            raise Rejected("the program failed: boom")
        return Path(way.name)


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Program]:
    made = Program(tmp_path, 1.5)

    def effects(before: Path, after: Path, rules: Sequence[Rule]) -> Effects:
        assert (before.name, after.name) == ("as given", "with the settings")
        messages: Messages = "other" if made.effect == "changed" else "same"
        return Effects([Effect(rule, made.effect, messages) for rule in rules], [])  # type: ignore[arg-type]

    monkeypatch.setattr(whole, "effects", effects)
    yield made


def _request(tmp_path: Path, racer: Racer, candidates: Sequence[Target], **changes: object) -> Request:
    def materialise(settings: Settings) -> dict[str, str]:
        return {"RULES": str(len(settings.rules))}

    @contextlib.contextmanager
    def open_racer(deadline: float) -> Iterator[Racer]:
        assert deadline > 0
        yield racer

    request = Request(
        targets=candidates,
        run_seconds=100.0,
        wall_seconds=1.0,
        ranks=4,
        way=Way("as given", Command(("mpirun", "./app"), {}), as_given=True),
        open_racer=open_racer,
        untranslatable=lambda _: "",
        materialise=materialise,
        about=ABOUT,
        bitwise=False,
        race_aim=Aim(confidence=0.95, resolve=0.03, risk=0.05, most=64),
        proof_aim=Aim(give_up=True),
        budget=None,
        seed=1,
        store=tmp_path,
    )
    return replace(request, **changes)  # type: ignore[arg-type]


def _quiet(line: str) -> None:
    assert line


FAST = {"default": 100.0, "linear": 50.0, "ring": 120.0}


def test_a_faster_algorithm_becomes_a_rule(tmp_path: Path, program: Program) -> None:
    outcome = tune(_request(tmp_path, Calls(FAST), targets([_cell()])), program, _quiet)
    assert outcome.settings is not None
    (rule,) = outcome.settings.rules
    assert (rule.procedure, rule.processes, rule.low, rule.high) == ("MPI_Allreduce", 4, 65536, 65536)
    assert rule.algorithm == OFFERED[0]
    assert rule.evidence is not None
    assert rule.evidence.low < 2 < rule.evidence.high
    assert outcome.proof is not None
    assert outcome.proof.interval is not None
    assert outcome.settings.about.gain is not None
    assert outcome.settings.about.gain[1] < 1.5 < outcome.settings.about.gain[2]
    assert not outcome.digits


def test_no_gain_of_the_program_no_settings(tmp_path: Path, program: Program) -> None:
    program.gain = 1.0
    outcome = tune(_request(tmp_path, Calls(FAST), targets([_cell()])), program, _quiet)
    assert outcome.tried[0].rule is not None
    assert outcome.proof is not None
    assert not outcome.proof.is_gain
    assert outcome.settings is None


def test_no_winner_no_run_of_the_program(tmp_path: Path, program: Program) -> None:
    racer = Calls({"default": 50.0, "linear": 100.0, "ring": 50.0})
    outcome = tune(_request(tmp_path, racer, targets([_cell()])), program, _quiet)
    assert outcome.proof is None
    assert outcome.settings is None
    assert program.took == [1.0]


@pytest.mark.reported("tune/bad")
@pytest.mark.parametrize("effect", ["same calls", "not visible"])
@pytest.mark.parametrize("gain", [1.5, 1.0])
def test_what_can_not_be_seen_is_left_to_the_proof(
    effect: str, gain: float, tmp_path: Path, program: Program
) -> None:
    program.effect, program.gain = effect, gain
    outcome = tune(_request(tmp_path, Calls(FAST), targets([_cell()])), program, _quiet)
    assert outcome.tried[0].effect is not None
    assert outcome.proof is not None
    assert (outcome.settings is not None) == outcome.proof.is_gain == (gain > 1)


def test_settings_that_break_the_program_are_out(tmp_path: Path, program: Program) -> None:
    program.fails = True
    outcome = tune(_request(tmp_path, Calls(FAST), targets([_cell()])), program, _quiet)
    assert outcome.proof is not None
    assert "boom" in outcome.proof.rejected
    assert outcome.settings is None


def test_what_the_gate_refuses_is_not_raced(tmp_path: Path, program: Program) -> None:
    target = targets([_cell(traits=replace(SAFE, rounds=True))])
    outcome = tune(_request(tmp_path, Calls(FAST), target, bitwise=True), program, _quiet)
    (tried,) = outcome.tried
    assert tried.raced is None
    assert set(tried.refused) == {"linear", "ring"}
    assert outcome.settings is None
    outcome = tune(_request(tmp_path, Calls(FAST), target), program, _quiet)
    assert outcome.settings is not None
    assert outcome.digits


def test_a_race_goes_on_after_an_interruption(tmp_path: Path, program: Program) -> None:
    racer = Calls(FAST)
    racer.stops = True
    outcome = tune(_request(tmp_path, racer, targets([_cell()])), program, _quiet)
    assert outcome.ended.startswith("Interrupted")
    assert outcome.settings is None
    racer.stops = False
    first = tune(_request(tmp_path, racer, targets([_cell()])), program, _quiet)
    racer.stops = True  # all of its rounds are kept
    again = tune(_request(tmp_path, racer, targets([_cell()])), program, _quiet)
    assert again.tried[0].rule == first.tried[0].rule


def test_rules_that_can_not_stand_together(tmp_path: Path, program: Program, golden: Golden) -> None:
    def untranslatable(settings: Settings) -> str:
        return "there is room for one" if len(settings.rules) > 1 else ""

    found_in = targets([_cell("MPI_Bcast", tunable_seconds=5.0), _cell()])
    outcome = tune(_request(tmp_path, Calls(FAST), found_in, untranslatable=untranslatable), program, _quiet)
    assert outcome.settings is not None
    assert [rule.procedure for rule in outcome.settings.rules] == ["MPI_Allreduce"]  # it saves more
    golden.says(outcome.tried[1].beside)
    assert outcome.tried[1].rule is None


def test_who_has_seen_the_pairs_does_not_choose_where_they_end(tmp_path: Path, program: Program) -> None:
    seen: list[str] = []

    def interrupt(line: str) -> None:
        seen.append(line)
        program.signals.count += line.startswith("pair 6")

    outcome = tune(_request(tmp_path, Calls(FAST), targets([_cell()])), program, interrupt)
    assert any(line.startswith("pair 6") for line in seen)
    assert outcome.proof is not None
    assert outcome.settings is None
    assert outcome.ended == whole.INTERRUPTED
    assert not outcome.is_finished


def test_pairs_that_could_not_decide_are_gone_on_from(tmp_path: Path, program: Program) -> None:
    """Without a budget 20 pairs are run, and the next call runs more: no pair twice, and no look."""
    program.gain, program.scatter = 1.08, 0.2
    request = _request(tmp_path, Calls(FAST), targets([_cell()]))
    outcome = tune(request, program, _quiet)
    assert outcome.proof is not None
    assert (len(outcome.proof.before), outcome.settings, outcome.is_finished) == (20, None, False)
    assert outcome.proof.is_undecided
    assert outcome.proof.more_seconds is not None
    first, calls = outcome.proof, 1
    while not outcome.is_finished:
        said: list[str] = []
        outcome, calls = tune(request, program, said.append), calls + 1
        assert any(line.startswith("continuing from") for line in said)
        assert not any("effect" in line for line in said)  # it is known
        assert outcome.proof is not None
        assert outcome.proof.before[:20] == first.before
    assert calls > 1
    assert outcome.proof is not None
    assert outcome.settings is not None or outcome.proof.excluded is not None


def test_a_program_that_was_built_anew_has_other_pairs(tmp_path: Path, program: Program) -> None:
    program.scatter, program.gain = 0.2, 1.08
    built = tmp_path / "app"
    way = Way("as given", Command(("mpirun", str(built)), {}), as_given=True)
    for text, again in (("old", False), ("old", True), ("newer", False)):
        if not again:
            built.write_text(text)
        said: list[str] = []
        outcome = tune(_request(tmp_path, Calls(FAST), targets([_cell()]), way=way), program, said.append)
        assert outcome.proof is not None
        assert any(line.startswith("continuing from") for line in said) == again


def test_han_is_left_out_where_the_race_has_done_so(tmp_path: Path, program: Program) -> None:
    racer = Calls(FAST)
    racer.overruled = True
    outcome = tune(_request(tmp_path, racer, targets([_cell()])), program, _quiet)
    assert outcome.settings is not None
    assert outcome.settings.environment == OpenMpi.not_overruled


@repeated(40, 100)
def test_where_nothing_helps_nothing_is_written(tmp_path: Path, program: Program, times: int) -> None:
    """The whole way with algorithms that are all alike, and a program that no setting changes: A/A."""
    program.gain = 1.0
    written = 0
    for seed in range(times):
        racer = Calls({"default": 50.0, "linear": 50.0, "ring": 50.0}, 0.2, seed)
        store = tmp_path / str(seed)
        store.mkdir()
        request = _request(store, racer, targets([_cell(), _cell("MPI_Bcast")]), seed=seed)
        written += tune(request, program, _quiet).settings is not None
    assert written <= 0.02 * times


def test_what_was_raced_is_shown_where_a_run_can_not_be_kept(tmp_path: Path, program: Program) -> None:
    """The races are not lost with the proof, and no settings come of it."""

    class Full(Program):
        def seconds(self, way: Way, number: int, left: float = 0.0) -> float:
            if number == 3:
                raise UnrunnableError("the disk is full", 1)
            return super().seconds(way, number, left)

    outcome = tune(_request(tmp_path, Calls(FAST), targets([_cell()])), Full(tmp_path, 1.5), _quiet)
    assert isinstance(outcome.failure, UnrunnableError)
    assert outcome.tried[0].rule is not None
    assert (outcome.settings, outcome.is_finished) == (None, False)
    again = tune(_request(tmp_path, Calls(FAST), targets([_cell()])), program, _quiet)
    assert again.settings is not None


class SlowCalls(Calls):
    """Rounds take time by a clock."""

    def __init__(self, us: Mapping[str, float], of_round: float, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__(us)
        self.now, self._of_round = 0.0, of_round
        monkeypatch.setattr("time.monotonic", lambda: self.now)

    def run(
        self, cell: Cell, arms: Mapping[str, Algorithm | None], rounds: Sequence[Sequence[str]]
    ) -> list[dict[str, float]]:
        self.now += self._of_round * len(rounds)
        return super().run(cell, arms, rounds)


@pytest.mark.parametrize(("of_round", "proven"), [(0.05, True), (0.1, True), (2.0, False)])
def test_a_race_gets_the_time_that_is_left(
    of_round: float, proven: bool, tmp_path: Path, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 30 s races get 7.5 at first; without a rule, all but the 16 s of the shortest proof."""
    racer = SlowCalls(FAST, of_round, monkeypatch)
    outcome = tune(_request(tmp_path, racer, targets([_cell()]), budget=30.0), program, _quiet)
    assert (outcome.settings is not None) == proven
    assert bool(outcome.ended) != proven
    if not proven:
        assert outcome.tried[0].verdict == "not finished"
        assert outcome.tried[0].raced is not None
        assert outcome.tried[0].raced.race.rounds > 0  # what was measured is reported
        assert racer.now >= 14.0  # it has not ended before the time was over


def test_a_budget_that_is_known_to_be_too_short_is_refused(golden: Golden) -> None:
    refuse_short(None, Aim(), 1000.0)
    refuse_short(2000.0, Aim(), 90.0)
    with pytest.raises(RankwiseError) as error:
        refuse_short(180.0, Aim(), 90.0)
    golden.says(error.value, "3 min .. 16 .. 90 s .. 32 min")


def test_settings_that_change_the_same_are_the_same() -> None:
    rule = Rule("MPI_Bcast", 4, 8, 8, OFFERED[0])
    evidence = Evidence(2.0, 1.0, ratio=2.0, low=1.9, high=2.1, confidence=0.95, rounds=64)
    measured = replace(rule, evidence=evidence)
    settings, other = Settings(ABOUT, (rule,)), Settings(replace(ABOUT, created="later"), (measured,))
    assert settings.identity == other.identity
    for changed in (
        Settings(ABOUT, (replace(rule, high=9),)),
        Settings(ABOUT, (rule,), {"A": "1"}),
        Settings(replace(ABOUT, command=("mpirun", "-n", "2", "./app")), (rule,)),
    ):
        assert changed.identity != settings.identity

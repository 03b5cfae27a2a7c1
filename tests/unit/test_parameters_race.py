"""Races of parameters with runs whose times are known."""

from __future__ import annotations

import io
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from golden import Golden
from rankwise.errors import RankwiseError
from rankwise.launch.signals import Signals
from rankwise.render.terminal.parameters import print_parameters
from rankwise.trials.plan import Aim
from rankwise.trials.recorded import Command
from rankwise.trials.run import Interrupted, OutOfTime, UnrunnableError
from rankwise.tuning.parameters.constraint import parse
from rankwise.tuning.parameters.layers import Layers
from rankwise.tuning.parameters.outcome import Outcome
from rankwise.tuning.parameters.parameter import Parameter
from rankwise.tuning.parameters.race import STATE, Known, announcement, race_parameters

Variables = Mapping[str, str]
LIMIT = Parameter(
    name="limit",
    variable="OMPI_MCA_limit",
    values=(None, "8192", "16384"),
    expected_seconds=2,
    shows="variable",
)
LAYER = Parameter(name="pml", variable="OMPI_MCA_pml", values=(None, "ucx"), expected_seconds=3, shows="pml")
LAYERS = Layers(
    library=("Open MPI v5.0.11, package: x",), pml="ob1", values={"limit": "4096", "most": "9000"}
)


class Program:
    """Takes 1 s times the factor of each variable, with some noise; fails, or is interrupted, where told."""

    def __init__(self, factors: Mapping[tuple[str, str], float], scatter: float = 0.01) -> None:
        self.factors, self.scatter = factors, scatter
        self.fails: Callable[[Variables], bool] = lambda _: False
        self.interrupted_after = 10**9
        self.runs: list[dict[str, str]] = []
        self._noise = random.Random(7)

    def __call__(self, variables: Variables, name: str, left: float) -> float:
        assert "/" not in name
        assert left > 0
        if len(self.runs) == self.interrupted_after:
            raise Interrupted
        self.runs.append(dict(variables))
        if self.fails(variables):
            raise RankwiseError("it ended with status 3", 1)
        seconds = self._noise.gauss(1, self.scatter)
        for item in variables.items():
            seconds *= self.factors.get(item, 1.0)
        return seconds


def race(
    directory: Path,
    program: Program,
    *parameters: Parameter,
    requires: Sequence[str] = (),
    ask: Callable[[Variables, Sequence[str]], Layers] | None = None,
    said: list[str] | None = None,
    aim: Aim | None = None,
    of_run: float = 1.0,
    force: bool = False,
) -> Outcome:
    say = (said if said is not None else []).append
    known = Known(of_run, ask=ask, layers=LAYERS)
    constraints = [parse(text, "list:1") for text in requires]
    command = Command(("mpirun", "./app"), {})
    wanted = aim or Aim(most=12)
    return race_parameters(
        command, parameters, constraints, wanted, directory, Signals(), say, 3, known, program, force=force
    )


def test_the_best_value_is_kept_and_proven_afresh(tmp_path: Path, golden: Golden) -> None:
    program = Program({("OMPI_MCA_limit", "8192"): 0.9, ("OMPI_MCA_limit", "16384"): 0.7})
    said: list[str] = []
    outcome = race(tmp_path, program, LIMIT, said=said)
    assert outcome.verdict == "faster"
    assert outcome.environment == {"OMPI_MCA_limit": "16384"}
    assert outcome.interval
    assert outcome.interval.low <= 1 / 0.7 * 1.05
    assert outcome.interval.high >= 1 / 0.7 * 0.95
    [step] = outcome.steps
    assert step.kept
    assert step.kept.value == "16384"
    assert [value.verdict for value in step.tried] == ["faster", "faster"]
    # The proof has runs of its own, not those that made it the best.
    assert len(outcome.before) == len(outcome.after) >= 6
    assert len(program.runs) >= 1 + 2 + 3 * 6 + 1 + 2 * 6
    golden.says(said[0], "1 .. 2")
    page = io.StringIO()
    print_parameters(outcome, page)
    assert "OMPI_MCA_limit=16384" in page.getvalue()
    assert "Faster: the program takes" in page.getvalue()


def test_nothing_helps(tmp_path: Path) -> None:
    outcome = race(tmp_path, Program({("OMPI_MCA_limit", "8192"): 1.2}), LIMIT)
    assert (outcome.verdict, outcome.environment, outcome.interval, outcome.kept) == ("no gain", {}, None, {})
    assert outcome.steps[0].tried[0].verdict == "slower"
    page = io.StringIO()
    print_parameters(outcome, page)
    assert "No gain: nothing is changed." in page.getvalue()


def test_each_is_raced_on_top_of_what_won_before(tmp_path: Path) -> None:
    program = Program({("OMPI_MCA_pml", "ucx"): 0.8, ("OMPI_MCA_limit", "16384"): 0.8})
    outcome = race(tmp_path, program, LIMIT, LAYER)
    assert [step.parameter.name for step in outcome.steps] == ["pml", "limit"]
    assert outcome.environment == {"OMPI_MCA_pml": "ucx", "OMPI_MCA_limit": "16384"}
    limits = [run for run in program.runs if run.get("OMPI_MCA_limit") == "8192"]
    assert limits
    assert all(run["OMPI_MCA_pml"] == "ucx" for run in limits)


def test_what_means_nothing_any_more_is_left_out(tmp_path: Path, golden: Golden) -> None:
    program = Program({("OMPI_MCA_pml", "ucx"): 0.8})
    outcome = race(tmp_path, program, replace(LIMIT, needs={"OMPI_MCA_pml": (None,)}), LAYER)
    golden.says(outcome.steps[1].skipped, "OMPI_MCA_pml=ucx")
    assert not [run for run in program.runs if "OMPI_MCA_limit" in run]


def test_gains_that_do_not_add_up(tmp_path: Path) -> None:
    """Each alone is faster; both together are not: what is proven is the whole."""

    class Together(Program):
        def __call__(self, variables: Variables, name: str, left: float) -> float:
            seconds = super().__call__(variables, name, left)
            return seconds * 1.5 if name.startswith("all") and variables else seconds

    outcome = race(tmp_path, Together({("OMPI_MCA_limit", "16384"): 0.8}), LIMIT)
    assert outcome.kept == {"OMPI_MCA_limit": "16384"}
    assert outcome.interval
    assert outcome.interval.verdict == "slower"
    assert (outcome.verdict, outcome.environment) == ("no gain", {})


def test_values_with_which_the_program_fails(tmp_path: Path, golden: Golden) -> None:
    program = Program({("OMPI_MCA_limit", "8192"): 0.8})
    program.fails = lambda variables: variables.get("OMPI_MCA_limit") == "16384"
    outcome = race(tmp_path, program, LIMIT)
    golden.says(outcome.steps[0].tried[1].why_not, "3")
    assert outcome.environment == {"OMPI_MCA_limit": "8192"}
    assert program.runs.count({"OMPI_MCA_limit": "16384"}) == 1


def test_a_value_that_fails_later(tmp_path: Path, golden: Golden) -> None:
    program = Program({})
    program.fails = lambda variables: variables.get("OMPI_MCA_limit") == "16384" and len(program.runs) > 9
    outcome = race(tmp_path, program, LIMIT)
    golden.says(outcome.steps[0].tried[1].why_not, "3")


def test_a_program_that_fails_without_us(tmp_path: Path, golden: Golden) -> None:
    program = Program({})
    program.fails = lambda variables: not variables
    with pytest.raises(RankwiseError) as error:
        race(tmp_path, program, LIMIT)
    golden.says(error.value, "3")
    assert len(program.runs) == 1


def test_values_against_a_constraint_are_not_run(tmp_path: Path) -> None:
    program = Program({("OMPI_MCA_limit", "16384"): 0.5})
    outcome = race(tmp_path, program, LIMIT, requires=["OMPI_MCA_limit <= most"])
    assert outcome.steps[0].tried[1].why_not == "violates list:1: OMPI_MCA_limit <= most"
    assert {"OMPI_MCA_limit": "16384"} not in program.runs
    assert {"OMPI_MCA_limit": "8192"} in program.runs


def test_values_without_effect_are_not_run(tmp_path: Path, golden: Golden) -> None:
    def ask(variables: Variables, names: Sequence[str]) -> Layers:
        assert list(names) == ["limit"]
        if variables["OMPI_MCA_limit"] == "16384":
            return replace(LAYERS, values={"limit": "4096"})
        return replace(LAYERS, values={"limit": variables["OMPI_MCA_limit"]})

    program = Program({})
    outcome = race(tmp_path, program, LIMIT, ask=ask)
    first, second = outcome.steps[0].tried
    assert (first.seen, first.why_not) == (True, "")
    assert not second.seen
    golden.says(second.why_not)
    assert {"OMPI_MCA_limit": "16384"} not in program.runs


OB1 = replace(LAYERS, btls=("self", "sm", "tcp"))
CM = replace(LAYERS, pml="cm", mtl="ofi")
MPICH = Layers(library=("MPICH Version:      5.0.2",), netmod="ofi")


@pytest.mark.parametrize(
    ("variable", "layers", "idle"),
    [
        ("OMPI_MCA_btl_openib_eager_limit", OB1, "btl openib"),
        ("OMPI_MCA_btl_tcp_eager_limit", OB1, ""),
        ("OMPI_MCA_btl_base_verbose", OB1, ""),
        ("OMPI_MCA_btl_openib_eager_limit", CM, ""),  # one-sided operations may use it
        ("OMPI_MCA_pml_ucx_tls", OB1, "pml ucx"),
        ("OMPI_MCA_pml_base_verbose", OB1, ""),
        ("OMPI_MCA_mtl_ofi_tx_cq_size", OB1, "mtl ofi"),
        ("OMPI_MCA_mtl_ofi_tx_cq_size", CM, ""),
        ("OMPI_MCA_mtl_psm2_x", CM, "mtl psm2"),
        ("OMPI_MCA_coll_tuned_priority", OB1, ""),
        ("OMPI_MCA_btl_openib_eager_limit", replace(LAYERS, pml=""), ""),  # it can't be told
        ("MPIR_CVAR_CH4_UCX_CAPABILITY_DEBUG", MPICH, "ch4:ucx"),
        ("MPIR_CVAR_CH4_OFI_EAGER_THRESHOLD", MPICH, ""),
        ("MPIR_CVAR_CH4_OFI_EAGER_THRESHOLD", replace(MPICH, netmod=""), ""),
        ("UCX_RNDV_THRESH", OB1, ""),
    ],
)
def test_parameters_of_a_layer_that_carries_nothing_are_not_run(
    tmp_path: Path, variable: str, layers: Layers, idle: str
) -> None:
    parameter = replace(LIMIT, name=variable, variable=variable, values=(None, "8192"))
    program = Program({})
    outcome = race(tmp_path, program, parameter, ask=lambda *_: layers)
    [tried] = outcome.steps[0].tried
    if idle:
        assert tried.why_not == f"{idle} is not used in this job: {layers.text}"
        assert outcome.steps[0].skipped
        assert program.runs == [{}]
    else:
        assert tried.interval
        assert {variable: "8192"} in program.runs


def test_values_with_which_the_library_does_not_start(tmp_path: Path, golden: Golden) -> None:
    def ask(_: Variables, __: Sequence[str]) -> Layers:
        raise RankwiseError("it ended with status 1: no such pml")

    program = Program({})
    outcome = race(tmp_path, program, LAYER, ask=ask)
    golden.says(outcome.steps[0].skipped)
    golden.says(outcome.steps[0].tried[0].why_not)
    assert program.runs == [{}]


@pytest.mark.parametrize("runs", [1, 5, 15, 24])
def test_an_interrupted_race_goes_on(tmp_path: Path, runs: int) -> None:
    """The second call makes only the runs that the first one has not made, and finds the same."""
    factors = {("OMPI_MCA_limit", "16384"): 0.7}
    places = tmp_path / "whole", tmp_path / "interrupted"
    for place in places:
        place.mkdir()
    whole, program = Program(factors), Program(factors)
    expected = race(places[0], whole, LIMIT)
    program.interrupted_after = runs
    first = race(place, program, LIMIT)
    assert first.ended.startswith("Interrupted")
    assert not first.environment
    program.interrupted_after = 10**9
    second = race(place, program, LIMIT)
    assert (second.verdict, second.environment) == ("faster", expected.environment)
    assert program.runs == whole.runs
    assert second.before == expected.before


def test_the_state_of_another_race_is_refused(tmp_path: Path, golden: Golden) -> None:
    race(tmp_path, Program({}), LIMIT)
    with pytest.raises(RankwiseError) as error:
        race(tmp_path, Program({}), LAYER)
    golden.says(error.value)
    (tmp_path / STATE).write_text("{")
    with pytest.raises(RankwiseError, match="is damaged: give --force"):
        race(tmp_path, Program({}), LIMIT)
    assert race(tmp_path, Program({}), LAYER, force=True).steps[0].parameter == LAYER


class Clock:
    """Of a race whose runs take no time of ours."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        monkeypatch.setattr("time.monotonic", lambda: self.now)
        monkeypatch.setattr("rankwise.trials.run.run.__defaults__", (lambda: self.now,))


class Timed(Program):
    """Each run takes its time by the clock, and the first one much longer."""

    def __init__(self, clock: Clock, factors: Mapping[tuple[str, str], float], first: float) -> None:
        super().__init__(factors)
        self.clock, self.first = clock, first

    def __call__(self, variables: Variables, name: str, left: float) -> float:
        seconds = super().__call__(variables, name, left)
        took = self.first if len(self.runs) == 1 else seconds
        if took > left:
            self.runs.pop()
            self.clock.now += left
            raise OutOfTime
        self.clock.now += took
        return seconds


def test_one_slow_warm_up_ends_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It leaves time enough for all the runs that were announced."""
    program = Timed(Clock(monkeypatch), {("OMPI_MCA_limit", "16384"): 0.7}, first=30.0)
    outcome = race(tmp_path, program, LIMIT, aim=Aim(rounds=7, seconds=80.0))
    assert outcome.verdict == "faster"
    assert outcome.is_finished


@pytest.mark.parametrize("seconds", [34.0, 38.0, 42.0])
def test_what_was_too_short_goes_on_with_more_time(
    seconds: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second call finds what one with time enough finds, and makes no run twice."""
    factors = {("OMPI_MCA_limit", "16384"): 0.7, ("OMPI_MCA_pml", "ucx"): 0.9}
    places = tmp_path / "whole", tmp_path / "short"
    for place in places:
        place.mkdir()
    clock = Clock(monkeypatch)
    whole, program = Timed(clock, factors, 1.0), Timed(clock, factors, 1.0)
    aim = Aim(rounds=7)
    expected = race(places[0], whole, LIMIT, LAYER, aim=aim)
    first = race(places[1], program, LIMIT, LAYER, aim=replace(aim, seconds=seconds))
    assert not first.is_finished
    second = race(places[1], program, LIMIT, LAYER, aim=aim)
    assert second.is_finished
    assert second.environment == expected.environment
    assert len(program.runs) <= len(whole.runs) + 2 * 7 + 4


@pytest.mark.parametrize("runs", [0, 9, 20])
def test_a_program_that_runs_no_more_is_not_the_fault_of_a_value(runs: int, tmp_path: Path) -> None:
    """Nothing of it is kept: once it runs again, the race goes on."""

    class Breaks(Program):
        def __call__(self, variables: Variables, name: str, left: float) -> float:
            if len(self.runs) == self.interrupted_after:
                raise UnrunnableError("the disk is full", 1)
            return super().__call__(variables, name, left)

    program = Breaks({("OMPI_MCA_limit", "16384"): 0.7})
    program.interrupted_after = runs
    with pytest.raises(UnrunnableError):
        race(tmp_path, program, LIMIT)
    program.interrupted_after = 10**9
    assert race(tmp_path, program, LIMIT).verdict == "faster"


def test_what_it_takes_is_told_beforehand(golden: Golden) -> None:
    [said] = announcement([LIMIT, LAYER], Aim(rounds=6), 10.0)
    # 1 to warm up; 2 values: 3 x 6 and 2 to warm up; 1 value: 2 x 6 and 1; the proof: 2 x 6 and 1.
    golden.says(said, "2 .. 3 .. 34 .. 13 .. 8")
    with pytest.raises(RankwiseError) as error:
        announcement([LIMIT], Aim(rounds=6, seconds=30), 10.0)
    golden.says(error.value, "30 s")
    golden.says(announcement([LIMIT], Aim(rounds=6, seconds=300), 10.0)[1])


def test_a_lucky_value_is_no_gain(tmp_path: Path) -> None:
    """Values that change nothing win their races now and then; hardly any also wins the fresh pairs."""
    gains = 0
    for number in range(40):
        (place := tmp_path / str(number)).mkdir()
        program = Program({}, scatter=0.1)
        program._noise = random.Random(number)
        gains += race(place, program, LIMIT, aim=Aim(rounds=6)).verdict == "faster"
    assert gains <= 2


def test_a_proof_that_could_not_decide_goes_on_from_its_pairs(tmp_path: Path) -> None:
    """A gain that scatter hides is neither proven nor denied; a further call adds pairs, and repeats none."""

    class Noisy(Program):
        def __call__(self, variables: Variables, name: str, left: float) -> float:
            self.scatter = 0.3 if name.startswith("all") else 0.01
            return max(0.2, super().__call__(variables, name, left))

    program = Noisy({("OMPI_MCA_limit", "16384"): 0.9})
    pairs, verdicts = [0], []
    for _ in range(3):
        made = len(program.runs)
        outcome = race(tmp_path, program, LIMIT, aim=Aim(most=12))
        verdicts.append(outcome.verdict)
        assert outcome.is_finished == (outcome.verdict != "not proven")
        if pairs[-1]:
            assert len(program.runs) - made == 2 * (len(outcome.before) - pairs[-1])
        assert len(outcome.before) > pairs[-1]
        pairs.append(len(outcome.before))
    assert verdicts == ["not proven"] * 3

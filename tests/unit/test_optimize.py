"""`rankwise optimize` with steps that start nothing: order, keeping, budget, the way on after Ctrl-C."""

from __future__ import annotations

import io
import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import cast

import pytest

from exhaustive import few
from golden import Golden
from rankwise.errors import RankwiseError
from rankwise.launch.signals import Signals
from rankwise.optimization.attempts import Optimized
from rankwise.optimization.budget import Budget
from rankwise.optimization.optimize import Facts, Request, check_pairs, optimize, together
from rankwise.optimization.saved_attempts import Saved
from rankwise.optimization.step import Now, Promise, Step, Tried, Unable, judged, whole_rounds
from rankwise.render.terminal.optimization import print_optimized
from rankwise.trials.plan import Aim
from rankwise.trials.recorded import Command
from rankwise.trials.run import Interrupted, OutOfTime, Rejected, UnrunnableError
from rankwise.trials.saved_runs import SavedPairs, SavedRuns
from rankwise.trials.ways import Runs, Way
from rankwise.tuning.proof import prove
from rankwise.tuning.settings.model import About, Settings
from rankwise.tuning.settings.rank_order import RankOrder
from rankwise.tuning.settings.rule import Algorithm, Rule

ABOUT = About("0.1.0", "2026-01-01T00:00:00+00:00", "Open MPI v4.1.4", "openmpi", ("one",), ("mpirun", "app"))
OF_RUN = 1.0
RUN_SECONDS = 100.0
"""Of all ranks."""


class Clock:
    """Goes on when something runs."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@dataclass
class World:
    """A program whose time depends on the variables of its ranks.

    Attributes:
        factors: of its time, by variable.
        noise: of each run's logarithm.
        fails_with: a variable with which it fails; and "" = as given.
        interrupt_at: number of the run during which Ctrl-C comes.
    """

    clock: Clock = field(default_factory=Clock)
    factors: Mapping[str, float] = field(default_factory=dict)
    noise: float = 0.001
    fails_with: str | None = None
    interrupt_at: int | None = None
    seed: int = 1
    ran: list[str] = field(default_factory=list)
    signals: Signals = field(default_factory=Signals)

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)

    def run(self, way: Way, left: float) -> float:
        if self.signals.count:
            raise Interrupted
        self.ran.append(way.name)
        if self.interrupt_at is not None and len(self.ran) >= self.interrupt_at:
            self.signals.count, self.signals.last = 1, 2
            raise Interrupted
        seconds = OF_RUN * math.exp(self._random.gauss(0, self.noise))
        for variable in way.variables:
            seconds *= self.factors.get(variable, 1.0)
        if seconds > left:
            self.clock.now += left
            raise OutOfTime
        self.clock.now += seconds
        if self.fails_with is not None and (self.fails_with in way.variables or not self.fails_with):
            if way.as_given:
                raise RankwiseError("the run as given: it ended with status 3", 1)
            raise Rejected("the program failed: it ended with status 3")
        return seconds


@dataclass
class FakeRuns:
    """Runs of it; stands for Runs."""

    directory: Path
    world: World
    check: tuple[str, ...] = ()
    saved: SavedRuns | None = None
    race: str = ""

    @property
    def signals(self) -> Signals:
        return self.world.signals

    def seconds(self, way: Way, number: int, left: float = math.inf) -> float:
        if self.saved and (before := self.saved.run(self.race, way.name, number)) is not None:
            return before
        seconds = self.world.run(way, left)
        if self.saved:
            self.saved.add(self.race, way.name, number, seconds)
        return seconds

    def profile(self, way: Way, _: int, *, inside: bool = False, left: float = math.inf) -> Path:
        assert inside
        self.world.run(way, left)
        return self.directory / ",".join(["given", *way.variables])

    def saved_pairs(self, before: Way, after: Way) -> SavedPairs | None:
        return self.saved.pairs(self.race, before.name, after.name) if self.saved else None

    def usual_seconds(self) -> float:
        return OF_RUN


@dataclass
class Fake:
    """A step that sets a variable of its own name."""

    name: str
    seconds: float
    world: World
    attempted: list[str]
    fails: str = ""
    why_not: str = ""

    def promise(self, profile: Path) -> Promise | Unable | str:
        assert profile
        return self.why_not or Promise(self.seconds, self.seconds, f"{self.name} helps")

    def least_seconds(self, of_run: float, aim: Aim) -> float:
        return whole_rounds(aim) * of_run

    def attempt(self, now: Now) -> Tried:
        self.attempted.append(f"{self.name} on {now.profile.name} of {now.aim.seconds}")
        if self.fails:
            raise RankwiseError(self.fails)
        added = Settings(now.kept.about, environment={self.name: "1"})
        now.runs.race = added.identity
        proof = prove(now.way, now.combined(added), now.aim, now.seed, now.runs, now.say, self.world.clock)
        if self.world.signals.count:
            raise Interrupted
        return judged(proof, added, f"{self.name} is set")


def way_of(settings: Settings, name: str) -> Way:
    return Way(name, Command(("mpirun", "app"), {}), dict(settings.environment))


class Job:
    """A directory in which the same command is optimised, once or again."""

    def __init__(self, tmp_path: Path) -> None:
        self.tmp_path, self.attempted, self.said = tmp_path, cast("list[str]", []), cast("list[str]", [])
        self._calls = 0

    def saved(self, asked: Mapping[str, object] | None = None) -> Saved:
        return Saved(self.tmp_path / "state", ("mpirun", "app"), "Open MPI v4.1.4", asked or {})

    def __call__(
        self,
        world: World,
        steps: Sequence[tuple[str, float]] | Sequence[Fake],
        aim: Aim | None = None,
        budget: float | None = None,
        hosts: tuple[str, ...] = ("one",),
        check: tuple[str, ...] = (),
        runs: type[FakeRuns] = FakeRuns,
    ) -> Optimized:
        self._calls += 1
        directory = self.tmp_path / f"runs-{self._calls}"
        directory.mkdir()
        made = [
            step if isinstance(step, Fake) else Fake(step[0], step[1], world, self.attempted)
            for step in steps
        ]
        about = replace(ABOUT, hosts=hosts)
        request = Request(
            given=Way("as given", Command(("mpirun", "app"), {}), as_given=True),
            way_of=way_of,
            facts=lambda _: Facts(about, RUN_SECONDS),
            steps=cast("list[Step]", made),
            aim=aim or Aim(0.95, 0.03),
            budget=Budget.of(budget, world.clock),
            seed=0,
            saved=self.saved(),
        )
        return optimize(request, cast(Runs, runs(directory, world, check)), self.said.append)


@pytest.fixture
def job(tmp_path: Path) -> Job:
    return Job(tmp_path)


def verdicts(outcome: Optimized) -> dict[str, str]:
    return {attempt.step: attempt.verdict for attempt in outcome.attempts}


def test_the_most_promising_first_and_each_on_top_of_what_was_kept(job: Job) -> None:
    outcome = job(World(factors={"a": 0.8, "b": 1.0, "c": 0.7}), [("a", 10), ("b", 40), ("c", 30)])
    assert verdicts(outcome) == {"b": "dropped", "c": "kept", "a": "kept"}
    assert [line.split(" of ")[0] for line in job.attempted] == ["b on given", "c on given", "a on given,c"]
    assert outcome.kept is not None
    assert dict(outcome.kept.environment) == {"c": "1", "a": "1"}
    assert outcome.verdict == "faster"
    assert outcome.settings is not None
    assert outcome.settings.about.gain is not None
    assert outcome.settings.about.gain[0] == pytest.approx(1 / 0.56, rel=0.01)
    gains = {attempt.step: attempt.interval.ratio for attempt in outcome.attempts if attempt.interval}
    assert gains == pytest.approx({"b": 1, "c": 1 / 0.7, "a": 1 / 0.8}, rel=0.01)


def test_a_step_that_is_no_gain_beside_what_was_kept_is_dropped(job: Job) -> None:
    """By itself it would be one; the proof is on top of the other one."""

    class Either(World):
        def run(self, way: Way, left: float) -> float:
            seconds = super().run(way, left)
            return 0.5 * seconds if {"a", "b"} & set(way.variables) else seconds

    world = Either()
    outcome = job(world, [("a", 10), ("b", 9)])
    assert verdicts(outcome) == {"a": "kept", "b": "dropped"}


def test_nothing_to_gain(job: Job) -> None:
    outcome = job(World(), [("a", 10), ("b", 5)])
    assert (outcome.verdict, outcome.settings, outcome.final) == ("nothing to gain", None, None)
    assert outcome.finished


def test_what_promises_nothing_is_not_tried(job: Job) -> None:
    here = World(factors={"a": 0.5})
    no = Fake("map", 50, here, job.attempted, why_not="this launch can't be told places: no launcher")
    outcome = job(here, [no, Fake("a", 0.5, here, job.attempted), Fake("b", 2, here, job.attempted)])
    assert verdicts(outcome) == {"b": "dropped", "map": "skipped", "a": "skipped"}
    assert [line.split()[0] for line in job.attempted] == ["b"]
    assert sum(line.startswith("map ") for line in job.said) == 1


def test_the_confidence_of_each_is_that_of_all_together(job: Job) -> None:
    outcome = job(World(factors={"a": 0.5}), [("a", 10), ("b", 5), ("c", 2)], Aim(0.94, 0.03))
    assert outcome.confidence == pytest.approx(0.98)
    wanted = {attempt.interval.wanted for attempt in outcome.attempts if attempt.interval}
    assert sorted(wanted) == pytest.approx([0.98])
    assert outcome.final is not None
    assert outcome.final.interval is not None
    assert outcome.final.interval.wanted == pytest.approx(0.94)


def test_too_few_pairs_are_refused(golden: Golden) -> None:
    check_pairs(Aim(0.95, 0.03, 7), 3)
    with pytest.raises(RankwiseError) as error:
        check_pairs(Aim(0.95, 0.03, 6), 3)
    golden.says(error.value, "--pairs 6 .. 98.3 % .. 7")


def test_a_step_that_can_not_be_tried_does_not_keep_others_from_it(job: Job, golden: Golden) -> None:
    here = World(factors={"b": 0.5})
    steps = [Fake("a", 10, here, job.attempted, fails="no mpicc"), Fake("b", 5, here, job.attempted)]
    outcome = job(here, steps)
    assert verdicts(outcome) == {"a": "not tried", "b": "kept"}
    assert outcome.verdict == "faster"
    golden.says(next(attempt.why for attempt in outcome.attempts if attempt.step == "a"))


def shown(outcome: Optimized) -> str:
    page = io.StringIO()
    print_optimized(outcome, [], page)
    return page.getvalue()


@pytest.mark.parametrize("factor", [1.0, 0.5])
def test_why_the_order_of_ranks_was_changed_is_said_and_saved(
    factor: float, job: Job, golden: Golden
) -> None:
    reason = "ourlaunch can't take placements"

    class Ordered(Fake):
        def attempt(self, now: Now) -> Tried:
            return replace(super().attempt(now), by_order=reason)

    world = World(factors={"a": factor})
    outcome = job(world, [Ordered("a", 30, world, job.attempted)])
    assert job.saved().attempts == outcome.attempts
    [attempt] = outcome.attempts
    assert attempt.by_order == reason
    golden.says("".join(line for line in shown(outcome).splitlines(True) if line.startswith("a: ")))


@pytest.mark.parametrize("how", ["error", "result", "promise"])
@pytest.mark.parametrize("other", [1.0, 0.5])
def test_there_is_nothing_to_gain_only_where_all_was_tried(how: str, other: float, job: Job) -> None:
    """The reason is told, and what the step might have saved."""

    class Untriable(Fake):
        def promise(self, profile: Path) -> Promise | Unable | str:
            promise = super().promise(profile)
            assert isinstance(promise, Promise)
            return Unable("no-launcher", promise) if how == "promise" else promise

        def attempt(self, now: Now) -> Tried:
            if how == "error":
                raise RankwiseError("no-launcher")
            return Tried(None, None, f"no-launcher of {now.way.name}", untried=True)

    world = World(factors={"b": other})
    outcome = job(world, [Untriable("a", 30, world, job.attempted), Fake("b", 20, world, job.attempted)])
    assert verdicts(outcome) == {"a": "not tried", "b": "kept" if other < 1 else "dropped"}
    assert outcome.verdict == ("faster" if other < 1 else "not tried")
    page = shown(outcome)
    assert "no-launcher" in page.lower()
    assert ("(up to 30.0 s, 30.0 %" in page) == (other == 1)


def test_what_can_not_be_tried_and_promises_nothing_is_no_reason_to_doubt(job: Job) -> None:
    class Untriable(Fake):
        def promise(self, profile: Path) -> Promise | Unable | str:
            return Unable("no-launcher", Promise(0.001, 0.001, f"little in {profile.name}"))

    world = World()
    outcome = job(world, [Untriable("a", 30, world, job.attempted)])
    assert (verdicts(outcome), outcome.verdict) == ({"a": "skipped"}, "nothing to gain")


def test_what_could_not_be_tried_is_tried_by_the_next_call(job: Job) -> None:
    world = World(factors={"a": 0.8, "b": 0.8})
    here = [Fake("a", 30, world, job.attempted, fails="no mpicc"), Fake("b", 20, world, job.attempted)]
    assert verdicts(job(world, here)) == {"a": "not tried", "b": "kept"}
    assert verdicts(job(World(factors=world.factors), [("a", 30), ("b", 20)])) == {"a": "kept", "b": "kept"}


def test_settings_with_which_the_program_fails_are_out(job: Job) -> None:
    outcome = job(World(fails_with="a", factors={"a": 0.1}), [("a", 10)])
    assert verdicts(outcome) == {"a": "dropped"}
    assert "status 3" in outcome.attempts[0].why


def test_a_program_that_fails_without_us(job: Job, golden: Golden) -> None:
    here = World(fails_with="")
    with pytest.raises(RankwiseError) as error:
        job(here, [("a", 10)])
    golden.says(error.value, "3")
    assert here.ran == ["as given"]
    assert not (job.tmp_path / "state").exists()


def test_shares_of_the_time_follow_the_promises(job: Job) -> None:
    outcome = job(World(noise=0.05), [("a", 30), ("b", 10)], budget=400)
    shares = {line.split()[0]: float(line.split(" of ")[1]) for line in job.attempted}
    final = (2 * 20 + 2) * OF_RUN  # less than a quarter
    assert shares["a"] == pytest.approx((400 - OF_RUN - final) * 3 / 4, rel=0.01)
    assert shares["b"] > shares["a"] / 3  # what is left, all of it
    assert outcome.verdict == "nothing to gain"


@pytest.mark.parametrize("noise", [0.001, 0.3])
def test_it_keeps_to_the_budget(noise: float, job: Job) -> None:
    here = World(noise=noise, factors={"a": 0.9, "b": 0.9, "c": 0.9})
    job(here, [("a", 30), ("b", 20), ("c", 10)], budget=100)
    assert here.clock.now <= 100


def test_what_there_was_no_time_for_is_tried_by_the_next_call(job: Job) -> None:
    steps = [("a", 30), ("b", 20), ("c", 10)]
    factors = {"a": 0.9, "b": 0.9, "c": 0.9}
    first = job(World(factors=factors), steps, budget=45)
    assert verdicts(first) == {"a": "kept", "b": "no time", "c": "no time"}
    assert (first.verdict, first.finished) == ("faster", False)
    second = job(World(factors=factors), steps, budget=600)
    assert verdicts(second) == {"a": "kept", "b": "kept", "c": "kept"}
    assert second.finished


def test_what_had_too_little_time_gets_what_others_have_left(job: Job) -> None:
    class Long(Fake):
        """Needs more than its share, the first time."""

        def attempt(self, now: Now) -> Tried:
            if not self.attempted:
                self.attempted.append("too little")
                return Tried(None, None, "no time for all races", unfinished=True)
            return super().attempt(now)

    here = World(factors={"a": 0.9})
    outcome = job(here, [Long("a", 10, here, job.attempted), Fake("b", 9, here, job.attempted)], budget=210)
    assert [line.split()[0] for line in job.attempted] == ["too", "b", "a"]
    assert verdicts(outcome) == {"b": "dropped", "a": "kept"}


def test_no_profile_with_what_is_kept(job: Job) -> None:
    """Then nothing more can be tried; what is kept is measured all the same."""

    class Shy(FakeRuns):
        def profile(self, way: Way, number: int, *, inside: bool = False, left: float = math.inf) -> Path:
            if way.variables:
                raise Rejected("its profile is partial")
            return super().profile(way, number, inside=inside, left=left)

    outcome = job(World(factors={"a": 0.5}), [("a", 10), ("b", 5)], runs=Shy)
    assert verdicts(outcome) == {"a": "kept", "b": "no time"}
    assert outcome.verdict == "faster"
    assert not outcome.finished


def test_a_budget_that_is_too_short_for_anything(job: Job, golden: Golden) -> None:
    here = World()
    with pytest.raises(RankwiseError) as error:
        job(here, [("a", 10)], budget=20)
    golden.says(error.value, "20 s .. --budget")
    assert here.ran == ["as given"]


def test_the_way_on_after_ctrl_c(job: Job) -> None:
    steps = [("a", 30), ("b", 20), ("c", 10)]
    factors = {"a": 0.8, "c": 0.8}
    whole = job(World(factors=factors), steps)
    runs = [len(outcome.attempts) for outcome in (whole,)]
    assert runs == [3]
    job.saved().remove()
    first = job(World(factors=factors, interrupt_at=26), steps)
    assert "Interrupted" in first.ended
    assert (first.verdict, first.settings) == ("unfinished", None)
    assert verdicts(first) == {"a": "kept"}
    again = World(factors=factors)
    job.attempted.clear()
    second = job(again, steps)
    assert [line.split()[0] for line in job.attempted] == ["b", "c"]
    assert verdicts(second) == verdicts(whole)
    assert second.settings is not None
    assert whole.settings is not None
    assert second.settings.environment == whole.settings.environment
    assert second.attempts[0] == first.attempts[0]


@pytest.mark.parametrize("at", range(1, 70, 3))
def test_ctrl_c_at_any_time_proves_nothing_by_itself(at: int, job: Job) -> None:
    steps = [("a", 30), ("b", 20)]
    outcome = job(World(factors={"a": 0.8}, interrupt_at=at), steps)
    if outcome.ended:
        assert outcome.settings is None
        assert not outcome.finished
    done = job(World(factors={"a": 0.8}, seed=2), steps)  # other noise than that of the first call
    assert verdicts(done) == {"a": "kept", "b": "dropped"}
    assert done.verdict == "faster"


def test_what_was_measured_afresh_is_not_measured_again(job: Job) -> None:
    """As after a full file system: nothing was written, and the same command only profiles again."""
    world = World(factors={"a": 0.8})
    first = job(world, [("a", 30)])
    again = World(factors={"a": 0.8})
    second = job(again, [("a", 30)])
    assert second.verdict == "faster"
    assert second.final == first.final
    assert len(again.ran) == 2 < len(world.ran)


def test_a_program_that_runs_no_more_ends_all(job: Job) -> None:
    """No step is blamed for it, and what was kept before stays."""

    class Breaks(Fake):
        def attempt(self, now: Now) -> Tried:
            raise UnrunnableError(f"the disk of {now.store} is full", 1)

    world = World(factors={"a": 0.8})
    steps = [Fake("a", 30, world, job.attempted), Breaks("b", 20, world, job.attempted)]
    with pytest.raises(UnrunnableError):
        job(world, steps)
    assert [attempt.step for attempt in job.saved().attempts] == ["a"]


def test_a_state_of_other_wishes_or_hosts_is_refused(job: Job, golden: Golden) -> None:
    job(World(factors={"a": 0.8}, interrupt_at=26), [("a", 30), ("b", 20)])
    with pytest.raises(RankwiseError) as error:
        job.saved({"--bitwise": True})
    golden.says(error.value)
    with pytest.raises(RankwiseError) as error:
        job(World(), [("a", 30), ("b", 20)], hosts=("two",))
    golden.says(error.value)


def test_a_damaged_state_is_told(job: Job) -> None:
    job(World(factors={"a": 0.8}, interrupt_at=26), [("a", 30), ("b", 20)])
    state = job.saved().directory / "state.json"
    for text in ("", "{}", state.read_text()[:-30], state.read_text().replace('"kept"', '"else"', 1)):
        state.write_text(text)
        with pytest.raises(RankwiseError, match="is damaged: remove"):
            job.saved()


def test_what_was_kept_and_fails_now(job: Job, golden: Golden) -> None:
    job(World(factors={"a": 0.8}, interrupt_at=26), [("a", 30), ("b", 20)])
    with pytest.raises(RankwiseError) as error:
        job(World(fails_with="a"), [("a", 30), ("b", 20)])
    golden.says(error.value)


def test_a_gain_that_is_gone_when_measured_afresh_is_not_written(job: Job) -> None:
    class Fading(World):
        """What has helped helps no more."""

        def run(self, way: Way, left: float) -> float:
            seconds = super().run(way, left)
            return seconds / 0.5 if way.name == "with all kept steps" else seconds

    outcome = job(Fading(factors={"a": 0.5}), [("a", 10)])
    assert verdicts(outcome) == {"a": "kept"}
    assert (outcome.verdict, outcome.settings) == ("not confirmed", None)
    assert outcome.finished


def test_outputs_that_differ_by_themselves(job: Job, golden: Golden) -> None:
    class Changing(World):
        def run(self, way: Way, left: float) -> float:
            seconds = super().run(way, left)
            if len(self.ran) > 1:
                raise Rejected("`diff` ended with status 1")
            return seconds

    with pytest.raises(RankwiseError) as error:
        job(Changing(), [("a", 10)], check=("diff",))
    golden.says(error.value, "`diff`")


def test_settings_together() -> None:
    def rule(number: int, size: int = 8) -> Rule:
        return Rule("MPI_Bcast", 4, size, size, Algorithm("x", number, 0))

    order = RankOrder((1, 0), (0, 1))
    kept = Settings(ABOUT, (rule(1), rule(2, 16)), {"a": "1", "b": "1"}, order=order)
    both = together(kept, Settings(ABOUT, (rule(3),), {"b": "2"}))
    assert both.order == together(Settings(ABOUT), kept).order == order
    assert both.rules == (rule(2, 16), rule(3))
    assert dict(both.environment) == {"a": "1", "b": "2"}


STEPS = 3


@pytest.mark.parametrize(("runs", "noise"), few([(60, 0.2), (300, 0.2), (300, 0.02)], 1))
def test_of_runs_where_nothing_helps_few_keep_anything(runs: int, noise: float, tmp_path: Path) -> None:
    """The risk is 5 % of any step being kept, both sides of the intervals together; a gain is one side."""
    kept, written = 0, 0
    for seed in range(runs):
        place = tmp_path / str(seed)
        place.mkdir()
        outcome = Job(place)(World(noise=noise, seed=seed), [(f"step_{n}", 10.0 + n) for n in range(STEPS)])
        kept += outcome.kept is not None
        written += outcome.settings is not None
    assert kept <= 0.05 * runs
    assert written <= kept

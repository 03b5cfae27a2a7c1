"""Tries steps in the order of their expected gain, keeps what is proven, and measures the whole again."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from rankwise.errors import RankwiseError
from rankwise.optimization.attempts import Attempt, Optimized
from rankwise.optimization.budget import Budget
from rankwise.optimization.saved_attempts import Saved
from rankwise.optimization.step import Now, Promise, Step, Unable, whole_rounds
from rankwise.text.units import confidence_text, percent_text
from rankwise.trials.plan import Aim, about, least_rounds
from rankwise.trials.run import Interrupted, OutOfTime, Rejected, UnrunnableError
from rankwise.trials.saved_runs import SavedRuns
from rankwise.trials.ways import Runs, Way
from rankwise.tuning.proof import Say, prove
from rankwise.tuning.settings.model import About, Settings

LEAST_SHARE = 0.01
"""Share of the run time of all ranks: a step that promises less is not tried."""

_OVER = "the time is up; give more with --budget"
_RUNS = "runs.json"  # in the store of a step, and of the whole: pairs of runs
_INSIDE = 0  # number of the runs that are profiled with messages inside collectives


@dataclass(frozen=True)
class Facts:
    """The results from a profile of the program as given.

    Attributes:
        about: the run, for the header of settings.
        run_seconds: of all ranks, between MPI_Init and MPI_Finalize.
    """

    about: About
    run_seconds: float


@dataclass(frozen=True)
class Request:
    """The program and options of an optimisation.

    Attributes:
        given: the program as given.
        way_of: returns the way with settings. It raises RankwiseError if they can't be applied.
        facts: reads a profile.
        steps: that may be tried.
        aim: of the whole: its confidence is that of all tests together.
        budget: of the whole; it has begun.
        seed: of the order of runs.
        saved: what an earlier call has found.
    """

    given: Way
    way_of: Callable[[Settings, str], Way]
    facts: Callable[[Path], Facts]
    steps: Sequence[Step]
    aim: Aim
    budget: Budget
    seed: int
    saved: Saved


def check_pairs(aim: Aim, steps: int) -> None:
    """Refuse a number of pairs that can't prove anything; to be called before anything is run.

    Args:
        aim: of the whole.
        steps: that may be tried.

    Raises:
        RankwiseError: there are too few.
    """
    of_step = aim.confidence_of_each(steps)
    if aim.rounds is not None and aim.rounds < (least := least_rounds(of_step)):
        raise RankwiseError(
            f"--pairs {aim.rounds}: too few to prove anything: each of {steps} steps needs "
            f"{confidence_text(of_step)} % confidence for {confidence_text(aim.confidence)} % in total: "
            f"give {least} or more"
        )


def optimize(request: Request, runs: Runs, say: Say) -> Optimized:
    """Go the whole way.

    Args:
        request: the user's options.
        runs: runs the program; its directory is empty.
        say: called with the progress.

    Raises:
        RankwiseError: the program fails as given, or the budget is too short for anything.
    """
    return _Optimizer(request, runs, say).optimized()


@dataclass
class _Plan:
    """The steps to try, and the others."""

    promises: list[tuple[Step, Promise]] = field(default_factory=list)
    skipped: list[Attempt] = field(default_factory=list)


class _Optimizer:
    def __init__(self, request: Request, runs: Runs, say: Say) -> None:
        self._request, self._runs, self._say = request, runs, say
        self._saved, self._budget = request.saved, request.budget
        of_step = request.aim.confidence_of_each(len(request.steps))
        self._of_step = replace(request.aim, confidence=of_step, give_up=True)
        self._made = Optimized(of_step)
        self._no_time: list[Attempt] = []
        self._unable: list[Attempt] = []
        self._turns = 0

    def optimized(self) -> Optimized:
        made = self._made
        try:
            profile = self._begin()
            self._try_all(profile)
            self._measure_afresh()
        except OutOfTime:
            made.ended = "The time was up before anything was proven; give more with --budget."
        except Interrupted:
            made.ended = (
                f"Interrupted: what is proven so far is kept in {self._saved.directory}; the same command "
                "continues from there."
            )
        if not made.attempts:
            made.attempts = list(self._saved.attempts)
        made.kept = self._saved.kept
        return made

    def _begin(self) -> Path:
        """Run the program as given, and with what an earlier call has kept; return the profile of that."""
        saved = self._saved
        if not saved.is_new:
            tried = ", ".join(f"{attempt.step} ({attempt.verdict})" for attempt in saved.attempts)
            self._say(f"continuing from {saved.directory}: {tried or 'no step was finished'}")
        profile = self._profile(self._request.given)
        self._check_twice()
        facts = self._request.facts(profile)
        self._made.run_seconds = facts.run_seconds
        saved.check_hosts(facts.about.hosts)
        self._way, self._kept = self._request.given, saved.kept or Settings(facts.about)
        return profile if saved.kept is None else self._again(saved.kept)

    def _try_all(self, profile: Path) -> None:
        saved, made = self._saved, self._made
        twice: set[str] = set()
        plan = self._plan(profile)
        self._announce(plan)
        while True:
            if not plan.promises:
                # The time that others have left goes to those that had too little, once more; but
                # undecided pairs must not be followed by others, as if they had not been measured.
                again = {attempt.step for attempt in self._no_time if attempt.interval is None} - twice
                if not again:
                    break
                twice |= again
                self._no_time = [attempt for attempt in self._no_time if attempt.step not in again]
            elif self._turn(plan, profile) and len(saved.attempts) < len(self._request.steps):
                try:
                    profile = self._profile(self._way)
                except (OutOfTime, Rejected) as why:
                    self._say(f"no profile with the kept steps: {why}")
                    break
            plan = self._plan(profile)
        done = {attempt.step for attempt in self._done}
        untried = [
            Attempt(step.name, promise, "no time", _OVER)
            for step, promise in plan.promises
            if step.name not in done
        ]
        made.attempts = [*self._done, *untried, *plan.skipped]

    @property
    def _done(self) -> list[Attempt]:
        return [*self._saved.attempts, *self._unable, *self._no_time]

    def _turn(self, plan: _Plan, profile: Path) -> bool:
        """Try the first step of a plan; return whether it is kept."""
        saved = self._saved
        saved.begin(self._kept.about.hosts)
        step, promise = plan.promises[0]
        seconds = self._seconds(plan)
        if seconds is None:
            self._no_time.append(Attempt(step.name, promise, "no time", _OVER))
            return False
        began = self._budget.clock()
        attempt, added = self._attempt(step, promise, seconds, profile)
        attempt = replace(attempt, seconds=self._budget.clock() - began)
        self._say(f"{step.name} is {_past(attempt)}: {attempt.why}")
        if attempt.verdict == "no time":
            self._no_time.append(attempt)
            return False
        if attempt.verdict == "not tried":  # a further call may be able to
            self._unable.append(attempt)
            return False
        saved.add(attempt, added)
        if added is None:
            return False
        self._kept, self._way = added, self._request.way_of(added, _name(len(saved.attempts)))
        return True

    def _attempt(
        self, step: Step, promise: Promise, seconds: float, profile: Path
    ) -> tuple[Attempt, Settings | None]:
        """Try a step; return what came of it, and all settings if it is kept."""
        self._turns += 1
        name = f"{step.name}-{self._turns}"
        directory = self._runs.directory / name
        directory.mkdir()
        # Measurements of the current program become useless when more is kept.
        store = self._saved.directory / f"{step.name}-on-{len(self._saved.attempts)}"
        store.mkdir(exist_ok=True)
        kept = self._kept
        now = Now(
            profile=profile,
            # If it fails, that is not the step's fault.
            way=replace(self._way, as_given=True),
            kept=kept,
            combined=lambda added: self._request.way_of(together(kept, added), name),
            aim=replace(self._of_step, seconds=None if math.isinf(seconds) else seconds),
            seed=self._request.seed,
            runs=replace(self._runs, directory=directory, saved=SavedRuns(store / _RUNS)),
            store=store,
            signals=self._runs.signals,
            say=self._say,
        )
        self._say(f"{step.name}: {promise.why}")
        try:
            tried = step.attempt(now)
        except OutOfTime:
            return Attempt(step.name, promise, "no time", "its time was up before the first pair"), None
        except UnrunnableError:
            raise
        except RankwiseError as error:
            # If a step can't be tried, the others may still be possible: the program itself runs.
            return Attempt(step.name, promise, "not tried", f"it could not be tried: {error}"), None
        attempt = Attempt(step.name, promise, "kept", tried.why, tried.interval, by_order=tried.by_order)
        if tried.untried:
            why = f"it could not be tried: {tried.why}"
            return replace(attempt, verdict="not tried", why=why, interval=None), None
        if tried.unfinished:
            return replace(attempt, verdict="no time"), None
        if tried.added is None:
            return replace(attempt, verdict="dropped"), None
        return attempt, together(kept, tried.added)

    def _plan(self, profile: Path) -> _Plan:
        """Return the remaining steps, the one with the largest expected gain first."""
        plan = _Plan()
        tried = {attempt.step for attempt in self._done}
        for step in self._request.steps:
            if step.name in tried:
                continue
            promise = step.promise(profile)
            if isinstance(promise, str):
                plan.skipped.append(Attempt(step.name, None, "skipped", promise))
                continue
            promised = promise.promise if isinstance(promise, Unable) else promise
            if promised is not None and promised.seconds < LEAST_SHARE * self._made.run_seconds:
                why = f"it promises less than {percent_text(100 * LEAST_SHARE)} % of the run time"
                plan.skipped.append(Attempt(step.name, promised, "skipped", why))
            elif isinstance(promise, Unable):
                plan.skipped.append(Attempt(step.name, promised, "not tried", promise.why))
            else:
                plan.promises.append((step, promise))
        plan.promises.sort(key=lambda item: -item[1].weight)
        return plan

    def _seconds(self, plan: _Plan) -> float | None:
        """Return the share of the first step of a plan; None: the time is too short for it."""
        of_run = self._runs.usual_seconds()
        final = self._budget.for_final(of_run, self._request.aim)
        weights = sum(promise.weight for _, promise in plan.promises)
        step, promise = plan.promises[0]
        return self._budget.share(final, promise.weight, weights, step.least_seconds(of_run, self._of_step))

    def _announce(self, plan: _Plan) -> None:
        """Say what will be done, and what that takes.

        Raises:
            RankwiseError: there is no time for the first step, and nothing to go on from.
        """
        of_run, say = self._runs.usual_seconds(), self._say
        for skipped in plan.skipped:
            say(f"{skipped.step} will not be tried: {skipped.why}")
        if not plan.promises:
            return
        whole = self._made.run_seconds or 1.0
        for place, (step, promise) in enumerate(plan.promises, 1):
            share = 100 * promise.seconds / whole
            say(f"step {place}: {step.name}, up to {percent_text(share)} % of the run time: {promise.why}")
        least = [step.least_seconds(of_run, self._of_step) for step, _ in plan.promises]
        final = whole_rounds(self._request.aim) * of_run
        limit = "no time limit" if math.isinf(self._budget.left) else f"at most {about(self._budget.left)}"
        say(
            f"a run takes {about(of_run)}; all steps take at least {about(sum(least) + final)}, {limit}; "
            f"each step is kept if pairs of runs prove it, with {confidence_text(self._of_step.confidence)} "
            "% confidence"
        )
        if self._saved.attempts or self._budget.left >= least[0] + final:
            return
        raise RankwiseError(
            f"a budget of {about(self._budget.seconds)} is too short: with runs of {about(of_run)}, one "
            f"step and the final measurement take at least {about(least[0] + final)}; give more with "
            "--budget"
        )

    def _profile(self, way: Way) -> Path:
        self._say(f"profiling the program {way.name}")
        return self._runs.profile(way, _INSIDE, inside=True, left=self._budget.left)

    def _check_twice(self) -> None:
        """Refuse a comparison of outputs that the program as given fails.

        Raises:
            RankwiseError: it does.
        """
        if not self._runs.check:
            return
        try:
            self._runs.seconds(self._request.given, _INSIDE + 1, self._budget.left)
        except Rejected as why:
            raise RankwiseError(
                f"two runs as given already differ, {why}: give a --check that accepts such differences",
                1,
            ) from why

    def _again(self, kept: Settings) -> Path:
        """Return a profile with what an earlier call has kept."""
        self._way = self._request.way_of(kept, _name(len(self._saved.attempts)))
        try:
            return self._profile(self._way)
        except Rejected as why:
            raise RankwiseError(
                f"the steps kept so far fail now, {why}: remove {self._saved.directory} to start over",
                1,
            ) from why

    def _measure_afresh(self) -> None:
        kept, made, aim = self._saved.kept, self._made, self._request.aim
        if kept is None:
            return
        self._say("measuring again: the program as given, and with all kept steps")
        remaining_s = self._budget.left
        runs = replace(
            self._runs,
            directory=self._runs.directory / "final",
            saved=SavedRuns(self._saved.directory / _RUNS),
            race=kept.identity,
        )
        runs.directory.mkdir()
        given, way = self._request.given, self._request.way_of(kept, "with all kept steps")
        aim = replace(aim, seconds=None if math.isinf(remaining_s) else max(remaining_s, 0.0))
        # Another seed: the order of runs should differ from that of the steps.
        seed, clock, pairs = self._request.seed + 1, self._budget.clock, runs.saved_pairs(given, way)
        proof = made.final = prove(given, way, aim, seed, runs, self._say, clock, pairs)
        if runs.signals.count and proof.ended.startswith("Interrupted"):
            raise Interrupted
        if proof.is_gain and proof.interval is not None:
            interval = proof.interval
            gain = (interval.ratio, interval.low, interval.high, interval.confidence, interval.pairs)
            made.settings = replace(kept, about=replace(kept.about, gain=gain))
        elif proof.is_undecided:
            made.ended = (
                "The time was up before the total gain was proven: the same command continues from there; "
                "give more with --budget."
            )


def together(kept: Settings, added: Settings) -> Settings:
    """Return both settings; where they contradict each other, the added ones count."""
    procedures = {(rule.procedure, rule.processes, rule.low, rule.high) for rule in added.rules}
    rules = [
        rule for rule in kept.rules if (rule.procedure, rule.processes, rule.low, rule.high) not in procedures
    ]
    return Settings(
        kept.about,
        (*rules, *added.rules),
        {**kept.environment, **added.environment},
        added.bindings or kept.bindings,
        added.order or kept.order,
    )


def _name(number: int) -> str:
    return f"with the steps kept after {number} step{'s' * (number != 1)}"


def _past(attempt: Attempt) -> str:
    return "not finished" if attempt.verdict == "no time" else attempt.verdict

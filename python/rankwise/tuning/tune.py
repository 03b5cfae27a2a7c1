"""The whole way from a profile to proven settings: cells, races, the gate, the effect, the proof."""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import KW_ONLY, dataclass, field, replace
from pathlib import Path
from stat import S_ISREG

from rankwise.errors import RankwiseError
from rankwise.mpi_libraries import Version, version_of
from rankwise.text.units import exact_byte_text, percent_text
from rankwise.trials.plan import Aim, about
from rankwise.trials.run import Interrupted, OutOfTime, Rejected, UnrunnableError
from rankwise.trials.sequential import first_pairs
from rankwise.trials.ways import Runs, Way
from rankwise.tuning.effect import Effect, Effects, effects, effects_of
from rankwise.tuning.gate import changes_digits, refusal
from rankwise.tuning.libraries import by_label
from rankwise.tuning.measured import raced_of
from rankwise.tuning.proof import Proof, Say, prove
from rankwise.tuning.racing.arms import arms_of
from rankwise.tuning.racing.race import (
    RELAUNCHED_AIM,
    RELAUNCHED_VALIDATION_ROUNDS,
    VALIDATION_ROUNDS,
    Outcome,
    Validation,
    race,
    screened,
    validate,
)
from rankwise.tuning.racing.racer import Racer
from rankwise.tuning.racing.runners_up import runners_up
from rankwise.tuning.racing.store import Kept, Store
from rankwise.tuning.settings.model import About, Settings
from rankwise.tuning.settings.rule import Algorithm, Rule
from rankwise.tuning.target import Target, Together

_RACING_SHARES = 0.25, 0.6
"""Least and greatest share of the budget for races: the rest is for the proof."""

_SPARE = 1.5
"""Factor on the shortest proof: so much time is reserved for it."""

_EFFECT_RUNS, _WARM_UPS = 2, 2
_MOST_RUNNERS_UP = 2
_OF_FAILURES = 950
"""Runs with numbers from here on search for the failing rule: no pair uses these numbers."""

INTERRUPTED = "Interrupted: what was measured is kept, and the same command continues from there."
FAILED = "A run failed: what was measured is kept, and the same command continues from there."
OVER = "There was too little time; give more with --budget."


@dataclass(frozen=True, kw_only=True)
class Request:
    """The targets to tune, and how.

    Attributes:
        targets: of possible rules, the most tunable time first.
        run_seconds: of all ranks in the profile, between MPI_Init and MPI_Finalize.
        wall_seconds: of the run.
        ranks: of the run.
        way: the program as given.
        open_racer: starts the timing of algorithms, until a moment of time.monotonic().
        untranslatable: returns why the library can't take settings; '' if it can.
        materialise: writes settings' files, and returns the variables of the ranks.
        about: the header, without the gain.
        bitwise: whether the last digits of results must not change.
        race_aim: of the races.
        proof_aim: of the paired runs.
        budget: seconds for all; None: no limit.
        seed: of the order of runs.
        store: directory that keeps races, so that they can be continued.
    """

    targets: Sequence[Target]
    run_seconds: float
    wall_seconds: float
    ranks: int
    way: Way
    open_racer: Callable[[float], AbstractContextManager[Racer]]
    untranslatable: Callable[[Settings], str]
    materialise: Callable[[Settings], Mapping[str, str]]
    about: About
    bitwise: bool
    race_aim: Aim
    proof_aim: Aim
    budget: float | None
    seed: int
    store: Path


@dataclass
class Tried:
    """A target, and its result.

    Attributes:
        target: that was raced.
        raced: the race, perhaps not finished; None: no race, because the gate or the library left no choice.
        held_out: the winner measured afresh; None: nothing won.
        refused: why algorithms were not raced, by their labels.
        rule: that follows; None: no rule.
        effect: of the rule; None: not checked.
        beside: why the library can't take its winner together with other rules that save more; '' if it can.
        failed: how the program fails with algorithms, by their labels.
        verdict: in a few words.
    """

    target: Target
    _: KW_ONLY
    raced: Outcome | None = None
    held_out: Validation | None = None
    refused: dict[str, str] = field(default_factory=dict)
    rule: Rule | None = None
    effect: Effect | None = None
    beside: str = ""
    failed: dict[str, str] = field(default_factory=dict)
    verdict: str = ""

    @property
    def saves_seconds(self) -> float:
        """The saving of the rule by its race, summed over the ranks."""
        if self.rule is None or self.rule.evidence is None:
            return 0.0
        return self.target.tunable_seconds * (1 - 1 / self.rule.evidence.ratio)


@dataclass
class Tuned:
    """The results of tuning.

    Attributes:
        library: that was tuned.
        tried: the raced targets, in this order.
        left: targets not raced for lack of time.
        others: cells that have changed although no rule is about them.
        proof: None: nothing to prove.
        settings: that are proven to gain; None: no such settings.
        digits: whether the last digits of sums may change.
        ended: why it ended early; '' if it did not.
        failure: that ended it, to be raised once the earlier results are shown; None: no failure.
    """

    library: Version
    _: KW_ONLY
    tried: list[Tried] = field(default_factory=list)
    left: list[Target] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    proof: Proof | None = None
    settings: Settings | None = None
    digits: bool = False
    ended: str = ""
    failure: RankwiseError | None = None

    @property
    def is_finished(self) -> bool:
        """Whether the same command would start over, so that the races need not be kept."""
        return not self.ended and not (self.proof is not None and self.proof.is_undecided)


def tune(request: Request, runs: Runs, say: Say) -> Tuned:
    """Find settings and prove them.

    Args:
        request: the targets to tune.
        runs: runs the program.
        say: gets a line of progress at a time.

    Raises:
        RankwiseError: the program fails as given, or the probe can't be run.
    """
    return _Tuner(request, runs, say).tuned()


class _Tuner:
    def __init__(self, request: Request, runs: Runs, say: Say) -> None:
        self._request, self._runs, self._say = request, runs, say
        budget = request.budget
        self._end = math.inf if budget is None else time.monotonic() + budget
        self._races_end = self._latest = math.inf
        if budget is not None:
            self._races_end = time.monotonic() + _for_races(budget, request)
            # A first rule may be found up to here: a proof still fits then.
            least = _runs_of_proof(request.proof_aim) * request.wall_seconds
            self._latest = max(self._races_end, self._end - least)
        self._library = version_of(request.about.library)
        self._tunable = by_label(self._library.label)
        self._environment: Mapping[str, str] = {}
        self._hosts: tuple[str, ...] = ()
        self._made = Tuned(self._library)
        self._failures = 0  # runs that search for the failing rule

    def tuned(self) -> Tuned:
        made, request = self._made, self._request
        if not request.targets:
            return made
        with _ending(made):
            self._race_all()
        if any(tried.verdict == _NOT_FINISHED for tried in made.tried):
            made.ended = made.ended or OVER
        rules = [] if made.ended == INTERRUPTED else self._together()
        if not rules:
            return made
        with _ending(made):
            self._prove(rules)
            if made.proof is not None and made.proof.rejected and (others := self._others(rules)):
                self._prove(others)
        return made

    def _race_all(self) -> None:
        request, made = self._request, self._made
        with request.open_racer(self._latest) as racer:
            self._hosts = tuple(sorted(set(racer.hosts)))
            for number, target in enumerate(request.targets, 1):
                if time.monotonic() >= self._races_end:
                    made.left = list(request.targets[number - 1 :])
                    break
                tried = Tried(target)
                made.tried.append(tried)
                self._say(f"cell {number} of {len(request.targets)}: {_title(target)}")
                if racer.overruled:
                    self._environment = self._tunable.not_overruled
                try:
                    self._race(Together(racer, target, self._end_of_race(number - 1)), tried)
                except Interrupted:
                    tried.verdict = _NOT_FINISHED
                    raise
                except OutOfTime:
                    tried.verdict = _NOT_FINISHED
                self._say(f"cell {number} of {len(request.targets)}: {tried.verdict}")
            self._go_on(racer)

    def _go_on(self, racer: Racer) -> None:
        """Continue unfinished races in the time that other races have not used."""
        made = self._made
        for tried in [raced_target for raced_target in made.tried if raced_target.verdict == _NOT_FINISHED]:
            end = self._races_end if any(raced_target.rule for raced_target in made.tried) else self._latest
            if time.monotonic() >= end:
                return
            self._say(f"continuing with {_title(tried.target)}: {about(end - time.monotonic())} left for it")
            with suppress(OutOfTime):
                self._race(Together(racer, tried.target, end), tried)

    def _end_of_race(self, number: int) -> float:
        """Return when a target's race has to end: the remaining time is divided by tunable time."""
        now, targets = time.monotonic(), self._request.targets[number:]
        if math.isinf(self._races_end):
            return math.inf
        share = targets[0].tunable_seconds / (sum(target.tunable_seconds for target in targets) or 1.0)
        return now + max(share, 1 / (2 * len(targets))) * (self._races_end - now)

    def _race(self, racer: Together, tried: Tried) -> None:
        request, target = self._request, tried.target
        arms = self._arms(racer, tried)
        if len(arms) < 2:
            tried.verdict = _why_no_choice(tried)
            return
        cell, store = target.first, Store(request.store / f"{target.name.replace('/', '-')}.jsonl")
        aim, rounds = request.race_aim, VALIDATION_ROUNDS
        if racer.relaunches:
            aim, rounds = replace(RELAUNCHED_AIM, confidence=aim.confidence), RELAUNCHED_VALIDATION_ROUNDS
            arms = screened(racer, cell, arms, self._say)

        def begun(outcome: Outcome) -> None:
            tried.raced = outcome

        raced = race(racer, cell, arms, aim, request.seed, self._say, store, begun)
        if raced.winner is None:
            tried.verdict = "default is best"
            return
        confidence = request.race_aim.confidence_of_each(len(request.targets))
        held = validate(racer, cell, raced.winner, confidence, rounds, request.seed, store)
        tried.held_out = held
        evidence = held.evidence
        if held.too_noisy:
            tried.verdict = "too noisy: the default differs from itself as much"
        elif not held.is_worth_it:
            tried.verdict = f"not proven: {raced.winner.label}"
        else:
            tried.rule = replace(_rule(target, raced.winner), evidence=evidence)
            tried.verdict = raced.winner.label

    def _arms(self, racer: Together, tried: Tried) -> dict[str, Algorithm | None]:
        """Return the arms that neither the gate nor the library's own grammar refuses."""
        target, accepted = tried.target, {}
        arms = arms_of(self._tunable, target.procedure, target.first.size, racer.offered(target.procedure))
        for name, algorithm in arms.items():
            if algorithm is not None:
                why = refusal(target, self._library, algorithm, bitwise=self._request.bitwise)
                why = why or self._untranslatable([_rule(target, algorithm)])
                if why:
                    tried.refused[name] = why
                    continue
            accepted[name] = algorithm
        return accepted

    def _untranslatable(self, rules: Sequence[Rule]) -> str:
        """Return why the library can't take rules; '' if it can."""
        return self._request.untranslatable(Settings(self._request.about, tuple(rules)))

    def _together(self) -> list[Rule]:
        """Return the rules that the library can take together, preferring those that save most."""
        kept: list[Rule] = []
        for tried in sorted(self._made.tried, key=lambda target: -target.saves_seconds):
            if tried.rule is None:
                continue
            if why := self._untranslatable([*kept, tried.rule]):
                tried.beside = f"{tried.rule.algorithm.label} won, but {why}"
                other = next(
                    (rule for rule in _runners_up(tried) if not self._untranslatable([*kept, rule])), None
                )
                tried.rule, tried.verdict = (
                    other,
                    other.algorithm.label if other else "not with other rules",
                )
            if tried.rule is not None:
                kept.append(tried.rule)
        return kept

    def _others(self, rules: Sequence[Rule]) -> list[Rule]:
        """Return the rules with failing ones dropped or replaced by runners-up; empty if all would stay.

        Args:
            rules: with which the program fails, together.
        """
        made = self._made
        assert made.proof is not None  # it was rejected
        kept: list[Rule] = []
        is_other = False
        for tried in made.tried:
            if not any(tried.rule is rule for rule in rules):
                continue
            assert tried.rule is not None
            why = made.proof.rejected if len(rules) == 1 else self._failure(tried.rule)
            if why:
                is_other = True
                self._replace(tried, why)
            if tried.rule is not None:
                kept.append(tried.rule)
        return kept if is_other else []

    def _replace(self, tried: Tried, why: str) -> None:
        """Give a target the first runner-up with which the program does not fail, or no rule."""
        assert tried.rule is not None
        tried.failed[tried.rule.algorithm.label] = why
        for rule in _runners_up(tried)[:_MOST_RUNNERS_UP]:
            label = rule.algorithm.label
            self._say(f"{_title(tried.target)}: the program fails with the winner; {label} is tried")
            failure = self._failure(rule)
            if not failure:
                tried.rule, tried.verdict = rule, label
                return
            tried.failed[label] = failure
        tried.rule, tried.verdict = None, "fails in the program"

    def _failure(self, rule: Rule) -> str:
        """Run the program with only one rule; return how it fails, '' if it does not."""
        self._failures += 1
        way = self._with(Settings(self._request.about, (rule,), self._environment))
        try:
            self._runs.seconds(way, _OF_FAILURES + self._failures, self._end - time.monotonic())
        except Rejected as why:
            return str(why)
        return ""

    def _prove(self, rules: Sequence[Rule]) -> None:
        request, made = self._request, self._made
        before = request.way
        settings = Settings(request.about, tuple(rules), self._environment)
        after = self._with(settings)
        try:
            changes = self._effects(before, after, settings)
        except Rejected as why:
            made.proof = Proof(rejected=str(why))
            return
        made.others = changes.others
        for effect in changes.rules:
            tried = next(tried for tried in made.tried if tried.rule is effect.rule)
            tried.effect = effect
        seconds_left = None if math.isinf(self._end) else max(1.0, self._end - time.monotonic())
        aim = replace(request.proof_aim, seconds=seconds_left)
        saved = sum(tried.saves_seconds for tried in made.tried) / max(request.run_seconds, 1e-9)
        self._say(f"by the races, the program should take {percent_text(100 * saved)} % less time")
        kept_pairs = self._kept("pairs", settings, aim)
        made.proof = prove(before, after, aim, request.seed, self._runs, self._say, kept=kept_pairs)
        if self._runs.signals.count:
            # The user has seen the pairs so far and must not choose where they end.
            raise Interrupted
        if made.proof.is_gain and made.proof.interval is not None:
            interval = made.proof.interval
            gain = (interval.ratio, interval.low, interval.high, interval.confidence, interval.pairs)
            made.settings = replace(settings, about=replace(request.about, gain=gain))
            made.digits = any(changes_digits(tried.target) for tried in made.tried if tried.rule in rules)

    def _with(self, settings: Settings) -> Way:
        variables = {**self._request.way.variables, **self._request.materialise(settings)}
        return Way("with the settings", self._request.way.command, variables)

    def _kept(self, part: str, settings: Settings, aim: Aim) -> Kept:
        """Return the records of the program with these settings."""
        about = self._request.about
        rules = [(replace(rule, evidence=None, raced=()), settings.environment) for rule in settings.rules]
        command = self._request.way.command.words, _files(self._request.way.command.words)
        where = about.hosts, self._hosts
        how = aim.confidence, aim.resolve, aim.rounds, self._runs.check
        what = (about.library, where, command, rules, how)
        key = hashlib.sha256(repr((*what, self._request.seed)).encode()).hexdigest()[:16]
        return Kept(Store(self._request.store / "proof.jsonl"), f"{part} {key}")

    def _effects(self, before: Way, after: Way, settings: Settings) -> Effects:
        """Return the effects of the rules, from an earlier call or by two runs."""
        rules, kept = settings.rules, self._kept("effect", settings, self._request.proof_aim)
        if records := kept.records():
            return effects_of(records[-1], rules)
        self._say("checking whether the rules take effect: one run with them and one without")
        watch = self._tunable.watched
        seconds_left = self._end - time.monotonic()
        was = self._runs.profile(before, 900, inside=True, watch=watch, left=seconds_left)
        seconds_left = self._end - time.monotonic()
        now = self._runs.profile(after, 900, inside=True, watch=watch, left=seconds_left)
        changes = effects(was, now, rules)
        kept.add(changes.as_record())
        return changes


def _files(words: Sequence[str]) -> list[tuple[str, int, int]]:
    """Return the files that a command names, with size and time: a rebuilt program differs."""
    return [(word, *state) for word in words if (state := _size_and_time(word))]


def _size_and_time(word: str) -> tuple[int, int] | None:
    with suppress(OSError, ValueError):  # such as a name that is too long
        state = Path(word).stat()
        if S_ISREG(state.st_mode):
            return state.st_size, state.st_mtime_ns
    return None


def _for_races(budget: float, request: Request) -> float:
    """Return the seconds of the budget that races may take."""
    seconds_left = budget - _SPARE * _runs_of_proof(request.proof_aim) * request.wall_seconds
    least, most = _RACING_SHARES
    return min(max(seconds_left, least * budget), most * budget)


def _runs_of_proof(aim: Aim) -> int:
    """Return the number of runs of the shortest proof, including those that show the effect."""
    return 2 * first_pairs(aim) + _EFFECT_RUNS + _WARM_UPS


def refuse_short(budget: float | None, aim: Aim, of_run: float) -> None:
    """Refuse a budget that can't be enough, before anything runs.

    Args:
        budget: seconds for all; None: no limit.
        aim: of the paired runs.
        of_run: seconds that a run took in the profile.

    Raises:
        RankwiseError: it is too short; the text names a sufficient one.
    """
    runs = _runs_of_proof(aim)
    least = runs * of_run / (1 - _RACING_SHARES[0])
    if budget is not None and budget < least:
        raise RankwiseError(
            f"--budget: {about(budget)} are too short: races, and {runs} runs of {about(of_run)} to prove "
            f"what wins: give {about(least).removeprefix('about ')} or more"
        )


@contextmanager
def _ending(made: Tuned) -> Iterator[None]:
    try:
        yield
    except Interrupted:
        made.ended = INTERRUPTED
    except OutOfTime:
        made.ended = OVER
    except UnrunnableError as error:
        made.ended, made.failure = FAILED, error


def worth_racing(
    everything: Sequence[Target], run_seconds: float, least_share: float, most: int
) -> list[Target]:
    """Return the targets whose tunable time is worth a race.

    Args:
        everything: all targets, the most tunable time first.
        run_seconds: of all ranks.
        least_share: of `run_seconds`, between 0 and 1.
        most: largest number of targets.
    """
    return [target for target in everything if target.tunable_seconds >= least_share * run_seconds][:most]


def _rule(target: Target, algorithm: Algorithm) -> Rule:
    raced = raced_of(target.cells)
    return Rule(target.procedure, target.processes, target.low, target.high, algorithm, raced=raced)


def _runners_up(tried: Tried) -> list[Rule]:
    """Return rules by the other algorithms that a race shows to be faster, the fastest first."""
    if tried.raced is None:
        return []
    return [
        replace(_rule(tried.target, algorithm), evidence=evidence)
        for algorithm, evidence in runners_up(tried.raced)
    ]


def _title(target: Target) -> str:
    size = "all sizes" if target.whole else exact_byte_text(target.first.size)
    return f"{target.procedure.removeprefix('MPI_')} of {size} on {target.processes} processes"


_NOT_FINISHED = "not finished"


def _why_no_choice(tried: Tried) -> str:
    if not tried.refused:
        return "no choice"
    return "no safe choice"

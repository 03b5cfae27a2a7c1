"""Checks whether the rules of a settings file still win against the library's own choice."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from typing import Literal

from rankwise.errors import RankwiseError
from rankwise.mpi_libraries import Version, version_of
from rankwise.trials.run import Interrupted, OutOfTime
from rankwise.tuning.libraries import by_version
from rankwise.tuning.measured import CLOCK_US, cells_again, cells_like
from rankwise.tuning.racing.race import RELAUNCHED_VALIDATION_ROUNDS, VALIDATION_ROUNDS, Validation, validate
from rankwise.tuning.racing.racer import Racer, Unfit
from rankwise.tuning.settings.model import About, Settings
from rankwise.tuning.settings.rule import Algorithm, Rule
from rankwise.tuning.target import Target, Together

Say = Callable[[str], None]
Verdict = Literal[
    "still wins",
    "no longer wins",
    "slower now",
    "unknown",
    "no longer offered",
    "can't be used",
    "not rechecked",
]


@dataclass
class Rechecked:
    """A rule, and the result of its recheck.

    Attributes:
        rule: as it was in the file.
        verdict: unknown: the noise of the library's own choice is as large as the rule's effect; not
            rechecked: the recheck ended before.
        why: the end of a sentence, where the verdict is not enough.
        held_out: the measurement; None: not measured.
        as_found: whether the original calls were measured again; if not, blocks of ranks were.
        now: the rule that stays; None: it is dropped.
    """

    rule: Rule
    verdict: Verdict = "not rechecked"
    why: str = ""
    held_out: Validation | None = None
    as_found: bool = False
    now: Rule | None = None


@dataclass
class Outcome:
    """The result of rechecking a file of settings.

    Attributes:
        before: the settings in the file.
        rules: each of its rules.
        library: of the program now; None: not started.
        hosts: names of the nodes now, sorted.
        settings: that stay; None: no rule is known to win and nothing else is left, or it ended early.
        ended: why it ended early; '' if it did not.
    """

    before: Settings
    rules: list[Rechecked]
    library: Version | None = None
    hosts: tuple[str, ...] = ()
    settings: Settings | None = None
    ended: str = ""

    @property
    def library_before(self) -> Version:
        """Of the program for which the rules were found."""
        return version_of(self.before.about.library)

    @property
    def same_library(self) -> bool:
        """Whether the library has the version with which the rules were found."""
        return self.library == self.library_before

    @property
    def same_hosts(self) -> bool:
        """Whether the nodes are the same as when the rules were found."""
        return set(self.hosts) == set(self.before.about.hosts)

    def counted(self, verdict: Verdict) -> int:
        """Return how many rules have a verdict."""
        return sum(rule.verdict == verdict for rule in self.rules)


@dataclass(frozen=True)
class Request:
    """The rules to recheck, and how.

    Attributes:
        settings: from the file.
        open_racer: starts the timing of algorithms.
        untranslatable: returns why the library can't take a rule, as the end of a sentence; '' if it can.
        about: the header of the new settings; library and hosts are filled in.
        confidence: of all intervals together.
        seed: of the order of arms.
    """

    settings: Settings
    open_racer: Callable[[], AbstractContextManager[Racer]]
    untranslatable: Callable[[Rule], str]
    about: About
    confidence: float
    seed: int


def recheck(request: Request, say: Say) -> Outcome:
    """Measure each rule of a file.

    Args:
        request: the rules to recheck.
        say: gets a line of progress at a time.

    Raises:
        RankwiseError: the launch has too few ranks for a rule, or the probe can't be run.
    """
    settings = request.settings
    outcome = Outcome(settings, [Rechecked(rule) for rule in settings.rules])
    with _ending(outcome), request.open_racer() as racer:
        outcome.library = version_of(racer.library)
        outcome.hosts = tuple(sorted(set(racer.hosts)))
        refuse_few_ranks(settings.rules, len(racer.hosts))
        for number, rechecked in enumerate(outcome.rules, 1):
            place = f"rule {number} of {len(outcome.rules)}: "
            rule = rechecked.rule
            say(f"{place}{rule.procedure.removeprefix('MPI_')} on {rule.processes} processes")
            _measure(rechecked, request, racer)
            say(f"{place}{rechecked.verdict}")
        about = replace(request.about, library=racer.library, hosts=outcome.hosts)
        outcome.settings = _remaining(outcome, about, overruled=racer.overruled)
    return outcome


def refuse_few_ranks(rules: tuple[Rule, ...], ranks: int) -> None:
    """Refuse a launch with fewer ranks than a rule's communicators have.

    Raises:
        RankwiseError: the launch has fewer ranks.
    """
    for rule in rules:
        if rule.processes > ranks:
            raise RankwiseError(
                f"the rule for {rule.procedure} is for communicators of {rule.processes} processes, but the "
                f"launch starts {ranks}: give the launch of the program that the rules are for"
            )


def _measure(rechecked: Rechecked, request: Request, racer: Racer) -> None:
    rule = rechecked.rule
    algorithm = _offered(racer, rule)
    if algorithm is None:
        rechecked.verdict, rechecked.why = (
            "no longer offered",
            f"this library has no {rule.algorithm.name} for it",
        )
        return
    renewed = replace(rule, algorithm=algorithm, evidence=None)
    if why := request.untranslatable(renewed):
        rechecked.verdict, rechecked.why = "can't be used", why
        return
    cells = cells_again(rule, len(racer.hosts))
    rechecked.as_found = bool(cells)
    target = Target(cells or cells_like(rule, len(racer.hosts)))
    confidence = 1 - (1 - request.confidence) / len(request.settings.rules)
    rounds = RELAUNCHED_VALIDATION_ROUNDS if racer.relaunches else VALIDATION_ROUNDS
    try:
        held = validate(
            Together(racer, target), target.first, algorithm, confidence, rounds, seed=request.seed
        )
    except RankwiseError as error:
        if not isinstance(error.__cause__, Unfit):
            raise
        rechecked.verdict, rechecked.why = "can't be used", "; ".join(error.__cause__.why.values())
        return
    rechecked.held_out = held
    if min(held.evidence.default_us, held.evidence.chosen_us) < CLOCK_US:
        rechecked.verdict, rechecked.now = "unknown", renewed
        rechecked.why = "a call takes less time than reading the clock"
    elif held.is_worth_it:
        rechecked.verdict, rechecked.now = "still wins", replace(renewed, evidence=held.evidence)
    elif held.too_noisy:
        rechecked.verdict, rechecked.now = "unknown", renewed
    elif held.interval.verdict == "slower":
        rechecked.verdict = "slower now"
    else:
        rechecked.verdict = "no longer wins"


def _offered(racer: Racer, rule: Rule) -> Algorithm | None:
    """Return a rule's algorithm with the installed library's number, by its name."""
    by_name = {algorithm.name: algorithm for algorithm in racer.offered(rule.procedure)}
    named = by_name.get(rule.algorithm.name)
    return replace(named, segment=rule.algorithm.segment) if named else None


def _remaining(outcome: Outcome, about: About, *, overruled: bool) -> Settings | None:
    before = outcome.before
    rules = tuple(rechecked.now for rechecked in outcome.rules if rechecked.now is not None)
    if not outcome.counted("still wins"):
        rules = ()
    for_rules = by_version(before.about.library).not_overruled
    others = {name: value for name, value in before.environment.items() if for_rules.get(name) != value}
    if not rules and not others and not before.bindings and not before.order:
        return None
    environment: Mapping[str, str] = before.environment if rules else others
    if rules and overruled:
        environment = {**environment, **by_version(about.library).not_overruled}
    return Settings(about, rules, environment, before.bindings, before.order)


@contextmanager
def _ending(outcome: Outcome) -> Iterator[None]:
    try:
        yield
    except Interrupted:
        outcome.ended = "Interrupted. Some rules were not rechecked: nothing is written."
    except OutOfTime:
        outcome.ended = (
            "The time is up: give more with --budget. Some rules were not rechecked: nothing is written."
        )

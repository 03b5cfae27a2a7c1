"""Whether the rules of a settings file still win: each is measured afresh beside the library's own choice."""

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
from rankwise.tuning.racing.race import HOLD_OUT_ROUNDS, RELAUNCHED_HOLD_OUT_ROUNDS, HeldOut, hold_out
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
    """A rule, and what has become of it.

    Attributes:
        rule: as it was in the file.
        verdict: unknown: the library's own choice differs from itself as much as the rule from it; not
            rechecked: it was ended before.
        why: a sentence's end, where the verdict does not say all.
        held_out: the measurement; None: there was none.
        as_found: whether it was measured with what it was found with; if not, with blocks of ranks.
        now: the rule as it stays; None: it is dropped.
    """

    rule: Rule
    verdict: Verdict = "not rechecked"
    why: str = ""
    held_out: HeldOut | None = None
    as_found: bool = False
    now: Rule | None = None


@dataclass
class Outcome:
    """What has become of a file of settings.

    Attributes:
        before: the settings in the file.
        rules: each of its rules.
        library: of the program now; None: it was not started.
        hosts: names of the nodes now, sorted.
        settings: what stays; None: no rule is known to win, and there is nothing else, or it was ended early.
        ended: why it was ended early; '' if it was not.
    """

    before: Settings
    rules: list[Rechecked]
    library: Version | None = None
    hosts: tuple[str, ...] = ()
    settings: Settings | None = None
    ended: str = ""

    @property
    def library_before(self) -> Version:
        """Of the program that the rules were found for."""
        return version_of(self.before.about.library)

    @property
    def same_library(self) -> bool:
        """Whether the library is of the version that the rules were found with."""
        return self.library == self.library_before

    @property
    def same_hosts(self) -> bool:
        """Whether the nodes are those that the rules were found on."""
        return set(self.hosts) == set(self.before.about.hosts)

    def counted(self, verdict: Verdict) -> int:
        """Return how many rules have a verdict."""
        return sum(one.verdict == verdict for one in self.rules)


@dataclass(frozen=True)
class Request:
    """What is to be rechecked.

    Attributes:
        settings: from the file.
        open_racer: starts what times algorithms.
        untold: tells why the library unknown a rule, in a sentence's end; '' if it can.
        about: what the header of new settings says; library and hosts are filled in.
        confidence: of all intervals together.
        seed: of the order of arms.
    """

    settings: Settings
    open_racer: Callable[[], AbstractContextManager[Racer]]
    untold: Callable[[Rule], str]
    about: About
    confidence: float
    seed: int


def recheck(request: Request, say: Say) -> Outcome:
    """Measure each rule of a file.

    Args:
        request: what is wanted.
        say: is told how far it is, by lines.

    Raises:
        RankwiseError: the launch has too few ranks for a rule, or the probe can't be run.
    """
    settings = request.settings
    outcome = Outcome(settings, [Rechecked(rule) for rule in settings.rules])
    with _ending(outcome), request.open_racer() as racer:
        outcome.library = version_of(racer.library)
        outcome.hosts = tuple(sorted(set(racer.hosts)))
        refuse_few_ranks(settings.rules, len(racer.hosts))
        for number, one in enumerate(outcome.rules, 1):
            place = f"rule {number} of {len(outcome.rules)}: "
            say(f"{place}{one.rule.procedure.removeprefix('MPI_')} on {one.rule.processes} processes")
            _measure(one, request, racer)
            say(f"{place}{one.verdict}")
        about = replace(request.about, library=racer.library, hosts=outcome.hosts)
        outcome.settings = _remaining(outcome, about, overruled=racer.overruled)
    return outcome


def refuse_few_ranks(rules: tuple[Rule, ...], ranks: int) -> None:
    """Refuse a launch with fewer ranks than a rule's communicators have.

    Raises:
        RankwiseError: it has.
    """
    for rule in rules:
        if rule.processes > ranks:
            raise RankwiseError(
                f"the rule for {rule.procedure} is for communicators of {rule.processes} processes, but the "
                f"launch starts {ranks}: give the launch of the program that the rules are for"
            )


def _measure(one: Rechecked, request: Request, racer: Racer) -> None:
    rule = one.rule
    algorithm = _offered(racer, rule)
    if algorithm is None:
        one.verdict, one.why = "no longer offered", f"this library has no {rule.algorithm.name} for it"
        return
    renewed = replace(rule, algorithm=algorithm, evidence=None)
    if why := request.untold(renewed):
        one.verdict, one.why = "can't be used", why
        return
    cells = cells_again(rule, len(racer.hosts))
    one.as_found = bool(cells)
    target = Target(cells or cells_like(rule, len(racer.hosts)))
    confidence = 1 - (1 - request.confidence) / len(request.settings.rules)
    rounds = RELAUNCHED_HOLD_OUT_ROUNDS if racer.relaunches else HOLD_OUT_ROUNDS
    try:
        held = hold_out(
            Together(racer, target), target.first, algorithm, confidence, rounds, seed=request.seed
        )
    except RankwiseError as error:
        if not isinstance(error.__cause__, Unfit):
            raise
        one.verdict, one.why = "can't be used", "; ".join(error.__cause__.why.values())
        return
    one.held_out = held
    if min(held.evidence.default_us, held.evidence.chosen_us) < CLOCK_US:
        one.verdict, one.now = "unknown", renewed
        one.why = "a call takes less time than reading the clock"
    elif held.is_worth_it:
        one.verdict, one.now = "still wins", replace(renewed, evidence=held.evidence)
    elif held.too_noisy:
        one.verdict, one.now = "unknown", renewed
    elif held.interval.verdict == "slower":
        one.verdict = "slower now"
    else:
        one.verdict = "no longer wins"


def _offered(racer: Racer, rule: Rule) -> Algorithm | None:
    """Return a rule's algorithm as the installed library numbers it: the name is what it is known by."""
    found = {one.name: one for one in racer.offered(rule.procedure)}
    named = found.get(rule.algorithm.name)
    return replace(named, segment=rule.algorithm.segment) if named else None


def _remaining(outcome: Outcome, about: About, *, overruled: bool) -> Settings | None:
    before = outcome.before
    rules = tuple(one.now for one in outcome.rules if one.now is not None)
    if not outcome.counted("still wins"):
        rules = ()
    for_rules = by_version(before.about.library).not_overruled
    others = {name: value for name, value in before.environment.items() if for_rules.get(name) != value}
    if not rules and not others and not before.bindings:
        return None
    environment: Mapping[str, str] = before.environment if rules else others
    if rules and overruled:
        environment = {**environment, **by_version(about.library).not_overruled}
    return Settings(about, rules, environment, before.bindings)


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

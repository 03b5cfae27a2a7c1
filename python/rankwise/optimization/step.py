"""What a step is: something to be tried, and what came of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from rankwise.launch.signals import Signals
from rankwise.trials.interval import Interval
from rankwise.trials.plan import Aim
from rankwise.trials.sequential import first_pairs
from rankwise.trials.ways import Runs, Way
from rankwise.tuning.proof import Proof, Say
from rankwise.tuning.settings.model import Settings

Verdict = Literal["kept", "dropped", "skipped", "not tried", "no time"]


@dataclass(frozen=True)
class Promise:
    """What a step may save.

    Attributes:
        seconds: summed over the ranks, at most.
        weight: the same times its certainty: the step with the largest weight comes first.
        why: it is thought to help, a clause for people.
    """

    seconds: float
    weight: float
    why: str


@dataclass(frozen=True)
class Unable:
    """A step that can't be tried here, so that nothing is known of what it would save.

    Attributes:
        why: a clause for people.
        promise: what it may save; None: that is not known either.
    """

    why: str
    promise: Promise | None = None


@dataclass(frozen=True, kw_only=True)
class Now:
    """The program as it is when a step is tried.

    Attributes:
        profile: of a run with the settings kept so far, with messages inside collectives.
        way: that run's.
        kept: settings that it has.
        combined: returns the way with further settings on top of these. It raises RankwiseError if they
        can't be combined.
        aim: of the proof; its seconds are the step's share.
        seed: of the order of runs.
        runs: runs the program; its directory is the step's own.
        store: directory for what a further call can go on from.
        signals: that came to us.
        say: called with the progress.
    """

    profile: Path
    way: Way
    kept: Settings
    combined: Callable[[Settings], Way]
    aim: Aim
    seed: int
    runs: Runs
    store: Path
    signals: Signals
    say: Say


@dataclass(frozen=True)
class Tried:
    """What came of a step.

    Attributes:
        added: settings that are proven to gain on top of the kept ones; None without any.
        interval: of the ratio without / with the step; None without pairs.
        why: it is dropped, or what it does; a sentence without its full stop.
        unfinished: the time was over before it was decided: it can be tried again.
        untried: it could not be tried, so that nothing is known.
        by_order: why the order of MPI_COMM_WORLD was changed instead of the places; '' if it was not.
    """

    added: Settings | None
    interval: Interval | None
    why: str
    unfinished: bool = False
    untried: bool = False
    by_order: str = ""


class Step(Protocol):
    """Something to be tried."""

    @property
    def name(self) -> str:
        """For people and files."""

    def promise(self, profile: Path) -> Promise | Unable | str:
        """Return what it may save of the program as it is now, or why there is nothing to save.

        Args:
            profile: of a run of it.

        Raises:
            RankwiseError: the profile can't be read.
        """

    def least_seconds(self, of_run: float, aim: Aim) -> float:
        """Return the time below which it can't prove anything.

        Args:
            of_run: seconds that a run takes.
            aim: of its proof.
        """

    def attempt(self, now: Now) -> Tried:
        """Try it, and prove it by pairs of runs.

        Raises:
            trials.run.Interrupted: a signal came.
            trials.run.OutOfTime: its share is over, and there was no pair.
            RankwiseError: it can't be tried, or a run of the program as it is now failed.
        """


def judged(proof: Proof, added: Settings, what: str, by_order: str = "") -> Tried:
    """Return the result of a proof for a step.

    Args:
        proof: of it.
        added: settings that were tried.
        what: they do, a clause.
        by_order: see Tried.
    """
    interval = proof.interval
    if proof.is_gain:
        return Tried(added, interval, what, by_order=by_order)
    if proof.rejected:
        return Tried(None, interval, f"{what}: {proof.rejected}", by_order=by_order)
    if proof.is_undecided or interval is None:
        return Tried(None, interval, proof.ended.rstrip("."), unfinished=True, by_order=by_order)
    return Tried(None, interval, f"no gain proven; tried: {what}", by_order=by_order)


def whole_rounds(aim: Aim) -> int:
    """Return the runs of the shortest proof that can show anything: pairs, and one each to warm up."""
    return 2 * first_pairs(aim) + 2

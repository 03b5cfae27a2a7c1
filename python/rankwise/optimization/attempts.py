"""What an optimisation has found."""

from __future__ import annotations

from dataclasses import dataclass, field

from rankwise.optimization.step import Promise, Verdict
from rankwise.trials.interval import Interval
from rankwise.tuning.proof import Proof
from rankwise.tuning.settings.model import Settings


@dataclass(frozen=True)
class Attempt:
    """A step, and what came of it.

    Attributes:
        step: its name.
        promise: of the findings, when it was its turn; None: there was none.
        verdict: kept or dropped: it was tried; skipped: there is nothing for it to save; not tried: it can't
            be, so that nothing is known of it.
        why: a sentence without its full stop.
        interval: of the ratio without / with it; None: there were no pairs.
        seconds: that it took.
        by_order: why the order of MPI_COMM_WORLD was changed instead of the places; '' if it was not.
    """

    step: str
    promise: Promise | None
    verdict: Verdict
    why: str
    interval: Interval | None = None
    seconds: float = 0.0
    by_order: str = ""


@dataclass
class Optimized:
    """What came out.

    Attributes:
        confidence: of each step's interval, so that all together are as sure as was asked for.
        run_seconds: of all ranks, of the program as given.
        attempts: the steps that were tried, in this order, and then the others.
        kept: settings of all steps that were kept; None if none was.
        final: as given against all kept settings, measured again; None: nothing to measure.
        settings: to be written: the kept ones, with the gain; None: it is not proven.
        ended: why it was ended early; '' if it was not.
    """

    confidence: float
    run_seconds: float = 0.0
    attempts: list[Attempt] = field(default_factory=list)
    kept: Settings | None = None
    final: Proof | None = None
    settings: Settings | None = None
    ended: str = ""

    @property
    def verdict(self) -> str:
        """The outcome of all.

        'faster', 'nothing to gain', 'not confirmed' (that the whole is a gain), 'unfinished', or 'not tried':
        nothing was kept, and there is a step that could not be tried.
        """
        if self.settings is not None:
            return "faster"
        if not self.finished:
            return "unfinished"
        if self.kept is not None:
            return "not confirmed"
        return "not tried" if self.not_tried else "nothing to gain"

    @property
    def not_tried(self) -> list[Attempt]:
        """The steps that could not be tried."""
        return [attempt for attempt in self.attempts if attempt.verdict == "not tried"]

    @property
    def finished(self) -> bool:
        """Whether a further call has nothing to go on with."""
        return not self.ended and all(attempt.verdict != "no time" for attempt in self.attempts)

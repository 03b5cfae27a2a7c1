"""What a race of parameters has found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from rankwise.trials.interval import Interval
from rankwise.tuning.parameters.parameter import Parameter, Setting


@dataclass(frozen=True)
class Tried:
    """A value beside the one as it is now.

    Attributes:
        setting: the value.
        interval: of the ratio: as it is now / with it, on top of what was kept before; None if it was not run
            in a whole round.
        alike: the whole interval is within the change that was to be resolved.
        why_not: it is out of the race for another reason than its times; '' if it isn't.
        seen: the library was seen to have the value.
    """

    setting: Setting
    interval: Interval | None = None
    alike: bool = False
    why_not: str = ""
    seen: bool = False

    @property
    def verdict(self) -> str:
        """'faster', 'slower', 'no difference shown', 'no difference', or 'not tried'."""
        if self.interval is None:
            return "not tried"
        return "no difference" if self.alike else self.interval.verdict


@dataclass
class Step:
    """The race of one parameter.

    Attributes:
        parameter: that was raced.
        tried: its values, in their order.
        kept: the value that won; None: as it is now.
        skipped: why it was not raced; '' if it was.
        ended: why there were fewer rounds than wanted; '' if there weren't.
        short: whether there was too little time for it.
    """

    parameter: Parameter
    tried: list[Tried] = field(default_factory=list)
    kept: Setting | None = None
    skipped: str = ""
    ended: str = ""
    short: bool = False


@dataclass(kw_only=True)
class Outcome:
    """What came out.

    Attributes:
        layers: what the library sends by, for people; '' if it was not asked.
        steps: one a parameter, in the order in which they were raced.
        kept: variables that have won, together.
        interval: of the ratio: program as given / with all that was kept, measured afresh; None if nothing
            was kept, or that could not be measured.
        alike: the whole interval is within the change that was to be resolved.
        before: seconds of the runs as given, in pairs with
        after: those with what was kept.
        ended: why it did not come to its end; '' if it did.
        short: whether the measurement of all that was kept could not decide.
        notes: what a reader must know.
    """

    layers: str = ""
    steps: list[Step] = field(default_factory=list)
    kept: dict[str, str] = field(default_factory=dict)
    interval: Interval | None = None
    alike: bool = False
    before: list[float] = field(default_factory=list)
    after: list[float] = field(default_factory=list)
    ended: str = ""
    short: bool = False
    notes: list[str] = field(default_factory=list)

    @property
    def gains(self) -> bool:
        """Whether the program was shown to be faster with what was kept."""
        return self.interval is not None and self.interval.verdict == "faster"

    @property
    def is_finished(self) -> bool:
        """Whether the same command with more time has nothing to go on with."""
        return not self.ended and not self.short and not any(step.short for step in self.steps)

    @property
    def is_measured(self) -> bool:
        """Whether any value was run beside the one of now: if not, nothing is known of what can be gained."""
        return any(tried.interval for step in self.steps for tried in step.tried)

    @property
    def environment(self) -> Mapping[str, str]:
        """Variables to ship, for the launcher as for the ranks; none if they gain nothing."""
        return self.kept if self.gains else {}

    @property
    def verdict(self) -> str:
        """'faster', 'no gain', 'not proven' (it ended before), or 'not tried' (no value could be)."""
        if self.gains:
            return "faster"
        if self.short or (self.interval is None and not self.is_finished):
            return "not proven"
        return "no gain" if self.is_measured or not self.steps else "not tried"

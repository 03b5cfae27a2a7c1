"""The results of a race of parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from rankwise.trials.interval import Interval
from rankwise.tuning.parameters.parameter import Parameter, Setting


@dataclass(frozen=True)
class Tried:
    """A value, compared with the present one.

    Attributes:
        setting: the value.
        interval: of the ratio: present value / this value, on top of the values kept before; None if it has
            no whole round.
        equivalent: whether the whole interval is within the change to be resolved.
        why_not: why it is out of the race for another reason than its times; '' if it isn't.
        seen: whether the library reported the value.
    """

    setting: Setting
    interval: Interval | None = None
    equivalent: bool = False
    why_not: str = ""
    seen: bool = False

    @property
    def verdict(self) -> str:
        """'faster', 'slower', 'no difference shown', 'no difference', or 'not tried'."""
        if self.interval is None:
            return "not tried"
        return "no difference" if self.equivalent else self.interval.verdict


@dataclass
class Step:
    """The race of one parameter.

    Attributes:
        parameter: that was raced.
        tried: its values, in their order.
        kept: the value that won; None: the present one.
        skipped: why it was not raced; '' if it was.
        ended: why it had fewer rounds than wanted; '' if it had not.
        short: whether it had too little time.
    """

    parameter: Parameter
    tried: list[Tried] = field(default_factory=list)
    kept: Setting | None = None
    skipped: str = ""
    ended: str = ""
    short: bool = False


@dataclass(kw_only=True)
class Outcome:
    """The results.

    Attributes:
        layers: through which the library sends, for people; '' if unknown.
        steps: one for each parameter, in the order of the races.
        kept: all variables that have won.
        interval: of the ratio: program as given / with all kept values, measured afresh; None if no value
            was kept, or they could not be measured.
        equivalent: whether the whole interval is within the change to be resolved.
        before: seconds of the runs as given, in pairs with `after`.
        after: seconds of the runs with the kept values.
        ended: why it did not finish; '' if it did.
        short: whether the measurement of the kept values was too short to decide.
        notes: for the reader.
    """

    layers: str = ""
    steps: list[Step] = field(default_factory=list)
    kept: dict[str, str] = field(default_factory=dict)
    interval: Interval | None = None
    equivalent: bool = False
    before: list[float] = field(default_factory=list)
    after: list[float] = field(default_factory=list)
    ended: str = ""
    short: bool = False
    notes: list[str] = field(default_factory=list)

    @property
    def gains(self) -> bool:
        """Whether the program was shown to be faster with the kept values."""
        return self.interval is not None and self.interval.verdict == "faster"

    @property
    def is_finished(self) -> bool:
        """Whether the same command with more time would have nothing left to do."""
        return not self.ended and not self.short and not any(step.short for step in self.steps)

    @property
    def is_measured(self) -> bool:
        """Whether any value was compared with the present one: if not, the possible gain is unknown."""
        return any(tried.interval for step in self.steps for tried in step.tried)

    @property
    def environment(self) -> Mapping[str, str]:
        """Variables to ship, for the launcher and the ranks; empty if they gain nothing."""
        return self.kept if self.gains else {}

    @property
    def verdict(self) -> str:
        """'faster', 'no gain', 'not proven' (it ended early), or 'not tried' (no value could be)."""
        if self.gains:
            return "faster"
        if self.short or (self.interval is None and not self.is_finished):
            return "not proven"
        return "no gain" if self.is_measured or not self.steps else "not tried"

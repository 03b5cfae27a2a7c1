"""A finding: an observation, its cost, the confidence in it, and the command that helps."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rankwise.analysis.evidence import Evidence
from rankwise.records import dataclass
from rankwise.text.units import byte_text, count_text, percent_text, ratio_text, second_text

Value = str | int | float
HIGH, MEDIUM, LOW = "high", "medium", "low"
WEIGHTS = {HIGH: 1.0, MEDIUM: 0.7, LOW: 0.4}
"""By confidence, for the order of findings."""

_TEXTS: dict[str, Callable[[float], str]] = {
    "s": second_text,
    "B": byte_text,
    "%": lambda share: f"{percent_text(share)} %",
    "x": ratio_text,
    "": count_text,
}


@dataclass(frozen=True)
class Fact:
    """A number or a name behind a finding.

    Attributes:
        what: its meaning, in a few words.
        value: the number or the name.
        unit: `s`, `B`, `%`, `x` (a ratio) or '' (a count, or a name).
    """

    what: str
    value: Value
    unit: str = ""

    @property
    def text(self) -> str:
        """The value with its unit."""
        return self.value if isinstance(self.value, str) else _TEXTS[self.unit](self.value)


@dataclass(frozen=True)
class Command:
    """A command to type: `rankwise VERB PROFILE OPTIONS`.

    Attributes:
        verb: of `rankwise`, with its sub-verb; `run` and `tune` run the program again, as
            `... OPTIONS -- COMMAND`.
        options: after the profile.
    """

    verb: str
    options: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One finding.

    Attributes:
        rule: id of the rule that made it.
        title: one sentence with its numbers, without its full stop.
        saved_seconds: that could be saved, summed over the ranks.
        upper_bound: whether `saved_seconds` is the most possible; else it is an estimate.
        formula: of `saved_seconds`, in words.
        inputs: of the formula.
        evidence: other observations.
        confidence: high, medium or low.
        why_confidence: a sentence without its full stop.
        command: that helps, or shows more.
        subject: such as a call or ranks, which distinguishes findings of the same rule, here and in other
            runs; '' = the whole run.
        of_wall: whether the time is in MPI_Init or MPI_Finalize, so that its share is of the wall time; else
            it is of the time between them.
    """

    rule: str
    title: str
    saved_seconds: float
    upper_bound: bool
    formula: str
    inputs: Sequence[Fact]
    evidence: Sequence[Fact]
    confidence: str
    why_confidence: str
    command: Command
    subject: str = ""
    of_wall: bool = False

    @property
    def weight(self) -> float:
        """The key for sorting findings."""
        return self.saved_seconds * WEIGHTS[self.confidence]


@dataclass(frozen=True)
class NoAnswer:
    """The reason why a rule has no answer for a profile, a sentence without its full stop."""

    why: str


@dataclass(frozen=True)
class Rule:
    """One rule.

    Attributes:
        id: as `rankwise explain` takes it.
        looks_for: the problem, in one line.
        when: it reports a finding: thresholds, in words.
        formula: of the seconds that could be saved.
        advice: the remedy.
        find: returns the findings, or why it has no answer.
        order: in which rules are listed; rules without one come last.
    """

    id: str
    looks_for: str
    when: str
    formula: str
    advice: str
    find: Callable[[Evidence], Sequence[Finding] | NoAnswer]
    order: int = 1000

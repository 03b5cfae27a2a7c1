"""A finding: what was seen, what it costs, how sure that is, and the command that does something about it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rankwise.analysis.evidence import Evidence
from rankwise.records import dataclass
from rankwise.text.units import byte_text, count_text, percent_text, ratio_text, second_text

Value = str | int | float
HIGH, MEDIUM, LOW = "high", "medium", "low"
WEIGHTS = {HIGH: 1.0, MEDIUM: 0.7, LOW: 0.4}
"""Of the confidence, in the order of findings."""

_TEXTS: dict[str, Callable[[float], str]] = {
    "s": second_text,
    "B": byte_text,
    "%": lambda share: f"{percent_text(share)} %",
    "x": ratio_text,
    "": count_text,
}


@dataclass(frozen=True)
class Fact:
    """A number or a name that a finding rests on.

    Attributes:
        what: it is, in a few words.
        value: itself.
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
    """What to type: `rankwise VERB PROFILE OPTIONS`.

    Attributes:
        verb: of `rankwise`, with its sub-verb; `run` and `tune` are for the program once more:
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
        saved_seconds: that could be saved, over the ranks.
        upper_bound: it is the most that could be; else an estimate.
        formula: of `saved_seconds`, in words.
        inputs: of the formula.
        evidence: what else was seen.
        confidence: high, medium or low.
        why_confidence: a sentence without its full stop.
        command: that does something about it, or shows more.
        subject: what it is about where a rule may have several, or others in another run: a call, ranks;
            '' = the run as a whole.
        of_wall: the time is in MPI_Init or MPI_Finalize, so that its share is of the wall time; else it is of
            the time between them.
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
        """What findings are sorted by."""
        return self.saved_seconds * WEIGHTS[self.confidence]


@dataclass(frozen=True)
class NotTold:
    """Why a rule can say nothing of a profile, a sentence without its full stop."""

    why: str


@dataclass(frozen=True)
class Rule:
    """One rule.

    Attributes:
        id: of it, as `rankwise explain` takes it.
        looks_for: what is wrong, in one line.
        when: it is a finding: thresholds, in words.
        formula: of the seconds that could be saved.
        advice: what can be done about it.
        find: returns what it has found, or why it can't tell.
        order: in which rules are listed; those without one come last.
    """

    id: str
    looks_for: str
    when: str
    formula: str
    advice: str
    find: Callable[[Evidence], Sequence[Finding] | NotTold]
    order: int = 1000

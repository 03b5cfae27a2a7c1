"""A collective takes long because ranks arrive at different times, with a different rank late each time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rankwise.analysis.evidence import Evidence
from rankwise.findings.finding import LOW, MEDIUM, Command, Fact, Finding, NoAnswer, Rule
from rankwise.findings.late import late
from rankwise.findings.processors import why_lateness_is_doubtful
from rankwise.profile.join.families import with_library
from rankwise.text.empty import why_no_arrivals
from rankwise.text.names import call_name, names_quoted
from rankwise.text.units import percent_text, second_text

if TYPE_CHECKING:
    from rankwise.analysis.waiting.collectives import Waiting, WaitingFamily

_MOST = 50.0  # percent
_OF_EVEN = 1.5  # times its share, if all were last equally often
_FEW_CALLS = 20
_SOME_LEFT_LATE = 1e-3  # of all waiting


def _find(profile: Evidence) -> Sequence[Finding] | NoAnswer:
    if profile.waiting is None or not profile.waiting.kept:
        return NoAnswer(why_no_arrivals(profile.unknown))
    # Waiting for the same ranks throughout is the finding "late-ranks".
    if late(profile) is not None:
        return []
    doubt = why_lateness_is_doubtful(profile)
    left_late = _left_late(profile.waiting)
    family_of = dict(profile.connection.execute("SELECT name, family FROM communicators").fetchall())
    return [
        _finding(row, family_of.get(row.communicator, ""), left_late, doubt)
        for row in profile.waiting.families
        if row.percent_waiting >= _MOST
    ]


def _left_late(waiting: Waiting) -> float:
    """Return the share of all waiting for ranks that left their previous collective late.

    It depends on how collectives are carried out: arriving in time would not save it.
    """
    caused = sum(row.caused.seconds for row in waiting.ranks)
    left_late = sum(row.late_start_seconds for row in waiting.ranks)
    return min(left_late / caused, 1.0) if caused else 0.0


def _finding(row: WaitingFamily, family: str, left_late: float, doubt: str) -> Finding:
    name = names_quoted(with_library(row.communicator, family), row.user_names)
    last = (
        f"; rank {row.last_rank} is last in {percent_text(row.last_percent)} % of the calls"
        if row.last_rank is not None
        else ""
    )
    title = (
        f"{percent_text(row.percent_waiting)} % of {second_text(row.seconds)} in {call_name(row.procedure)} "
        f"on {name} is waiting for late ranks{last}"
    )
    why = "a different rank is late each time: how much can be saved depends on the cause"
    if row.last_percent >= max(_MOST, _OF_EVEN * 100 / row.size_min):
        why = "one rank is last in most calls, but it did not cause most of the waiting"
    confidence = MEDIUM
    if doubt:
        confidence, why = LOW, doubt
    elif row.kept < _FEW_CALLS:
        confidence, why = (
            LOW,
            "there was only 1 call" if row.kept == 1 else f"there were only {row.kept} calls",
        )
    inputs = [Fact("waiting in this collective, summed over ranks", row.waiting.seconds, "s")]
    if left_late >= _SOME_LEFT_LATE:
        what = "share of all waiting caused by ranks that left the previous collective late"
        inputs.append(Fact(what, 100 * left_late, "%"))
    return Finding(
        rule=RULE.id,
        subject=f"{call_name(row.procedure)} on {family}",
        title=title,
        saved_seconds=row.waiting.seconds * (1 - left_late),
        upper_bound=True,
        formula=RULE.formula,
        inputs=inputs,
        evidence=[
            Fact("error of the waiting", row.waiting.error_seconds, "s"),
            Fact(
                "less waiting if the last rank had arrived with the second to last",
                row.could_save_seconds,
                "s",
            ),
            Fact("transfer in this collective", row.transfer_seconds, "s"),
            Fact("calls of a rank", row.instances),
        ],
        confidence=confidence,
        why_confidence=why,
        command=Command("show", ("--by", "waiting", "--call", call_name(row.procedure))),
    )


RULE = Rule(
    "waiting-collective",
    "A collective that mostly waits, with a different rank late each time.",
    f"At least {_MOST:.0f} % of the time in a collective on a family of communicators is waiting, and no "
    "small group of ranks caused most of all waiting (see late-ranks).",
    "waiting in this collective x (1 - share of all waiting caused by ranks that left the previous "
    "collective late)",
    "Find out what changes from step to step: system noise, work that moves between ranks, preempted ranks.",
    _find,
    order=20,
)

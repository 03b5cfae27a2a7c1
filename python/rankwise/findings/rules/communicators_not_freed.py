"""Communicators are created in a loop and never freed."""

from __future__ import annotations

from collections.abc import Sequence

from rankwise.analysis.calls.communicators import Communicator
from rankwise.analysis.evidence import Evidence
from rankwise.findings.finding import HIGH, MEDIUM, Command, Fact, Finding, Rule
from rankwise.text.names import call_name
from rankwise.text.units import count_text

_MANY = 16  # on the same processes
_WINDOW = "window"


def _find(seen: Evidence) -> Sequence[Finding]:
    made: dict[tuple[str, str], list[Communicator]] = {}
    for one in seen.communicators:
        if one.procedure and one.size:
            made.setdefault((one.procedure, one.type), []).append(one)
    return [found for key, group in made.items() if (found := _finding(seen, *key, group))]


def _finding(seen: Evidence, procedure: str, kind: str, group: Sequence[Communicator]) -> Finding | None:
    alike: dict[tuple[str, str | None, str | None], list[Communicator]] = {}
    for one in group:
        if one.freed_seconds is None:
            alike.setdefault((one.members, one.parent, one.made_in), []).append(one)
    loops = [ones for ones in alike.values() if len(ones) >= _MANY]
    if not loops:
        return None
    left = sum(map(len, loops))
    again = left - len(loops)
    seconds = next((row.totals.seconds for row in seen.procedures if row.procedure == procedure), 0.0)
    saved = seconds * again / len(group)
    things = "windows" if kind == _WINDOW else "communicators"
    makers = sorted({one.made_in for ones in loops for one in ones if one.made_in})
    where = f" (in {makers[0]})" if len(makers) == 1 else ""
    return Finding(
        rule=RULE.id,
        title=f"{count_text(left)} {things} made by {call_name(procedure)}{where} were never freed,"
        f" up to {count_text(max(map(len, loops)))} on the same processes",
        saved_seconds=saved,
        upper_bound=False,
        formula=RULE.formula,
        inputs=[
            Fact(f"time in {call_name(procedure)}", seconds, "s"),
            Fact("made", len(group)),
            Fact("made again on the same processes", again),
        ],
        evidence=[Fact("never freed", left), Fact("groups of processes", len(loops))],
        confidence=HIGH if makers else MEDIUM,
        why_confidence="each is one that was created and not freed before MPI_Finalize",
        command=Command("show", ("--by", "communicator", "-v")),
    )


RULE = Rule(
    "communicators-not-freed",
    "Communicators or windows that are created in a loop and never freed.",
    f"{_MANY} or more were made by the same procedure on the same processes, from the same parent, by the"
    " same object file, and not freed.",
    "time in the procedure x share of the calls that made the same once more",
    "Create them once, before the loop, or free them: MPI libraries run out of communicators.",
    _find,
    order=120,
)

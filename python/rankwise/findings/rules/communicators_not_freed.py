"""Communicators are created in a loop and never freed."""

from __future__ import annotations

from collections.abc import Sequence

from rankwise.analysis.calls.making import NOTHING, Same, costs, made_alike
from rankwise.analysis.evidence import Evidence
from rankwise.findings.finding import HIGH, MEDIUM, Command, Fact, Finding, Rule
from rankwise.findings.making import THINGS
from rankwise.text.names import call_name
from rankwise.text.units import count_text

_MANY = 16  # on the same processes


def _find(seen: Evidence) -> Sequence[Finding]:
    made: dict[tuple[str, str], list[Same]] = {}
    for one in made_alike(seen.connection):
        made.setdefault((one.procedure, one.type), []).append(one)
    return [found for key, group in made.items() if (found := _finding(seen, *key, group))]


def _finding(seen: Evidence, procedure: str, kind: str, group: Sequence[Same]) -> Finding | None:
    loops = [one for one in group if one.left >= _MANY]
    if not loops:
        return None
    left = sum(one.left for one in loops)
    again = left - len(loops)
    number = sum(one.made for one in group)
    cost = costs(seen.connection).get(procedure, NOTHING)
    makers = sorted({one.created_in for one in loops if one.created_in})
    where = f" (in {makers[0]})" if len(makers) == 1 else ""
    return Finding(
        rule=RULE.id,
        subject=f"{THINGS[kind]} by {call_name(procedure)}",
        title=f"{count_text(left)} {THINGS[kind]} created by {call_name(procedure)}{where} were never "
        f"freed, up to {count_text(max(one.left for one in loops))} on the same processes",
        saved_seconds=cost.bound_seconds * again / number,
        upper_bound=True,
        formula=RULE.formula,
        inputs=[
            Fact(f"time in {call_name(procedure)}, without waiting for late ranks", cost.bound_seconds, "s"),
            Fact("created", number),
            Fact("created again on the same processes", again),
        ],
        evidence=[Fact("never freed", left), Fact("groups of processes", len(loops))],
        confidence=HIGH if makers else MEDIUM,
        why_confidence="each was created and not freed before MPI_Finalize",
        command=Command("show", ("--by", "communicator", "-v")),
    )


RULE = Rule(
    "communicators-not-freed",
    "Communicators or windows that are created in a loop and never freed.",
    f"At least {_MANY} were created by the same procedure, on the same processes, from the same parent and "
    "by the same object file, and were not freed.",
    "time in the procedure x share of its calls that repeat an earlier one; per communicator at most its "
    "ranks x the time of its fastest rank, because the others may have waited for it",
    "Create them once, before the loop, or free them: MPI libraries run out of communicators.",
    _find,
    order=120,
)

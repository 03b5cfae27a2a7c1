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


def _find(profile: Evidence) -> Sequence[Finding]:
    made: dict[tuple[str, str], list[Same]] = {}
    for same in made_alike(profile.connection):
        made.setdefault((same.procedure, same.type), []).append(same)
    return [finding for key, group in made.items() if (finding := _finding(profile, *key, group))]


def _finding(profile: Evidence, procedure: str, kind: str, group: Sequence[Same]) -> Finding | None:
    loops = [same for same in group if same.left >= _MANY]
    if not loops:
        return None
    not_freed = sum(same.left for same in loops)
    again = not_freed - len(loops)
    number = sum(same.made for same in group)
    cost = costs(profile.connection).get(procedure, NOTHING)
    makers = sorted({same.created_in for same in loops if same.created_in})
    where = f" (in {makers[0]})" if len(makers) == 1 else ""
    return Finding(
        rule=RULE.id,
        subject=f"{THINGS[kind]} by {call_name(procedure)}",
        title=f"{count_text(not_freed)} {THINGS[kind]} created by {call_name(procedure)}{where} were never "
        f"freed, up to {count_text(max(same.left for same in loops))} on the same processes",
        saved_seconds=cost.bound_seconds * again / number,
        upper_bound=True,
        formula=RULE.formula,
        inputs=[
            Fact(f"time in {call_name(procedure)}, without waiting for late ranks", cost.bound_seconds, "s"),
            Fact("created", number),
            Fact("created again on the same processes", again),
        ],
        evidence=[Fact("never freed", not_freed), Fact("groups of processes", len(loops))],
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

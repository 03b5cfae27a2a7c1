"""Communicators or windows are made and freed again and again."""

from __future__ import annotations

from collections.abc import Sequence

from rankwise.analysis.calls.making import Again, costs, made_again
from rankwise.analysis.evidence import Evidence
from rankwise.analysis.percent import percent
from rankwise.findings.finding import MEDIUM, Command, Fact, Finding, NotTold, Rule
from rankwise.findings.making import FREEING, THINGS
from rankwise.findings.places import Where, where
from rankwise.text.names import call_name
from rankwise.text.units import count_text, rate_text, second_text

_MANY = 16
_SHARE = 2.0  # percent of the run


def _find(seen: Evidence) -> Sequence[Finding] | NotTold:
    if not seen.seconds:
        return NotTold("no rank had time between MPI_Init and MPI_Finalize")
    kinds: dict[str, list[Again]] = {}
    for one in made_again(seen.connection):
        kinds.setdefault(one.type, []).append(one)
    return [found for kind, ones in kinds.items() if (found := _finding(seen, kind, ones))]


def _finding(seen: Evidence, kind: str, ones: Sequence[Again]) -> Finding | None:
    again, freed = sum(one.again for one in ones), sum(one.freed for one in ones)
    if again < _MANY:
        return None
    cost = costs(seen.connection)
    makers = [one for one in ones if one.procedure in cost]
    making = sum(cost[one.procedure].bound_seconds * one.again / one.made for one in makers)
    freeing = sum(cost[name].bound_seconds for name in FREEING[kind] if name in cost) * again / freed
    saved = making + freeing
    if percent(saved, seen.seconds) < _SHARE:
        return None
    names = [one.procedure for one in sorted(makers, key=lambda one: -cost[one.procedure].seconds)]
    place = where(seen.connection, names[:1]) if names else Where()
    calls = sum(cost[name].calls for name in names)
    took = sum(cost[name].seconds for name in (*names, *FREEING[kind]) if name in cost)
    others = f" and {len(names) - 1} more" if len(names) > 1 else ""
    by = f" by {call_name(names[0])}{others}" if names else ""
    return Finding(
        rule=RULE.id,
        subject=THINGS[kind],
        title=f"{count_text(again)} {THINGS[kind]} are created{by}{place.text} again after an identical one "
        f"was freed: {rate_text(calls / seen.seconds)} a second on each rank, "
        f"{second_text(saved / (again * calls / sum(one.made for one in makers)) if makers else 0.0)} "
        "each",
        saved_seconds=saved,
        upper_bound=True,
        formula=RULE.formula,
        inputs=[
            Fact("creating them again", making, "s"),
            Fact("freeing them", freeing, "s"),
        ],
        evidence=[
            Fact("time in all these calls", took, "s"),
            Fact("created", sum(one.made for one in ones)),
            Fact("created again and freed", again),
            *place.facts,
        ],
        confidence=MEDIUM,
        why_confidence="only the program's author knows whether they can be kept",
        command=Command(
            "show", ("--by", "site", "--call", ",".join(call_name(name) for name in names) or "Comm_free")
        ),
    )


RULE = Rule(
    "communicators-again",
    "Communicators or windows that are repeatedly created and freed.",
    f"At least {_MANY} were created on the same processes at the same place in the code as an earlier one, "
    f"and freed. This takes at least {_SHARE:.0f} % of the run.",
    "time to create and free the repeated ones; per communicator at most its ranks x the time of its "
    "fastest rank, because the others may have waited for it",
    "Create them once and keep them, for example as an attribute of their parent communicator. If only an "
    "order of ranks or a context is needed, tags or one common communicator may suffice.",
    _find,
    order=35,
)

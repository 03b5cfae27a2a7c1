"""Communicators or windows are repeatedly created and freed."""

from __future__ import annotations

from collections.abc import Sequence

from rankwise.analysis.calls.making import Again, costs, made_again
from rankwise.analysis.evidence import Evidence
from rankwise.analysis.percent import percent
from rankwise.findings.finding import MEDIUM, Command, Fact, Finding, NoAnswer, Rule
from rankwise.findings.making import FREEING, THINGS
from rankwise.findings.places import Where, where
from rankwise.text.names import call_name
from rankwise.text.units import count_text, rate_text, second_text

_MANY = 16
_SHARE = 2.0  # percent of the run


def _find(profile: Evidence) -> Sequence[Finding] | NoAnswer:
    if not profile.seconds:
        return NoAnswer("no rank had time between MPI_Init and MPI_Finalize")
    kinds: dict[str, list[Again]] = {}
    for again in made_again(profile.connection):
        kinds.setdefault(again.type, []).append(again)
    return [finding for kind, repeated in kinds.items() if (finding := _finding(profile, kind, repeated))]


def _finding(profile: Evidence, kind: str, repeated: Sequence[Again]) -> Finding | None:
    repeats, freed = sum(kept.again for kept in repeated), sum(kept.freed for kept in repeated)
    if repeats < _MANY:
        return None
    cost = costs(profile.connection)
    makers = [kept for kept in repeated if kept.procedure in cost]
    making = sum(cost[kept.procedure].bound_seconds * kept.again / kept.made for kept in makers)
    freeing = sum(cost[name].bound_seconds for name in FREEING[kind] if name in cost) * repeats / freed
    saved = making + freeing
    if percent(saved, profile.seconds) < _SHARE:
        return None
    names = [kept.procedure for kept in sorted(makers, key=lambda kept: -cost[kept.procedure].seconds)]
    place = where(profile.connection, names[:1]) if names else Where()
    calls = sum(cost[name].calls for name in names)
    took = sum(cost[name].seconds for name in (*names, *FREEING[kind]) if name in cost)
    made_by_makers = sum(kept.made for kept in makers)
    others = f" and {len(names) - 1} more" if len(names) > 1 else ""
    by = f" by {call_name(names[0])}{others}" if names else ""
    return Finding(
        rule=RULE.id,
        subject=THINGS[kind],
        title=f"{count_text(repeats)} {THINGS[kind]} are created{by}{place.text} again after an identical "
        f"one was freed: {rate_text(calls / profile.seconds)} a second on each rank, "
        f"{second_text(saved / (repeats * calls / made_by_makers) if makers else 0.0)} "
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
            Fact("created", sum(kept.made for kept in repeated)),
            Fact("created again and freed", repeats),
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

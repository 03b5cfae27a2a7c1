"""MPI_Init or MPI_Finalize takes a large part of the wall time."""

from __future__ import annotations

from collections.abc import Sequence

from rankwise.analysis.calls.opening import OPENING, Opening, opening
from rankwise.analysis.calls.procedures import opening_and_closing_procedures
from rankwise.analysis.evidence import Evidence
from rankwise.analysis.percent import percent
from rankwise.findings.finding import LOW, Command, Fact, Finding, NotTold, Rule
from rankwise.text.units import percent_text, second_text

_SHARE, _SECONDS = 20.0, 1.0  # percent of the wall time, and mean of the ranks
_LONG_SHARE, _LONG_SECONDS = 5.0, 30.0
_MOSTLY = 0.5  # of the time: then the title says that it is waiting for who comes last


def _find(seen: Evidence) -> Sequence[Finding] | NotTold:
    wall = sum(rank.wall_seconds for rank in seen.ranks)
    if not wall:
        return NotTold("no rank had any wall time")
    sums = opening_and_closing_procedures(seen.connection)
    return [
        _finding(one, wall)
        for name, kin in OPENING.items()
        # (Only where the sums say so the calls of each rank are looked at, which are many.)
        if _is_large(sum(row.totals.seconds for row in sums if row.procedure in kin), wall, len(seen.ranks))
        and (one := opening(seen.connection, name)) is not None
        and _is_large(one.seconds, wall, len(seen.ranks))
    ]


def _is_large(seconds: float, wall: float, ranks: int) -> bool:
    share, mean = percent(seconds, wall), seconds / ranks
    return (share >= _SHARE and mean >= _SECONDS) or (share >= _LONG_SHARE and mean >= _LONG_SECONDS)


def _finding(one: Opening, wall: float) -> Finding:
    late = ""
    evidence = [Fact(f"rank with the longest: {one.longest_rank}", one.longest_seconds, "s")]
    if one.last_rank is not None:
        evidence += [
            Fact(f"rank that entered last: {one.last_rank}, after the first", one.spread_seconds, "s"),
            Fact("waiting for it, summed over ranks", one.waiting_seconds, "s"),
        ]
        if one.waiting_seconds >= _MOSTLY * one.seconds:
            late = (
                f"; mostly waiting for rank {one.last_rank}, which entered "
                f"{second_text(one.spread_seconds)} after the first"
            )
    share = percent_text(percent(one.seconds, wall))
    return Finding(
        rule=RULE.id,
        subject=one.name,
        title=f"{one.name} takes {second_text(one.mean_seconds)} on each rank, {share} % of the wall"
        f" time{late}",
        saved_seconds=one.seconds,
        upper_bound=True,
        formula=RULE.formula,
        inputs=[Fact(f"time in {one.name}, summed over ranks", one.seconds, "s")],
        evidence=evidence,
        confidence=LOW,
        why_confidence="every run needs some of this time: how much is unknown",
        command=Command("show", ("--by", "rank", "-v")),
        of_wall=True,
    )


RULE = Rule(
    "start-and-end",
    "MPI_Init or MPI_Finalize takes a large part of the wall time.",
    f"MPI_Init or MPI_Finalize takes at least {_SHARE:.0f} % of the ranks' wall time and "
    f"{second_text(_SECONDS)} per rank on average, or {_LONG_SHARE:.0f} % and {second_text(_LONG_SECONDS)}. "
    "The start of a short test is therefore not reported.",
    "the time in it, summed over ranks, as a share of the wall time",
    "MPI_Init: common causes are libraries loaded from a slow file system, name lookups, connecting all "
    "ranks at once (let the library connect on demand), and a launcher that starts processes one by one. "
    "MPI_Finalize: a rank that finishes its work late, messages that were never received, and "
    "communicators or windows that were not freed.",
    _find,
    order=140,
)

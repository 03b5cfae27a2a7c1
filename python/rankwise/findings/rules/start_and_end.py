"""MPI_Init or MPI_Finalize takes a large part of the wall time."""

from __future__ import annotations

from collections.abc import Sequence

from rankwise.analysis.calls.opening import OPENING, Opening, opening
from rankwise.analysis.calls.procedures import opening_and_closing_procedures
from rankwise.analysis.evidence import Evidence
from rankwise.analysis.percent import percent
from rankwise.findings.finding import LOW, Command, Fact, Finding, NoAnswer, Rule
from rankwise.text.units import percent_text, second_text

_SHARE, _SECONDS = 20.0, 1.0  # percent of the wall time, and mean of the ranks
_LONG_SHARE, _LONG_SECONDS = 5.0, 30.0
_MOSTLY = 0.5  # of the time: above it, the title says that it is waiting for the last rank


def _find(profile: Evidence) -> Sequence[Finding] | NoAnswer:
    wall = sum(rank.wall_seconds for rank in profile.ranks)
    if not wall:
        return NoAnswer("no rank had any wall time")
    sums = opening_and_closing_procedures(profile.connection)
    return [
        _finding(start, wall)
        for name, kin in OPENING.items()
        # (The sums select the calls to look at rank by rank, because these are many.)
        if _is_large(
            sum(row.totals.seconds for row in sums if row.procedure in kin), wall, len(profile.ranks)
        )
        and (start := opening(profile.connection, name)) is not None
        and _is_large(start.seconds, wall, len(profile.ranks))
    ]


def _is_large(seconds: float, wall: float, ranks: int) -> bool:
    share, mean = percent(seconds, wall), seconds / ranks
    return (share >= _SHARE and mean >= _SECONDS) or (share >= _LONG_SHARE and mean >= _LONG_SECONDS)


def _finding(opened: Opening, wall: float) -> Finding:
    late = ""
    evidence = [Fact(f"rank with the longest: {opened.longest_rank}", opened.longest_seconds, "s")]
    if opened.last_rank is not None:
        evidence += [
            Fact(f"rank that entered last: {opened.last_rank}, after the first", opened.spread_seconds, "s"),
            Fact("waiting for it, summed over ranks", opened.waiting_seconds, "s"),
        ]
        if opened.waiting_seconds >= _MOSTLY * opened.seconds:
            late = (
                f"; mostly waiting for rank {opened.last_rank}, which entered "
                f"{second_text(opened.spread_seconds)} after the first"
            )
    share = percent_text(percent(opened.seconds, wall))
    return Finding(
        rule=RULE.id,
        subject=opened.name,
        title=f"{opened.name} takes {second_text(opened.mean_seconds)} on each rank, {share} % of the wall"
        f" time{late}",
        saved_seconds=opened.seconds,
        upper_bound=True,
        formula=RULE.formula,
        inputs=[Fact(f"time in {opened.name}, summed over ranks", opened.seconds, "s")],
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

"""Very frequent collectives with little data: their time is latency, which fewer calls would save."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rankwise.analysis.calls.operations import Operation
from rankwise.analysis.calls.totals import JOIN_PROCEDURES, totals_by
from rankwise.analysis.evidence import Evidence
from rankwise.analysis.percent import percent
from rankwise.analysis.waiting.procedures import CALLS
from rankwise.findings.finding import LOW, MEDIUM, Command, Fact, Finding, NoAnswer, Rule
from rankwise.findings.places import where
from rankwise.findings.processors import crowded
from rankwise.records import dataclass
from rankwise.text.names import call_name, names_quoted, operation_name
from rankwise.text.units import byte_text, count_text, percent_text, rate_text, second_text

if TYPE_CHECKING:
    from rankwise.analysis.waiting.small import SmallCalls

_BIN = 10  # up to 1023 bytes
_MOST = 2**_BIN - 1
_SHARE = 2.0  # percent of the run
_OFTEN = 10.0  # times a second of a rank
_CALLS = 200  # summed over the ranks
_OF_MEDIAN = 4.0  # times the median: longer time of a call is no latency


@dataclass(frozen=True)
class _Small:
    """The small calls of a collective on a family of communicators.

    Attributes:
        size_bin: with the most time.
        calls: summed over the ranks.
        seconds: in these calls.
    """

    procedure: str
    family: str
    size_bin: int
    calls: int
    seconds: float


def _find(profile: Evidence) -> Sequence[Finding] | NoAnswer:
    if not profile.seconds:
        return NoAnswer("no rank had time between MPI_Init and MPI_Finalize")
    often = [
        small
        for small in _small(profile)
        if small.calls >= _CALLS
        and small.calls / profile.seconds >= _OFTEN
        and percent(small.seconds, profile.seconds) >= _SHARE
    ]
    if not often:
        return []
    samples = _samples(profile)
    findings = [
        finding
        for small in often
        if (sample := samples.get((small.procedure, small.family))) is not None
        and (finding := _finding(profile, small, sample)) is not None
    ]
    unknown = [small for small in often if (small.procedure, small.family) not in samples]
    if unknown and not findings:
        part = percent_text(percent(sum(small.seconds for small in unknown), profile.seconds))
        return NoAnswer(
            f"small collectives take {part} % of the run; it is unknown how much of this is waiting"
        )
    return findings


def _small(profile: Evidence) -> list[_Small]:
    bins: dict[tuple[str, str], dict[int, tuple[int, float]]] = {}
    for (procedure, family, size_bin), totals in totals_by(
        profile.connection, "procedures.name, calls.family, size_bin", JOIN_PROCEDURES, sums="family_sums"
    ):
        if procedure in CALLS:
            bins.setdefault((procedure, family), {})[size_bin] = totals.calls, totals.seconds
    collectives = []
    for key, sizes in bins.items():
        small = {size: sums for size, sums in sizes.items() if size <= _BIN}
        if not small:
            continue
        collectives.append(
            _Small(
                *key,
                max(small, key=lambda size: small[size][1]),
                sum(calls for calls, _ in small.values()),
                sum(took for _, took in small.values()),
            )
        )
    return collectives


def _samples(profile: Evidence) -> dict[tuple[str, str], SmallCalls]:
    if profile.waiting is None:
        return {}
    from rankwise.analysis.waiting.small import small_calls

    return small_calls(profile.connection, profile.collectives.tables, _MOST, _OF_MEDIAN)


def _finding(profile: Evidence, small: _Small, sample: SmallCalls) -> Finding | None:
    saved = min(small.calls * sample.latency_seconds, small.seconds * (1 - sample.waiting))
    if percent(saved, profile.seconds) < _SHARE:
        return None
    bins = (small.size_bin, small.size_bin) if small.size_bin else (0, _BIN)
    place = where(profile.connection, [small.procedure], small.family, bins)
    names = {row.family: names_quoted(row.name, row.user_names) for row in profile.families}
    what = operation_name(Operation(small.procedure, small.size_bin, None, None, small.seconds))
    confidence, why = MEDIUM, "only the program's author knows which calls can be merged or overlapped"
    if crowded(profile) or profile.shortages.preempted:
        confidence, why = LOW, "such a call also includes the time until all ranks have a processor"
    return Finding(
        rule=RULE.id,
        subject=f"{what} on {small.family}",
        title=f"{what} on {names.get(small.family, small.family)}{place.text} is bound by latency: "
        f"{rate_text(small.calls / profile.seconds)} calls per second on each rank, "
        f"{second_text(saved / small.calls)} each without waiting",
        saved_seconds=saved,
        upper_bound=True,
        formula=RULE.formula,
        inputs=[
            Fact(f"calls of at most {_MOST} bytes", small.calls),
            Fact("latency of a call", sample.latency_seconds, "s"),
        ],
        evidence=[
            Fact("time in these calls", small.seconds, "s"),
            Fact("waiting for late ranks in these calls", 100 * sample.waiting, "%"),
            *place.facts,
        ],
        confidence=confidence,
        why_confidence=why,
        command=Command("show", ("--by", "site", "--call", call_name(small.procedure))),
    )


RULE = Rule(
    "small-collectives",
    "Collectives with little data that are bound by latency.",
    f"Calls of a blocking collective with less than {byte_text(_MOST + 1)} on a family of communicators "
    f"take at least {_SHARE:.0f} % of the run without their waiting, with at least {_OFTEN:.0f} calls per "
    f"second on each rank and {count_text(_CALLS)} in total.",
    "calls x latency of a call; this is the mean time in the sample without waiting for late ranks, with "
    f"each call limited to {_OF_MEDIAN:.0f} x the median because longer ones have other causes; at most the "
    "time in these calls without waiting",
    "Merge calls: reduce or broadcast several values at once. Overlap: start MPI_Iallreduce early and "
    "complete it late. Check for convergence every few steps only. Remove barriers that no file, clock or "
    "other program needs.",
    _find,
    order=25,
)

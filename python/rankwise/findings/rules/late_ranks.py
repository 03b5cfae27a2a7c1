"""Some ranks, or the ranks of a node, come late, and the others wait for them."""

from __future__ import annotations

from collections.abc import Sequence

from rankwise.analysis.evidence import Evidence
from rankwise.analysis.nodes.system_counters import rank_counters
from rankwise.analysis.waiting.messages import MOSTLY_CERTAIN
from rankwise.cpulist import cpu_text
from rankwise.findings.finding import HIGH, LOW, MEDIUM, Command, Fact, Finding, NotTold, Rule
from rankwise.findings.late import Late, how_unsure, is_known, late
from rankwise.findings.processors import crowded
from rankwise.text.empty import why_no_arrivals
from rankwise.text.units import percent_text, second_text

_SURE, _UNSURE = 0.1, 0.5  # error of the waiting, of itself
_MUCH_MORE = 1.1  # times the mean useful time
_MOSTLY_ON = 0.9  # of the run: else what is outside of MPI is not all computing
_MUCH_LEFT_LATE = 0.01  # of what they wait for other reasons: then the title tells it, too
_EXPLAINS = 0.5  # of the lateness: what is computed more has to be so much of it


def _find(seen: Evidence) -> Sequence[Finding] | NotTold:
    if not is_known(seen):
        why = "nobody's time of arrival is known, in collectives or for messages"
        by_clocks = seen.unknown.reason == "clocks not compared"
        return NotTold(f"{why}: {why_no_arrivals(seen.unknown)}" if by_clocks else why)
    found = late(seen)
    if found is None:
        return []
    useful, explains = _useful(seen, found)
    on_cpu = _on_cpu(seen, found)
    title = _title(found, useful if explains else 1.0, on_cpu)
    inputs = [
        Fact("waiting for them in blocking collectives", found.in_collectives_seconds, "s"),
        Fact("waiting for them for messages", found.for_messages_seconds, "s"),
    ]
    if found.saved_seconds < found.seconds:
        inputs.append(
            Fact("less waiting, if it had come with the latest of the others", found.saved_seconds, "s")
        )
    evidence = [
        Fact("of all waiting", 100 * found.share, "%"),
        Fact("their time outside of MPI, by the mean of all ranks", useful, "x"),
    ]
    if on_cpu is not None:
        evidence.append(Fact("of their run time they had a processor", 100 * on_cpu, "%"))
    waited = seen.waiting.ranks if seen.waiting else ()
    blamed = [one for one in waited if one.rank in found.ranks]
    evidence += [
        Fact(what, sum(getattr(one, name) for one in blamed), "s")
        for what, name in (
            ("late to collectives, as they compute longer", "computing_seconds"),
            ("late, as they are in other calls of MPI for longer", "in_mpi_seconds"),
            ("late, as they left the collective before late", "late_start_seconds"),
        )
        if blamed
    ]
    confidence, why = _confidence(seen, found)
    return [
        Finding(
            rule=RULE.id,
            title=title,
            saved_seconds=found.saved_seconds,
            upper_bound=True,
            formula=RULE.formula,
            inputs=inputs,
            evidence=evidence,
            confidence=confidence,
            why_confidence=why,
            command=Command("show", ("--by", "waiting")),
        )
    ]


def _title(found: Late, useful: float, on_cpu: float | None) -> str:
    many = len(found.ranks) > 1
    who = f"Rank{'s' * many} {cpu_text(found.ranks)}"
    if found.node:
        who = f"The ranks of {found.node} ({cpu_text(found.ranks)})"
        many = True
    share = f"{percent_text(100 * found.share)} % of all waiting"
    why = f", computing {useful:.2f} x as long as the mean" if useful >= _MUCH_MORE else ""
    if why and on_cpu is not None and on_cpu < _MOSTLY_ON:
        why = (
            f", {useful:.2f} x as long outside of MPI as the mean, on a processor for {100 * on_cpu:.0f} %"
            " of the run"
        )
    title = f"{who} come{'s' * (not many)} late{why}: others wait {second_text(found.seconds)}, {share}"
    if found.left_late_seconds < _MUCH_LEFT_LATE * found.seconds:
        return title
    it = "they" if many else "it"
    return f"{title}, beside {second_text(found.left_late_seconds)} as {it} left the collective before late"


def _on_cpu(seen: Evidence, found: Late) -> float | None:
    """Return for which share of their run time the late ones had a processor; None = it was not counted."""
    runs = {one.rank: one.run_seconds for one in seen.ranks}
    of_rank = {row.rank: row.counted.counts.task_clock_seconds for row in rank_counters(seen.connection)}
    clocks = [of_rank.get(rank) for rank in found.ranks]
    known = [one for one in clocks if one is not None]
    run = sum(runs.get(rank, 0.0) for rank in found.ranks)
    return sum(known) / run if known and len(known) == len(clocks) and run > 0 else None


def _useful(seen: Evidence, found: Late) -> tuple[float, bool]:
    """Return the time of the late ones outside of MPI by that of all ranks; whether it explains the lateness.

    All others wait while one is late: it is late for as long as one of them waits for it.
    """
    useful = {one.rank: one.run_seconds - one.seconds / max(one.threads, 1) for one in seen.ranks}
    mean = sum(useful.values()) / len(useful)
    own = [useful[rank] for rank in found.ranks if rank in useful]
    if not own or mean <= 0:
        return 1.0, False
    more = sum(own) - len(own) * mean
    return sum(own) / len(own) / mean, more >= _EXPLAINS * found.seconds / seen.run.ranks


def _confidence(seen: Evidence, found: Late) -> tuple[str, str]:
    if crowded(seen):
        return LOW, "there are more ranks than processors: who comes late may just have had none"
    messages = seen.messages
    if found.for_messages_seconds > found.in_collectives_seconds:
        share = percent_text(messages.percent_certain)
        certain = f"which messages were waited for is certain for {share} % of the time"
        if messages.percent_certain < MOSTLY_CERTAIN:
            return LOW, certain
        if messages.error_seconds > 0:
            return MEDIUM, f"{certain}, and of a sample is known whom those had waited for who were late"
        return HIGH, certain
    error = how_unsure(seen.waiting)
    told = f"the waiting in collectives may be off by {percent_text(100 * error)} %"
    if error <= _SURE:
        return HIGH, told
    return (MEDIUM, told) if error <= _UNSURE else (LOW, told)


RULE = Rule(
    "late-ranks",
    "Ranks, or the ranks of a node, that the others wait for.",
    "One rank, a few (a fourth of all at most) or the ranks of one node have more than half of all waiting"
    " for them; the more ranks they are, the more. What others wait for who is still in the collective before"
    " does not count.",
    "what others wait for them in blocking collectives and for messages, blame passed on; of a single rank no"
    " more than if it had come with the latest of the others",
    "Share out the work more evenly, or look at what slows these processors down.",
    _find,
    order=10,
)

"""Some ranks, or the ranks of a node, come late, and the others wait for them."""

from __future__ import annotations

from collections.abc import Sequence

from rankwise.analysis.evidence import Evidence
from rankwise.analysis.nodes.system_counters import rank_counters
from rankwise.analysis.waiting.late import HALF, NEARLY_ALL
from rankwise.analysis.waiting.messages import MOSTLY_CERTAIN
from rankwise.findings.finding import HIGH, LOW, MEDIUM, Command, Fact, Finding, NotTold, Rule
from rankwise.findings.late import Late, by_the_mean, explains, how_unsure, is_known, late
from rankwise.findings.processors import why_lateness_is_doubtful
from rankwise.text.empty import why_no_arrivals
from rankwise.text.late import late_ranks
from rankwise.text.summary import lateness_unknown_text
from rankwise.text.units import percent_text, second_text

_SURE, _UNSURE = 0.1, 0.5  # error of the waiting, of itself
_MUCH_MORE = 1.1  # times the mean useful time
_MOSTLY_ON = 0.9  # of the run: else what is outside of MPI is not all computing
_EXPLAINS = 0.5  # of the lateness: time without a processor that may be why
_MUCH_LEFT_LATE = 0.01  # of what they wait for other reasons: then the title tells it, too


def _find(seen: Evidence) -> Sequence[Finding] | NotTold:
    if not is_known(seen):
        why = "no arrival times are known, in collectives or for messages"
        by_clocks = seen.unknown.reason == "clocks not compared"
        return NotTold(f"{why}: {why_no_arrivals(seen.unknown)}" if by_clocks else why)
    if unknown := lateness_unknown_text(seen.time_in_mpi):
        return NotTold(unknown)
    found = late(seen)
    if found is None:
        return []
    useful = by_the_mean(seen, found)
    on_cpu = _on_cpu(seen, found)
    title = _title(found, useful if explains(seen, found) else 1.0, on_cpu)
    inputs = [
        Fact("waiting for these ranks in collectives", found.in_collectives_seconds, "s"),
        Fact("waiting for messages from these ranks", found.for_messages_seconds, "s"),
    ]
    if found.saved_seconds < found.seconds:
        came = f"{'they' if len(found.ranks) > 1 else 'it'} had arrived with the latest of the others"
        inputs.append(Fact(f"less waiting if {came}", found.saved_seconds, "s"))
    evidence = [
        Fact("share of all waiting", 100 * found.share, "%"),
        Fact("time outside of MPI / mean of all ranks", useful, "x"),
    ]
    if on_cpu is not None:
        evidence.append(Fact("share of the run time with a processor", 100 * on_cpu, "%"))
    waited = seen.waiting.ranks if seen.waiting else ()
    late_rows = [one for one in waited if one.rank in found.ranks]
    evidence += [
        Fact(what, sum(getattr(one, name) for one in late_rows), "s")
        for what, name in (
            ("late at collectives because they compute longer", "computing_seconds"),
            ("late because they spend longer in other MPI calls", "in_mpi_seconds"),
            ("late because they left the previous collective late", "late_start_seconds"),
        )
        if late_rows
    ]
    confidence, why = _confidence(seen, found)
    return [
        Finding(
            rule=RULE.id,
            subject=found.group.text,
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
    who = late_ranks(found)
    who = who[:1].upper() + who[1:]
    share = f"{percent_text(100 * found.share)} % of all waiting"
    why = f", computing {useful:.2f} x the mean time" if useful >= _MUCH_MORE else ""
    if why and on_cpu is not None and on_cpu < _MOSTLY_ON:
        why = (
            f", outside of MPI for {useful:.2f} x the mean time, with a processor for {100 * on_cpu:.0f} % "
            "of the run"
        )
    title = f"{who} arrive{'s' * (not many)} late{why}: others wait {second_text(found.seconds)}, {share}"
    if found.left_late_seconds < _MUCH_LEFT_LATE * found.seconds:
        return title
    it = "they" if many else "it"
    left_late = second_text(found.left_late_seconds)
    return f"{title} (plus {left_late} because {it} left the previous collective late)"


def _on_cpu(seen: Evidence, found: Late) -> float | None:
    """Return for which share of their run time the late ones had a processor; None = it was not counted."""
    runs = {one.rank: one.run_seconds for one in seen.ranks}
    of_rank = {row.rank: row.counted.counts.task_clock_seconds for row in rank_counters(seen.connection)}
    clocks = [of_rank.get(rank) for rank in found.ranks]
    known = [one for one in clocks if one is not None]
    run = sum(runs.get(rank, 0.0) for rank in found.ranks)
    return sum(known) / run if known and len(known) == len(clocks) and run > 0 else None


def _short_of_processors(seen: Evidence, found: Late) -> str:
    """Return that late ranks may just have had no processor; '' = that explains little of their lateness."""
    # (All others wait while one is late. What it lacked while it waited itself counts, too: at most so much.)
    places = [place for node in seen.places for place in node.ranks if place.rank in found.ranks]
    lost = [place.waited_seconds / place.threads for place in places if place.waited_seconds is not None]
    is_known = len(lost) == len(found.ranks)
    if is_known and sum(lost) < _EXPLAINS * found.seconds / seen.run.ranks:
        return ""
    return why_lateness_is_doubtful(seen, found.ranks)


def _confidence(seen: Evidence, found: Late) -> tuple[str, str]:
    if doubt := _short_of_processors(seen, found):
        return LOW, doubt
    messages = seen.messages
    if found.for_messages_seconds > found.in_collectives_seconds:
        share = percent_text(messages.percent_certain)
        certain = f"{share} % of the time in messages is classified"
        if messages.percent_certain < MOSTLY_CERTAIN:
            return LOW, certain
        if messages.error_seconds > 0:
            return MEDIUM, f"{certain}, and the sample shows which ranks delayed the late ones"
        return HIGH, certain
    error = how_unsure(seen.waiting)
    told = f"the error of the waiting in collectives is up to {percent_text(100 * error)} %"
    if error <= _SURE:
        return HIGH, told
    return (MEDIUM, told) if error <= _UNSURE else (LOW, told)


RULE = Rule(
    "late-ranks",
    "Ranks that the others wait for: a single rank, several, or all ranks of a node, a position in a grid "
    "or a role.",
    f"More than {100 * HALF:.0f} % of all waiting would end if these ranks arrived with the latest of the "
    "others; larger groups need a larger share. Candidates are the latest ranks (up to half of all), each "
    "node, each row, column or slab of a Cartesian communicator, and the members of smaller communicators. "
    f"The rule names the smallest group that saves at least {100 * NEARLY_ALL:.0f} % of the best group's "
    "saving, and prefers a node, position or role with up to a third more ranks. If no group saves enough, "
    "it names the ranks, up to a fourth of all, that caused more than half of all waiting. A rank that was "
    "late because it left the previous collective late does not count; a root that computed before a "
    "reduction does.",
    "waiting in collectives that would end if these ranks arrived with the last of the others (at most the "
    "waiting that they caused, directly or indirectly; scaled from the sample to all calls), plus the "
    "waiting for their messages",
    "Distribute the work more evenly, or check what slows these processors down.",
    _find,
    order=10,
)

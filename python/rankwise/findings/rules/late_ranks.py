"""Some ranks, or the ranks of a node, arrive late, and the others wait for them."""

from __future__ import annotations

from collections.abc import Sequence

from rankwise.analysis.evidence import Evidence
from rankwise.analysis.nodes.system_counters import rank_counters
from rankwise.analysis.waiting.late import HALF, NEARLY_ALL
from rankwise.analysis.waiting.messages import MOSTLY_CERTAIN
from rankwise.findings.finding import HIGH, LOW, MEDIUM, Command, Fact, Finding, NoAnswer, Rule
from rankwise.findings.late import Late, by_the_mean, explains, how_unsure, is_known, late
from rankwise.findings.processors import why_lateness_is_doubtful
from rankwise.text.empty import why_no_arrivals
from rankwise.text.late import late_ranks
from rankwise.text.summary import lateness_unknown_text
from rankwise.text.units import percent_text, second_text

_SURE, _UNSURE = 0.1, 0.5  # error of the waiting, of itself
_MUCH_MORE = 1.1  # times the mean useful time
_MOSTLY_ON = 0.9  # of the run: below it, time outside of MPI is not only computing
_EXPLAINS = 0.5  # of the lateness: time without a processor that may explain it
_MUCH_LEFT_LATE = 0.01  # of the other waiting: above it, the title also reports it


def _find(profile: Evidence) -> Sequence[Finding] | NoAnswer:
    if not is_known(profile):
        why = "no arrival times are known, in collectives or for messages"
        by_clocks = profile.unknown.reason == "clocks not compared"
        return NoAnswer(f"{why}: {why_no_arrivals(profile.unknown)}" if by_clocks else why)
    if unknown := lateness_unknown_text(profile.time_in_mpi):
        return NoAnswer(unknown)
    late_group = late(profile)
    if late_group is None:
        return []
    useful = by_the_mean(profile, late_group)
    on_cpu = _on_cpu(profile, late_group)
    title = _title(late_group, useful if explains(profile, late_group) else 1.0, on_cpu)
    inputs = [
        Fact("waiting for these ranks in collectives", late_group.in_collectives_seconds, "s"),
        Fact("waiting for messages from these ranks", late_group.for_messages_seconds, "s"),
    ]
    if late_group.saved_seconds < late_group.seconds:
        came = f"{'they' if len(late_group.ranks) > 1 else 'it'} had arrived with the latest of the others"
        inputs.append(Fact(f"less waiting if {came}", late_group.saved_seconds, "s"))
    evidence = [
        Fact("share of all waiting", 100 * late_group.share, "%"),
        Fact("time outside of MPI / mean of all ranks", useful, "x"),
    ]
    if on_cpu is not None:
        evidence.append(Fact("share of the run time with a processor", 100 * on_cpu, "%"))
    waited = profile.waiting.ranks if profile.waiting else ()
    late_rows = [row for row in waited if row.rank in late_group.ranks]
    evidence += [
        Fact(what, sum(getattr(row, name) for row in late_rows), "s")
        for what, name in (
            ("late at collectives because they compute longer", "computing_seconds"),
            ("late because they spend longer in other MPI calls", "in_mpi_seconds"),
            ("late because they left the previous collective late", "late_start_seconds"),
        )
        if late_rows
    ]
    confidence, why = _confidence(profile, late_group)
    return [
        Finding(
            rule=RULE.id,
            subject=late_group.group.text,
            title=title,
            saved_seconds=late_group.saved_seconds,
            upper_bound=True,
            formula=RULE.formula,
            inputs=inputs,
            evidence=evidence,
            confidence=confidence,
            why_confidence=why,
            command=Command("show", ("--by", "waiting")),
        )
    ]


def _title(late_group: Late, useful: float, on_cpu: float | None) -> str:
    many = len(late_group.ranks) > 1
    who = late_ranks(late_group)
    who = who[:1].upper() + who[1:]
    share = f"{percent_text(100 * late_group.share)} % of all waiting"
    why = f", computing {useful:.2f} x the mean time" if useful >= _MUCH_MORE else ""
    if why and on_cpu is not None and on_cpu < _MOSTLY_ON:
        why = (
            f", outside of MPI for {useful:.2f} x the mean time, with a processor for {100 * on_cpu:.0f} % "
            "of the run"
        )
    title = (
        f"{who} arrive{'s' * (not many)} late{why}: others wait {second_text(late_group.seconds)}, {share}"
    )
    if late_group.left_late_seconds < _MUCH_LEFT_LATE * late_group.seconds:
        return title
    it = "they" if many else "it"
    left_late = second_text(late_group.left_late_seconds)
    return f"{title} (plus {left_late} because {it} left the previous collective late)"


def _on_cpu(profile: Evidence, late_group: Late) -> float | None:
    """Return the share of their run time that late ranks had a processor; None = not counted."""
    runs = {rank.rank: rank.run_seconds for rank in profile.ranks}
    of_rank = {row.rank: row.counted.counts.task_clock_seconds for row in rank_counters(profile.connection)}
    clocks = [of_rank.get(rank) for rank in late_group.ranks]
    known = [clock for clock in clocks if clock is not None]
    run = sum(runs.get(rank, 0.0) for rank in late_group.ranks)
    return sum(known) / run if known and len(known) == len(clocks) and run > 0 else None


def _short_of_processors(profile: Evidence, late_group: Late) -> str:
    """Return that late ranks may just have lacked a processor; '' = it explains little of their lateness."""
    # (An upper bound: it includes the time that a rank lacked a processor while it waited itself.)
    places = [place for node in profile.places for place in node.ranks if place.rank in late_group.ranks]
    lost = [place.waited_seconds / place.threads for place in places if place.waited_seconds is not None]
    is_known = len(lost) == len(late_group.ranks)
    if is_known and sum(lost) < _EXPLAINS * late_group.seconds / profile.run.ranks:
        return ""
    return why_lateness_is_doubtful(profile, late_group.ranks)


def _confidence(profile: Evidence, late_group: Late) -> tuple[str, str]:
    if doubt := _short_of_processors(profile, late_group):
        return LOW, doubt
    messages = profile.messages
    if late_group.for_messages_seconds > late_group.in_collectives_seconds:
        share = percent_text(messages.percent_certain)
        certain = f"{share} % of the time in messages is classified"
        if messages.percent_certain < MOSTLY_CERTAIN:
            return LOW, certain
        if messages.error_seconds > 0:
            return MEDIUM, f"{certain}, and the sample shows which ranks delayed the late ones"
        return HIGH, certain
    error = how_unsure(profile.waiting)
    why = f"the error of the waiting in collectives is up to {percent_text(100 * error)} %"
    if error <= _SURE:
        return HIGH, why
    return (MEDIUM, why) if error <= _UNSURE else (LOW, why)


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

"""The work is distributed unevenly: while some ranks compute, the others have nothing to do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rankwise.analysis.evidence import Evidence
from rankwise.analysis.nodes.system_counters import rank_counters
from rankwise.analysis.timing.load import balance, roles, shared
from rankwise.cpulist import cpu_text
from rankwise.findings.finding import HIGH, LOW, Command, Fact, Finding, NoAnswer, Rule
from rankwise.findings.late import explains, useful_seconds
from rankwise.findings.processors import crowded
from rankwise.text.late import short_ranks
from rankwise.text.units import ratio_text, second_text

_LEAST = 0.9  # load balance
_PERCENT = 5  # of the run time
_SLEPT = 0.5  # of the mean processor time: below it, the ranks with the most useful time did not compute
_HALFWAY = 0.5  # from the mean to the most: ranks with more useful time are named


def _find(profile: Evidence) -> Sequence[Finding] | NoAnswer:
    if not profile.seconds:
        return NoAnswer("no rank had time between MPI_Init and MPI_Finalize")
    by_clock = useful_seconds(profile)
    if not _is_uneven(profile, by_clock):
        return []
    useful, by_processor = _useful(profile, by_clock)
    if not _is_uneven(profile, useful):
        return NoAnswer(
            f"the load balance is {balance(by_clock.values()):.2f} by the time outside of MPI, and"
            f" {balance(useful.values()):.2f} by processor time, as there are more ranks than processors"
        )
    if not _is_uneven(profile, _without_lack(profile, useful)):
        return NoAnswer(
            f"the load balance is {balance(useful.values()):.2f} by the time outside of MPI, and the ranks"
            " that computed longest had no processor for longest"
        )
    lost = _lost(useful)
    counted = min(_in_late_ranks(profile, useful), lost)
    inputs = [Fact("time lost to imbalance, summed over ranks", lost, "s")]
    if counted:
        inputs.append(Fact("already counted under late-ranks", counted, "s"))
    crowd = bool(crowded(profile))
    return [
        Finding(
            rule=RULE.id,
            title=_title(useful) + ("; already counted under late-ranks" if counted >= lost else ""),
            saved_seconds=lost - counted,
            upper_bound=True,
            formula=RULE.formula,
            inputs=inputs,
            evidence=_evidence(profile, useful),
            confidence=LOW if crowd else HIGH,
            why_confidence=_why(crowd=crowd, by_processor=by_processor),
            command=Command("show", ("--by", "rank")),
        )
    ]


def _lost(useful: Mapping[int, float]) -> float:
    return len(useful) * max(useful.values()) - sum(useful.values())


def _is_uneven(profile: Evidence, useful: Mapping[int, float]) -> bool:
    return balance(useful.values()) < _LEAST and 100 * _lost(useful) >= _PERCENT * profile.seconds


def _useful(profile: Evidence, useful: dict[int, float]) -> tuple[dict[int, float], bool]:
    """Return the useful time of each rank; whether processor time limits it.

    With more ranks than processors, time outside of MPI may have been spent without a processor. A rank's
    processor time is more than its computing, as it also polls in MPI. A sleeping rank needs no processor:
    if the kernel does not report how long a rank lacked one, and the ranks with the most useful time had much
    less processor time than the others, processor time is no limit.
    """
    hosts = {node.host for node in crowded(profile)}
    if not hosts:
        return useful, False
    counted = {row.rank: row.counted.counts.task_clock_seconds for row in rank_counters(profile.connection)}
    lacked = {place.rank: place.waited_seconds for node in profile.places for place in node.ranks}
    limits = {}
    for rank in (rank for rank in profile.ranks if rank.host in hosts):
        limits[rank.rank] = counted.get(rank.rank) or rank.user_seconds + rank.system_seconds
        waited = lacked.get(rank.rank)
        if waited is not None and rank.threads <= 1:
            limits[rank.rank] = max(rank.run_seconds - waited, limits[rank.rank])
    if not all(limits.values()):
        return useful, False
    limited = {rank: min(seconds, limits.get(rank, seconds)) for rank, seconds in useful.items()}
    heavy = _heavy(useful)
    slept = sum(limited[rank] for rank in heavy) / len(heavy) < _SLEPT * sum(limited.values()) / len(limited)
    return (useful, False) if slept else (limited, True)


def _without_lack(profile: Evidence, useful: Mapping[int, float]) -> dict[int, float]:
    """Return the useful time of each rank, reduced by the share of its run without a processor."""
    lacked = {place.rank: place.waited_seconds or 0.0 for node in profile.places for place in node.ranks}
    shares = {
        rank.rank: lacked.get(rank.rank, 0.0) / max(rank.threads, 1) / rank.run_seconds
        for rank in profile.ranks
        if rank.run_seconds
    }
    return {rank: seconds * max(1 - shares.get(rank, 0.0), 0.0) for rank, seconds in useful.items()}


def _heavy(useful: Mapping[int, float]) -> list[int]:
    """Return the ranks whose useful time is at least halfway from the mean to the most."""
    most, mean = max(useful.values()), sum(useful.values()) / len(useful)
    return [rank for rank, seconds in useful.items() if seconds >= mean + _HALFWAY * (most - mean)]


def _in_late_ranks(profile: Evidence, useful: Mapping[int, float]) -> float:
    """Return the saving that late-ranks already counts, if the rank with the most work is late for it."""
    late = profile.late
    if late is None or not explains(profile, late):
        return 0.0
    most = max(useful, key=lambda rank: useful[rank])
    return late.saved_seconds if most in late.ranks else 0.0


def _title(useful: Mapping[int, float]) -> str:
    heavy, mean = _heavy(useful), sum(useful.values()) / len(useful)
    many = len(heavy) > 1
    own = sum(useful[rank] for rank in heavy) / len(heavy)
    return (
        f"Load balance {balance(useful.values()):.2f}: rank{'s' * many} {short_ranks(cpu_text(heavy))} "
        f"compute{'s' * (not many)} for {second_text(own)}, the mean is {second_text(mean)}"
    )


def _evidence(profile: Evidence, useful: Mapping[int, float]) -> list[Fact]:
    whole = balance(useful.values())
    facts = [Fact("load balance", whole, "x")]
    hosts: dict[str, list[int]] = {}
    for rank in profile.ranks:
        hosts.setdefault(rank.host, []).append(rank.rank)
    if 1 < len(hosts) < len(useful):
        nodes = shared(useful, [*hosts.values()])
        facts += [
            Fact("load balance within nodes", nodes.within, "x"),
            Fact("load balance between nodes", nodes.between, "x"),
        ]
    kinds = [
        (role.name, ranks)
        for role in roles(profile.connection, profile.run.ranks)
        if (ranks := [rank for rank in role.ranks if rank in useful])
    ]
    if len(kinds) < 2:
        return facts
    between = shared(useful, [ranks for _, ranks in kinds]).between
    facts.append(Fact("load balance between roles", between, "x"))
    for name, ranks in kinds:
        who = f"rank{'s' * (len(ranks) > 1)} {short_ranks(cpu_text(ranks))} ({name or 'the others'})"
        facts.append(Fact(f"load balance within {who}", balance([useful[rank] for rank in ranks]), "x"))
    return facts


def _why(*, crowd: bool, by_processor: bool) -> str:
    if not crowd:
        return "the time outside of MPI is exact; an even distribution is assumed to be possible"
    if by_processor:
        return (
            "there are more ranks than processors: useful time is limited to time with a processor, or asleep"
        )
    return "there are more ranks than processors, and ranks may lack one while outside of MPI"


RULE = Rule(
    "load-imbalance",
    "Ranks that compute more than the others.",
    f"Load balance (mean / maximum useful time) is below {ratio_text(_LEAST)} and costs at least {_PERCENT} "
    "% of the run. Useful time is the time outside of MPI. With more ranks than processors, time spent "
    "ready but without a processor is excluded; if the kernel does not report it, useful time is at most "
    "the processor time. Within and between nodes, load balance is defined as in TALP. Roles are groups of "
    "ranks that call different procedures, given by the communicators that one call creates.",
    "ranks x (maximum - mean useful time), minus the saving of the finding late-ranks if that names the "
    "rank with the most useful time and it is late because it computes longer",
    "Redistribute the work: other domains or weights, or fewer ranks for a role with little work.",
    _find,
    order=15,
)

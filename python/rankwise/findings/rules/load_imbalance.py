"""The work is shared out unevenly: while some ranks compute, the others have nothing to do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rankwise.analysis.evidence import Evidence
from rankwise.analysis.nodes.system_counters import rank_counters
from rankwise.analysis.timing.load import balance, roles, shared
from rankwise.cpulist import cpu_text
from rankwise.findings.finding import HIGH, LOW, Command, Fact, Finding, NotTold, Rule
from rankwise.findings.late import explains, useful_seconds
from rankwise.findings.processors import crowded
from rankwise.text.late import short_ranks
from rankwise.text.units import ratio_text, second_text

_LEAST = 0.9  # load balance
_PERCENT = 5  # of the run time
_SLEPT = 0.5  # of the mean processor time: with less the ranks with the most useful time did not compute
_HALFWAY = 0.5  # from the mean to the most: who has more useful time than that is named


def _find(seen: Evidence) -> Sequence[Finding] | NotTold:
    if not seen.seconds:
        return NotTold("no rank had time between MPI_Init and MPI_Finalize")
    by_clock = useful_seconds(seen)
    if not _is_uneven(seen, by_clock):
        return []
    useful, by_processor = _useful(seen, by_clock)
    if not _is_uneven(seen, useful):
        return NotTold(
            f"the load balance is {balance(by_clock.values()):.2f} by the time outside of MPI, and"
            f" {balance(useful.values()):.2f} by processor time, as there are more ranks than processors"
        )
    if not _is_uneven(seen, _without_lack(seen, useful)):
        return NotTold(
            f"the load balance is {balance(useful.values()):.2f} by the time outside of MPI, and the ranks"
            " that computed longest had no processor for longest"
        )
    lost = _lost(useful)
    counted = min(_in_late_ranks(seen, useful), lost)
    inputs = [Fact("time lost to imbalance, summed over ranks", lost, "s")]
    if counted:
        inputs.append(Fact("already counted under late-ranks", counted, "s"))
    crowd = bool(crowded(seen))
    return [
        Finding(
            rule=RULE.id,
            title=_title(useful) + ("; already counted under late-ranks" if counted >= lost else ""),
            saved_seconds=lost - counted,
            upper_bound=True,
            formula=RULE.formula,
            inputs=inputs,
            evidence=_evidence(seen, useful),
            confidence=LOW if crowd else HIGH,
            why_confidence=_why(crowd=crowd, by_processor=by_processor),
            command=Command("show", ("--by", "rank")),
        )
    ]


def _lost(useful: Mapping[int, float]) -> float:
    return len(useful) * max(useful.values()) - sum(useful.values())


def _is_uneven(seen: Evidence, useful: Mapping[int, float]) -> bool:
    return balance(useful.values()) < _LEAST and 100 * _lost(useful) >= _PERCENT * seen.seconds


def _useful(seen: Evidence, useful: dict[int, float]) -> tuple[dict[int, float], bool]:
    """Return the useful time of each rank; whether processor time limits it.

    Time outside of MPI may have been spent without a processor where there are more ranks than these. What
    a rank had of a processor is more than it computed, as it also polls in MPI. Who sleeps needs none: where
    the kernel does not tell how long a rank lacked one, and the ranks with the most useful time had much
    less of one than the others, processor time says nothing.
    """
    hosts = {node.host for node in crowded(seen)}
    if not hosts:
        return useful, False
    counted = {row.rank: row.counted.counts.task_clock_seconds for row in rank_counters(seen.connection)}
    lacked = {place.rank: place.waited_seconds for node in seen.places for place in node.ranks}
    limits = {}
    for rank in (rank for rank in seen.ranks if rank.host in hosts):
        limits[rank.rank] = counted.get(rank.rank) or rank.user_seconds + rank.system_seconds
        waited = lacked.get(rank.rank)
        if waited is not None and rank.threads <= 1:
            limits[rank.rank] = max(rank.run_seconds - waited, limits[rank.rank])
    if not all(limits.values()):
        return useful, False
    limited = {rank: min(one, limits.get(rank, one)) for rank, one in useful.items()}
    heavy = _heavy(useful)
    slept = sum(limited[rank] for rank in heavy) / len(heavy) < _SLEPT * sum(limited.values()) / len(limited)
    return (useful, False) if slept else (limited, True)


def _without_lack(seen: Evidence, useful: Mapping[int, float]) -> dict[int, float]:
    """Return the useful time of each rank less the share of its run in which it had no processor."""
    lacked = {place.rank: place.waited_seconds or 0.0 for node in seen.places for place in node.ranks}
    shares = {
        rank.rank: lacked.get(rank.rank, 0.0) / max(rank.threads, 1) / rank.run_seconds
        for rank in seen.ranks
        if rank.run_seconds
    }
    return {rank: seconds * max(1 - shares.get(rank, 0.0), 0.0) for rank, seconds in useful.items()}


def _heavy(useful: Mapping[int, float]) -> list[int]:
    """Return the ranks with more useful time than halfway from the mean to the most."""
    most, mean = max(useful.values()), sum(useful.values()) / len(useful)
    return [rank for rank, seconds in useful.items() if seconds >= mean + _HALFWAY * (most - mean)]


def _in_late_ranks(seen: Evidence, useful: Mapping[int, float]) -> float:
    """Return what the finding late-ranks counts already: the ranks with the most work are late for it."""
    late = seen.late
    if late is None or not explains(seen, late):
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


def _evidence(seen: Evidence, useful: Mapping[int, float]) -> list[Fact]:
    whole = balance(useful.values())
    found = [Fact("load balance", whole, "x")]
    hosts: dict[str, list[int]] = {}
    for rank in seen.ranks:
        hosts.setdefault(rank.host, []).append(rank.rank)
    if 1 < len(hosts) < len(useful):
        nodes = shared(useful, [*hosts.values()])
        found += [
            Fact("load balance within nodes", nodes.within, "x"),
            Fact("load balance between nodes", nodes.between, "x"),
        ]
    kinds = [
        (role.name, ranks)
        for role in roles(seen.connection, seen.run.ranks)
        if (ranks := [rank for rank in role.ranks if rank in useful])
    ]
    if len(kinds) < 2:
        return found
    between = shared(useful, [ranks for _, ranks in kinds]).between
    found.append(Fact("load balance between roles", between, "x"))
    for name, ranks in kinds:
        who = f"rank{'s' * (len(ranks) > 1)} {short_ranks(cpu_text(ranks))} ({name or 'the others'})"
        found.append(Fact(f"load balance within {who}", balance([useful[rank] for rank in ranks]), "x"))
    return found


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

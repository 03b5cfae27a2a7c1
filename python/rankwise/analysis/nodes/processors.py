"""Oversubscription: how many ranks and threads share processors, and how long they lacked a processor.

The time that threads were ready without a processor is exact if the kernel reports it. Otherwise it is
estimated: for more ranks than processors from their numbers, for a rank that was often preempted from its
processor time.
"""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from rankwise.analysis.calls.ranks import Rank, ranks
from rankwise.analysis.nodes.binding import (
    SHARING,
    Fault,
    NodePlace,
    RankPlace,
    faults_of,
    node_places,
    sharing_faults,
)
from rankwise.analysis.nodes.system_counters import RankCounters, rank_counters
from rankwise.records import dataclass

LEAST_WAIT = 0.01
"""Share of the run time spent waiting for a processor: below it, sharing processors hardly matters."""
MUCH_WAIT = 0.05
"""Share of the run time: above it, a rank that shares its processor with no other rank was preempted."""
LEAST_BUSY = 0.25
"""Utilisation of processors by the ranks that share them: below it, ranks hardly ever lacked a processor."""
ALL_BUSY = 0.8
"""Utilisation of processors by the ranks that share them: above it, these shared them by time slicing."""
LEAST_OTHERS = 0.05
"""Share of the processors' time used by other processes: below it, they are not mentioned."""
CERTAINLY_MORE = 1.1
"""Multiple of the processors: if more threads on average ran or were ready, there were too many threads."""
MANY_SWITCHES = 20.0
"""Involuntary context switches per second of a rank that shares its processor with something."""
YIELDS = 2000.0
"""Involuntary context switches per second of a process that yields its processor (sched_yield)."""


@dataclass(frozen=True, kw_only=True)
class RankProcessors:
    """One rank and its processors.

    Attributes:
        threads: number of computing threads.
        run_seconds: between MPI_Init and MPI_Finalize.
        used_seconds: processor time of all its threads in this time; None = not counted.
        waited_seconds: that its threads were ready and had no processor, summed; None = unknown.
        switches_per_second: involuntary context switches; None = not counted.
    """

    rank: int
    threads: int
    run_seconds: float
    used_seconds: float | None
    waited_seconds: float | None
    switches_per_second: float | None

    @property
    def lost_seconds(self) -> float | None:
        """Run time lost without a processor, if its threads wait at the same time; None = unknown."""
        if self.waited_seconds is None:
            return None
        return min(self.waited_seconds / self.threads, self.run_seconds)

    @property
    def least_threads(self) -> float:
        """Lower bound of the mean number of threads that ran or were ready; 0 = unknown.

        Short-lived threads may be missed: their processor time counts, but not their waiting.
        """
        if self.waited_seconds is None or self.used_seconds is None or not self.run_seconds:
            return 0.0
        return (self.used_seconds + self.waited_seconds) / self.run_seconds

    @property
    def not_on_processor_seconds(self) -> float | None:
        """Run time without a processor for any reason, such as sleeping; None = unknown."""
        return None if self.used_seconds is None else max(self.run_seconds - self.used_seconds, 0.0)


@dataclass(frozen=True, kw_only=True)
class Sharing:
    """Ranks that share fewer processors than they have ranks or threads.

    Attributes:
        is_of_node: these are all ranks of the node, which has no more processors for them; else the node has
            more processors, and these ranks are bound to too few.
        what: description, a sentence without its full stop.
        ranks: ascending.
        threads: number of their computing threads.
        processors: number that they may use.
        free: number of processors of the node that no rank may use; other jobs may have them.
        run_seconds: between MPI_Init and MPI_Finalize, sum of the ranks.
        used_seconds: processor time, sum of the ranks; 0 = unknown.
        capacity_seconds: available processor time of the processors.
        waited_seconds: run time that the ranks were ready without a processor, summed; None = unknown.
        others_seconds: processor time of other processes on these processors; None = unknown.
    """

    host: str
    is_of_node: bool
    what: str
    ranks: tuple[int, ...]
    threads: int
    processors: int
    free: int
    run_seconds: float
    used_seconds: float
    capacity_seconds: float
    waited_seconds: float | None
    others_seconds: float | None

    @property
    def busy(self) -> float:
        """Utilisation of the processors by the ranks, from 0 to 1; 0 = unknown."""
        return self.used_seconds / self.capacity_seconds if self.capacity_seconds else 0.0

    @property
    def others(self) -> float:
        """Utilisation of the processors by other processes, from 0 to 1; 0 if unknown or negligible."""
        share = (self.others_seconds or 0.0) / self.capacity_seconds if self.capacity_seconds else 0.0
        return share if share >= LEAST_OTHERS else 0.0

    @property
    def waited(self) -> float | None:
        """Share of the run time in which ranks waited for a processor, from 0 to 1; None = unknown."""
        if self.waited_seconds is None:
            return None
        return self.waited_seconds / self.run_seconds if self.run_seconds else 0.0

    @property
    def matters(self) -> bool:
        """Whether a lack of processors delayed the ranks, as far as is known."""
        if self.waited is not None:
            return self.waited >= LEAST_WAIT
        return not self.used_seconds or self.busy >= LEAST_BUSY

    @property
    def lost_seconds(self) -> float:
        """Run time that the ranks lost for lack of processors; an upper bound if it was not recorded."""
        if self.waited_seconds is not None:
            return self.waited_seconds
        if not self.matters:
            return 0.0
        wanted = max(self.threads, len(self.ranks))
        # (While a processor was free, no thread lacked one.)
        busy = min(self.busy, 1.0) if self.used_seconds else 1.0
        return self.run_seconds * busy * (1 - self.processors / wanted)


@dataclass(frozen=True, kw_only=True)
class Preempted:
    """Ranks that were preempted on processors which they share with no other rank.

    Attributes:
        ranks: most lost time first.
        run_seconds: sum of these ranks.
        lost_seconds: run time without a processor, sum of these ranks; None = unknown.
        is_exact: they were ready in all this time; else they may also have slept.
        switches_per_second: of the most often preempted rank; 0 = not counted.
        mean_switches_per_second: mean of all counted ranks.
        others_seconds: processor time of other processes on their nodes, on processors that ranks may use;
            None = unknown.
    """

    ranks: tuple[int, ...]
    run_seconds: float
    lost_seconds: float | None
    is_exact: bool
    switches_per_second: float
    mean_switches_per_second: float
    others_seconds: float | None = None


@dataclass(frozen=True, kw_only=True)
class Shortages:
    """Where ranks lacked processors.

    Attributes:
        sharing: nodes with too few processors, most lost time first; then ranks bound to too few.
        preempted: ranks preempted by other processes on their nodes; None = no rank was.
        yielding: ranks that yield their processors while they wait, and lack none.
        yields_per_second: mean of these ranks.
    """

    sharing: tuple[Sharing, ...]
    preempted: Preempted | None
    yielding: tuple[int, ...]
    yields_per_second: float


def rank_processors(
    places: Sequence[NodePlace], rows: Sequence[Rank], counters: Sequence[RankCounters]
) -> dict[int, RankProcessors]:
    """Return the ranks with a known place, by rank."""
    times = {row.rank: row for row in rows}
    counted = {row.rank: row.counted for row in counters}
    processors = {}
    for place in (place for node in places for place in node.ranks if place.rank in times):
        rank_counts = counted.get(place.rank)
        processors[place.rank] = RankProcessors(
            rank=place.rank,
            threads=place.threads,
            run_seconds=times[place.rank].run_seconds,
            used_seconds=rank_counts.counts.task_clock_seconds if rank_counts else None,
            waited_seconds=place.waited_seconds,
            switches_per_second=rank_counts.involuntary_switches_per_second if rank_counts else None,
        )
    return processors


def shortages(
    connection: sqlite3.Connection,
    places: Sequence[NodePlace] | None = None,
    rows: Sequence[Rank] | None = None,
) -> Shortages:
    """Return where ranks lacked processors.

    Args:
        connection: the profile.
        places: of its nodes; computed if not given.
        rows: its ranks; computed if not given.
    """
    places = node_places(connection) if places is None else places
    rows = ranks(connection) if rows is None else rows
    of_rank = rank_processors(places, rows, rank_counters(connection))
    times = {row.rank: row for row in rows}
    used = {
        host: (busy, seconds)
        for host, busy, seconds in connection.execute("SELECT host, busy, seconds FROM node_use")
    }
    sharing = [case for node in places for case in _sharing(node, of_rank, times, used.get(node.host))]
    sharing.sort(key=lambda case: (not case.is_of_node, -case.lost_seconds, -case.threads / case.processors))
    sharers = {rank for case in sharing for rank in case.ranks}
    without_sharers = [own for rank, own in of_rank.items() if rank not in sharers]
    preempted = _preempted(without_sharers, of_rank.values())
    lost = {*preempted.ranks} if preempted else set()
    if preempted:
        their_nodes = [node for node in places if any(place.rank in lost for place in node.ranks)]
        others = [_others(node, of_rank, times, used.get(node.host)) for node in their_nodes]
        known = [seconds for seconds in others if seconds is not None]
        preempted = replace(preempted, others_seconds=sum(known) if len(known) == len(others) else None)
    yielding = [
        own for own in without_sharers if (own.switches_per_second or 0.0) >= YIELDS and own.rank not in lost
    ]
    rates = [own.switches_per_second or 0.0 for own in yielding]
    return Shortages(
        sharing=tuple(sharing),
        preempted=preempted,
        yielding=tuple(sorted(own.rank for own in yielding)),
        yields_per_second=sum(rates) / len(rates) if rates else 0.0,
    )


def place_faults(places: Sequence[NodePlace], lacking: Shortages) -> list[Fault]:
    """Return nodes with too few processors, then the placement faults, the worst first."""
    merged = faults_of(places)
    hosts_with_fault = {host for fault in merged if fault.kind in SHARING for host in fault.hosts}
    more = [
        Fault("crowded", (case.host,), case.ranks, case.what, "start fewer ranks on a node")
        for case in lacking.sharing
        if case.host not in hosts_with_fault
    ]
    return [*more, *merged]


def _sharing(
    node: NodePlace,
    of_rank: Mapping[int, RankProcessors],
    times: Mapping[int, Rank],
    use: tuple[float, float] | None,
) -> Iterator[Sharing]:
    free = len({processor.processor for processor in node.processors} - node.usable)

    def sharing_of(
        sharers: Sequence[RankPlace],
        processors: int,
        what: str,
        others: float | None = None,
        *,
        is_of_node: bool = False,
    ) -> Sharing:
        known = [of_rank[place.rank] for place in sharers]
        lost = [own.lost_seconds for own in known]
        used, span = _use(known, [times[own.rank] for own in known])
        return Sharing(
            host=node.host,
            is_of_node=is_of_node,
            what=what,
            ranks=tuple(sorted(place.rank for place in sharers)),
            threads=sum(place.threads for place in sharers),
            processors=processors,
            free=free,
            run_seconds=sum(own.run_seconds for own in known),
            used_seconds=used,
            capacity_seconds=processors * span,
            waited_seconds=None if None in lost else sum(seconds or 0.0 for seconds in lost),
            others_seconds=others,
        )

    places = [place for place in node.ranks if place.rank in of_rank]
    if not places or not all(place.cpus for place in node.ranks):
        return
    processors, threads = len(node.usable), sum(place.threads for place in places)
    least = sum(of_rank[place.rank].least_threads for place in places)
    more_threads = threads <= processors and least > CERTAINLY_MORE * processors
    if len(places) > processors or ((threads > processors or more_threads) and not free):
        others = _others(node, of_rank, times, use)
        number = f"at least {math.ceil(least)}" if more_threads else f"{threads}"
        what = _what(node.host, len(places), number, processors)
        whole = sharing_of(places, processors, what, others, is_of_node=True)
        # (Threads that hardly ever wait for a processor do not compute at the same time.)
        if len(places) > processors or whole.waited is None or whole.matters:
            yield whole
            return
    for fault in sharing_faults(node):
        sharers = [place for place in places if place.rank in fault.ranks]
        cpu_count = len({cpu for place in sharers for cpu in place.cpus})
        # (The cost of sharing a core as two hardware threads depends on the program.)
        if sum(place.threads for place in sharers) > cpu_count:
            yield sharing_of(sharers, cpu_count, fault.what)


def _others(
    node: NodePlace,
    of_rank: Mapping[int, RankProcessors],
    times: Mapping[int, Rank],
    use: tuple[float, float] | None,
) -> float | None:
    """Return the processor time of other processes on the processors that ranks may use; None = unknown."""
    known = [of_rank[place.rank] for place in node.ranks if place.rank in of_rank]
    if not use or not known:
        return None
    used, span = _use(known, [times[own.rank] for own in known])
    return max(use[0] / use[1] * span - used, 0.0) if used else None


def _what(host: str, count: int, threads: str, processors: int) -> str:
    count_text = f"{count} rank{'s' * (count != 1)}"
    with_threads = f" with {threads} threads" if count <= processors else ""
    verb = "share" if count != 1 else "shares"
    return f"{count_text}{with_threads} {verb} {processors} processor{'s' * (processors != 1)} on {host}"


def _use(known: Sequence[RankProcessors], rows: Sequence[Rank]) -> tuple[float, float]:
    """Return the processor time of ranks, and its period: MPI_Init to MPI_Finalize if counted."""
    used = [own.used_seconds for own in known]
    if None not in used:
        return sum(seconds or 0.0 for seconds in used), max(own.run_seconds for own in known)
    return sum(row.user_seconds + row.system_seconds for row in rows), max(row.wall_seconds for row in rows)


def _preempted(
    without_sharers: Sequence[RankProcessors], all_ranks: Iterable[RankProcessors]
) -> Preempted | None:
    """Return the preempted ranks among the ranks that share processors with no other rank."""
    exact = [
        own
        for own in without_sharers
        if own.lost_seconds is not None and own.lost_seconds >= MUCH_WAIT * own.run_seconds > 0
    ]
    often = [
        own
        for own in without_sharers
        if own.lost_seconds is None and MANY_SWITCHES <= (own.switches_per_second or 0.0) < YIELDS
    ]
    preempted = exact or often
    if not preempted:
        return None
    away = [own.lost_seconds if exact else own.not_on_processor_seconds for own in preempted]
    known = [seconds for seconds in away if seconds is not None]
    run = sum(own.run_seconds for own in preempted)
    lost = sum(known) if known else None
    if lost is not None and lost < MUCH_WAIT * run:
        return None
    rates = [own.switches_per_second for own in all_ranks if own.switches_per_second is not None]
    preempted.sort(key=lambda own: (-(own.lost_seconds or 0.0), -(own.switches_per_second or 0.0)))
    return Preempted(
        ranks=tuple(own.rank for own in preempted),
        run_seconds=run,
        lost_seconds=lost,
        is_exact=bool(exact),
        switches_per_second=max(own.switches_per_second or 0.0 for own in preempted),
        mean_switches_per_second=sum(rates) / len(rates) if rates else 0.0,
    )

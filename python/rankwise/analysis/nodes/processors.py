"""The state of the processors: how many ranks and threads share them, and how long these had none.

How long threads were ready and had no processor is exact where the kernel tells it. Else it is estimated: of
more ranks than processors by their numbers, of a rank that often lost its processor by its processor time.
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
"""Of the run time, waited for a processor: with less, ranks that share processors are hardly hampered."""
MUCH_WAIT = 0.05
"""Of the run time: with so much, a rank that shares its processor with no other rank was preempted."""
LEAST_BUSY = 0.25
"""Of processors, by the ranks that share them: with less, hardly ever did one want a processor in vain."""
ALL_BUSY = 0.8
"""Of processors, by the ranks that share them: with more, these took turns."""
LEAST_OTHERS = 0.05
"""Of the time of processors, taken by others than the ranks: with less, it is not worth a word."""
CERTAINLY_MORE = 1.1
"""Times the processors: if threads ran or were ready for so much of the run, there were more of them."""
MANY_SWITCHES = 20.0
"""Involuntary context switches of a rank a second: it shares its processor with something."""
YIELDS = 2000.0
"""Likewise: so many are those of a process that gives its processor up (sched_yield)."""


@dataclass(frozen=True, kw_only=True)
class RankProcessors:
    """One rank and its processors.

    Attributes:
        threads: that compute.
        run_seconds: between MPI_Init and MPI_Finalize.
        used_seconds: processor time of all its threads in this time; None = not counted.
        waited_seconds: that its threads were ready and had no processor, summed; None = not known.
        switches_per_second: involuntary ones; None = not counted.
    """

    rank: int
    threads: int
    run_seconds: float
    used_seconds: float | None
    waited_seconds: float | None
    switches_per_second: float | None

    @property
    def lost_seconds(self) -> float | None:
        """Of its run time, as its threads wait side by side; None = not known."""
        if self.waited_seconds is None:
            return None
        return min(self.waited_seconds / self.threads, self.run_seconds)

    @property
    def least_threads(self) -> float:
        """How many threads ran or were ready, in the mean and at least; 0 = not known.

        Threads that end within a step may be unseen: what they used counts, but not what they waited.
        """
        if self.waited_seconds is None or self.used_seconds is None or not self.run_seconds:
            return 0.0
        return (self.used_seconds + self.waited_seconds) / self.run_seconds

    @property
    def not_on_processor_seconds(self) -> float | None:
        """Of its run time, for whatever reason: it may have slept; None = not known."""
        return None if self.used_seconds is None else max(self.run_seconds - self.used_seconds, 0.0)


@dataclass(frozen=True, kw_only=True)
class Sharing:
    """Ranks that share fewer processors than they or their threads are.

    Attributes:
        is_of_node: they are those of the whole node, and there are no more processors for them; else others
            are there, and these ranks are bound to too few.
        what: shares what, a sentence without its full stop.
        ranks: ascending.
        threads: of them that compute.
        processors: that they may use.
        free: processors of the node that no rank may use; other jobs may have them.
        run_seconds: of the ranks, between MPI_Init and MPI_Finalize.
        used_seconds: processor time of the ranks; 0 = not known.
        capacity_seconds: that the processors had.
        waited_seconds: of the ranks' run time they were ready and had no processor; None = not known.
        others_seconds: processor time that others took of these processors; None = not known.
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
        """Share of the processors that the ranks used; 0 = not known."""
        return self.used_seconds / self.capacity_seconds if self.capacity_seconds else 0.0

    @property
    def others(self) -> float:
        """Share of the processors that others took, as far as it is known and worth a word."""
        share = (self.others_seconds or 0.0) / self.capacity_seconds if self.capacity_seconds else 0.0
        return share if share >= LEAST_OTHERS else 0.0

    @property
    def waited(self) -> float | None:
        """Share of the run time in which ranks waited for a processor; None = not known."""
        if self.waited_seconds is None:
            return None
        return self.waited_seconds / self.run_seconds if self.run_seconds else 0.0

    @property
    def matters(self) -> bool:
        """Whether ranks came late because they had no processor, as far as it is known."""
        if self.waited is not None:
            return self.waited >= LEAST_WAIT
        return not self.used_seconds or self.busy >= LEAST_BUSY

    @property
    def lost_seconds(self) -> float:
        """Of the ranks' run time, for lack of processors: if that is not known, at most."""
        if self.waited_seconds is not None:
            return self.waited_seconds
        if not self.matters:
            return 0.0
        wanted = max(self.threads, len(self.ranks))
        # (While a processor was free, no thread wanted it.)
        busy = min(self.busy, 1.0) if self.used_seconds else 1.0
        return self.run_seconds * busy * (1 - self.processors / wanted)


@dataclass(frozen=True, kw_only=True)
class Preempted:
    """Ranks that lost processors which they share with no other rank.

    Attributes:
        ranks: most lost time first.
        run_seconds: of these.
        lost_seconds: of that they had no processor; None = not known.
        is_exact: they were ready all of this time; else they may also have slept.
        switches_per_second: of the rank that was preempted most often; 0 = not counted.
        mean_switches_per_second: over all ranks that were counted.
        others_seconds: processor time that others took on their nodes, of the processors that ranks may use;
            None = not known.
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
    """Where ranks had no processors.

    Attributes:
        sharing: nodes with too few processors, the most lost time first; then ranks bound to too few.
        preempted: by whatever else runs on their nodes; None = nobody was.
        yielding: ranks that give their processors up while they wait, and lack none.
        yields_per_second: of these, on average.
    """

    sharing: tuple[Sharing, ...]
    preempted: Preempted | None
    yielding: tuple[int, ...]
    yields_per_second: float


def rank_processors(
    places: Sequence[NodePlace], rows: Sequence[Rank], counters: Sequence[RankCounters]
) -> dict[int, RankProcessors]:
    """Return the ranks whose place is known, by their numbers."""
    times = {row.rank: row for row in rows}
    counted = {row.rank: row.counted for row in counters}
    processors = {}
    for place in (place for node in places for place in node.ranks if place.rank in times):
        own = counted.get(place.rank)
        processors[place.rank] = RankProcessors(
            rank=place.rank,
            threads=place.threads,
            run_seconds=times[place.rank].run_seconds,
            used_seconds=own.counts.task_clock_seconds if own else None,
            waited_seconds=place.waited_seconds,
            switches_per_second=own.involuntary_switches_per_second if own else None,
        )
    return processors


def shortages(
    connection: sqlite3.Connection,
    places: Sequence[NodePlace] | None = None,
    rows: Sequence[Rank] | None = None,
) -> Shortages:
    """Return where ranks had no processors.

    Args:
        connection: the profile.
        places: of its nodes, if they are known already.
        rows: its ranks, likewise.
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
    alone = [own for rank, own in of_rank.items() if rank not in sharers]
    preempted = _preempted(alone, of_rank.values())
    lost = {*preempted.ranks} if preempted else set()
    if preempted:
        theirs = [node for node in places if any(place.rank in lost for place in node.ranks)]
        others = [_others(node, of_rank, times, used.get(node.host)) for node in theirs]
        known = [seconds for seconds in others if seconds is not None]
        preempted = replace(preempted, others_seconds=sum(known) if len(known) == len(others) else None)
    yielding = [own for own in alone if (own.switches_per_second or 0.0) >= YIELDS and own.rank not in lost]
    rates = [own.switches_per_second or 0.0 for own in yielding]
    return Shortages(
        sharing=tuple(sharing),
        preempted=preempted,
        yielding=tuple(sorted(own.rank for own in yielding)),
        yields_per_second=sum(rates) / len(rates) if rates else 0.0,
    )


def place_faults(places: Sequence[NodePlace], lacking: Shortages) -> list[Fault]:
    """Return what is wrong with where ranks ran, the worst first, and nodes with too few processors."""
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
        some: Sequence[RankPlace],
        processors: int,
        what: str,
        others: float | None = None,
        *,
        is_of_node: bool = False,
    ) -> Sharing:
        known = [of_rank[place.rank] for place in some]
        lost = [own.lost_seconds for own in known]
        used, span = _use(known, [times[own.rank] for own in known])
        return Sharing(
            host=node.host,
            is_of_node=is_of_node,
            what=what,
            ranks=tuple(sorted(place.rank for place in some)),
            threads=sum(place.threads for place in some),
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
    unseen = threads <= processors and least > CERTAINLY_MORE * processors
    if len(places) > processors or ((threads > processors or unseen) and not free):
        others = _others(node, of_rank, times, use)
        number = f"at least {math.ceil(least)}" if unseen else f"{threads}"
        what = _what(node.host, len(places), number, processors)
        whole = sharing_of(places, processors, what, others, is_of_node=True)
        # (Threads that hardly ever wait don't compute at the same time.)
        if len(places) > processors or whole.waited is None or whole.matters:
            yield whole
            return
    for fault in sharing_faults(node):
        some = [place for place in places if place.rank in fault.ranks]
        own = len({cpu for place in some for cpu in place.cpus})
        # (What it costs to share a core as two hardware threads of it depends on the program.)
        if sum(place.threads for place in some) > own:
            yield sharing_of(some, own, fault.what)


def _others(
    node: NodePlace,
    of_rank: Mapping[int, RankProcessors],
    times: Mapping[int, Rank],
    use: tuple[float, float] | None,
) -> float | None:
    """Return the processor time that others took of the processors that ranks may use; None = not known."""
    known = [of_rank[place.rank] for place in node.ranks if place.rank in of_rank]
    if not use or not known:
        return None
    used, span = _use(known, [times[own.rank] for own in known])
    return max(use[0] / use[1] * span - used, 0.0) if used else None


def _what(host: str, count: int, threads: str, processors: int) -> str:
    who = f"{count} rank{'s' * (count != 1)}"
    with_threads = f" with {threads} threads" if count <= processors else ""
    verb = "share" if count != 1 else "shares"
    return f"{who}{with_threads} {verb} {processors} processor{'s' * (processors != 1)} on {host}"


def _use(known: Sequence[RankProcessors], rows: Sequence[Rank]) -> tuple[float, float]:
    """Return the processor time of ranks, and in which time: if counted, from MPI_Init to MPI_Finalize."""
    used = [own.used_seconds for own in known]
    if None not in used:
        return sum(seconds or 0.0 for seconds in used), max(own.run_seconds for own in known)
    return sum(row.user_seconds + row.system_seconds for row in rows), max(row.wall_seconds for row in rows)


def _preempted(alone: Sequence[RankProcessors], everybody: Iterable[RankProcessors]) -> Preempted | None:
    """Return those that had no processor, of ranks that share theirs with no other rank."""
    exact = [
        own
        for own in alone
        if own.lost_seconds is not None and own.lost_seconds >= MUCH_WAIT * own.run_seconds > 0
    ]
    often = [
        own
        for own in alone
        if own.lost_seconds is None and MANY_SWITCHES <= (own.switches_per_second or 0.0) < YIELDS
    ]
    who = exact or often
    if not who:
        return None
    away = [own.lost_seconds if exact else own.not_on_processor_seconds for own in who]
    known = [seconds for seconds in away if seconds is not None]
    run = sum(own.run_seconds for own in who)
    lost = sum(known) if known else None
    if lost is not None and lost < MUCH_WAIT * run:
        return None
    rates = [own.switches_per_second for own in everybody if own.switches_per_second is not None]
    who.sort(key=lambda own: (-(own.lost_seconds or 0.0), -(own.switches_per_second or 0.0)))
    return Preempted(
        ranks=tuple(own.rank for own in who),
        run_seconds=run,
        lost_seconds=lost,
        is_exact=bool(exact),
        switches_per_second=max(own.switches_per_second or 0.0 for own in who),
        mean_switches_per_second=sum(rates) / len(rates) if rates else 0.0,
    )

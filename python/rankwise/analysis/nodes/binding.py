"""Where the ranks ran in their nodes, what these are like inside, and what is wrong with it."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache

from rankwise.cpulist import cpu_list
from rankwise.profile.join.members import compact
from rankwise.records import dataclass

_BUSY = 0.1  # of the processor time of the rank's busiest thread: less is no work of the program
_LONGEST_LIST = 60  # characters, of ranks in a sentence
_MOST_LISTS = 4096
_NOT_BOUND_BY_OPENMP = ("", "false")
SHARING = ("shared core", "crowded", "threads crowded")
"""Kinds of faults that make ranks or threads take turns, the worst first."""


@dataclass(frozen=True)
class Processor:
    """A processor of a node.

    Attributes:
        processor: number of the kernel's.
        package: socket; None = not known, as in the next four.
        numa: domain of memory.
        l3: the lowest processor that shares the cache.
        core: the lowest processor in it.
        l3_bytes: size of the cache.
        kind: of the core: any, performance, efficiency.
    """

    processor: int
    package: int | None
    numa: int | None
    l3: int | None
    core: int | None
    l3_bytes: int | None
    kind: str


@dataclass(frozen=True)
class Device:
    """A network card or a GPU (`kind`: network, gpu), and the domain of memory that it is near to."""

    kind: str
    name: str
    numa: int | None


@dataclass(frozen=True)
class Task:
    """A thread of a rank at its end: the processors that it might use, and its processor time."""

    tid: int
    name: str
    cpus: tuple[int, ...]
    processor: int | None
    busy_seconds: float


@dataclass(frozen=True, kw_only=True)
class RankPlace:
    """Where one rank ran.

    Attributes:
        cpus: processors that it might use, at its end as far as that is known; where OpenMP binds threads,
            those of all of them.
        seen: processors that it was seen on.
        looks: how often that was asked.
        moves: of these, it was another one than the time before.
        omp_threads: OMP_NUM_THREADS; None = not set.
        omp_proc_bind: OMP_PROC_BIND; '' = not set.
        tasks: all threads that were kept.
        computing: most threads that were seen to compute at a time, also such as have ended; None =
            not known.
        waited_seconds: that its threads were ready and had no processor, summed; None = not known.
    """

    rank: int
    cpus: tuple[int, ...]
    seen: tuple[int, ...]
    looks: int
    moves: int
    omp_threads: int | None
    omp_proc_bind: str
    omp_places: str
    tasks: tuple[Task, ...]
    computing: int | None = None
    waited_seconds: float | None = None

    @cached_property
    def busy_tasks(self) -> tuple[Task, ...]:
        """The threads that computed."""
        most = max((task.busy_seconds for task in self.tasks), default=0.0)
        return tuple(
            task for task in self.tasks if task.busy_seconds > 0 and task.busy_seconds >= _BUSY * most
        )

    @property
    def threads(self) -> int:
        """How many threads want a core: those that computed; if that is not known, OMP_NUM_THREADS."""
        seen = max(len(self.busy_tasks), self.computing or 0)
        return seen or self.omp_threads or 1


@dataclass(frozen=True)
class NodePlace:
    """One node with its ranks.

    Attributes:
        processors: that are online; empty = not known.
        ranks: in their order.
    """

    host: str
    processors: tuple[Processor, ...]
    devices: tuple[Device, ...]
    ranks: tuple[RankPlace, ...]

    @cached_property
    def core_of(self) -> Mapping[int, int]:
        """The core of each processor; where that is not known each processor is one."""
        known = {
            processor.processor: processor.processor if processor.core is None else processor.core
            for processor in self.processors
        }
        lists = {cpus for rank in self.ranks for cpus in (rank.cpus, rank.seen)}
        others = {cpu for cpus in lists for cpu in cpus} - known.keys()
        return known | {cpu: cpu for cpu in others}

    @cached_property
    def usable(self) -> frozenset[int]:
        """Processors that some rank may use: a batch system may keep the others for somebody else."""
        return frozenset(cpu for cpus in {rank.cpus for rank in self.ranks} for cpu in cpus)

    def cores(self, cpus: tuple[int, ...]) -> tuple[int, ...]:
        """Return the cores that processors are in, ascending; many ranks have the same ones."""
        known = self._cores.get(cpus)
        if known is None:
            known = self._cores[cpus] = tuple(sorted({self.core_of[cpu] for cpu in cpus}))
        return known

    @cached_property
    def usable_cores(self) -> tuple[int, ...]:
        """The cores of the processors that some rank may use."""
        return self.cores(tuple(self.usable))

    @cached_property
    def _cores(self) -> dict[tuple[int, ...], tuple[int, ...]]:
        return {}

    def is_bound(self, rank: RankPlace) -> bool:
        """Tell whether a rank is bound: to a part of what the ranks of the node may use, or to one core."""
        cores = self.cores(rank.cpus)
        return len(cores) == 1 or 0 < len(cores) < len(self.usable_cores)


@dataclass(frozen=True)
class Fault:
    """Something about places that costs time, or may.

    Attributes:
        kind: `shared core`, `crowded`, `not bound`, `threads crowded`, `threads not bound`, `fewer ranks`,
            `far network`, `far gpu`.
        hosts: where, in the order of the profile.
        ranks: whose, ascending.
        what: a sentence without its full stop.
        cure: what to do about it, likewise; '' = it depends.
    """

    kind: str
    hosts: tuple[str, ...]
    ranks: tuple[int, ...]
    what: str
    cure: str


def node_places(connection: sqlite3.Connection) -> list[NodePlace]:
    """Return every node, in the order of its lowest rank."""
    processors: dict[int, list[Processor]] = {}
    for shape, *columns in connection.execute(
        "SELECT shape, processor, package, numa, l3, core, l3_bytes, kind FROM shape_processors"
        " ORDER BY shape, processor"
    ):
        processors.setdefault(shape, []).append(Processor(*columns))
    devices: dict[int, list[Device]] = {}
    for shape, *columns in connection.execute("SELECT shape, kind, name, numa FROM shape_devices"):
        devices.setdefault(shape, []).append(Device(*columns))
    shapes = dict(connection.execute("SELECT host, shape FROM node_shapes").fetchall())
    tasks = _tasks(connection)
    ranks_of_host: dict[str, list[RankPlace]] = {}
    for host, rank, allowed, last, seen, looks, moves, threads, bind, places, *more in connection.execute(
        "SELECT host, ranks.rank, cpus_allowed, cpus_stop, COALESCE(seen, ''), COALESCE(looks, 0),"
        " COALESCE(moves, 0), omp_threads, COALESCE(omp_proc_bind, ''), COALESCE(omp_places, ''),"
        " computing, run_queue_wait"
        " FROM ranks LEFT JOIN places ON places.rank = ranks.rank ORDER BY ranks.rank"
    ):
        own = tuple(tasks.get(rank, ()))
        computing, waited = more
        cpus = _cpus(last or allowed)
        if bind.lower() not in _NOT_BOUND_BY_OPENMP:
            # OpenMP has bound the first thread, too, before MPI_Init: those of all threads are the rank's.
            cpus = tuple(sorted({*cpus, *(cpu for task in own for cpu in task.cpus)}))
        place = RankPlace(
            rank=rank,
            cpus=cpus,
            seen=_cpus(seen),
            looks=looks,
            moves=moves,
            omp_threads=threads,
            omp_proc_bind=bind,
            omp_places=places,
            tasks=own,
            computing=computing,
            waited_seconds=waited,
        )
        ranks_of_host.setdefault(host, []).append(place)
    return [
        NodePlace(
            host,
            tuple(processors.get(shapes.get(host, 0), ())),
            tuple(devices.get(shapes.get(host, 0), ())),
            tuple(ranks),
        )
        for host, ranks in ranks_of_host.items()
    ]


def faults(connection: sqlite3.Connection) -> list[Fault]:
    """Return what is wrong with where ranks and their threads ran, the worst first."""
    return faults_of(node_places(connection))


def faults_of(nodes: Sequence[NodePlace]) -> list[Fault]:
    """Return what is wrong on these nodes, the worst first."""
    alone = [fault for node in nodes for fault in faults_of_node(node)]
    kinds: dict[tuple[str, str], list[Fault]] = {}
    order = (*SHARING, "not bound", "threads not bound")
    for fault in alone:
        kinds.setdefault((fault.kind, fault.cure), []).append(fault)
    merged = [_joined(some) for some in kinds.values()]
    rank = {kind: place for place, kind in enumerate(order)}
    merged.sort(key=lambda fault: rank.get(fault.kind, len(order)))
    return [*merged, *_uneven(nodes)]


def _joined(some: Sequence[Fault]) -> Fault:
    """Make one of faults of one kind; the first stands for all."""
    first, more = some[0], len(some) - 1
    hosts = tuple(dict.fromkeys(host for fault in some for host in fault.hosts))
    ranks = tuple(sorted({rank for fault in some for rank in fault.ranks}))
    if not more:
        return first
    where = f", on {len(hosts)} nodes" if len(hosts) > 1 else ""
    listed = f"ranks {compact(ranks)}"
    whose = listed if len(listed) <= _LONGEST_LIST else f"{len(ranks)} ranks"
    what = f"{first.what}, and {more} more of this kind ({whose} in total{where})"
    return replace(first, hosts=hosts, ranks=ranks, what=what)


def faults_of_node(node: NodePlace) -> Iterator[Fault]:
    """Return what is wrong within a node, for each rank or group of ranks by itself."""
    yield from _shared_cores(node)
    yield from _not_bound(node)
    for rank in node.ranks:
        yield from _threads(node, rank)
    yield from _far(node)


def sharing_faults(node: NodePlace) -> Iterator[Fault]:
    """Return those of them that make ranks or threads take turns, without looking for the others."""
    yield from _shared_cores(node)
    for rank in node.ranks:
        yield from (fault for fault in _threads(node, rank) if fault.kind in SHARING)


def _shared_cores(node: NodePlace) -> Iterator[Fault]:
    """Find ranks that may use the same cores, and are more than these."""
    groups: dict[tuple[int, ...], list[RankPlace]] = {}
    for rank in node.ranks:
        if rank.cpus:
            groups.setdefault(node.cores(rank.cpus), []).append(rank)
    free = len(
        {node.core_of[processor.processor] for processor in node.processors}
        - {c for key in groups for c in key}
    )
    for cores, some in groups.items():
        ranks = [rank.rank for rank in some]
        processors = {cpu for cpus in {rank.cpus for rank in some} for cpu in cpus}
        if len(ranks) <= len(cores) or (len(ranks) <= len(processors) and not free):
            continue  # hardware threads of one core are no fault where all cores are in use
        kind = "shared core" if len(cores) == 1 else "crowded"
        where = f"core {cores[0]}" if len(cores) == 1 else f"{len(cores)} cores"
        what = f"ranks {compact(ranks)} share {where} of {node.host}"
        cure = "bind each rank to its own core" if free else "start fewer ranks on a node"
        yield Fault(kind, (node.host,), tuple(ranks), what, cure)


def _not_bound(node: NodePlace) -> Iterator[Fault]:
    loose = [rank for rank in node.ranks if rank.cpus and not node.is_bound(rank)]
    cores = len(node.usable_cores)
    # (Where they are more than the cores, that is what is wrong.)
    if len(node.ranks) < 2 or not loose or cores < len(loose):
        return
    moved = sum(rank.moves for rank in loose)
    seen = f", and moved {moved} time{'s' * (moved != 1)}" if moved else ""
    ranks = tuple(rank.rank for rank in loose)
    noun, verb = ("ranks", "are") if len(ranks) > 1 else ("rank", "is")
    what = f"{noun} {compact(ranks)} {verb} not bound: they may use all {cores} cores of {node.host}{seen}"
    yield Fault(
        "not bound", (node.host,), ranks, what, "let the launcher bind them (--bind-to core, --cpu-bind)"
    )


def _threads(node: NodePlace, rank: RankPlace) -> Iterator[Fault]:
    if not rank.cpus or rank.threads < 2:
        return
    why = f" (OMP_NUM_THREADS={rank.omp_threads})" if rank.omp_threads else ""
    if rank.threads > len(rank.cpus):
        what = (
            f"rank {rank.rank} on {node.host} has {rank.threads} threads{why} on {len(rank.cpus)}"
            f" processor{'s' * (len(rank.cpus) > 1)}"
        )
        cure = "bind each rank to as many cores as it has threads"
        yield Fault("threads crowded", (node.host,), (rank.rank,), what, cure)
        return
    wide = [task for task in rank.busy_tasks if len(node.cores(task.cpus)) > 1]
    if len(rank.busy_tasks) > 1 and wide and rank.omp_proc_bind.lower() in _NOT_BOUND_BY_OPENMP:
        what = (
            f"{len(wide)} threads of rank {rank.rank} on {node.host} are not bound: each may use"
            f" {len(node.cores(wide[0].cpus))} cores"
        )
        yield Fault(
            "threads not bound", (node.host,), (rank.rank,), what, "set OMP_PROC_BIND=close, OMP_PLACES=cores"
        )


def _far(node: NodePlace) -> Iterator[Fault]:
    """Find ranks on another package than all devices of a kind."""
    package_of = {processor.processor: processor.package for processor in node.processors}
    of_domain = {processor.numa: processor.package for processor in node.processors}
    for kind, name in (("network", "network card"), ("gpu", "GPU")):
        near = {
            of_domain.get(device.numa)
            for device in node.devices
            if device.kind == kind and device.numa is not None
        }
        if not near or None in near:
            continue
        far = tuple(
            rank.rank
            for rank in node.ranks
            if rank.cpus and not near & {package_of.get(cpu) for cpu in rank.cpus} and node.processors
        )
        if not far:
            continue
        names = ", ".join(device.name for device in node.devices if device.kind == kind)
        noun = f"rank{'s' * (len(far) > 1)} {compact(far)}"
        what = f"{noun} on {node.host}: not on the socket of the {name} ({names})"
        yield Fault(f"far {kind}", (node.host,), far, what, "")


def _uneven(nodes: Sequence[NodePlace]) -> Iterator[Fault]:
    """Find nodes with fewer ranks than most."""
    if len(nodes) < 2:
        return
    counts = Counter(len(node.ranks) for node in nodes)
    usual = max(counts, key=lambda ranks: (counts[ranks], ranks))
    fewer = [node for node in nodes if len(node.ranks) < usual]
    if not fewer:
        return
    least = fewer[0]
    ranks = tuple(sorted(rank.rank for node in fewer for rank in node.ranks))
    more = f", and {len(fewer) - 1} more nodes" if len(fewer) > 1 else ""
    what = f"{least.host} has {len(least.ranks)} of the {usual} ranks that other nodes have{more}"
    yield Fault("fewer ranks", tuple(node.host for node in fewer), ranks, what, "")


def _tasks(connection: sqlite3.Connection) -> dict[int, list[Task]]:
    tasks: dict[int, list[Task]] = {}
    for rank, tid, name, allowed, processor, busy in connection.execute(
        "SELECT rank, tid, name, cpus_allowed, processor, busy FROM tasks ORDER BY rank, tid"
    ):
        tasks.setdefault(rank, []).append(Task(tid, name, _cpus(allowed), processor, busy))
    return tasks


@lru_cache(_MOST_LISTS)
def _cpus(text: str) -> tuple[int, ...]:
    """Return the processors of a list, which many ranks share; none of one that is damaged."""
    try:
        return cpu_list(text)
    except ValueError:
        return ()

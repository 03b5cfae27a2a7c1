"""The placement of the ranks within their nodes, the nodes' topology, and placement faults."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache

from rankwise.cpulist import cpu_list
from rankwise.profile.join.members import compact
from rankwise.records import dataclass

_BUSY = (
    0.1  # of the processor time of the rank's busiest thread: a thread with less does no work of the program
)
_LONGEST_LIST = 60  # characters, of ranks in a sentence
_MOST_LISTS = 4096
_NOT_BOUND_BY_OPENMP = ("", "false")
SHARING = ("shared core", "crowded", "threads crowded")
"""Kinds of faults that make ranks or threads share processors by time slicing, the worst first."""


@dataclass(frozen=True)
class Processor:
    """A processor of a node.

    Attributes:
        processor: the kernel's number.
        package: socket; None = unknown, also in the next four fields.
        numa: NUMA domain.
        l3: L3 cache, identified by the lowest processor that shares it.
        core: core, identified by its lowest processor.
        l3_bytes: size of the L3 cache.
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
    """A network card or a GPU (`kind`: network, gpu), and its NUMA domain."""

    kind: str
    name: str
    numa: int | None


@dataclass(frozen=True)
class Task:
    """A thread of a rank, as last recorded: its allowed processors, and its processor time."""

    tid: int
    name: str
    cpus: tuple[int, ...]
    processor: int | None
    busy_seconds: float


@dataclass(frozen=True, kw_only=True)
class RankPlace:
    """Where one rank ran.

    Attributes:
        cpus: allowed processors, at its end if known; if OpenMP binds threads, the processors of all threads.
        seen: processors that it was observed on.
        looks: number of observations.
        moves: number of observations on a different processor than before.
        omp_threads: OMP_NUM_THREADS; None = not set.
        omp_proc_bind: OMP_PROC_BIND; '' = not set.
        tasks: all threads that were kept.
        computing: largest number of threads observed computing at a time, including ended threads; None =
            unknown.
        waited_seconds: that its threads were ready and had no processor, summed; None = unknown.
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
        """The number of threads that need a core: computing threads; if unknown, OMP_NUM_THREADS."""
        observed = max(len(self.busy_tasks), self.computing or 0)
        return observed or self.omp_threads or 1


@dataclass(frozen=True)
class NodePlace:
    """One node with its ranks.

    Attributes:
        processors: online processors; empty = unknown.
        ranks: in ascending order.
        kernel: release of Linux; '' = unknown.
    """

    host: str
    processors: tuple[Processor, ...]
    devices: tuple[Device, ...]
    ranks: tuple[RankPlace, ...]
    kernel: str = ""

    @cached_property
    def core_of(self) -> Mapping[int, int]:
        """The core of each processor; a processor with an unknown core counts as a core."""
        known = {
            processor.processor: processor.processor if processor.core is None else processor.core
            for processor in self.processors
        }
        lists = {cpus for rank in self.ranks for cpus in (rank.cpus, rank.seen)}
        others = {cpu for cpus in lists for cpu in cpus} - known.keys()
        return known | {cpu: cpu for cpu in others}

    @cached_property
    def usable(self) -> frozenset[int]:
        """Processors that some rank may use; a batch system may reserve the others for other jobs."""
        return frozenset(cpu for cpus in {rank.cpus for rank in self.ranks} for cpu in cpus)

    def cores(self, cpus: tuple[int, ...]) -> tuple[int, ...]:
        """Return the cores of processors, ascending; cached, as many ranks have the same processors."""
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
        """Return whether a rank is bound: to some of the cores usable by the node's ranks, or to one core."""
        cores = self.cores(rank.cpus)
        return len(cores) == 1 or 0 < len(cores) < len(self.usable_cores)


@dataclass(frozen=True)
class Fault:
    """A placement fault, which costs time or may cost time.

    Attributes:
        kind: `shared core`, `crowded`, `not bound`, `threads crowded`, `threads not bound`, `fewer ranks`,
            `far network`, `far gpu`.
        hosts: affected hosts, in the order of the profile.
        ranks: affected ranks, ascending.
        what: description, a sentence without its full stop.
        cure: remedy, a sentence without its full stop; '' = it depends.
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
    kernels = dict(connection.execute("SELECT host, release FROM kernels").fetchall())
    tasks = _tasks(connection)
    ranks_of_host: dict[str, list[RankPlace]] = {}
    for host, rank, allowed, last, seen, looks, moves, threads, bind, places, *more in connection.execute(
        "SELECT host, ranks.rank, cpus_allowed, cpus_stop, COALESCE(seen, ''), COALESCE(looks, 0),"
        " COALESCE(moves, 0), omp_threads, COALESCE(omp_proc_bind, ''), COALESCE(omp_places, ''),"
        " computing, run_queue_wait"
        " FROM ranks LEFT JOIN places ON places.rank = ranks.rank ORDER BY ranks.rank"
    ):
        rank_tasks = tuple(tasks.get(rank, ()))
        computing, waited = more
        cpus = _cpus(last or allowed)
        if bind.lower() not in _NOT_BOUND_BY_OPENMP:
            # OpenMP has bound the first thread before MPI_Init, so the rank's processors are all threads'.
            cpus = tuple(sorted({*cpus, *(cpu for task in rank_tasks for cpu in task.cpus)}))
        place = RankPlace(
            rank=rank,
            cpus=cpus,
            seen=_cpus(seen),
            looks=looks,
            moves=moves,
            omp_threads=threads,
            omp_proc_bind=bind,
            omp_places=places,
            tasks=rank_tasks,
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
            kernels.get(host, ""),
        )
        for host, ranks in ranks_of_host.items()
    ]


def faults(connection: sqlite3.Connection) -> list[Fault]:
    """Return the placement faults of the ranks and their threads, the worst first."""
    return faults_of(node_places(connection))


def faults_of(nodes: Sequence[NodePlace]) -> list[Fault]:
    """Return the placement faults on these nodes, the worst first."""
    node_faults = [fault for node in nodes for fault in faults_of_node(node)]
    kinds: dict[tuple[str, str], list[Fault]] = {}
    order = (*SHARING, "not bound", "threads not bound")
    for fault in node_faults:
        kinds.setdefault((fault.kind, fault.cure), []).append(fault)
    merged = [_joined(same_kind) for same_kind in kinds.values()]
    rank = {kind: place for place, kind in enumerate(order)}
    merged.sort(key=lambda fault: rank.get(fault.kind, len(order)))
    return [*merged, *_uneven(nodes)]


def _joined(faults: Sequence[Fault]) -> Fault:
    """Merge faults of one kind; the text describes the first fault."""
    first, more = faults[0], len(faults) - 1
    hosts = tuple(dict.fromkeys(host for fault in faults for host in fault.hosts))
    ranks = tuple(sorted({rank for fault in faults for rank in fault.ranks}))
    if not more:
        return first
    where = f", on {len(hosts)} nodes" if len(hosts) > 1 else ""
    listed = f"ranks {compact(ranks)}"
    whose = listed if len(listed) <= _LONGEST_LIST else f"{len(ranks)} ranks"
    what = f"{first.what}, and {more} more of this kind ({whose} in total{where})"
    return replace(first, hosts=hosts, ranks=ranks, what=what)


def faults_of_node(node: NodePlace) -> Iterator[Fault]:
    """Return the placement faults within a node, for each rank or group of ranks separately."""
    yield from _shared_cores(node)
    yield from _not_bound(node)
    for rank in node.ranks:
        yield from _threads(node, rank)
    yield from _far(node)


def sharing_faults(node: NodePlace) -> Iterator[Fault]:
    """Return only the faults whose kind is in `SHARING`."""
    yield from _shared_cores(node)
    for rank in node.ranks:
        yield from (fault for fault in _threads(node, rank) if fault.kind in SHARING)


def _shared_cores(node: NodePlace) -> Iterator[Fault]:
    """Find ranks with the same allowed cores that outnumber these cores."""
    groups: dict[tuple[int, ...], list[RankPlace]] = {}
    for rank in node.ranks:
        if rank.cpus:
            groups.setdefault(node.cores(rank.cpus), []).append(rank)
    free = len(
        {node.core_of[processor.processor] for processor in node.processors}
        - {c for key in groups for c in key}
    )
    for cores, sharers in groups.items():
        ranks = [rank.rank for rank in sharers]
        processors = {cpu for cpus in {rank.cpus for rank in sharers} for cpu in cpus}
        if len(ranks) <= len(cores) or (len(ranks) <= len(processors) and not free):
            continue  # sharing a core as hardware threads is no fault if all cores are in use
        kind = "shared core" if len(cores) == 1 else "crowded"
        where = f"core {cores[0]}" if len(cores) == 1 else f"{len(cores)} cores"
        what = f"ranks {compact(ranks)} share {where} of {node.host}"
        cure = "bind each rank to its own core" if free else "start fewer ranks on a node"
        yield Fault(kind, (node.host,), tuple(ranks), what, cure)


def _not_bound(node: NodePlace) -> Iterator[Fault]:
    loose = [rank for rank in node.ranks if rank.cpus and not node.is_bound(rank)]
    cores = len(node.usable_cores)
    # (More ranks than cores are reported as crowded instead.)
    if len(node.ranks) < 2 or not loose or cores < len(loose):
        return
    moved = sum(rank.moves for rank in loose)
    movement = f", and moved {moved} time{'s' * (moved != 1)}" if moved else ""
    ranks = tuple(rank.rank for rank in loose)
    noun, verb = ("ranks", "are") if len(ranks) > 1 else ("rank", "is")
    what = (
        f"{noun} {compact(ranks)} {verb} not bound: they may use all {cores} cores of {node.host}{movement}"
    )
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
    """Return the processors of a list; none if it is damaged. Cached, as many ranks share a list."""
    try:
        return cpu_list(text)
    except ValueError:
        return ()

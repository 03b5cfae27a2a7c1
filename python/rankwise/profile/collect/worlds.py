"""Groups counters files by MPI_COMM_WORLD, and assigns their ranks.

A script under one `rankwise run` may start several MPI programs, at once or one after the other; each is a
separate world. No process knows of other worlds, so they are found from the outside.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import field

from rankwise.profile.collect.counters import Counters, Header
from rankwise.profile.collect.lifetime import Lifetime
from rankwise.profile.collect.programs import program_name
from rankwise.profile.store.database import MOST_RANKS
from rankwise.records import dataclass

_MOST_PROGRAMS = 8  # that are listed
_SPAWNED = " spawned"  # ends the job of spawned processes where the spawning call is unknown


@dataclass(kw_only=True)
class World:
    """The processes of one MPI_COMM_WORLD.

    Attributes:
        job: what identifies the world, as its processes say; may be empty.
        batch_job: id of the batch system's job, as the first process says that knows it; '' = unknown.
        ranks: what each rank that left a readable file counted, in the order of the ranks.
        size: ranks expected.
        number: its place among the worlds of the run, from 1.
        of: worlds of the run.
        warnings: uncertainties, a sentence each.
    """

    job: str = ""
    batch_job: str = ""
    ranks: dict[int, Counters] = field(default_factory=dict)
    size: int = 0
    number: int = 1
    of: int = 1
    warnings: list[str] = field(default_factory=list)
    _sizes: set[int] = field(default_factory=set)  # as the processes say
    _ended: dict[str, int] = field(default_factory=dict)  # per node: when the first process had finalized

    def add(self, rank: int, counters: Counters) -> None:
        """Make a process a member."""
        header = counters.header
        self.job = self.job or header.job
        self.batch_job = self.batch_job or header.batch_job
        self.ranks[rank] = counters
        self._sizes.add(header.world_size)
        if header.state == "finalized":
            stopped_ns = Lifetime.of(counters).stopped_ns
            self._ended[header.host] = min(self._ended.get(header.host, stopped_ns), stopped_ns)

    def programs(self) -> list[list[str]]:
        """Return the command line of each program that runs in it, as its first rank saw it."""
        words_by_program: dict[tuple[str, str], list[str]] = {}
        for counters in self.ranks.values():
            executable = counters.header.executable
            words = list(counters.arguments) if any(counters.arguments[:1]) else [executable]
            words_by_program.setdefault((executable, program_name(words)), words)
        return list(words_by_program.values())[:_MOST_PROGRAMS]

    def is_whole(self) -> bool:
        """Whether all ranks that its processes know of are there."""
        return 0 < max(self._sizes, default=0) <= len(self.ranks)

    def has_called(self) -> bool:
        """Whether any process called more than MPI_Init and MPI_Finalize, or is inside of such a call."""
        return any(counters.has_called for counters in self.ranks.values())

    def may_have(self, rank: int, counters: Counters) -> bool:
        """Whether nothing speaks against a process being that rank of this world."""
        header = counters.header
        if rank in self.ranks or (header.job and self.job and header.job != self.job):
            return False
        if header.world_size > 0 and not self._sizes <= {header.world_size, -1}:
            return False
        if header.job.endswith(_SPAWNED) and not self._initialised_with(counters):
            return False
        # MPI_Init and MPI_Finalize hold all together: who starts after another has stopped is in a later
        # world. Only clocks of one node can be compared.
        started_ns = Lifetime.of(counters).started_ns
        return started_ns <= self._ended.get(header.host, started_ns)

    def _initialised_with(self, counters: Counters) -> bool:
        """Whether a process was in MPI_Init at the same time as all members of its node."""
        mine = counters.header.stamps
        for other in self.ranks.values():
            theirs = other.header.stamps
            if other.header.host == counters.header.host and any(
                late.used and early.used and late.realtime_ns > early.realtime_ns
                for late, early in ((mine["loaded"], theirs["started"]), (theirs["loaded"], mine["started"]))
            ):
                return False
        return True


def worlds(files: Iterable[Counters]) -> list[World]:
    """Sort the files into worlds; the world that was started first comes first."""
    worlds_so_far: list[World] = []
    lost: list[Counters] = []
    for counters in sorted(files, key=lambda file: (Lifetime.of(file).started_ns, file.path)):
        rank = _rank(counters.header)
        if rank is None:
            lost.append(counters)
            continue
        world = next((world for world in worlds_so_far if world.may_have(rank, counters)), None)
        if world is None:
            world = World()
            worlds_so_far.append(world)
        world.add(rank, counters)
    for counters in lost:
        _give_a_rank(counters, worlds_so_far)
    for world in worlds_so_far:
        world.ranks = dict(sorted(world.ranks.items()))
        world.size = _size(world)
    _number(worlds_so_far)
    return worlds_so_far


def worth_a_profile(all_worlds: list[World]) -> list[World]:
    """Leave out worlds in which nothing was called, and number the others; one stays in any case.

    So are processes that a program starts and that initialise MPI without using it, such as Python's
    `multiprocessing` where mpi4py is imported. They may be killed at any time, also in MPI_Init.
    """
    jobs = {world.job for world in all_worlds if world.job and world.has_called()}
    kept = [world for world in all_worlds if not _is_idle(world, jobs)] or all_worlds[:1]
    _number(kept)
    return kept


def _is_idle(world: World, jobs: Collection[str]) -> bool:
    states = {counters.header.state for counters in world.ranks.values()}
    if world.has_called() or "aborted" in states:
        return False
    return states == {"finalized"} or world.size == 1 or world.job in jobs


def _number(all_worlds: list[World]) -> None:
    for number, world in enumerate(all_worlds, 1):
        world.number, world.of = number, len(all_worlds)


def _rank(header: Header) -> int | None:
    """Return the rank: from MPI, or before MPI_Init returned, from the launcher; None = not known."""
    if 0 <= header.world_rank < header.world_size <= MOST_RANKS:
        return header.world_rank
    if 0 <= header.launcher_rank < min(header.launcher_size, MOST_RANKS):
        return header.launcher_rank
    return (
        header.launcher_rank if header.launcher_size < 1 and 0 <= header.launcher_rank < MOST_RANKS else None
    )


def _give_a_rank(counters: Counters, worlds_so_far: list[World]) -> None:
    """Give a process that does not know its rank a missing one."""
    job = counters.header.job
    world = next(
        (known for known in worlds_so_far if (not known.job or known.job == job) and not known.is_whole()),
        None,
    )
    if world is None:
        world = World()
        worlds_so_far.append(world)
    rank = next(rank for rank in range(len(world.ranks) + 1) if rank not in world.ranks)
    world.add(rank, counters)
    world.warnings.append(
        f"process {counters.header.pid} on {counters.header.host or 'an unknown node'} did not come to know "
        f"its rank; it is shown as rank {rank}"
    )


def _size(world: World) -> int:
    """Return the size that most processes know; never less than there are."""
    headers = [counters.header for counters in world.ranks.values()]
    known = [header.world_size for header in headers if 0 < header.world_size <= MOST_RANKS]
    from_launcher = [header.launcher_size for header in headers if 0 < header.launcher_size <= MOST_RANKS]
    [(size, _)] = Counter(known or from_launcher or [1]).most_common(1)
    return max(size, max(world.ranks) + 1)

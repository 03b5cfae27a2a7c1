"""All counters of a run directory as they are at one instant. The files are only read."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from rankwise.errors import RankwiseError
from rankwise.live.process import Process, processes
from rankwise.profile.clock import Clock, frequency
from rankwise.profile.counters import Counters, read_counters
from rankwise.profile.end_note import has_ended
from rankwise.profile.holders import COUNTERS_SUFFIX

_TRIES = 5
_SHORT_NS = 100_000  # of a call: what is not known of it is lost in the digits that are shown


@dataclass(frozen=True)
class Snapshot:
    """What the processes of a job had counted at one instant.

    Attributes:
        taken_ns: nanoseconds since 1970, by the clock of this node.
        monotonic: seconds of a clock that nobody sets.
        processes: those whose counters could be read.
        unreadable: what could not be read, a sentence each: a process may just be beginning its file.
        over: the run directory is gone, or says that the job has ended.
    """

    taken_ns: int
    monotonic: float
    processes: tuple[Process, ...] = ()
    unreadable: tuple[str, ...] = ()
    over: bool = False


def take(directory: Path) -> Snapshot:
    """Read the counters of all processes."""
    start_ns, start = time.time_ns(), time.monotonic()
    files: list[Counters] = []
    read_ns: list[tuple[int, int]] = []
    unreadable: list[str] = []
    try:
        paths = sorted(path for path in directory.iterdir() if path.name.endswith(COUNTERS_SUFFIX))
    except OSError:  # gone, as it should be when the profile is written
        return Snapshot(start_ns, start, over=True)
    over = has_ended(directory)
    for path in paths:
        try:
            counters, instants = _read(path)
        except RankwiseError as error:
            unreadable.append(str(error))
            continue
        files.append(counters)
        read_ns.append(instants)
    # Files that go while they are read are no damage but the end.
    over = over or not directory.is_dir()
    return Snapshot(start_ns, start, tuple(processes(files, read_ns)), tuple(unreadable), over)


def _read(path: Path) -> tuple[Counters, tuple[int, int]]:
    """Read the counters of a process, and tell just before and just after which instants.

    A process goes on while it is read. Of a call that ends meanwhile nobody can tell whether it is among what
    was read, so then they are read again, unless it is too short to matter.
    """
    for _ in range(_TRIES):
        before_ns = time.time_ns()
        counters = read_counters(path)
        instants = (before_ns, time.time_ns())
        stamps = counters.header.stamps
        ticks_per_second = frequency(list(stamps.values()))
        if not counters.left or ticks_per_second is None:
            break
        clock = Clock(ticks_per_second, stamps["latest"])
        if before_ns - clock.realtime_ns(min(counters.left)) <= _SHORT_NS:
            break
    return counters, instants

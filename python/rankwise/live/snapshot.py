"""All counters of a run directory at one instant. The files are only read."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from rankwise.errors import RankwiseError
from rankwise.live.process import Process, processes
from rankwise.profile.collect.clock import Clock, frequency
from rankwise.profile.collect.counters import Counters
from rankwise.profile.collect.end_note import has_ended
from rankwise.profile.collect.holders import Holder, find_counters
from rankwise.profile.collect.node_files import NodeFile

_TRIES = 5
_SHORT_NS = 100_000  # of a call: an error of this size is below the displayed digits


class Save(NamedTuple):
    """The saved counters of a node, by its keeper.

    Attributes:
        host: the node.
        saved_ns: when, nanoseconds since 1970 by the clock of that node.
    """

    host: str
    saved_ns: int


@dataclass(frozen=True)
class Snapshot:
    """The counters of a job's processes at one instant.

    Attributes:
        taken_ns: nanoseconds since 1970, by the clock of this node.
        monotonic: seconds of a clock that is never set.
        processes: with readable counters.
        unreadable: why others could not be read, a sentence each: a process may just be creating its file.
        over: the run directory is gone, or its notes say that the job has ended.
        saves: of other nodes, whose counters are read as their keepers have saved them.
    """

    taken_ns: int
    monotonic: float
    processes: tuple[Process, ...] = ()
    unreadable: tuple[str, ...] = ()
    over: bool = False
    saves: tuple[Save, ...] = ()


def take(directory: Path) -> Snapshot:
    """Read the counters of all processes."""
    start_ns, start = time.time_ns(), time.monotonic()
    files: list[Counters] = []
    read_ns: list[tuple[int, int]] = []
    unreadable: list[str] = []
    try:
        files_found = find_counters(directory)
    except OSError:  # the directory is gone, as expected once the profile is written
        return Snapshot(start_ns, start, over=True)
    over = has_ended(directory)
    saved = {saved_file.path: saved_file for saved_file in files_found.node_files}
    unreadable += map(str, files_found.failures)
    for holder in files_found.holders:
        node_file = saved.get(holder.path)
        for counters, instants in _read_saved(holder, node_file) if node_file else _read(holder):
            if isinstance(counters, RankwiseError):
                unreadable.append(str(counters))
            else:
                files.append(counters)
                read_ns.append(instants)
    read = {holder.path for holder in files_found.holders}
    saves = [Save(file.host, file.saved_realtime_ns) for path, file in saved.items() if path in read]
    # Files that disappear while they are read mean the end, not damage.
    over = over or not directory.is_dir()
    return Snapshot(start_ns, start, tuple(processes(files, read_ns)), tuple(unreadable), over, tuple(saves))


Read = tuple[Counters | RankwiseError, tuple[int, int]]
"""Counters, or why they can't be read, and the instants just before and just after."""


def _read_saved(holder: Holder, node_file: NodeFile) -> Iterator[Read]:
    """Read counters as a keeper has saved them; those of running processes are of that instant."""
    for counters in holder.read():
        gone = isinstance(counters, Counters) and counters.gone_ns != 0
        instant = time.time_ns() if gone or node_file.is_final else node_file.saved_realtime_ns
        yield counters, (instant, instant)


def _read(holder: Holder) -> Iterator[Read]:
    """Read the counters of a process.

    A process continues while it is read. If a call ends meanwhile, it may or may not be included. Then the
    counters are read again, unless the call is too short to matter.
    """
    for _ in range(_TRIES):
        before_ns = time.time_ns()
        counters = next(holder.read())
        instants = (before_ns, time.time_ns())
        if isinstance(counters, RankwiseError):
            break
        stamps = counters.header.stamps
        ticks_per_second = frequency(list(stamps.values()))
        if not counters.left or ticks_per_second is None:
            break
        clock = Clock(ticks_per_second, stamps["latest"])
        if before_ns - clock.realtime_ns(min(counters.left)) <= _SHORT_NS:
            break
    yield counters, instants

"""The inside of each node, and where each rank ran in it, as the processes have noted it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.cpulist import cpu_list
from rankwise.profile.collect import layout
from rankwise.profile.collect.clock import NANOSECONDS
from rankwise.profile.collect.counters import Counters
from rankwise.profile.collect.rows import Rows
from rankwise.profile.collect.text import text_of
from rankwise.profile.join.grouping import LARGEST

_TICKS_A_SECOND = 100  # of /proc, on every Linux
_MOST = layout.CONSTANTS["MOST_CPUS"]
_KINDS = layout.names_of("core_kind")
_DEVICES = layout.names_of("device_kind")

Processor = tuple[int, int | None, int | None, int | None, int | None, int | None, str]
Device = tuple[str, str, int | None]


class Shapes:
    """The inside of nodes; equal nodes share a shape.

    Attributes:
        hosts: number of the shape of each host that is known, from 1.
        processors: of each shape: columns of `shape_processors` from `processor` on.
        devices: of each shape: columns of `shape_devices`, from `kind` on.
    """

    def __init__(self, world: Mapping[int, Counters]) -> None:
        """Collect what one process of each node has noted."""
        self.hosts: dict[str, int] = {}
        self.processors: list[tuple[Processor, ...]] = []
        self.devices: list[tuple[Device, ...]] = []
        known: dict[tuple[tuple[Processor, ...], tuple[Device, ...]], int] = {}
        for counters in world.values():
            host = counters.header.host
            if not len(counters.processors) or host in self.hosts:
                continue
            shape = (tuple(_processors(counters.processors)), tuple(_devices(counters.devices)))
            if shape not in known:
                known[shape] = len(known) + 1
                self.processors.append(shape[0])
                self.devices.append(shape[1])
            self.hosts[host] = known[shape]

    def processor_rows(self) -> Iterator[tuple[Any, ...]]:
        """Make the rows of `shape_processors`."""
        for number, processors in enumerate(self.processors, 1):
            yield from ((number, *processor) for processor in processors)

    def device_rows(self) -> Iterator[tuple[Any, ...]]:
        """Make the rows of `shape_devices`."""
        for number, devices in enumerate(self.devices, 1):
            yield from ((number, *device) for device in devices)


def kernel_rows(world: Mapping[int, Counters]) -> Iterator[tuple[str, str]]:
    """Make the rows of `kernels`, from one process of each node."""
    releases: dict[str, str] = {}
    for counters in world.values():
        for release in map(text_of, counters.kernels["release"]):
            if release:
                releases.setdefault(counters.header.host, release)
    yield from releases.items()


def place_rows(world: Mapping[int, Counters]) -> Iterator[tuple[Any, ...]]:
    """Make the rows of `places`; ranks that ended before the first look have none."""
    for rank, counters in world.items():
        header = counters.header
        if not header.looks:
            continue
        yield (
            rank,
            cpus(header.seen),
            min(header.looks, LARGEST),
            min(header.moves, LARGEST),
            cpus(header.cpus_at_stop) or None,
            header.omp_num_threads or None,
            header.omp_proc_bind,
            header.omp_places,
            header.tasks or None,
            header.computing_tasks or None,
            (min(header.run_queue_wait_ns, LARGEST) - 1) / NANOSECONDS if header.run_queue_wait_ns else None,
        )


def use_rows(world: Mapping[int, Counters]) -> Iterator[tuple[str, int, float, float]]:
    """Make the rows of `node_use`, of nodes where a process noted it up to MPI_Finalize."""
    usable: dict[str, set[int]] = {}
    for counters in world.values():
        usable.setdefault(counters.header.host, set()).update(_usable(counters))
    done = set()
    for counters in world.values():
        host, stamps = counters.header.host, counters.header.stamps
        ticks = {int(row["os"]): int(row["busy_ticks"]) for row in counters.processors}
        counted = [ticks.get(cpu, 0) for cpu in usable[host]]
        seconds = (stamps["stopping"].monotonic_ns - stamps["started"].monotonic_ns) / NANOSECONDS
        if host in done or not counted or not all(counted) or seconds <= 0:
            continue
        done.add(host)
        yield host, len(counted), (sum(counted) - len(counted)) / _TICKS_A_SECOND, seconds


def _usable(counters: Counters) -> set[int]:
    """Return the processors that a process may use, at its end if that is known."""
    header = counters.header
    try:
        usable = set(cpu_list(cpus(header.cpus_at_stop) or header.cpus_allowed))
    except ValueError:  # damaged
        return set()
    if header.omp_proc_bind.lower() not in ("", "false"):
        # OpenMP has bound the first thread, too.
        for task in counters.tasks:
            usable.update(cpu_list(cpus(tuple(int(word) for word in task["allowed"]))))
    return usable


def task_rows(world: Mapping[int, Counters]) -> Iterator[tuple[Any, ...]]:
    """Make the rows of `tasks`."""
    for rank, counters in world.items():
        tasks = {int(task["tid"]): task for task in counters.tasks}
        for tid, task in sorted(tasks.items()):
            words = tuple(int(word) for word in task["allowed"])
            busy = min(int(task["busy_ms"]), LARGEST) / 1000
            yield (rank, tid, text_of(task["name"]), cpus(words), _known(task["cpu"]), busy)


def cpus(words: Sequence[int]) -> str:
    """Write the processors whose bit is set, as Linux lists them."""
    numbers = dict.fromkeys(
        64 * number + bit for number, word in enumerate(words) for bit in range(64) if word >> bit & 1
    )
    starts = [number for number in numbers if number - 1 not in numbers]
    ends = [number for number in numbers if number + 1 not in numbers]
    runs = zip(starts, ends, strict=True)
    return ",".join(f"{start}-{end}" if end > start else str(start) for start, end in runs)


def _processors(rows: Rows) -> Iterator[Processor]:
    """Yield the possible processors, each once, in their order."""
    processors = {int(row["os"]): row for row in rows if 0 <= int(row["os"]) < _MOST}
    for os, row in sorted(processors.items()):
        where = (_known(row[name]) for name in ("package", "numa", "l3", "core"))
        yield (os, *where, int(row["l3_kib"]) * 1024 or None, _KINDS.get(int(row["kind"]), "any"))  # type: ignore[misc]


def _devices(rows: Rows) -> Iterator[Device]:
    devices = {
        (_DEVICES[int(row["kind"])], text_of(row["name"]), _known(row["numa"]))
        for row in rows
        if int(row["kind"]) in _DEVICES
    }
    yield from sorted(devices, key=lambda device: device[:2])


def _known(number: NDArray[np.int32] | int) -> int | None:
    return int(number) if int(number) >= 0 else None

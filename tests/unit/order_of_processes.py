"""Which rank each process should have, as include/rankwise/reordering.h decides."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from rankwise.native import Arguments

REORDERED, KEPT, REFUSED, BAD_MACHINE = range(4)


@dataclass(frozen=True)
class Process:
    """Where a process is: the kernel's numbers, -1 = several or unknown."""

    host: str
    package: int = -1
    numa: int = -1
    l3: int = -1
    core: int = -1
    processors: tuple[int, ...] = ()


@dataclass(frozen=True)
class Decision:
    """What was decided."""

    outcome: int
    new_rank: tuple[int, ...]
    before: float
    after: float
    problem: str = field(default="")


Entry = tuple[int, int, float]  # from, to, bytes


def decide(
    processes: Sequence[Process],
    traffic: Iterable[Entry],
    roles: int | None = None,
    machine: Path | None = None,
) -> Decision:
    """Ask for the new ranks; as many roles as processes if not told otherwise."""
    ours = Arguments()
    ffi, functions = ours.ffi, ours.library
    source, destination, size = (np.array(column) for column in zip(*traffic, strict=True))
    arrays = source.astype(np.int32), destination.astype(np.int32), size.astype(np.float64)
    given = ffi.new("struct rankwise_traffic *")
    given.ranks = len(processes) if roles is None else roles
    given.entries = len(source)
    given.source, given.destination = (ffi.cast("int32_t *", array.ctypes.data) for array in arrays[:2])
    given.bytes = ffi.cast("double *", arrays[2].ctypes.data)
    where = ffi.new("struct rankwise_whereabouts[]", len(processes))
    for place, process in zip(where, processes, strict=True):
        place.host = process.host.encode()
        place.package, place.numa, place.l3, place.core = (
            process.package,
            process.numa,
            process.l3,
            process.core,
        )
        for processor in process.processors:
            place.processors[processor // 64] |= 1 << processor % 64
    new_rank = np.full(len(processes), -7, dtype=np.int32)
    costs = ffi.new("double[2]")
    problem = ffi.new("char[1024]")
    path = ffi.NULL if machine is None else ffi.new("char[]", str(machine).encode())
    outcome = functions.rankwise_new_ranks(
        given,
        where,
        len(processes),
        path,
        ffi.cast("int32_t *", new_rank.ctypes.data),
        costs,
        costs + 1,
        problem,
        len(problem),
    )
    return Decision(outcome, tuple(new_rank.tolist()), costs[0], costs[1], ffi.string(problem).decode())

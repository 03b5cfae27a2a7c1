"""Which rank each process should have, as include/rankwise/reordering.h decides."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

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
    given = _traffic(ours, traffic, len(processes) if roles is None else roles)
    new_rank = np.full(len(processes), -7, dtype=np.int32)
    costs = ours.ffi.new("double[2]")
    problem = ours.ffi.new("char[1024]")
    outcome = ours.library.rankwise_new_ranks(
        given,
        _where(ours, processes),
        len(processes),
        _path(ours, machine),
        ours.ffi.cast("int32_t *", new_rank.ctypes.data),
        costs,
        costs + 1,
        problem,
        len(problem),
    )
    return Decision(outcome, tuple(new_rank.tolist()), costs[0], costs[1], ours.ffi.string(problem).decode())


def pairs_by_distance(processes: Sequence[Process], machine: Path | None = None) -> list[list[int]]:
    """Ask which pairs measure messages: the partner of each process, from the least distance on."""
    ours = Arguments()
    most = ours.library.RANKWISE_MOST_DISTANCES
    partner = np.full((most, len(processes)), -7, dtype=np.int32)
    distances = ours.ffi.new("int32_t *")
    problem = ours.ffi.new("char[1024]")
    outcome = ours.library.rankwise_pairs_by_distance(
        _where(ours, processes),
        len(processes),
        _path(ours, machine),
        ours.ffi.cast("int32_t *", partner.ctypes.data),
        distances,
        problem,
        len(problem),
    )
    assert outcome == KEPT, ours.ffi.string(problem)
    assert (partner[distances[0] :] == -1).all()
    partners: list[list[int]] = partner[: distances[0]].tolist()
    return partners


@dataclass(frozen=True)
class Outlook:
    """What an order costs."""

    hops: float
    seconds: float
    moving: float


def evaluate(
    processes: Sequence[Process],
    traffic: Iterable[Entry],
    new_rank: Sequence[int] | None,
    per_byte: Sequence[float],
    block: Sequence[float],
) -> Outlook:
    """Ask what an order costs; a message costs 1 s, and more by its bytes and its distance."""
    ours = Arguments()
    most = ours.library.RANKWISE_MOST_DISTANCES
    outlook = ours.ffi.new("struct rankwise_outlook *")
    problem = ours.ffi.new("char[1024]")
    given = _traffic(ours, traffic, len(processes))
    given.messages = ours.new("double[]", [1.0] * given.entries)
    outcome = ours.library.rankwise_evaluate_order(
        given,
        _where(ours, processes),
        len(processes),
        ours.ffi.NULL,
        ours.ffi.NULL if new_rank is None else ours.ffi.new("int32_t[]", list(new_rank)),
        ours.ffi.new("double[]", [1.0] * most),
        ours.ffi.new("double[]", [*per_byte, *[0.0] * (most - len(per_byte))]),
        ours.ffi.new("double[]", list(block)),
        outlook,
        problem,
        len(problem),
    )
    assert outcome == KEPT, ours.ffi.string(problem)
    return Outlook(outlook.hops, outlook.seconds, outlook.moving)


def _traffic(ours: Arguments, traffic: Iterable[Entry], roles: int) -> Any:
    source, destination, size = (np.array(column) for column in zip(*traffic, strict=True))
    given = ours.new("struct rankwise_traffic *")
    given.ranks = roles
    given.entries = len(source)
    given.source = ours.pointer(source, np.int32, "int32_t *")
    given.destination = ours.pointer(destination, np.int32, "int32_t *")
    given.bytes = ours.pointer(size, np.float64, "double *")
    return given


def _where(ours: Arguments, processes: Sequence[Process]) -> Any:
    where = ours.ffi.new("struct rankwise_whereabouts[]", len(processes))
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
    return where


def _path(ours: Arguments, machine: Path | None) -> Any:
    return ours.ffi.NULL if machine is None else ours.ffi.new("char[]", str(machine).encode())

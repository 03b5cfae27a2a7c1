"""The placement engine (src/placement) for Python."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

import cffi
import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankwise._files import installed
from rankwise.errors import RankwiseError
from rankwise.placement.networks import Dragonfly, Matrix, Network, Torus


@dataclass(frozen=True)
class Traffic:
    """What ranks send each other: E entries in any order; those of one pair add up, in both directions.

    Attributes:
        ranks: number of ranks.
        source, destination: shape (E,).
        bytes: shape (E,), not negative.
        messages: likewise; None if they cost nothing.
    """

    ranks: int
    source: ArrayLike
    destination: ArrayLike
    bytes: ArrayLike
    messages: ArrayLike | None = None


@dataclass(frozen=True)
class Places:
    """The slots of a machine, and what messages cost between them.

    Attributes:
        objects: shape (N, D): the object of each level, from the outermost, that a slot belongs to.
        per_byte: shape (D + 1,): cost of a byte between slots that have so many leading objects in common.
        per_message: likewise; None if messages cost nothing.
        network: between nodes; slots on different ones cost the first price and what it adds. None: the tree
            tells all.
        node_level: column of `objects` that has the nodes, 0 ... as the network counts them.
    """

    objects: ArrayLike
    per_byte: ArrayLike
    per_message: ArrayLike | None = None
    network: Network | None = None
    node_level: int = 0


@dataclass(frozen=True)
class Placement:
    """What was found.

    Attributes:
        slot: shape (ranks,): place in Places.objects of each rank; no two ranks have the same.
        cost: sum over all pairs of ranks of bytes x per_byte + messages x per_message, with what the
            network adds.
        natural: cost of rank r in slot r.
        present: cost of the present placement; None without one.
    """

    slot: NDArray[np.int32]
    cost: float
    natural: float
    present: float | None


def place(
    traffic: Traffic,
    places: Places,
    *,
    present: ArrayLike | None = None,
    effort: int = 1,
    threads: int = 0,
    seed: int = 1,
) -> Placement:
    """Find a slot for each rank; never dearer than the natural order or the present placement.

    Args:
        traffic: what is sent.
        places: where ranks can be.
        present: slot of each rank now, shape (ranks,).
        effort: one of choices.EFFORTS.
        threads: at most; 0: as many as there are processors. The result does not depend on it.
        seed: of all that is random; equal input and seed give the same result.

    Raises:
        RankwiseError: the input contradicts itself, or there are more ranks than slots, or no memory.
    """
    ffi, library = _engine()
    kept = _Arrays(ffi)
    entries = np.size(traffic.source)
    objects = np.asarray(places.objects, dtype=np.int32)
    if objects.ndim != 2:
        raise RankwiseError("the objects of slots must be a table with a row a slot")
    slots, depth = objects.shape
    given = ffi.new("struct rankwise_traffic *")
    given.ranks, given.entries = traffic.ranks, entries
    given.source = kept.integers(traffic.source, entries)
    given.destination = kept.integers(traffic.destination, entries)
    given.bytes = kept.numbers(traffic.bytes, entries)
    given.messages = kept.numbers(traffic.messages, entries)
    machine = ffi.new("struct rankwise_slots *")
    machine.slots, machine.depth = slots, depth
    machine.object = kept.integers(objects, objects.size)
    machine.per_byte = kept.numbers(places.per_byte, depth + 1)
    machine.per_message = kept.numbers(places.per_message, depth + 1)
    machine.network = _network(places, kept)
    wishes = ffi.new("struct rankwise_wishes *")
    wishes.effort, wishes.threads, wishes.seed = effort, threads, seed
    wishes.present = kept.integers(present, traffic.ranks)
    slot = np.empty(max(traffic.ranks, 0), dtype=np.int32)
    costs = ffi.new("struct rankwise_costs *")
    status = library.rankwise_place(given, machine, wishes, ffi.cast("int32_t *", slot.ctypes.data), costs)
    if status != library.RANKWISE_PLACED:
        said = ffi.string(library.rankwise_placement_error(status)).decode()
        raise RankwiseError(f"ranks can't be placed: {said}")
    return Placement(slot, costs.found, costs.natural, None if present is None else costs.present)


def _network(places: Places, kept: _Arrays) -> Any:
    network = places.network
    if network is None:
        return kept.ffi.NULL
    given = kept.new("struct rankwise_network *")
    given.level = places.node_level
    if isinstance(network, Matrix):
        given.kind, given.nodes = _engine()[1].RANKWISE_MATRIX, network.nodes
        given.byte_between = kept.numbers(network.per_byte, network.nodes**2)
        given.message_between = kept.numbers(network.per_message, network.nodes**2)
        return given
    routers = int(np.prod(network.length)) if isinstance(network, Torus) else network.groups * network.routers
    at_router = network.nodes if isinstance(network, Dragonfly) else 1
    given.nodes = routers * at_router if network.router is None else np.size(network.router)
    given.router = kept.integers(network.router, given.nodes)
    given.per_byte, given.per_message = network.per_byte, network.per_message
    if isinstance(network, Torus):
        given.kind, given.axes = _engine()[1].RANKWISE_TORUS, len(network.length)
        given.length = kept.integers(network.length, given.axes)
        given.is_ring = kept.flags(network.ring, given.axes)
    else:
        given.kind, given.groups = _engine()[1].RANKWISE_DRAGONFLY, network.groups
        given.routers, given.at_router = network.routers, network.nodes
    return given


class _Arrays:
    """Arrays and structures as C sees them, which live as long as this object."""

    def __init__(self, ffi: Any) -> None:
        self.ffi = ffi
        self._kept: list[Any] = []

    def new(self, kind: str) -> Any:
        self._kept.append(self.ffi.new(kind))
        return self._kept[-1]

    def flags(self, values: ArrayLike | None, count: int) -> Any:
        return self._pointer(values, count, np.uint8, "uint8_t *")

    def integers(self, values: ArrayLike | None, count: int) -> Any:
        return self._pointer(values, count, np.int32, "int32_t *")

    def numbers(self, values: ArrayLike | None, count: int) -> Any:
        return self._pointer(values, count, np.float64, "double *")

    def _pointer(self, values: ArrayLike | None, count: int, kind: type, pointer: str) -> Any:
        if values is None:
            return self.ffi.NULL
        array: NDArray[Any] = np.ascontiguousarray(values, dtype=kind).ravel()
        if array.size != count:
            raise RankwiseError(f"ranks can't be placed: {array.size} values where {count} belong")
        self._kept.append(array)
        return self.ffi.cast(pointer, array.ctypes.data)


@cache
def _engine() -> tuple[Any, Any]:
    header = installed("include/placement.h").read_text(encoding="utf-8")
    header = re.sub(r"/\*.*?\*/", " ", header, flags=re.DOTALL)
    header = re.sub(r"#ifdef __cplusplus.*?#endif", " ", header, flags=re.DOTALL)
    ffi = cffi.FFI()
    ffi.cdef(re.sub(r"^\s*#.*$", "", header, flags=re.MULTILINE))
    return ffi, ffi.dlopen(str(installed("lib/librankwise_placement.so")))

"""Arguments of the placement engine (src/placement), as C sees it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rankwise.analysis.messages.traffic import Traffic
from rankwise.errors import RankwiseError
from rankwise.native import Arguments
from rankwise.placement.networks import Matrix, Routes, Torus
from rankwise.placement.priced_slots import PricedSlots


class EngineArguments(Arguments):
    """Arguments of one call of the engine."""

    def integers(self, values: ArrayLike | None, count: int) -> Any:
        """Return a pointer to this many integers; NULL for None."""
        return self._checked(values, count, np.int32, "int32_t *")

    def numbers(self, values: ArrayLike | None, count: int) -> Any:
        """Return a pointer to this many floating point numbers; NULL for None."""
        return self._checked(values, count, np.float64, "double *")

    def traffic(self, traffic: Traffic) -> Any:
        """Return what ranks send each other."""
        entries = np.size(traffic.source)
        struct = self.new("struct rankwise_traffic *")
        struct.ranks, struct.entries = traffic.ranks, entries
        struct.source = self.integers(traffic.source, entries)
        struct.destination = self.integers(traffic.destination, entries)
        struct.bytes = self.numbers(traffic.bytes, entries)
        struct.messages = self.numbers(traffic.messages, entries)
        return struct

    def slots(self, priced: PricedSlots) -> Any:
        """Return the machine."""
        objects = np.asarray(priced.objects, dtype=np.int32)
        if objects.ndim != 2:
            raise RankwiseError("the objects of slots must be a table with a row a slot")
        slots, depth = objects.shape
        struct = self.new("struct rankwise_slots *")
        struct.slots, struct.depth = slots, depth
        struct.object = self.integers(objects, objects.size)
        struct.per_byte = self.numbers(priced.per_byte, depth + 1)
        struct.per_message = self.numbers(priced.per_message, depth + 1)
        struct.per_link_byte = self.numbers(priced.per_link_byte, objects.size)
        struct.network = self._network(priced)
        return struct

    def check(self, status: int) -> None:
        """Raise RankwiseError if the engine says that something is wrong."""
        if status != self.library.RANKWISE_PLACED:
            said = self.said(self.library.rankwise_placement_error(status))
            raise RankwiseError(f"ranks can't be placed: {said}")

    def _network(self, priced: PricedSlots) -> Any:
        network = priced.network
        if network is None:
            return self.ffi.NULL
        struct = self.new("struct rankwise_network *")
        struct.level = priced.node_level
        if isinstance(network, Matrix):
            struct.kind, struct.nodes = self.library.RANKWISE_MATRIX, network.count
            struct.byte_between = self.numbers(network.per_byte, network.count**2)
            struct.message_between = self.numbers(network.per_message, network.count**2)
            return struct
        count = network.count if network.router is None else np.size(network.router)
        struct.nodes = max(-1, min(count, np.iinfo(np.int32).max))  # the engine refuses impossible values
        struct.router = self.integers(network.router, struct.nodes)
        struct.per_byte, struct.per_message = network.per_byte, network.per_message
        if isinstance(network, Torus):
            struct.kind, struct.axes = self.library.RANKWISE_TORUS, len(network.length)
            struct.length = self.integers(network.length, struct.axes)
            struct.is_ring = self._checked(network.ring, struct.axes, np.uint8, "uint8_t *")
        elif isinstance(network, Routes):
            self._add_routes(struct, network)
        else:
            struct.kind, struct.groups = self.library.RANKWISE_DRAGONFLY, network.groups
            struct.routers, struct.at_router = network.routers, network.nodes
        return struct

    def _add_routes(self, struct: Any, network: Routes) -> None:
        tables = np.asarray(network.next, dtype=np.int32)
        if tables.ndim != 3:
            raise RankwiseError("forwarding tables must have a row a router with a link a node")
        struct.kind, struct.links = self.library.RANKWISE_ROUTES, np.size(network.ends) // 2
        struct.tables, struct.routers, _ = tables.shape
        struct.link_end = self.integers(network.ends, 2 * struct.links)
        struct.link_byte = self.numbers(network.per_link_byte, struct.links)
        struct.share = self.numbers(network.share, struct.tables)
        struct.next = self.integers(tables, struct.tables * struct.routers * struct.nodes)

    def _checked(self, values: ArrayLike | None, count: int, kind: type, pointer: str) -> Any:
        try:
            return self.pointer(values, kind, pointer, count)
        except ValueError as error:
            raise RankwiseError(f"ranks can't be placed: {error}") from error

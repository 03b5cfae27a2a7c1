"""What is given to the placement engine (src/placement), as C sees it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from rankwise.errors import RankwiseError
from rankwise.native import Arguments
from rankwise.placement.networks import Matrix, Routes, Torus

if TYPE_CHECKING:
    from rankwise.analysis.traffic import Traffic
    from rankwise.placement.engine import Places


class Given(Arguments):
    """What is given to the engine in one call."""

    def integers(self, values: ArrayLike | None, count: int) -> Any:
        """Return a pointer to so many integers; NULL for None."""
        return self._checked(values, count, np.int32, "int32_t *")

    def numbers(self, values: ArrayLike | None, count: int) -> Any:
        """Return a pointer to so many floating point numbers; NULL for None."""
        return self._checked(values, count, np.float64, "double *")

    def traffic(self, traffic: Traffic) -> Any:
        """Return what ranks send each other."""
        entries = np.size(traffic.source)
        given = self.new("struct rankwise_traffic *")
        given.ranks, given.entries = traffic.ranks, entries
        given.source = self.integers(traffic.source, entries)
        given.destination = self.integers(traffic.destination, entries)
        given.bytes = self.numbers(traffic.bytes, entries)
        given.messages = self.numbers(traffic.messages, entries)
        return given

    def slots(self, places: Places) -> Any:
        """Return the machine."""
        objects = np.asarray(places.objects, dtype=np.int32)
        if objects.ndim != 2:
            raise RankwiseError("the objects of slots must be a table with a row a slot")
        slots, depth = objects.shape
        given = self.new("struct rankwise_slots *")
        given.slots, given.depth = slots, depth
        given.object = self.integers(objects, objects.size)
        given.per_byte = self.numbers(places.per_byte, depth + 1)
        given.per_message = self.numbers(places.per_message, depth + 1)
        given.per_link_byte = self.numbers(places.per_link_byte, objects.size)
        given.network = self._network(places)
        return given

    def check(self, status: int) -> None:
        """Raise RankwiseError if the engine says that something is wrong."""
        if status != self.library.RANKWISE_PLACED:
            said = self.said(self.library.rankwise_placement_error(status))
            raise RankwiseError(f"ranks can't be placed: {said}")

    def _network(self, places: Places) -> Any:
        network = places.network
        if network is None:
            return self.ffi.NULL
        given = self.new("struct rankwise_network *")
        given.level = places.node_level
        if isinstance(network, Matrix):
            given.kind, given.nodes = self.library.RANKWISE_MATRIX, network.count
            given.byte_between = self.numbers(network.per_byte, network.count**2)
            given.message_between = self.numbers(network.per_message, network.count**2)
            return given
        count = network.count if network.router is None else np.size(network.router)
        given.nodes = max(-1, min(count, np.iinfo(np.int32).max))  # what is impossible is refused there
        given.router = self.integers(network.router, given.nodes)
        given.per_byte, given.per_message = network.per_byte, network.per_message
        if isinstance(network, Torus):
            given.kind, given.axes = self.library.RANKWISE_TORUS, len(network.length)
            given.length = self.integers(network.length, given.axes)
            given.is_ring = self._checked(network.ring, given.axes, np.uint8, "uint8_t *")
        elif isinstance(network, Routes):
            self._add_routes(given, network)
        else:
            given.kind, given.groups = self.library.RANKWISE_DRAGONFLY, network.groups
            given.routers, given.at_router = network.routers, network.nodes
        return given

    def _add_routes(self, given: Any, network: Routes) -> None:
        tables = np.asarray(network.next, dtype=np.int32)
        if tables.ndim != 3:
            raise RankwiseError("forwarding tables must have a row a router with a link a node")
        given.kind, given.links = self.library.RANKWISE_ROUTES, np.size(network.ends) // 2
        given.tables, given.routers, _ = tables.shape
        given.link_end = self.integers(network.ends, 2 * given.links)
        given.link_byte = self.numbers(network.per_link_byte, given.links)
        given.share = self.numbers(network.share, given.tables)
        given.next = self.integers(tables, given.tables * given.routers * given.nodes)

    def _checked(self, values: ArrayLike | None, count: int, kind: type, pointer: str) -> Any:
        try:
            return self.pointer(values, kind, pointer, count)
        except ValueError as error:
            raise RankwiseError(f"ranks can't be placed: {error}") from error

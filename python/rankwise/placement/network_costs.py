"""The network between a machine's nodes as the placement engine takes it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.placement.networks import Dragonfly, Matrix, Network, Routes, Torus
from rankwise.topology.machine import network as described
from rankwise.topology.machine.model import Machine


def hop_network(machine: Machine) -> Network | None:
    """Return the network whose hops count, one for each byte; None if the machine's tree gives them."""
    network = machine.network
    if isinstance(network, described.Torus):
        return Torus(network.dims, network.wrap, _routers(network))
    if isinstance(network, described.Dragonfly):
        return Dragonfly(network.groups, network.routers, network.nodes, _routers(network))
    if isinstance(network, described.Routes):
        return Routes(
            np.array(network.at),
            np.array(network.links).reshape(-1, 2),
            np.array(network.next),
            np.array(network.shares),
            1 / np.array(network.mb_s) if network.mb_s else None,
        )
    return None


def time_network(machine: Machine) -> Network | None:
    """Return the times that were measured between nodes, us; None if the machine has none."""
    network = machine.network
    if isinstance(network, described.Matrix):
        return Matrix(np.array(network.us_per_byte), np.array(network.latency_us))
    return None


def routers_text(machine: Machine, routers: tuple[int, int]) -> str:
    """Say which routers a link leads from and to, by their names or coordinates."""
    network = machine.network
    if network is None or isinstance(network, described.Matrix):
        return f"{routers[0]} to {routers[1]}"
    if isinstance(network, described.Routes):
        return f"{network.routers[routers[0]]} to {network.routers[routers[1]]}"
    ends = (np.unravel_index(router, network.limits()) for router in routers)
    first_router, second_router = (",".join(str(int(place)) for place in end) for end in ends)
    return f"router {first_router} to {second_router}"


def _routers(network: described.Torus | described.Dragonfly) -> NDArray[np.int64] | None:
    if not network.coordinates:
        return None
    places = np.array(network.coordinates).T
    return np.asarray(np.ravel_multi_index(tuple(places), network.limits()), dtype=np.int64)

"""What a byte and a message cost between two slots, by the level at which they meet."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import RankwiseError
from rankwise.placement.links import link_costs
from rankwise.placement.network_costs import hop_network, time_network
from rankwise.placement.networks import Network
from rankwise.placement.priced_slots import PricedSlots
from rankwise.topology.machine.model import NODE, Machine


@dataclass(frozen=True)
class Prices:
    """Prices of a machine with D levels, the outermost first.

    Attributes:
        per_byte: shape (D,): of a byte between slots that meet at the level.
        per_message: of a message, in the same form.
        unit: of a cost, in words.
        node: index of the level `node`.
        network: between nodes; what meets further out than they costs as what meets at them, and what it
            adds. None: the levels describe everything.
        links: of a byte on each link, shape (slots of the machine, D); None: not wanted.
        bottleneck: only the load of the most loaded link is to be small.
    """

    per_byte: NDArray[np.float64]
    per_message: NDArray[np.float64]
    unit: str
    node: int = 0
    network: Network | None = None
    links: NDArray[np.float64] | None = None
    bottleneck: bool = False

    def slots(self, machine: Machine, which: NDArray[np.int64] | None = None) -> PricedSlots:
        """Return slots as the placement engine takes them.

        Args:
            machine: whose prices these are.
            which: indices in Machine.slots; None: all.
        """
        rows = slice(None) if which is None else which
        # Slots that meet at level k have k + 1 objects in common: the machine is one.
        return PricedSlots(
            machine.slots.numbers[rows],
            _after_none(self.per_byte),
            _after_none(self.per_message),
            None if self.links is None else self.links[rows],
            self.network,
            self.node,
        )


def prices(machine: Machine, objective: str, objects: NDArray[np.int32]) -> Prices:
    """Return what messages cost in a machine.

    Args:
        machine: the machine.
        objective: `hops`: bytes x levels to go up from the nearest that two slots can be; levels that divide
            nothing do not count; hops between nodes count for the levels around them. `time`: messages x
            latency + bytes / bandwidth, in us. `bottleneck`: the most loaded link, and `both`: hops and this
            link; prices are those of hops.
        objects: rows of Slots.numbers of the slots in question.

    Raises:
        RankwiseError: the cost of a level, at which some of the slots meet, was not measured.
    """
    node = machine.depth(NODE)
    if objective != "time":
        hops = machine.slots.hops()
        network = hop_network(machine)
        if network is not None:
            hops[:node] = hops[node]
        by_hops = Prices(hops, np.zeros(len(hops)), "byte hops", node, network)
        if objective == "hops":
            return by_hops
        links, unit = link_costs(machine)
        if objective == "both":
            return replace(by_hops, links=links)
        return replace(by_hops, links=links, unit=unit, bottleneck=True)
    network = time_network(machine)
    latency, bandwidth, slope = (
        machine.costs(which) for which in ("latency_us", "bandwidth_mb_s", "us_per_byte")
    )
    with np.errstate(divide="ignore"):
        per_byte = np.where(bandwidth > 0, 1 / bandwidth, slope)  # 1 MB/s is 1 byte/us
    wanted = np.flatnonzero(_meeting(objects))
    if network is not None:
        wanted = wanted[wanted >= node]
        latency[:node] = per_byte[:node] = 0
    missing = [machine.levels[level].name for level in wanted if np.isnan(latency[level] + per_byte[level])]
    if missing:
        raise RankwiseError(
            f"the machine has no latency and bandwidth for level {', '.join(map(repr, missing))}: measure "
            "them with `rankwise latency`, or use --objective hops"
        )
    return Prices(np.nan_to_num(per_byte), np.nan_to_num(latency), "us", node, network)


def _after_none(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.concatenate([values[:1], values])


def _meeting(objects: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Return at which levels some slots meet: where there are fewer objects than at the next level."""
    counts = np.array([len(np.unique(column)) for column in objects.T])
    return np.append(counts[:-1] < counts[1:], False)

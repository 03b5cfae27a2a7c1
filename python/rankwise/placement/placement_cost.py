"""What a placement costs: how many bytes and messages meet at which level of the machine, on which link."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from rankwise.analysis.messages.traffic import Traffic
from rankwise.placement.engine import Link, weigh
from rankwise.placement.links import link_costs
from rankwise.placement.network_costs import routers_text
from rankwise.placement.prices import Prices
from rankwise.topology.machine.model import NODE, Machine


@dataclass(frozen=True)
class LevelTraffic:
    """What goes between slots that meet at a level.

    Attributes:
        level: its name.
        messages: None: their number is unknown.
        bytes: of the messages.
        us: estimated time of the messages, one after the other; None: costs or messages are unknown.
    """

    level: str
    messages: int | None
    bytes: int
    us: float | None = None


@dataclass(frozen=True)
class LinkLoad:
    """The most loaded link.

    Attributes:
        where: its object, or the routers that it leads from and to, in words.
        load: of an object's link: of both directions.
        unit: of the load: `bytes`, or `us` where the bandwidths of all links are known.
    """

    where: str
    load: float
    unit: str


@dataclass(frozen=True)
class PlacementCost:
    """What a placement costs.

    Attributes:
        cost: in the unit of the prices; if only the bottleneck is to be small, its load.
        bytes_off_node: between ranks on different nodes.
        messages_off_node: between ranks on different nodes; None: their number is unknown.
        levels: from the outermost; levels at which no two slots of the machine meet are left out.
        bottleneck: the most loaded link; None if nothing goes over any.
        between_switches: the most loaded link between switches, as SwitchLinks finds it.
    """

    cost: float
    bytes_off_node: int
    messages_off_node: int | None
    levels: list[LevelTraffic]
    bottleneck: LinkLoad | None = None
    between_switches: LinkLoad | None = None

    @property
    def load(self) -> float:
        """Load of the most loaded link; 0 if nothing goes over any."""
        return self.bottleneck.load if self.bottleneck else 0.0


def placement_cost(traffic: Traffic, machine: Machine, slot: ArrayLike, prices: Prices) -> PlacementCost:
    """Return what a placement costs.

    Args:
        traffic: with messages.
        machine: that the slots are of.
        slot: index of the slot of each rank in Machine.slots.
        prices: of this machine.
    """
    slots = np.asarray(slot)
    meet = machine.slots.meet(slots[np.asarray(traffic.source)], slots[np.asarray(traffic.destination)])
    depth = len(machine.levels)
    sizes, messages = (_sums(meet, values, depth) for values in (traffic.bytes, traffic.messages))
    are_counted = any(messages)  # a matrix of another tool may have sizes alone
    node = machine.depth(NODE)
    counts = machine.slots.numbers.max(axis=0) + 1
    cost = sum(size * price for size, price in zip(sizes, prices.per_byte.tolist(), strict=True))
    cost += sum(count * price for count, price in zip(messages, prices.per_message.tolist(), strict=True))
    links, unit = link_costs(machine)
    total, link = weigh(traffic, replace(prices, links=links).slots(machine), slots)
    if prices.bottleneck:
        cost = link.load if link else 0.0
    elif prices.network is not None:
        cost = total
    return PlacementCost(
        float(cost),
        sum(sizes[:node]),
        sum(messages[:node]) if are_counted else None,
        [
            LevelTraffic(
                name,
                messages[level] if are_counted else None,
                sizes[level],
                _time(machine, level, messages[level], sizes[level]) if are_counted else None,
            )
            for level, name in enumerate(machine.level_names()[:-1])
            if counts[level] < counts[level + 1]
        ],
        _named(link, machine, unit) if link and link.load > 0 else None,
    )


def _time(machine: Machine, level: int, messages: int, size: int) -> float | None:
    """Return the time of messages in us; None without costs, or if a network decides what they cost."""
    if machine.network is not None and level < machine.depth(NODE):
        return None
    cost = machine.levels[level].cost
    per_byte = 1 / cost.bandwidth_mb_s if cost.bandwidth_mb_s else cost.us_per_byte  # 1 MB/s is 1 byte/us
    if cost.latency_us is None or per_byte is None:
        return None
    return messages * cost.latency_us + size * per_byte


def _named(link: Link, machine: Machine, unit: str) -> LinkLoad:
    if link.routers is not None:
        return LinkLoad(routers_text(machine, link.routers), link.load, unit)
    level, slot = link.level or 0, link.slot or 0
    name = machine.level_names()[level]
    if name == NODE:
        return LinkLoad(machine.hosts()[int(machine.slots.host[slot])], link.load, unit)
    return LinkLoad(f"{name} {machine.slots.numbers[slot, level]}", link.load, unit)


def _sums(meet: np.ndarray, values: ArrayLike | None, depth: int) -> list[int]:
    """Add up by level, exactly: Python's own numbers have no limit."""
    counted = np.asarray(values, dtype=np.int64)
    return [sum(counted[meet == level].tolist()) for level in range(depth)]

"""Which way bytes and messages go under a placement: how many meet at which level of the machine."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rankwise.placement.engine import Traffic
from rankwise.placement.prices import Prices
from rankwise.topology.machine.model import NODE, Machine


@dataclass(frozen=True)
class LevelTraffic:
    """What goes between slots that meet at a level."""

    level: str
    messages: int
    bytes: int


@dataclass(frozen=True)
class Effect:
    """What a placement leads to.

    Attributes:
        cost: in the unit of the prices.
        bytes_off_node: between ranks on different nodes.
        messages_off_node: likewise.
        levels: from the outermost; those at which no two slots of the machine meet are left out.
    """

    cost: float
    bytes_off_node: int
    messages_off_node: int
    levels: list[LevelTraffic]


def effect(traffic: Traffic, machine: Machine, slot: ArrayLike, prices: Prices) -> Effect:
    """Return what a placement leads to.

    Args:
        traffic: with messages.
        machine: that the slots are of.
        slot: place of each rank in Machine.slots.
        prices: of this machine.
    """
    seats = np.asarray(slot)
    meet = machine.slots.meet(seats[np.asarray(traffic.source)], seats[np.asarray(traffic.destination)])
    depth = len(machine.levels)
    sizes, messages = (_sums(meet, values, depth) for values in (traffic.bytes, traffic.messages))
    node = machine.depth(NODE)
    counts = machine.slots.numbers.max(axis=0) + 1
    cost = sum(size * price for size, price in zip(sizes, prices.per_byte.tolist(), strict=True))
    cost += sum(count * price for count, price in zip(messages, prices.per_message.tolist(), strict=True))
    return Effect(
        float(cost),
        sum(sizes[:node]),
        sum(messages[:node]),
        [
            LevelTraffic(name, messages[level], sizes[level])
            for level, name in enumerate(machine.level_names()[:-1])
            if counts[level] < counts[level + 1]
        ],
    )


def _sums(meet: np.ndarray, values: ArrayLike | None, depth: int) -> list[int]:
    """Add up by level, exactly: Python's own numbers have no limit."""
    counted = np.asarray(values, dtype=np.int64)
    return [sum(counted[meet == level].tolist()) for level in range(depth)]

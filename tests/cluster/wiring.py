"""Which cables a virtual fabric has, and which port each of its switches sends messages for a node out of.

Both the devices (fabric.py) and their description (fabric_file.py) follow from this.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fabric import Fabric

Tables = dict[str, dict[str, int]]
"""The port for messages to each node, by switch and node."""


@dataclass(frozen=True)
class Cable:
    """Joins a node and its leaf switch, or a leaf switch and a spine.

    Attributes:
        lower, upper: names of the node and the leaf, or of the leaf and the spine.
        lower_port, upper_port: there, from 1.
        lower_device, upper_device: network devices of these ports. The lower one of a node goes there, and is
            its eth0.
        rate: in each direction, for tc.
        delay_us: one way.
    """

    lower: str
    lower_port: int
    lower_device: str
    upper: str
    upper_port: int
    upper_device: str
    rate: str
    delay_us: float


def cables_of(fabric: Fabric, names: Sequence[str]) -> list[Cable]:
    """Return the cables of nodes, in their order, then those between switches."""
    cables = [
        Cable(
            name,
            1,
            f"end{number}",
            leaf(fabric.switch_of(number)),
            number % fabric.per_switch + 1,
            name,
            fabric.rate,
            fabric.delay_us,
        )
        for number, name in enumerate(names)
    ]
    cables += [
        Cable(
            leaf(switch),
            fabric.port_up(spine),
            f"up{switch}-{spine}",
            f"spine{spine}",
            switch + 1,
            f"down{switch}-{spine}",
            fabric.uplink_rate,
            fabric.uplink_delay_us,
        )
        for switch in range(_leaves(fabric, names))
        for spine in range(fabric.spines)
    ]
    return cables


def tables_of(fabric: Fabric, names: Sequence[str]) -> Tables:
    """Return the forwarding tables of all switches."""
    switch_of = {name: fabric.switch_of(number) for number, name in enumerate(names)}
    made = {
        leaf(switch): {
            name: number % fabric.per_switch + 1
            if switch_of[name] == switch
            else fabric.port_up(fabric.spine_of(number))
            for number, name in enumerate(names)
        }
        for switch in range(_leaves(fabric, names))
    }
    down = {name: switch + 1 for name, switch in switch_of.items()}
    return made | {f"spine{spine}": down for spine in range(fabric.spines)}


def leaf(switch: int) -> str:
    """Return the name of a leaf switch."""
    return f"leaf{switch}"


def bytes_per_second(rate: str) -> float:
    """Return what a rate for tc is, such as `50mbit`."""
    return int(rate.removesuffix("mbit")) * 1e6 / 8


def _leaves(fabric: Fabric, names: Sequence[str]) -> int:
    return fabric.switch_of(len(names) - 1) + 1

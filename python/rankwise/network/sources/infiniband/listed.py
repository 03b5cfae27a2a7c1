"""Cables of a file as columns, for files that list each cable at both ends in the same way, as most do.

RATIONALE: the largest fabrics have a quarter of a million cables. Objects and dictionaries for each end, and
merging them one after the other, take ten times as long as reading the lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from rankwise.network.fabric.draft import ManyCables
from rankwise.network.sources.parts import HOST, SWITCH, Cable, End

_PORTS = 256


class Devices(NamedTuple):
    """D switches and adapters that a file lists the ports of.

    Attributes:
        is_switch: shape (D,): else an adapter.
        nodes: shape (D,), uint64: GUIDs.
        systems: shape (D,), uint64: GUIDs; 0: not known.
        descriptions: shape (D,): indices.
    """

    is_switch: NDArray[np.bool_]
    nodes: NDArray[np.uint64]
    systems: NDArray[np.uint64]
    descriptions: NDArray[np.int64]


class NearEnds(NamedTuple):
    """The ends at which N cables are listed; shapes (N,).

    Attributes:
        device: index into the devices.
        number: of the port.
        guid: uint64: of the port; of a switch, its port 0.
        lid: 0: not known.
        lid_count: 0: not known.
    """

    device: NDArray[np.int64]
    number: NDArray[np.int64]
    guid: NDArray[np.uint64]
    lid: NDArray[np.int64]
    lid_count: NDArray[np.int64]


class FarEnds(NamedTuple):
    """The other ends, as they are described there; shapes (N,).

    Attributes:
        is_switch: else an adapter.
        node: uint64: GUID.
        number: of the port.
        guid: uint64: of the port.
        description: index.
        lid: 0: not known.
    """

    is_switch: NDArray[np.bool_]
    node: NDArray[np.uint64]
    number: NDArray[np.int64]
    guid: NDArray[np.uint64]
    description: NDArray[np.int64]
    lid: NDArray[np.int64]


class Wired(NamedTuple):
    """Cables that are each listed at both ends, without a contradiction.

    Attributes:
        ends: switches, with 0 as the number, and ports of adapters, in the order of the file.
        lines: that name them first.
        cables: each once.
    """

    ends: list[End]
    lines: list[int]
    cables: ManyCables


@dataclass(frozen=True)
class ListedCables(Sequence[Cable]):
    """N entries of cables between switches and adapters with known GUIDs; all cables are active.

    Attributes:
        descriptions: of devices, each once.
        devices: D of them.
        near: N ends.
        far: N ends.
        lines: shape (N,), rising.
        rates: shape (N,): bytes a second; nan: not known.
        widths: shape (N,): lanes; 0: not known.
    """

    descriptions: list[str]
    devices: Devices
    near: NearEnds
    far: FarEnds
    lines: NDArray[np.int64]
    rates: NDArray[np.float64]
    widths: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.lines)

    @overload
    def __getitem__(self, place: int) -> Cable: ...

    @overload
    def __getitem__(self, place: slice) -> list[Cable]: ...

    def __getitem__(self, place: int | slice) -> Cable | list[Cable]:
        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(len(self)))]
        if not -len(self) <= place < len(self):
            raise IndexError(place)
        device = int(self.near.device[place])
        near = End(
            SWITCH if self.devices.is_switch[device] else HOST,
            int(self.devices.nodes[device]),
            int(self.near.guid[place]),
            int(self.near.number[place]),
            self.descriptions[self.devices.descriptions[device]],
            int(self.near.lid[place]),
            int(self.near.lid_count[place]),
            int(self.devices.systems[device]),
        )
        far = End(
            SWITCH if self.far.is_switch[place] else HOST,
            int(self.far.node[place]),
            int(self.far.guid[place]),
            int(self.far.number[place]),
            self.descriptions[self.far.description[place]],
            int(self.far.lid[place]),
        )
        width = int(self.widths[place])
        return Cable(int(self.lines[place]), near, far, float(self.rates[place]), True, width)

    def own_guids(self) -> frozenset[int]:
        """Return GUIDs of switches and of ports of adapters."""
        of_switch = self.devices.is_switch[self.near.device]
        near = np.where(of_switch, self.devices.nodes[self.near.device], self.near.guid)
        far = np.where(self.far.is_switch, self.far.node, self.far.guid)
        return frozenset(np.unique(np.concatenate([near, far])).tolist())

    @cached_property
    def wired(self) -> Wired | None:
        """The same, each cable once; None: not all are listed at both ends, or ends do not agree."""
        if not len(self):
            return None
        devices, near, far = self.devices, self.near, self.far
        order = np.argsort(devices.nodes)
        place = np.minimum(np.searchsorted(devices.nodes[order], far.node), len(order) - 1)
        far_device = order[place]
        here = near.device * _PORTS + near.number
        there = far_device * _PORTS + far.number
        entry = np.full(len(order) * _PORTS, -1)
        entry[here] = np.arange(len(here))
        other = entry[there]
        own_end = here - np.where(devices.is_switch[near.device], near.number, 0)
        _, first = np.unique(own_end, return_index=True)
        names, lids = near.guid[first], near.lid[first]
        if not (
            len(np.unique(devices.nodes)) == len(devices.nodes)
            and (devices.nodes[far_device] == far.node).all()
            and (devices.is_switch[far_device] == far.is_switch).all()
            and (entry[here] == np.arange(len(here))).all()
            and (other >= 0).all()
            and (there[other] == here).all()
            and (here != there).all()
            and (near.guid[other] == far.guid).all()
            and (devices.descriptions[far_device] == far.description).all()
            and (near.lid[other] == far.lid).all()
            and near.guid.all()
            and near.lid.all()
            and len(np.unique(names)) == len(names)
            and len(np.unique(lids)) == len(lids)
        ):
            return None
        return self._wired(own_end, own_end[other], other)

    def _wired(
        self, own_end: NDArray[np.int64], far_end: NDArray[np.int64], other: NDArray[np.int64]
    ) -> Wired:
        devices, near = self.devices, self.near
        described = np.stack([own_end, far_end], axis=1).ravel()
        _, first = np.unique(described, return_index=True)
        first.sort()
        entry, is_far = np.divmod(first, 2)
        listed = np.where(is_far, other[entry], entry)
        device = near.device[listed]
        is_switch = devices.is_switch[device]
        numbers = np.where(is_switch, 0, near.number[listed])
        ends = [
            End(SWITCH if switch else HOST, node, guid, number, self.descriptions[text], lid, count, system)
            for switch, node, guid, number, text, lid, count, system in zip(
                is_switch.tolist(),
                devices.nodes[device].tolist(),
                near.guid[listed].tolist(),
                numbers.tolist(),
                devices.descriptions[device].tolist(),
                near.lid[listed].tolist(),
                near.lid_count[listed].tolist(),
                devices.systems[device].tolist(),
                strict=True,
            )
        ]
        once = np.flatnonzero(other > np.arange(len(other)))
        again = other[once]
        cables = ManyCables(
            np.stack([devices.nodes[near.device[each]] for each in (once, again)], axis=1),
            np.stack([near.number[each] for each in (once, again)], axis=1),
            np.where(np.isnan(self.rates[once]), self.rates[again], self.rates[once]),
            np.where(self.widths[once] == 0, self.widths[again], self.widths[once]).astype(np.int8),
        )
        return Wired(ends, self.lines[entry].tolist(), cables)

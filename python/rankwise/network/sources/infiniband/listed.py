"""Cables of a file as columns, for files that list each cable at both ends in the same way, as most do.

RATIONALE: the largest fabrics have a quarter of a million cables. Objects and dictionaries for each end, and
merging them one after the other, take ten times as long as reading the lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from rankwise.network.fabric.draft import ManyCables
from rankwise.network.sources.parts import HOST, ROUTER, SWITCH, Cable, End

KINDS = {ord("S"): SWITCH, ord("H"): HOST, ord("R"): ROUTER}
_IS_SWITCH, _IS_ROUTER = ord("S"), ord("R")
_PORTS = 256


class Ends(NamedTuple):
    """The ends of N cables; shapes (N,).

    Attributes:
        kind: uint8: of the device, a key of KINDS.
        node: uint64: GUID of the device.
        number: of the port.
        guid: uint64: of the port; of a switch mostly its port 0; 0: not known.
        description: of the device, an index.
        lid: 0: not known.
    """

    kind: NDArray[np.uint8]
    node: NDArray[np.uint64]
    number: NDArray[np.int32]
    guid: NDArray[np.uint64]
    description: NDArray[np.int64]
    lid: NDArray[np.int32]


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


@dataclass(frozen=True, kw_only=True)
class ListedCables(Sequence[Cable]):
    """N entries of cables between devices with known GUIDs; all cables are active.

    Attributes:
        descriptions: of devices, each once.
        near: N ends, at which they are listed.
        device: shape (N,): number of the paragraph, or part of one, that describes the near device.
        system: shape (N,), uint64: GUID of the near device; 0: not known.
        lid_count: shape (N,): of the near port; 0: not known.
        far: N ends, as they are described there.
        lines: shape (N,), rising.
        rates: shape (N,): bytes a second; nan: not known.
        widths: shape (N,): lanes; 0: not known.
    """

    descriptions: list[str]
    near: Ends
    device: NDArray[np.int32]
    system: NDArray[np.uint64]
    lid_count: NDArray[np.int32]
    far: Ends
    lines: NDArray[np.int64]
    rates: NDArray[np.float64]
    widths: NDArray[np.int8]

    def __len__(self) -> int:
        return len(self.lines)

    @overload
    def __getitem__(self, place: int) -> Cable: ...

    @overload
    def __getitem__(self, place: slice) -> list[Cable]: ...

    def __getitem__(self, place: int | slice) -> Cable | list[Cable]:
        return self._each[place]

    @cached_property
    def _each(self) -> list[Cable]:
        everything = slice(None)
        near = self._described(self.near, everything, self.lid_count, self.system)
        nothing = np.zeros(len(self), np.int32)
        far = self._described(self.far, everything, nothing, nothing)
        rest = zip(self.lines.tolist(), near, far, self.rates.tolist(), self.widths.tolist(), strict=True)
        return [Cable(line, here, there, rate, True, width) for line, here, there, rate, width in rest]

    def _described(
        self, ends: Ends, chosen: slice | NDArray[Any], lid_count: NDArray[Any], system: NDArray[Any]
    ) -> list[End]:
        kind, node, number, guid, description, lid = (column[chosen].tolist() for column in ends)
        texts = [self.descriptions[index] for index in description]
        columns = node, guid, number, texts, lid, lid_count[chosen].tolist(), system[chosen].tolist()
        return [*map(End, [KINDS[each] for each in kind], *columns)]

    def own_guids(self) -> frozenset[int]:
        """Return GUIDs of switches and routers, and of ports of adapters."""
        guids = [np.where(ends.kind == _IS_SWITCH, ends.node, ends.guid) for ends in (self.near, self.far)]
        return frozenset(np.unique(np.concatenate(guids)).tolist())

    @cached_property
    def wired(self) -> Wired | None:
        """The same, each cable once; None: not all are listed at both ends, or ends do not agree."""
        near, far = self.near, self.far
        if not len(self) or (near.kind == _IS_ROUTER).any() or (far.kind == _IS_ROUTER).any():
            return None
        nodes, first, device = np.unique(near.node, return_index=True, return_inverse=True)
        far_device = np.minimum(np.searchsorted(nodes, far.node), len(nodes) - 1)
        here = device * _PORTS + near.number
        there = far_device * _PORTS + far.number
        entry = np.full(len(nodes) * _PORTS, -1)
        entry[here] = np.arange(len(here))
        other = entry[there]
        of_far = first[far_device]
        own_end = here - np.where(near.kind == _IS_SWITCH, near.number, 0)
        _, of_end = np.unique(own_end, return_index=True)
        names, lids = near.guid[of_end], near.lid[of_end]
        if not (
            (self.device == self.device[first[device]]).all()
            and (nodes[far_device] == far.node).all()
            and (near.kind[of_far] == far.kind).all()
            and (entry[here] == np.arange(len(here))).all()
            and (other >= 0).all()
            and (there[other] == here).all()
            and (here != there).all()
            and (near.guid[other] == far.guid).all()
            and (near.description[of_far] == far.description).all()
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
        near = self.near
        described = np.stack([own_end, far_end], axis=1).ravel()
        _, first = np.unique(described, return_index=True)
        first.sort()
        entry, is_far = np.divmod(first, 2)
        listed = np.where(is_far, other[entry], entry)
        numbers = np.where(near.kind == _IS_SWITCH, 0, near.number)
        ends = self._described(near._replace(number=numbers), listed, self.lid_count, self.system)
        once = np.flatnonzero(other > np.arange(len(other)))
        again = other[once]
        cables = ManyCables(
            np.stack([near.node[each] for each in (once, again)], axis=1),
            np.stack([near.number[each] for each in (once, again)], axis=1).astype(np.int64),
            np.where(np.isnan(self.rates[once]), self.rates[again], self.rates[once]),
            np.where(self.widths[once] == 0, self.widths[again], self.widths[once]),
        )
        return Wired(ends, self.lines[entry].tolist(), cables)

"""Forwarding tables in fabric.json: by LID, or by the names of hosts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import NoneType

import numpy as np
from numpy.typing import NDArray

from rankwise.network.fabric.model import NO_PORT
from rankwise.topology.machine.fields import Field

MOST_PORT = NO_PORT - 1
MOST_NUMBERED = (1 << 20) - 1
"""The highest LID of hosts that are numbered here: made fabrics may have more than InfiniBand has LIDs."""
_Table = tuple[NDArray[np.int64], NDArray[np.int64]]


def table_of(field: Field, lids_of: Mapping[str, Sequence[int]]) -> _Table:
    """Return LIDs and ports of the table of a switch, as `Draft` has them.

    Args:
        field: a list with the port for each LID from 0 on, or an object with the port for each name. null
            is no port, a list of ports an even split.
        lids_of: each switch and host by its name in the file.
    """
    if isinstance(field.value, dict):
        ways = {}
        for name, way in field.keys(None).items():
            if name not in lids_of:
                raise field.error(f"there is no switch or host {name!r}")
            for lid in lids_of[name]:
                ways[lid] = _ports(way)
        return _table(sorted(ways.items()))
    values = field.value
    if not isinstance(values, list):
        raise field.error("must be a list of ports by LID, or an object with ports by name")
    if len(values) > MOST_NUMBERED + 1:
        raise field.error(f"has more than {MOST_NUMBERED + 1} LIDs")
    if {type(value) for value in values} <= {int, NoneType}:
        ports = np.array([NO_PORT if value is None else min(value, 1 << 32) for value in values], np.int64)
        wrong = np.flatnonzero(((ports > MOST_PORT) & (ports != NO_PORT)) | (ports < 0))
        for place in wrong.tolist():
            field.items()[place].whole(0, most=MOST_PORT)
        lids = np.flatnonzero(ports != NO_PORT)
        return lids, ports[lids]
    return _table([(lid, _ports(way)) for lid, way in enumerate(field.items())])


def _ports(field: Field) -> list[int]:
    if field.value is None:
        return []
    if isinstance(field.value, list):
        ports = [port.whole(0, most=MOST_PORT) for port in field.items(least=1)]
        if len(set(ports)) < len(ports):
            raise field.error("lists a port twice")
        return ports
    return [field.whole(0, most=MOST_PORT)]


def _table(ways: Sequence[tuple[int, list[int]]]) -> _Table:
    taken = [(lid, ports) for lid, ports in ways if ports]
    width = max((len(ports) for _, ports in taken), default=1)
    table = np.full((len(taken), width), NO_PORT, np.int64)
    for row, (_, ports) in enumerate(taken):
        table[row, : len(ports)] = ports
    return np.array([lid for lid, _ in taken], np.int64), table


def plain_table(forward: NDArray[np.uint16]) -> list[int | list[int] | None]:
    """Return the list by LID that stands for the table of a switch, shape (LIDs, W)."""
    if forward.shape[1] == 1:
        return [None if port == NO_PORT else port for port in forward[:, 0].tolist()]
    entries: list[int | list[int] | None] = []
    for row in forward.tolist():
        ports = [port for port in row if port != NO_PORT]
        entries.append(ports if len(ports) > 1 else ports[0] if ports else None)
    return entries

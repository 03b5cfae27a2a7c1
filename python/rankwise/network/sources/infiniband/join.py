"""Assembles an InfiniBand subnet from its files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import RankwiseError
from rankwise.network.fabric.draft import Draft, finished
from rankwise.network.fabric.model import GAP, MEASURED, Routing, Subnet
from rankwise.network.sources.infiniband.cabling import Cabling
from rankwise.network.sources.infiniband.lmc import find_lid_counts
from rankwise.network.sources.infiniband.values import MOST_LID, MOST_PORT
from rankwise.network.sources.on_cables import RULES, routed_by
from rankwise.network.sources.parts import Cables, Lids, Table, Tables
from rankwise.network.sources.text import TextFile
from rankwise.text.units import byte_text

_TableOfFile = tuple[Table, TextFile]
_LARGEST_TABLES = 4 << 30
_NEED_TABLES = (
    "links, but no forwarding tables of their switches, so the routes are modelled: for the real routes, "
    "add ibdiagnet.fdbs (from `ibdiagnet -r`), opensm.fdbs (from `opensm -D 0x43`) or the output of "
    "`dump_lfts`"
)
NEED_CABLES = (
    "forwarding tables, but no links of their switches: add ibdiagnet.lst, opensm-subnet.lst or the output "
    "of `ibnetdiscover`"
)

NEED_LINKS_AND_TABLES = "LIDs, but no links and forwarding tables of their subnet: add them, too"


def joined(parts: Sequence[Cables | Tables | Lids], rule: str = RULES[0]) -> tuple[Subnet, list[str]]:
    """Return the subnet, and a line for each kind of thing that is missing or left out.

    Args:
        parts: files of one subnet; later files may complete earlier ones.
        rule: of RULES, for routes if there are no tables.

    Raises:
        RankwiseError: files contradict each other, or there are no links.
    """
    cabling = Cabling()
    cables = [part for part in parts if isinstance(part, Cables)]
    for cable_file in sorted(cables, key=_lacks_nodes) if len(cables) > 1 else cables:
        cabling.add(cable_file)
    for part in parts:
        if isinstance(part, Lids):
            for guid, (line, lid, count) in part.lids.items():
                cabling.set_lids(guid, lid, count, part.file, line)
    draft, warnings = cabling.draft()
    for part in parts:
        warnings += part.warnings if not isinstance(part, Lids) else ()
        warnings += part.file.complaints if isinstance(part, Cables) else ()
    tables = [part for part in parts if isinstance(part, Tables)]
    tables_by_guid = _tables_in(tables)
    _check_ways(draft, tables_by_guid, cabling, cables)
    warnings += _set_tables(draft, tables_by_guid) if tables else [f"{parts[0].file.path}: {_NEED_TABLES}"]
    find_lid_counts(draft)
    _check_lids(draft, parts[0].file)
    _check_size(draft, parts[0].file)
    warnings += _without_owner(draft, cabling.lids())
    subnet = finished(draft)
    alone = len(draft.ports) - len(subnet.ports.hosts)
    if alone:
        warnings.append(f"ports of hosts ignored because they are not linked to a switch: {alone}")
    if not subnet.ports.hosts:
        raise RankwiseError(f"{parts[0].file.path}: no host is linked to a switch in this subnet")
    subnet = replace(subnet, routing=Routing(MEASURED)) if tables else _modelled(rule, subnet, parts[0].file)
    return subnet, warnings


def _lacks_nodes(part: Cables) -> bool:
    """Return whether adapters are named only by GUIDs of ports: other files say which adapters have these."""
    return any(not end.node for cable in part.cables for end in (cable.near, cable.far))


def _modelled(rule: str, subnet: Subnet, file: TextFile) -> Subnet:
    try:
        return routed_by(rule, subnet)
    except RankwiseError as error:
        raise RankwiseError(f"{file.path}: {error}") from error


def _tables_in(parts: Sequence[Tables]) -> dict[int, _TableOfFile]:
    """Return the table of each switch; RankwiseError if files disagree."""
    tables_by_guid: dict[int, _TableOfFile] = {}
    for part in parts:
        for guid, table in part.tables.items():
            if guid in tables_by_guid:
                _check_same(guid, *tables_by_guid[guid], table, part.file)
            else:
                tables_by_guid[guid] = table, part.file
    return tables_by_guid


def _check_ways(
    draft: Draft, tables_by_guid: dict[int, _TableOfFile], cabling: Cabling, cables: Sequence[Cables]
) -> None:
    """Raise RankwiseError if a table has ports that its switch lacks, or forwards the switch's own LID."""
    counts = {guid: count for part in cables for guid, count in part.port_counts.items()}
    lids, order = np.empty(0, np.int64), np.empty(0, np.int64)
    for guid, (table, file) in tables_by_guid.items():
        if guid not in draft.switches:
            continue
        switch, ports = draft.switches[guid], counts.get(guid, MOST_PORT)
        begins = f"the table of {switch.name}, which begins here, has port"
        if table.ports.max(initial=0) > ports:
            first = int(np.argmax(table.ports > ports))
            port, lid = table.ports[first], table.lids[first]
            raise file.error(table.line, f"{begins} {port} for LID {lid:#06x}; the switch has {ports} ports")
        if table.lids is not lids:  # most tables have the same
            lids, order = table.lids, np.argsort(table.lids)
        own = order[slice(*np.searchsorted(lids, [switch.lid, switch.lid + 1], sorter=order))]
        if switch.lid and table.ports[own].any():
            raise file.error(
                table.line,
                f"{begins} {table.ports[own[0]]} for LID {switch.lid:#06x}, but that LID is the switch's own "
                f"in {cabling.place_of(guid)}; the files were not taken at the same time",
            )


def _set_tables(draft: Draft, tables_by_guid: dict[int, _TableOfFile]) -> list[str]:
    """Give each switch its table, and return warnings about missing ones."""
    draft.tables = {
        guid: (table.lids, table.ports)
        for guid, (table, _) in tables_by_guid.items()
        if guid in draft.switches
    }
    strange = len(tables_by_guid) - len(draft.tables)
    without = [switch.name for guid, switch in draft.switches.items() if guid not in draft.tables]
    warnings = []
    if without:
        warnings.append(
            f"{GAP}switches without a forwarding table: {len(without)}, such as {min(without)}; messages "
            "through them are on no link"
        )
    if strange:
        warnings.append(f"forwarding tables ignored because their switches have no links: {strange}")
    return warnings


def _without_owner(draft: Draft, lids: set[int]) -> list[str]:
    """Return that tables lead to ports that no link has, if so: links of hosts are missing.

    Args:
        draft: with tables.
        lids: the lowest LIDs of all ports with links, including omitted ones.
    """
    width = max([1, *(port.lid_count for port in draft.ports.values())])
    known = np.array([lid + more for lid in lids for more in range(width)], np.int64)
    highest = max([0, *(int(lids.max(initial=0)) for lids, _ in draft.tables.values())])
    led = np.zeros(highest + 1, np.bool_)
    together: dict[int, tuple[NDArray[np.int64], NDArray[np.bool_]]] = {}
    for table_lids, ports in draft.tables.values():  # most have the same LIDs
        together.setdefault(id(table_lids), (table_lids, np.zeros(len(ports), np.bool_)))[1][:] |= ports != 0
    for table_lids, is_led in together.values():
        led[table_lids[is_led]] = True
    led[known[known <= highest]] = False
    strange = np.flatnonzero(led)
    if not len(strange):
        return []
    return [
        f"{GAP}LIDs in forwarding tables without a link: {len(strange)}, such as {strange[0]}; their hosts "
        "are missing"
    ]


def _check_same(guid: int, first: Table, one_file: TextFile, second: Table, other_file: TextFile) -> None:
    if np.array_equal(first.lids, second.lids) and np.array_equal(first.ports, second.ports):
        return
    ways, others = (dict(zip(t.lids.tolist(), t.ports.tolist(), strict=True)) for t in (first, second))
    if ways != others:
        lid = min(lid for lid, _ in ways.items() ^ others.items())
        raise other_file.error(
            second.line,
            f"the table of switch 0x{guid:016x} has {_way(others, lid)} for LID {lid:#06x}, but "
            f"{_way(ways, lid)} in {one_file.path}: line {first.line}; the files were not taken at the same "
            "time",
        )


def _way(ways: dict[int, int], lid: int) -> str:
    return f"port {ways[lid]}" if lid in ways else "no port"


def _check_lids(draft: Draft, file: TextFile) -> None:
    """Raise RankwiseError if two ports share a LID."""
    owners = [(port.lid, port.lid_count, port.host) for port in draft.ports.values() if port.lid]
    owners += [(switch.lid, 1, switch.name) for switch in draft.switches.values() if switch.lid]
    owners.sort()
    for (lid, count, name), (following, _, other) in pairwise(owners):
        if lid + count > following:
            raise RankwiseError(
                f"{file.path}: {name} has {count} LIDs from {lid} on, but LID {following} is {other}'s; the "
                "files were not taken at the same time"
            )
    if owners and owners[-1][0] + owners[-1][1] - 1 > MOST_LID:
        raise RankwiseError(f"{file.path}: {owners[-1][2]} has LIDs above {MOST_LID:#x}")


def _check_size(draft: Draft, file: TextFile) -> None:
    highest = max((int(lids.max(initial=0)) for lids, _ in draft.tables.values()), default=0)
    size = len(draft.switches) * (highest + 1) * np.dtype(np.uint16).itemsize
    if size > _LARGEST_TABLES:
        raise RankwiseError(
            f"{file.path}: the tables of {len(draft.switches)} switches would take {byte_text(size)}, more "
            "than any subnet needs"
        )

"""Writes fabric.json: a line for each switch, host port, cable and table."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from rankwise.network.fabric.model import EVEN_SPLIT, Fabric, Subnet
from rankwise.network.fabric.same import is_numbered
from rankwise.network.sources.fabric_json.lid_tables import plain_table
from rankwise.network.sources.fabric_json.rates import plain_rate
from rankwise.network.sources.fabric_json.read import FORMAT, VERSION
from rankwise.network.sources.on_cables import evenly_split
from rankwise.network.sources.text import printable
from rankwise.whole_files import appearing, refuse_existing


def write_fabric(fabric: Fabric, path: Path, force: bool) -> None:
    """Write a fabric.json, gzipped if the name ends in .gz; it appears when it is whole.

    Args:
        fabric: it.
        path: of the file.
        force: whether it may be there already, and is replaced then.

    Raises:
        RankwiseError: it is there already, or can't be written.
    """
    refuse_existing(path, force=force)
    with appearing(path) as (unfinished,):
        text = text_of(fabric).encode()
        unfinished.write_bytes(gzip.compress(text, mtime=0) if path.suffix == ".gz" else text)


def text_of(fabric: Fabric) -> str:
    """Return the text of the file."""
    return "".join(_lines(fabric))


def _lines(fabric: Fabric) -> Iterator[str]:
    yield f'{{\n  "format": {json.dumps(FORMAT)},\n  "version": {VERSION},\n'
    sources = [{"kind": source.kind, "what": printable(source.what)} for source in fabric.sources]
    yield f'  "sources": {_list(sources, 2)},\n'
    if fabric.warnings:
        yield f'  "warnings": {_list(map(printable, fabric.warnings), 2)},\n'
    yield '  "subnets": [\n'
    for number, subnet in enumerate(fabric.subnets, 1):
        keys = [f"      {json.dumps(key)}: {value}" for key, value in _subnet(subnet)]
        comma = "," if number < len(fabric.subnets) else ""
        yield "    {\n" + ",\n".join(keys) + f"\n    }}{comma}\n"
    yield "  ]\n}\n"


def _subnet(subnet: Subnet) -> Iterator[tuple[str, str]]:
    """Return the keys of a subnet and their values as JSON."""
    names = _names(subnet)
    switches = len(subnet.switches.names)
    if subnet.name:
        yield "name", _json(subnet.name)
    routing = {"kind": subnet.routing.kind} | ({"by": subnet.routing.by} if subnet.routing.by else {})
    yield "routing", _json(routing)
    rates = [
        plain_rate(rate) | ({"width": width} if width else {})
        for rate, width in zip(
            subnet.links.rates[::2].tolist(), subnet.links.widths[::2].tolist(), strict=True
        )
    ]
    common = dict(Counter(tuple(rate.items()) for rate in rates).most_common(1)[0][0])
    for unit, value in common.items():
        if value is not None:
            yield unit, _json(value)
    yield "switches", _list(_switches(subnet, names), 6)
    yield "hosts", _list(_hosts(subnet, names), 6)
    yield "links", _list(_links(subnet, names, rates, common), 6)
    if subnet.routing.kind != EVEN_SPLIT or not _is_recomputed(subnet):
        tables = (
            f"        {_json(name)}: {_json(plain_table(table))}"
            for name, table in zip(names[:switches], subnet.forward, strict=True)
        )
        yield "tables", "{\n" + ",\n".join(tables) + "\n      }"


def _is_recomputed(subnet: Subnet) -> bool:
    """Return whether reading the cables makes the same tables."""
    return np.array_equal(evenly_split(subnet).forward, subnet.forward)


def _names(subnet: Subnet) -> list[str]:
    """Return a unique name for each switch and host port."""
    ports = subnet.ports
    names = [*subnet.switches.names, *ports.hosts]
    times = Counter(names)
    longer = [
        f"{name} 0x{guid:016x}"
        for name, guid in zip(subnet.switches.names, subnet.switches.guids, strict=True)
    ]
    longer += [
        " ".join(filter(None, (host, device, str(number))))
        for host, device, number in zip(ports.hosts, ports.devices, ports.numbers.tolist(), strict=True)
    ]
    names = [long if times[name] > 1 else name for name, long in zip(names, longer, strict=True)]
    times = Counter(names)
    return [f"{name} #{number}" if times[name] > 1 else name for number, name in enumerate(names)]


def _switches(subnet: Subnet, names: list[str]) -> Iterator[Any]:
    switches = subnet.switches
    numbered = is_numbered(switches)
    for number, name in enumerate(switches.names):
        facts: dict[str, Any] = {"name": name}
        if names[number] != name:
            facts["id"] = names[number]
        if not numbered:
            facts["guid"] = f"0x{switches.guids[number]:016x}"
        if switches.systems[number]:
            facts["system"] = f"0x{switches.systems[number]:016x}"
        if switches.lids[number]:
            facts["lid"] = int(switches.lids[number])
        yield name if len(facts) == 1 else facts


def _hosts(subnet: Subnet, names: list[str]) -> Iterator[Any]:
    ports, switches = subnet.ports, len(subnet.switches.names)
    numbered = (
        not subnet.switches.lids.any()
        and np.array_equal(np.sort(ports.lids), np.arange(1, len(ports.lids) + 1))
        and (ports.lid_counts == 1).all()
    )
    for port in np.argsort(ports.lids).tolist() if numbered else range(len(ports.hosts)):
        host = ports.hosts[port]
        facts: dict[str, Any] = {"name": host}
        if names[switches + port] != host:
            facts["id"] = names[switches + port]
        if ports.devices[port]:
            facts["device"] = ports.devices[port]
        if ports.numbers[port] != 1:
            facts["port"] = int(ports.numbers[port])
        for key, guids in (("guid", ports.guids), ("node", ports.nodes)):
            if guids[port]:
                facts[key] = f"0x{guids[port]:016x}"
        if not numbered:
            facts["lid"] = int(ports.lids[port])
        if ports.lid_counts[port] != 1:
            facts["lids"] = int(ports.lid_counts[port])
        yield host if len(facts) == 1 else facts


def _links(
    subnet: Subnet, names: list[str], rates: list[dict[str, Any]], common: dict[str, Any]
) -> Iterator[Any]:
    links = subnet.links
    ends = zip(
        links.source[::2].tolist(),
        links.source_port[::2].tolist(),
        links.destination[::2].tolist(),
        links.destination_port[::2].tolist(),
        rates,
        strict=True,
    )
    for source, source_port, destination, destination_port, rate in ends:
        pair = [names[source], source_port, names[destination], destination_port]
        yield pair if rate == common else {"ends": pair, **rate}


def _list(values: Iterable[Any], indent: int) -> str:
    """Return a list with a line for each value."""
    lines = [f"{' ' * (indent + 2)}{_json(value)}" for value in values]
    return "[\n" + ",\n".join(lines) + f"\n{' ' * indent}]"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)

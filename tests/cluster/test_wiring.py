"""The tables of virtual fabrics, and their description as a file: no nodes are made."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from fabric import Fabric
from fabric_file import write_fabric
from wiring import bytes_per_second, cables_of, tables_of

from rankwise.network.fabric.slow_cables import slow_cables_text
from rankwise.network.sources.open import open_fabric

FABRICS = [
    (Fabric(2, "100mbit", "50mbit"), 4),
    (Fabric(3, "50mbit", "50mbit"), 3),
    (Fabric(2, "100mbit", "100mbit", spines=2), 8),
    (Fabric(4, "100mbit", "100mbit", spines=3), 10),
]


@pytest.mark.parametrize(("fabric", "count"), FABRICS)
def test_tables_lead_each_node_to_each_other(fabric: Fabric, count: int) -> None:
    names = [f"node{number}" for number in range(count)]
    cables, tables = cables_of(fabric, names), tables_of(fabric, names)
    beyond = {(cable.lower, cable.lower_port): cable.upper for cable in cables}
    beyond |= {(cable.upper, cable.upper_port): cable.lower for cable in cables}
    assert len(beyond) == 2 * len(cables)
    for source in names:
        for number, destination in enumerate(names):
            passed, place = [source], source
            while place != destination:
                place = beyond[place, tables[place][destination] if place in tables else 1]
                passed.append(place)
                assert len(passed) <= 5
            if len(passed) == 5:
                assert passed[2] == f"spine{fabric.spine_of(number)}"


@pytest.mark.parametrize(("fabric", "count"), FABRICS)
def test_the_file_has_the_same_cables_and_tables(fabric: Fabric, count: int, tmp_path: Path) -> None:
    names = [f"node{number}" for number in range(count)]
    cables, tables = cables_of(fabric, names), tables_of(fabric, names)
    path = tmp_path / "fabric.json"
    write_fabric(path, cables, tables)
    [subnet] = open_fabric([str(path)]).subnets
    links, ports = subnet.links, subnet.ports
    read = {
        (subnet.name_of(source), subnet.name_of(destination)): (port, rate)
        for source, port, destination, rate in zip(
            links.source.tolist(),
            links.source_port.tolist(),
            links.destination.tolist(),
            links.rates.tolist(),
            strict=True,
        )
    }
    written = {(c.lower, c.upper): (c.lower_port, bytes_per_second(c.rate)) for c in cables}
    written |= {(c.upper, c.lower): (c.upper_port, bytes_per_second(c.rate)) for c in cables}
    assert read == written
    lid_of = dict(zip(ports.hosts, ports.lids.tolist(), strict=True))
    for number, switch in enumerate(subnet.switches.names):
        assert {name: int(subnet.forward[number, lid, 0]) for name, lid in lid_of.items()} == tables[switch]


def test_a_slower_cable_is_named(tmp_path: Path) -> None:
    fabric, names = FABRICS[2][0], [f"node{number}" for number in range(8)]
    cables = cables_of(fabric, names)
    slow = cables.index(next(cable for cable in cables if (cable.lower, cable.upper) == ("leaf1", "spine0")))
    cables[slow] = replace(cables[slow], rate="25mbit")
    path = tmp_path / "fabric.json"
    write_fabric(path, cables, tables_of(fabric, names))
    [subnet] = open_fabric([str(path)]).subnets
    assert "leaf1 [3] - spine0 [2]" in slow_cables_text(subnet)

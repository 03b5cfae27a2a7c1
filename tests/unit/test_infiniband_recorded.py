"""Fabrics that were recorded with the real tools: the same from each source, and true."""

import re

import numpy as np
import pytest
from recorded_fabrics import FOLDERS, SOURCES, assert_same, has, opened, path_of

from rankwise.network.fabric.model import MEASURED
from rankwise.network.sources.open import open_fabric
from rankwise.network.sources.text import read_text

CASES = [
    (folder, source)
    for folder in FOLDERS
    for source, files in SOURCES.items()
    if source != "opensm" and has(folder, *files)
]

STEP = re.compile(r"^\[(\d+)\] -> (?:switch|ca) port \{0x([0-9a-f]+)\}\[(\d+)\]", re.MULTILINE)


@pytest.fixture(scope="module")
def by_opensm():
    return {folder: opened(folder, *SOURCES["opensm"]) for folder in FOLDERS}


@pytest.mark.parametrize(("folder", "source"), CASES)
def test_each_source_tells_the_same(by_opensm, folder, source):
    fabric = opened(folder, *SOURCES[source])
    assert len(fabric.subnets) == 1
    assert_same(fabric.subnets[0], by_opensm[folder].subnets[0])
    assert fabric.warnings == ()


def test_all_kinds_of_sources_were_compared():
    assert {source for _, source in CASES} == {*SOURCES} - {"opensm"}
    assert len(CASES) == 17


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_directory_of_all_sources_is_one_subnet(by_opensm, folder):
    fabric = opened(folder)
    (source,) = fabric.sources
    assert_same(fabric.subnets[0], by_opensm[folder].subnets[0])
    assert source.kind == ("ibdiagnet" if has(folder, "ibdiagnet.lst") else "opensm")
    assert f"{source.kind}.fdbs" in source.what.split(";")[0]
    assert "dump_lfts" in source.what.split("in agreement with")[1]


@pytest.mark.parametrize(
    ("folder", "switches", "hosts", "ports", "cables", "lids"),
    [
        ("small-ftree", 6, 16, 16, 32, 1),
        ("small-ftree-lmc1", 6, 16, 16, 32, 2),
        ("dual-ftree", 6, 16, 32, 48, 1),
        ("medium-ftree", 27, 324, 324, 648, 1),
        ("medium-ftree-lmc1", 27, 324, 324, 648, 2),
        ("tsubame-r1-ftree", 182, 512, 512, 2816, 1),
    ],
)
def test_sizes(by_opensm, folder, switches, hosts, ports, cables, lids):
    (subnet,) = by_opensm[folder].subnets
    assert len(subnet.switches.names) == switches
    assert len(set(subnet.ports.hosts)) == hosts
    assert len(subnet.ports.hosts) == ports
    assert len(subnet.links) == 2 * cables
    assert set(subnet.ports.lid_counts.tolist()) == {lids}
    assert subnet.routing.kind == MEASURED
    assert set(subnet.links.rates.tolist()) == {1e9}  # 4 lanes of 2.5 Gbit/s, of which 8 of 10 are data


def test_names_devices_and_two_ports(by_opensm):
    ports = by_opensm["dual-ftree"].subnets[0].ports
    assert ports.hosts[:4] == ("node0001", "node0001", "node0002", "node0002")
    assert set(ports.devices) == {"mlx5_0"}
    assert ports.numbers[:4].tolist() == [1, 2, 1, 2]
    assert ports.nodes[0] == ports.nodes[1] == 0x100000
    assert ports.guids[:2].tolist() == [0x100001, 0x100002]


def test_classes_of_links_on_three_levels(by_opensm):
    (subnet,) = by_opensm["tsubame-r1-ftree"].subnets
    names = np.array(subnet.switches.names)
    assert {name[:4] for name in names[subnet.switches.levels == 1]} == {"edge"}
    assert np.bincount(subnet.switches.levels).tolist() == [0, 32, 96, 54]
    assert np.bincount(subnet.classes).tolist() == [512, 512, 576, 576, 1728, 1728]


def test_routes_are_those_of_ibtracert(by_opensm):
    (subnet,) = by_opensm["medium-ftree"].subnets
    text = read_text(path_of("medium-ibtracert", "trace.txt")).data.decode()
    traces = re.split(r"^## ", text, flags=re.MULTILINE)[1:]
    assert len(traces) == 40
    for trace in traces:
        lid_from, lid_to = (int(word) for word in trace.splitlines()[0].split(","))
        steps = re.findall(
            r"^\[(\d+)\] -> (?:switch|ca) port \{0x([0-9a-f]+)\}\[(\d+)\]", trace, re.MULTILINE
        )
        assert walked(subnet, lid_from, lid_to) == [
            (int(out), int(guid, 16), int(into)) for out, guid, into in steps
        ]


def walked(subnet, lid_from, lid_to):
    """Return the way through the tables: the port out, GUID and port of where it leads, step by step."""
    switches = len(subnet.switches.names)
    links = subnet.links
    link = subnet.up[np.flatnonzero(subnet.ports.lids == lid_from)[0]]
    steps = []
    while True:
        end = links.destination[link]
        guid = subnet.switches.guids[end] if end < switches else subnet.ports.guids[end - switches]
        steps.append((links.source_port[link], guid, links.destination_port[link]))
        if end >= switches:
            return steps
        link = subnet.out[end, subnet.forward[end, lid_to, 0]]


def test_links_with_more_facts_are_the_same(by_opensm):
    files = [path_of("medium-ibtracert", "ibnetdiscover-f.txt"), path_of("medium-ftree", "opensm.fdbs")]
    assert_same(open_fabric([str(file) for file in files]).subnets[0], by_opensm["medium-ftree"].subnets[0])


def test_the_table_of_one_switch_agrees(by_opensm):
    files = [
        path_of("medium-ftree", "opensm-subnet.lst"),
        path_of("medium-ftree", "opensm.fdbs"),
        path_of("medium-ibtracert", "ibroute-lid2.txt"),
    ]
    fabric = open_fabric([str(file) for file in files])
    assert_same(fabric.subnets[0], by_opensm["medium-ftree"].subnets[0])
    assert "ibroute-lid2.txt" in fabric.sources[0].what

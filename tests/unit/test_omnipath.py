"""Snapshots of opareport: what it reports itself of a made one, and files that are damaged."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import numpy as np
import pytest
from recorded_fabrics import FABRICS
from routes_walked import walked

from golden import Golden
from rankwise.errors import RankwiseError
from rankwise.network.fabric.model import EVEN_SPLIT, MEASURED, Fabric, Subnet
from rankwise.network.sources.generators.generate import generated
from rankwise.network.sources.open import open_fabric

FOLDER = FABRICS / "omnipath-made"
TEXT = gzip.decompress((FOLDER / "snapshot.xml.gz").read_bytes()).decode()


def opened(path: Path, text: str) -> Fabric:
    path.write_text(text)
    return open_fabric([str(path)])


def subnet() -> Subnet:
    (network,) = open_fabric([str(FOLDER / "snapshot.xml.gz")]).subnets
    return network


def test_hosts_switches_and_rates() -> None:
    fabric = open_fabric([str(FOLDER / "snapshot.xml.gz")])
    (network,) = fabric.subnets
    assert fabric.warnings == ()
    assert fabric.sources[0].kind == "opareport"
    assert network.routing.kind == MEASURED
    assert network.ports.hosts == tuple(f"node{number:04}" for number in range(1, 13))
    assert set(network.ports.devices) == {"hfi1_0"}
    assert network.switches.names == ("leaf01", "leaf02", "leaf03", "spine01", "spine02")
    assert set(network.links.rates) == {12.5e9}  # 100 Gbit/s
    assert network.ports.guids[0] == 0x0011750101670000


def test_links_are_those_that_opareport_reports() -> None:
    network = subnet()
    ends = re.findall(r"0x(\w{16}) +(\d+) (?:SW|FI)", (FOLDER / "links.txt").read_text())
    reported = {frozenset(pair) for pair in zip(ends[::2], ends[1::2], strict=True)}
    guids = [f"{guid:016x}" for guid in (*network.switches.guids.tolist(), *network.ports.nodes.tolist())]
    links = network.links
    ours = {
        frozenset(
            [
                (guids[links.source[link]], str(links.source_port[link])),
                (guids[links.destination[link]], str(links.destination_port[link])),
            ]
        )
        for link in range(len(links))
    }
    assert ours == reported
    assert len(reported) == 24


def test_routes_are_those_that_opareport_reports() -> None:
    network = subnet()
    reports = re.split(r"Routes Summary Between:", (FOLDER / "routes.txt").read_text())[1:]
    assert len(reports) == 8
    names = [*network.switches.names, *network.ports.hosts]
    for report in reports:
        hops = re.findall(r"(?:100g|->) +0x\w{16} +(\d+) (?:SW|FI) +(\S+)", report)
        source, destination = (network.ports.hosts.index(hops[place][1]) for place in (0, -1))
        ours = []
        for link in walked(network, source, destination):
            ours.append((str(network.links.source_port[link]), names[network.links.source[link]]))
            ours.append((str(network.links.destination_port[link]), names[network.links.destination[link]]))
        assert ours == hops


def test_tables_are_those_that_it_was_made_of() -> None:
    made, read = generated("fattree:leaf=3x4,spine=2"), subnet()
    np.testing.assert_array_equal(made.forward[:, 1:13], read.forward[:, 1:13])


def test_several_lids_ports_that_are_down_and_narrow_links(tmp_path: Path, golden: Golden) -> None:
    port = TEXT.index("<PortNum>1</PortNum>")
    narrow = TEXT.replace("<LinkWidthDowngradeTxActive_Int>8<", "<LinkWidthDowngradeTxActive_Int>2<", 1)
    (network,) = opened(tmp_path / "narrow.xml", narrow).subnets
    assert sorted(set(network.links.rates)) == [6.25e9, 12.5e9]
    down = TEXT[:port] + TEXT[port:].replace("<PortState_Int>4<", "<PortState_Int>1<", 1)
    fabric = opened(tmp_path / "down.xml", down)
    assert fabric.subnets[0].ports.hosts[0] == "node0002"
    golden.says(fabric.warnings[0], "1")
    unknown = TEXT.replace("<LinkSpeedActive_Int>2<", "<LinkSpeedActive_Int>64<")
    assert np.isnan(opened(tmp_path / "unknown.xml", unknown).subnets[0].links.rates).all()
    # The last host gets a second LID, which the switches know alike.
    more = re.sub(
        r'<Value LID="0xc">(\d+)</Value>', r'<Value LID="0xc">\1</Value><Value LID="0xd">\1</Value>', TEXT
    )
    for number in range(0xD, 0x12)[::-1]:  # switches make room
        more = more.replace(f'LID="0x{number:x}">0<', f'LID="0x{number + 1:x}">0<')
        more = more.replace(f"<EndPortLID>0x{number:08x}<", f"<EndPortLID>0x{number + 1:08x}<")
    last = more.index("0x000000000000000c") if "0x000000000000000c" in more else more.index("0x0000000c")
    more = more[:last] + more[last:].replace("<LMC>0<", "<LMC>1<", 1)
    (network,) = opened(tmp_path / "lmc.xml", more).subnets
    assert network.ports.lid_counts.tolist() == [1] * 11 + [2]


def test_routes_are_modelled_without_tables(tmp_path: Path) -> None:
    (network,) = opened(
        tmp_path / "snapshot.xml", re.sub(r"(?s)<LinearFDB>.*?</LinearFDB>", "", TEXT)
    ).subnets
    assert network.routing.kind == EVEN_SPLIT
    assert len(network.ports.hosts) == 12


@pytest.mark.parametrize(
    ("pattern", "replacement", "complaint"),
    [
        (r"<NodeGUID>0x\w+</NodeGUID>", "<NodeGUID>none</NodeGUID>", "6 .. NodeGUID"),
        (r"<PortNum>1</PortNum>", "", "PortNum is missing"),
        (
            r"<NodeType_Int>1<",
            "<NodeType_Int>3<",
            "3 .. 1 .. 2",
        ),
        (r"<EndPortLID>0x00000001<", "<EndPortLID>0x10000<", "LID 0x10000 is above the maximum 0xbfff"),
        (r"<LMC>0<", "<LMC>9<", "LMC 9 is above 7"),
        (r'<Value LID="0x1">1<', '<Value LID="0x1">255<', "port 255 is not between 0 and 254"),
        (r'<Value LID="0x1">1<', '<Value LID="">1<', "LID is missing"),
        (r"(?s)<Links>.*</Links>", "<Links></Links>", ""),
        (r"</Nodes>(?s:.*)", "", "is not XML: no element found: line"),
        (r"<Nodes>", '<!DOCTYPE a [<!ENTITY b "c">]><Nodes>', "is not XML"),
        (r'encoding="utf-8" \?>', 'encoding="utf-8" ?><!DOCTYPE a [<!ENTITY b "c">]>', "has a DOCTYPE with"),
        (r"<Nodes>", "<a>" * 300, "200"),
    ],
)
def test_says_in_one_line_what_is_wrong(
    tmp_path: Path, pattern: str, replacement: str, complaint: str, golden: Golden
) -> None:
    damaged = re.sub(pattern, replacement, TEXT, count=1)
    assert damaged != TEXT
    path = tmp_path / "snapshot.xml"
    with pytest.raises(RankwiseError) as raised:
        opened(path, damaged)
    message = str(raised.value)
    assert message.startswith(str(path))
    golden.says(message, complaint)
    assert "\n" not in message


def test_a_link_to_nowhere_and_nodes_that_are_there_twice(tmp_path: Path, golden: Golden) -> None:
    path = tmp_path / "snapshot.xml"
    links = TEXT.index("<Links>")
    wrong = TEXT[:links] + TEXT[links:].replace("<PortNum>1</PortNum>", "<PortNum>40</PortNum>", 1)
    with pytest.raises(RankwiseError) as error:
        opened(path, wrong)
    golden.says(error.value, "40 .. 0x00117501026a0000")
    node = TEXT[TEXT.index("<Node ") : TEXT.index("</Node>") + len("</Node>")]
    with pytest.raises(RankwiseError, match="the node 0x0011750101670000 is given twice: line"):
        opened(path, TEXT.replace("<Nodes>", f"<Nodes>{node}", 1))

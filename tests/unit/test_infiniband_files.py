"""What else is in files of InfiniBand: speeds, names, LMC, idle links, masks, several tables, versions."""

import math
import re

import numpy as np
import pytest
from recorded_fabrics import FABRICS, assert_same, opened, path_of

from golden import Golden
from rankwise.network.fabric.model import NO_PORT
from rankwise.network.sources.infiniband.names import host_and_device, is_aggregation, switch_name
from rankwise.network.sources.infiniband.rates import rate_of
from rankwise.network.sources.open import open_fabric
from rankwise.network.sources.text import read_text

SMALL = FABRICS / "small-ftree"


@pytest.fixture(scope="module")
def small():
    return opened("small-ftree", "opensm-subnet.lst", "opensm.fdbs").subnets[0]


def fabric_of(tmp_path, lst=None, fdbs=None, **more):
    """Open the small fabric with some of its files changed, and others added, by name and text."""
    files = {"links": lst or text("ibdiagnet.lst"), "tables": fdbs or text("ibdiagnet.fdbs"), **more}
    for name, content in files.items():
        (tmp_path / name).write_text(content)
    return open_fabric([str(tmp_path / name) for name in files])


def text(name, folder="small-ftree"):
    return read_text(path_of(folder, name)).data.decode()


@pytest.mark.parametrize(
    ("width", "speed", "gbit"),
    [
        ("4x", "2.5", 8),
        ("4x", "SDR", 8),
        ("1x", "5", 4),
        ("4X", "5.0", 16),
        ("4x", "QDR", 32),
        ("4x", "10", 32),
        ("4x", "FDR10", 40),
        ("4x", "14", 4 * 14.0625 * 64 / 66),
        ("4x", "FDR", 4 * 14.0625 * 64 / 66),
        ("4x", "25", 100),
        ("4x", "EDR", 100),
        ("2x", "50", 100),
        ("4x", "HDR", 200),
        ("4x", "100", 400),
        ("4x", "NDR", 400),
        ("4x", "XDR", 800),
    ],
)
def test_rates(width, speed, gbit):
    assert rate_of(width, speed) == pytest.approx(gbit * 1e9 / 8)


@pytest.mark.parametrize(("width", "speed"), [("4x", ""), ("", "EDR"), ("5x", "EDR"), ("4x", "???")])
def test_unknown_words_are_no_rate(width, speed):
    assert math.isnan(rate_of(width, speed))


def test_links_of_different_speed(tmp_path):
    lines = text("ibdiagnet.lst").splitlines()
    lines[0] = lines[0].replace("SPD=2.5", "SPD=100")
    lines[1] = lines[1].replace("PHY=4x LOG=ACT SPD=2.5", "PHY=2x LOG=ACT SPD=50")
    lines[2] = lines[2].replace(" SPD=2.5", "")
    (subnet,) = fabric_of(tmp_path, "\n".join(lines) + "\n").subnets
    up = {host: subnet.links.rates[link] for host, link in zip(subnet.ports.hosts, subnet.up, strict=True)}
    assert up["node0001"] == 50e9
    assert up["node0002"] == 12.5e9
    assert math.isnan(up["node0003"])
    assert up["node0004"] == 1e9


@pytest.mark.parametrize(
    ("description", "host", "device"),
    [
        ("node0001 HCA-1", "node0001", "HCA-1"),
        ("node0001 mlx5_0", "node0001", "mlx5_0"),
        ("r1i0n0.cluster hfi1_0", "r1i0n0.cluster", "hfi1_0"),
        ("node7", "node7", ""),
        ("MT4123 ConnectX6 Mellanox Technologies", "0x00000000000000ab", ""),
        ("", "0x00000000000000ab", ""),
        ("a\x1b[31mb dev", "a?[31mb", "dev"),
    ],
)
def test_hosts_and_devices(description, host, device):
    assert host_and_device(description, 0xAB) == (host, device)


@pytest.mark.parametrize(
    ("description", "name"),
    [
        ("leaf01", "leaf01"),
        ("MF0;ib-sw1:MQM8700/U1", "ib-sw1"),
        ("MF0;dir2:MCS7500/L01/U1", "dir2/L01/U1"),
        ("SwitchX -  Mellanox Technologies", "SwitchX -  Mellanox Technologies"),
        ("", "0x00000000000000ab"),
    ],
)
def test_names_of_switches(description, name):
    assert switch_name(description, 0xAB) == name


def test_factory_descriptions_are_no_host(tmp_path, golden: Golden):
    lst = re.sub(r"\{node00(\d\d) HCA-1\}", "{MT4123 ConnectX6 Mellanox Technologies}", text("ibdiagnet.lst"))
    fabric = fabric_of(tmp_path, lst)
    assert len(set(fabric.subnets[0].ports.hosts)) == 16
    assert fabric.subnets[0].ports.hosts[0] == "0x0000000000100000"
    [warning] = fabric.warnings
    golden.says(warning, "GUID .. 16")


def test_idle_links_are_left_out(tmp_path, small, golden: Golden):
    lst = text("opensm-subnet.lst").splitlines()
    at = next(n for n, line in enumerate(lst) if "{leaf01}" in line and "{spine01}" in line)
    lst[at] = lst[at].replace("LOG=ACT", "LOG=INI")  # told of one direction only
    fabric = fabric_of(tmp_path, "\n".join(lst) + "\n")
    assert len(fabric.subnets[0].links) == len(small.links) - 2
    golden.says(fabric.warnings[0], "1")
    assert "lead nowhere" in fabric.warnings[1]


def test_aggregation_nodes_and_routers_are_no_hosts(tmp_path, small, golden: Golden):
    end = (
        "{{ {} Ports:08 SystemGUID:{:016X} NodeGUID:{:016X} PortGUID:{:016X} VenID:00000000 DevID:0000 "
        "Rev:000000A1 {{{}}} LID:{:04X} PN:{:02X} }}"
    )
    more = [
        ("CA", 0x900, 0x900, 0x901, "Mellanox Technologies Aggregation Node", 0x30, 1),
        ("RT", 0x910, 0x910, 0x911, "router1", 0x31, 1),
    ]
    lines = text("ibdiagnet.lst")
    for port, other in enumerate(more, 0x30):
        switch = ("SW", 0x200000, 0x200000, 0x200000, "leaf01", 2, port)
        lines += f"{end.format(*switch)} {end.format(*other)} PHY=4x LOG=ACT SPD=2.5\n"
    fabric = fabric_of(tmp_path, lines)
    assert is_aggregation("Mellanox Technologies Aggregation Node")
    assert_same(fabric.subnets[0], small)
    [warning] = fabric.warnings
    golden.says(warning, "1")


def test_devices_in_groups_of_chassis(tmp_path, small):
    """What `ibnetdiscover -g` adds: the simulator has no chassis."""
    links = text("ibnetdiscover.txt").replace(
        "\nvendid", "\nChassis 1 (guid 0x200003)\n\n# Spine Nodes\nvendid", 1
    )
    links = links.replace("sysimgguid=0x200003", "sysimgguid=0x200003\t\t# Chassis 1", 1)
    links = links.replace("(200003)\n", "(200003)\t# Spine Chip 1\n", 1).replace("[5]\t", "[5][ext 17]\t", 1)
    links = links.replace('"[7]\t\t#', '"[7][ext 2]\t\t#', 1) + "\nNon-Chassis Nodes\n"
    assert links.count("ext") == 2
    assert_same(fabric_of(tmp_path, links).subnets[0], small)


def test_ports_that_know_no_nodes(small):
    (subnet,) = opened("small-ftree", "ibnetdiscover-p.txt", "opensm.fdbs").subnets
    assert set(subnet.ports.nodes.tolist()) == {0}
    assert set(subnet.switches.systems.tolist()) == {0}
    subnet.ports.nodes[:] = small.ports.nodes
    subnet.switches.systems[:] = small.switches.systems
    assert_same(subnet, small)


def test_ports_that_are_not_linked_are_passed_over(tmp_path, small):
    ports = text("ibnetdiscover-p.txt")
    alone = "SW    10  9 0x0000000000200003 4x SDR                                     'leaf04'\n"
    (subnet,) = fabric_of(tmp_path, ports + alone).subnets
    assert len(subnet.links) == len(small.links)


@pytest.mark.parametrize("links", ["ibdiagnet.lst", "ibnetdiscover-p.txt"])
def test_two_lids_a_port_are_found_in_the_tables(links):
    """The links tell no LMC, but the leaf sends both LIDs out of the port of the host."""
    (subnet,) = opened("small-ftree-lmc1", links, "ibdiagnet.fdbs").subnets
    assert subnet.ports.lid_counts.tolist() == [2] * 16


def test_lmc_is_that_of_guid2lid(tmp_path):
    lines = [line for line in text("ibdiagnet.fdbs", "small-ftree-lmc1").splitlines() if "0x0003" not in line]
    fabric = fabric_of(
        tmp_path,
        text("ibdiagnet.lst", "small-ftree-lmc1"),
        "\n".join(lines) + "\n",
        lids=text("guid2lid", "small-ftree-lmc1"),
    )
    assert set(fabric.subnets[0].ports.lid_counts.tolist()) == {2}


def test_made_up_guids_are_replaced(tmp_path, small):
    lst = text("ibdiagnet.lst").replace("NodeGUID:0000000000200003", "NodeGUID:FFFFFFFF00000002")
    lst = lst.replace("PortGUID:0000000000200003", "PortGUID:FFFFFFFF00000001")
    fdbs = text("ibdiagnet.fdbs").replace("0x0000000000200003", "0xffffffff00000002")
    masks = (
        "NodeGuid,0xffffffff00000002\t0x0000000000200003\nPortGuid,0xffffffff00000001\t0x0000000000200003\n"
    )
    assert_same(fabric_of(tmp_path, lst, fdbs, masks=masks).subnets[0], small)


def test_masks_of_guids_that_were_not_made_up_are_harmless(tmp_path, small):
    masks = "NodeGuid,0xffffffff00000002\t0x0000000000200003\n"
    assert_same(fabric_of(tmp_path, masks=masks).subnets[0], small)


def test_files_of_ibdiagnet_2_have_remarks(tmp_path, small):
    head = (
        '# This database file was automatically generated by IBDIAG\n# Running version : "IBDIAGNET 2.11"\n\n'
    )
    fdbs = re.sub(r"(?m)^(osm_ucast.*)$", r"\1\nPLFT_NUM: 0", text("ibdiagnet.fdbs"))
    fabric = fabric_of(tmp_path, head + text("ibdiagnet.lst"), head + fdbs)
    assert_same(fabric.subnets[0], small)
    assert fabric.sources[0].kind == "ibdiagnet"


@pytest.mark.parametrize("head", ["", "osm_ucast_mgr_dump_ucast_routes: Switch 0x{:016x}\n"])
def test_of_several_tables_the_first_is_read(tmp_path, small, head, golden: Golden):
    """Made by hand after the manual: there is no such subnet to record."""
    tables = re.split(r"(?m)^(?=osm_ucast)", text("ibdiagnet.fdbs"))[1:]
    rows = "0x0001 : 002  : 00   : yes\n0x0002 : UNREACHABLE\n"
    fdbs = "".join(
        f"{table.rstrip()}\n{head.format(guid)}PLFT_NUM: 1\nLID    : Port : Hops : Optimal\n{rows}\n"
        for guid, table in enumerate(tables, 0x200000)
    )
    fabric = fabric_of(tmp_path, fdbs=fdbs)
    assert_same(fabric.subnets[0], small)
    golden.says(fabric.warnings[0], "6")


def test_ways_that_are_not_shortest_and_other_shapes_of_rows(tmp_path, small):
    fdbs = text("opensm.fdbs").replace(" : yes", " : no by 2 hops possible").replace("0x000A", "0xa")
    fdbs = fdbs.replace("\n", "\r\n").replace("0x000b : 0", "0x000B:")
    assert_same(fabric_of(tmp_path, fdbs=fdbs).subnets[0], small)


def test_lower_case_and_no_prefix(tmp_path, small):
    fdbs = text("opensm.fdbs").replace("Switch 0x", "Switch ")
    fdbs = re.sub(r"0x[0-9A-F]{4} ", lambda match: match[0].lower(), fdbs)
    assert_same(fabric_of(tmp_path, fdbs=fdbs).subnets[0], small)


def test_switches_may_lack_each_other_and_hosts_may_not(tmp_path, small, golden: Golden):
    """Spines have no way to each other here, as ftree routes: that is no warning. A host without one is."""
    spines = np.flatnonzero(small.switches.levels == 2)
    assert (small.forward[spines[0], small.switches.lids[spines[1:]], 0] == NO_PORT).all()
    fdbs = text("ibdiagnet.fdbs")
    lid = small.ports.lids[15]
    fdbs = re.sub(rf"0x{lid:04X} : 00[4-9]  : 00   : yes", f"0x{lid:04X} : UNREACHABLE", fdbs, count=1)
    fabric = fabric_of(tmp_path, fdbs=fdbs)
    [warning] = fabric.warnings
    golden.says(warning, "4 .. 240 .. node0001 .. node0016")


def test_loops_are_found(tmp_path, small, golden: Golden):
    """A leaf sends a message back up to the spine that it comes from."""
    lid, leaf = int(small.ports.lids[15]), int(small.links.destination[small.up[15]])
    ports = {int(port) for port in range(5, 9)}
    rows = text("ibdiagnet.fdbs")
    head = f"Switch 0x{int(small.switches.guids[leaf]):016x}"
    before, after = rows.split(head)
    loops = set()
    for port in ports:
        changed = re.sub(rf"0x{lid:04X} : \d+", f"0x{lid:04X} : {port:03d}", after, count=1)
        loops |= set(fabric_of(tmp_path, fdbs=before + head + changed).warnings)
    golden.says("\n".join(sorted(loops)))
    assert all("node0016" in warning for warning in loops)

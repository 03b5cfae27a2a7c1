"""Links in the formats of further tools and of old versions, and with complaints in between."""

from __future__ import annotations

import math
import random
import re
from pathlib import Path

import pytest
from infiniband_made import two_leaves
from recorded_fabrics import FABRICS, opened, path_of
from test_infiniband_damaged import damaged

from golden import Golden
from rankwise.errors import RankwiseError
from rankwise.network.fabric.model import Fabric, Subnet
from rankwise.network.sources.open import open_fabric

HDR = 25e9
MADE = two_leaves("n1 mlx5_0", "n2 mlx5_0", "n3 mlx5_0", "n4 mlx5_0", "n5 mlx5_0")
HEAD = (
    "# : IB# : Sta : PhysSta : MTU : LWA : LSA : FEC mode : Retran : Neighbor Guid : N# : NLID : "
    "Neighbor Description"
)
UP = "LINK UP : 5"
NET_DUMP = f"""# Running version   : "IBDIAGNET 2.10"

"MF0;leaf1:MQM8700/U1", Mellanox, 0xa0, LID 1
  {HEAD}
  1/1/1 : 1   : ACT  : {UP} : 4x  : 50  : PLR : NO-RTR : 0x1001 : 1   : 4    : "n1 mlx5_0"
  1/1/2 : 2   : ACT  : {UP} : 4x  : 50  : PLR : NO-RTR : 0x1011 : 1   : 5    : "n2 mlx5_0"
  1/2/1 : 3   : DOWN : POLLING : N/A : N/A : N/A : N/A : N/A    :        :     :      :
  1/2/2 : 10  : ACT  : {UP} : 2x  : 50  : PLR : NO-RTR : 0xa1   : 1/9 : 2    : "MF0;spine:MQM8700/U1"
"MF0;spine:MQM8700/U1", Mellanox, 0xa1, LID 2
  {HEAD}
  1/9   : 17  : ACT  : {UP} : 2x  : 50  : PLR : NO-RTR : 0xa0   : 1/2/2 : 1  : "MF0;leaf1:MQM8700/U1"
  1/10  : 18  : INI  : {UP} : 4x  : 100 : PLR : NO-RTR : 0x1021 : 1   : 6    : "a:b mlx5_0"
"""
COMPLAINTS = (
    "ibwarn: [4711] mad_rpc: _do_madrpc failed; dport (Lid 7)",
    "src/query_smp.c:196; umad (DR path 0,1,3 Attr 0x11:0) bad status 110; Connection timed out",
    "ibnetdiscover: iberror: failed: discover failed",
)


def read(path: Path, text: str | bytes) -> Fabric:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return open_fabric([str(path)])


def refused(path: Path, text: str) -> str:
    with pytest.raises(RankwiseError) as error:
        read(path, text)
    return str(error.value)


def what_is_said(path: Path, data: bytes) -> str:
    """The complaint about a file; '' if it is a fabric."""
    try:
        read(path, data)
    except RankwiseError as error:
        return str(error)
    return ""


def cables(subnet: Subnet) -> set[tuple[str, int, str, int, float]]:
    """Both ends of each cable by name and port, and the rate."""
    links = subnet.links
    return {
        (
            subnet.name_of(int(links.source[link])),
            int(links.source_port[link]),
            subnet.name_of(int(links.destination[link])),
            int(links.destination_port[link]),
            float(links.rates[link]),
        )
        for link in range(len(links))
    }


@pytest.mark.parametrize("folder", ["small-ftree", "dual-ftree"])
def test_iblinkinfo_tells_what_ibdiagnet_tells(folder: str) -> None:
    [subnet] = open_fabric([str(path_of(folder, "iblinkinfo-l.txt"))]).subnets
    [true] = opened(folder, "ibdiagnet.lst", "ibdiagnet.fdbs").subnets
    assert cables(subnet) == cables(true)
    assert subnet.ports.guids.tolist() == true.ports.guids.tolist()
    assert subnet.ports.lids.tolist() == true.ports.lids.tolist()
    assert subnet.switches.guids.tolist() == true.switches.guids.tolist()


@pytest.mark.parametrize("folder", ["small-ftree", "dual-ftree"])
def test_links_of_other_tools_go_with_tables(folder: str) -> None:
    """Those of ibsim's network have no LIDs of their own: they are in what iblinkinfo prints."""
    [true] = opened(folder, "ibdiagnet.lst", "ibdiagnet.fdbs").subnets
    for names in (["iblinkinfo-l.txt"], ["ibsim.net", "iblinkinfo-l.txt"]):
        [subnet] = opened(folder, *names, "ibdiagnet.fdbs").subnets
        assert subnet.routing.kind == "measured tables"
        assert (subnet.forward == true.forward).all()


def test_iblinkinfo_by_device(tmp_path: Path, golden: Golden) -> None:
    """Without -l the far end has no GUID: its LID tells which device it is. Ports that are down are there."""
    full, half = (f"==( {lanes}X          53.125 Gbps Active/  LinkUp)==>" for lanes in (4, 2))
    slow = "==( 4X 10.0 Gbps (FDR10) Active/  LinkUp)==>"
    text = f"""CA: n1 mlx5_0:
      0x0000000000001001      4    1[  ] {full}       1    1[  ] "leaf1" ( )
Switch: 0x00000000000000a0 leaf1:
           1    1[  ] {full}       4    1[  ] "n1 mlx5_0" ( )
           1    2[  ] {half}       5    1[  ] "n2 mlx5_0" ( )
           1    3[  ] ==(                Down/ Polling)==>             [  ] "" ( )
           1    4[  ] {slow}       6    1[  ] "n3 mlx5_0" ( )
CA: n2 mlx5_0:
      0x0000000000001011      5    1[  ] {half}       1    2[  ] "leaf1" ( )
CA: n3 mlx5_0:
      0x0000000000001021      6    1[  ] {slow}       1    4[  ] "leaf1" ( )
"""
    [subnet] = read(tmp_path / "links", text).subnets
    assert subnet.ports.hosts == ("n1", "n2", "n3")
    assert subnet.links.rates[subnet.up].tolist() == [HDR, HDR / 2, 5e9]
    without = text[text.index("Switch") : text.index("CA: n2")]
    golden.says(refused(tmp_path / "links", without), "line 2 .. LID 4")


def test_net_dump_of_ibdiagnet(tmp_path: Path) -> None:
    fabric = read(tmp_path / "ibdiagnet2.net_dump", NET_DUMP)
    [subnet] = fabric.subnets
    assert subnet.ports.hosts == ("n1", "n2")
    assert ("leaf1", 10, "spine", 17, HDR / 2) in cables(subnet)
    assert fabric.sources[0].kind == "ibdiagnet"
    assert any("not active: 1" in warning for warning in fabric.warnings)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (": 4x  : 50  : PLR : NO-RTR : 0x1011", ": 4x", "6 .. cut off"),
        ("LSA", "SPD", "4 .. LSA"),
        (": 2   : ACT", ": x   : ACT", "6 .. LID"),
        ('"MF0;leaf1:MQM8700/U1", Mellanox, 0xa0, LID 1\n', "", "4 .. switch"),
    ],
)
def test_a_net_dump_that_is_wrong(tmp_path: Path, old: str, new: str, said: str, golden: Golden) -> None:
    golden.says(refused(tmp_path / "dump", NET_DUMP.replace(old, new, 1)), f"line {said}")


def test_ibsim_gives_ports_and_speeds(tmp_path: Path, golden: Golden) -> None:
    text = """# a network
switchguid=0x500
Switch 4 "sw"  # "the switch"
[1] "h1"[1]  w=2 s=4
[2] "h2"

Hca 2 "h1"
[1] "sw"[1]

Hca 1 "h2"   # "n2 mlx5_0"
[1] "sw"[2]
"""
    [subnet] = read(tmp_path / "x.net", text).subnets
    assert subnet.switches.names == ("the switch",)
    assert subnet.switches.guids.tolist() == [0x500]
    assert subnet.ports.hosts == ("h1", "n2")
    assert subnet.links.rates[subnet.up][0] == 4e9
    assert math.isnan(subnet.links.rates[subnet.up][1])
    for wrong, fact in (
        (text.replace('"h2"\n', '"h3"\n', 1), "line 5 .. 'h3'"),
        (text + 'include "y"\n', "line 12 .. include"),
        (text.replace('[2] "h2"', '[2] "h2"[2]'), "line 5 .. h2 .. 2 .. 1"),
    ):
        golden.says(refused(tmp_path / "x.net", wrong), fact)


def test_complaints_of_tools_in_between(tmp_path: Path, golden: Golden) -> None:
    """Both outputs of a tool in one file: what it could not read is missing, and that is said first."""
    for name, text in (("links", MADE.links()), ("tables", MADE.tables())):
        lines = text.splitlines()
        for place, complaint in zip((0, 5, len(lines) // 2), COMPLAINTS, strict=True):
            lines.insert(place, complaint)
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    fabric = open_fabric([str(tmp_path)])
    assert len(fabric.subnets[0].ports.hosts) == 5
    assert len(fabric.gaps) == 2
    golden.says(fabric.gaps[0], "links .. 3 .. ibwarn")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_marks_of_byte_order(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "links").write_bytes(MADE.links().encode(encoding))
    (tmp_path / "tables").write_bytes(MADE.tables().encode(encoding))
    assert len(open_fabric([str(tmp_path)]).subnets[0].ports.hosts) == 5


def old(text: str) -> str:
    """Links as versions of before 2010 print them: bare descriptions, no rates, less of the far end."""
    text = re.sub(r" lid \d+ 4xHDR$", "", text, flags=re.MULTILINE)
    text = re.sub(r"\]\([0-9a-f]+\)", "]", text)
    return re.sub(r'# (lid \d+ lmc \d )?"(.*?)"', r"# \1\2", text)


def test_links_of_before_2010(tmp_path: Path, golden: Golden) -> None:
    text = old(MADE.links())
    assert "HDR" not in text
    (tmp_path / "links").write_text(text)
    (tmp_path / "tables").write_text(MADE.tables())
    [subnet] = open_fabric([str(tmp_path)]).subnets
    assert subnet.routing.kind == "measured tables"
    assert subnet.ports.hosts == ("n1", "n2", "n3", "n4", "n5")
    assert all(map(math.isnan, subnet.links.rates))
    cut = MADE.links().replace(" lid 5 4xHDR", " lid 5", 1)  # of a new version: something is missing there
    golden.says(refused(tmp_path / "cut", cut), "line 7")


def test_a_folder_of_all_formats_agrees() -> None:
    fabric = open_fabric([str(FABRICS / "dual-ftree")])
    assert fabric.warnings == ()
    assert "ibsim.net" in fabric.sources[0].what


@pytest.mark.parametrize("name", ["iblinkinfo-l.txt", "ibsim.net", "net_dump", "old"])
def test_whatever_is_damaged_ends_in_one_line_or_in_a_fabric(tmp_path: Path, name: str) -> None:
    made = {"net_dump": NET_DUMP, "old": old(MADE.links())}
    data = made[name].encode() if name in made else path_of("small-ftree", name).read_bytes()
    chance = random.Random(name)
    said = {what_is_said(tmp_path / name, damaged(data, chance)) for _ in range(40)} - {""}
    assert len(said) > 5
    assert all("\n" not in line and str(tmp_path) in line for line in said)

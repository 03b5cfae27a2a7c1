"""Fabrics of Slurm's topology.conf and topology.yaml: switches, counted cables, and d-mod-k routes."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from routes_walked import all_pairs, loads, walked

from golden import Golden
from rankwise.errors import RankwiseError
from rankwise.network.fabric.model import EVEN_SPLIT, LEAF_DOWN, LEAF_UP, MODELLED, Fabric, Subnet
from rankwise.network.sources.generators.generate import generated
from rankwise.network.sources.open import open_fabric

MACHINES = Path(__file__).parent / "machines"


def opened(words: str) -> Subnet:
    (subnet,) = open_fabric([words]).subnets
    return subnet


def cables(subnet: Subnet) -> dict[tuple[str, str], int]:
    """How many there are between each two switches, by their names."""
    counts: dict[tuple[str, str], int] = {}
    for end, other in zip(subnet.links.source[::2], subnet.links.destination[::2], strict=True):
        if max(end, other) < len(subnet.switches.names):
            pair = sorted((subnet.name_of(end), subnet.name_of(other)))
            counts[pair[0], pair[1]] = counts.get((pair[0], pair[1]), 0) + 1
    return counts


def written(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines) + "\n")
    return path


def test_switches_have_as_many_cables_up_as_come_from_below(golden: Golden) -> None:
    fabric = open_fabric([str(MACHINES / "tree.conf")])
    (subnet,) = fabric.subnets
    assert cables(subnet) == {("s0", "top"): 4, ("s1", "top"): 4, ("all", "top"): 8, ("all", "s2"): 4}
    assert (subnet.routing.kind, subnet.routing.by) == (MODELLED, "d-mod-k")
    assert fabric.sources[0].kind == "slurm"
    golden.says(fabric.warnings[0], "Slurm")
    for host, other in all_pairs(12):
        walked(subnet, host, other)


def test_blocks_have_one_above_them() -> None:
    subnet = opened(str(MACHINES / "block.conf"))
    assert cables(subnet) == {
        ("b1", "b1..b2"): 4,
        ("b1..b2", "b2"): 4,
        ("b3", "b3..b4"): 4,
        ("b3..b4", "b4"): 4,
        ("above", "b1..b2"): 8,
        ("above", "b3..b4"): 8,
    }
    for host, other in all_pairs(16):
        walked(subnet, host, other)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("uplinks=2", {("s0", "top"): 2, ("s1", "top"): 2, ("all", "top"): 4, ("all", "s2"): 2}),
        ("uplinks=3x5", {("s0", "top"): 3, ("s1", "top"): 3, ("all", "top"): 5, ("all", "s2"): 3}),
        ("oversubscription=3", {("s0", "top"): 2, ("s1", "top"): 2, ("all", "top"): 4, ("all", "s2"): 2}),
        ("oversubscription=1x4", {("s0", "top"): 4, ("s1", "top"): 4, ("all", "top"): 2, ("all", "s2"): 4}),
    ],
)
def test_cables_can_be_told(words: str, expected: dict[tuple[str, str], int]) -> None:
    fabric = open_fabric([f"slurm:{MACHINES / 'tree.conf'},{words},gbit=80"])
    assert cables(fabric.subnets[0]) == expected
    assert set(fabric.subnets[0].links.rates) == {1e10}
    assert words in fabric.warnings[0]


def test_a_topology_of_several() -> None:
    path = MACHINES / "topology.yaml"
    assert opened(str(path)).switches.names == ("sw_root", "s1", "s2")
    assert len(opened(f"slurm:{path},topology=topo2").ports.hosts) == 16


def test_links_of_leaves_are_loaded_as_in_the_fat_tree(tmp_path: Path) -> None:
    """One switch at the top stands for all spines: the cables of a leaf have the same messages."""
    lines = [f"SwitchName=leaf{n} Nodes=node[{4 * n + 1:04}-{4 * n + 4:04}]" for n in range(6)]
    path = written(tmp_path / "topology.conf", *lines, "SwitchName=top Switches=leaf[0-5]")
    modelled, made = opened(str(path)), generated("fattree:leaf=6x4,spine=2")
    assert modelled.ports.hosts == made.ports.hosts
    random = np.random.default_rng(1)
    for _ in range(5):
        pairs = [(int(a), int(b)) for a, b in random.integers(0, 24, (60, 2)) if a != b]
        for kind in (LEAF_UP, LEAF_DOWN):
            modelled_loads, made_loads = (
                np.sort(loads(net, pairs)[net.classes == kind]) for net in (modelled, made)
            )
            np.testing.assert_array_equal(modelled_loads, made_loads)


def test_even_split(tmp_path: Path) -> None:
    path = written(tmp_path / "t.conf", "SwitchName=a Nodes=a[1-2]", "SwitchName=b Nodes=b[1-2]")
    subnet = opened(f"slurm:{path},routing=even")
    assert subnet.routing.kind == EVEN_SPLIT
    assert sorted(walked(subnet, 0, 2).values()) == [0.5] * 4 + [1, 1]
    assert "above" in subnet.switches.names


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("slurm:", "slurm:topology.conf"),
        ("slurm:absent.conf", "absent.conf .. No"),
        ("slurm:{tree},topology=a", "topology.yaml"),
        ("slurm:{tree},uplinks=1,oversubscription=2", ""),
        ("slurm:{tree},uplinks=x", "uplinks=x"),
        ("slurm:{tree},uplinks=70000", ""),
        ("slurm:{tree},routing=minimal", "routing=minimal"),
        ("slurm:{tree},hosts=2", "'hosts=2'"),
        ("slurm:{yaml},topology=topo3", ""),
        ("slurm:{yaml},topology=topo4", "'topo4'"),
        ("{loop}", "1 .. 's0'"),
    ],
)
def test_says_in_one_line_what_is_wrong(tmp_path: Path, words: str, complaint: str, golden: Golden) -> None:
    paths = {
        "tree": MACHINES / "tree.conf",
        "yaml": MACHINES / "topology.yaml",
        "loop": written(tmp_path / "loop.conf", "SwitchName=s0 Switches=s1", "SwitchName=s1 Switches=s0"),
    }
    with pytest.raises(RankwiseError) as raised:
        open_fabric([words.format(**paths)])
    golden.says(raised.value, complaint.format(**paths))
    assert "\n" not in str(raised.value)


TWO_LEVELS = [
    *(f"SwitchName=leaf{leaf} Nodes=n[{4 * leaf}-{4 * leaf + 3}]" for leaf in range(4)),
    *(f"SwitchName=spine{spine} Switches=leaf[0-3]" for spine in range(4)),
]


def of_lines(folder: Path, *lines: str, words: str = "") -> Fabric:
    path = written(folder / "topology.conf", *lines)
    return open_fabric([f"slurm:{path}{words}"])


@pytest.mark.parametrize("routing", ["dmodk", "even"])
@pytest.mark.reported("machines/slurm-two-level")
def test_spines_that_all_list_the_same_leaves(tmp_path: Path, routing: str, golden: Golden) -> None:
    """The file has the very cables: 4 hosts a leaf send 12 others a message each, over 4 of them."""
    fabric = of_lines(tmp_path, *TWO_LEVELS, words=f",routing={routing}")
    [subnet] = fabric.subnets
    assert (len(subnet.ports.hosts), len(subnet.switches.names)) == (16, 8)
    assert cables(subnet) == {(f"leaf{leaf}", f"spine{spine}"): 1 for leaf in range(4) for spine in range(4)}
    for kind in (LEAF_UP, LEAF_DOWN):
        assert loads(subnet, all_pairs(16))[subnet.classes == kind].tolist() == [12] * 16
    golden.says(fabric.warnings[0], "topology.conf")


def test_cables_of_spines_can_be_told(tmp_path: Path, golden: Golden) -> None:
    [subnet] = of_lines(tmp_path, *TWO_LEVELS, words=",uplinks=8").subnets
    assert set(cables(subnet).values()) == {2}
    with pytest.raises(RankwiseError) as error:
        of_lines(tmp_path, *TWO_LEVELS, words=",uplinks=6")
    golden.says(error.value, "line 1: 'leaf0' .. 6 .. 4")


def test_parts_that_hang_together_have_one_above_them(tmp_path: Path) -> None:
    more = ("SwitchName=a Nodes=a[1-2]", "SwitchName=b Switches=a", "SwitchName=c Switches=a")
    [subnet] = of_lines(tmp_path, *TWO_LEVELS, *more).subnets
    assert "above" in subnet.switches.names
    for host, other in all_pairs(18):
        walked(subnet, host, other)


@pytest.mark.reported("machines/two-leaves")
def test_a_node_at_two_leaves_has_a_port_at_each(tmp_path: Path, golden: Golden) -> None:
    lines = ("SwitchName=s1 Nodes=n[1-4]", "SwitchName=s2 Nodes=n[4-8]", "SwitchName=top Switches=s[1-2]")
    fabric = of_lines(tmp_path, *lines)
    [subnet] = fabric.subnets
    ends = subnet.links.destination[subnet.up]
    at = [
        subnet.name_of(int(end)) for end, host in zip(ends, subnet.ports.hosts, strict=True) if host == "n4"
    ]
    assert at == ["s1", "s2"]
    assert len(set(subnet.ports.hosts)) == 8
    golden.says(fabric.warnings[1], "1 .. n4 at s1 and s2")


@pytest.mark.reported("machines/empty-leaf")
def test_a_leaf_without_nodes_is_left_out(tmp_path: Path, golden: Golden) -> None:
    lines = ("SwitchName=root Switches=leaf1,no", "SwitchName=leaf1 Nodes=n[1-4]", "SwitchName=no")
    fabric = of_lines(tmp_path, *lines)
    assert fabric.subnets[0].switches.names == ("root", "leaf1")
    assert len(fabric.subnets[0].ports.hosts) == 4
    golden.says(fabric.warnings[1], "1 .. no")


def test_rings_and_what_is_there_twice(tmp_path: Path, golden: Golden) -> None:
    fabric = of_lines(tmp_path, "RingName=r0 Nodes=n[0-7]", "RingName=r1 Nodes=n[8-15],n15")
    assert cables(fabric.subnets[0]) == {("above", "r0"): 8, ("above", "r1"): 8}
    golden.says(fabric.warnings[0], "ring")


@pytest.mark.reported("machines/scontrol-show-topology")
def test_what_scontrol_shows(tmp_path: Path) -> None:
    """As `scontrol show topology` prints switches and blocks: those above list all nodes, too."""
    switches = (
        "SwitchName=s0 Level=0 LinkSpeed=1 Nodes=tux[0-3]",
        "SwitchName=s1 Level=0 LinkSpeed=1 Nodes=tux[4-7]",
        "SwitchName=s2 Level=1 LinkSpeed=1 Nodes=tux[0-7] Switches=s[0-1]",
    )
    [subnet] = of_lines(tmp_path, *switches).subnets
    assert cables(subnet) == {("s0", "s2"): 4, ("s1", "s2"): 4}
    assert len(subnet.ports.hosts) == 8
    blocks = [f"BlockName=b{n} BlockIndex={n} Nodes=n[{2 * n}-{2 * n + 1}] BlockSize=2" for n in range(4)]
    blocks += ["AggregatedBlock=b[0-3] BlockIndex=6 Nodes=n[0-7] BlockSize=8"]
    blocks += [f"AggregatedBlock=b[{n}-{n + 1}] BlockIndex=4 Nodes=n[0-3] BlockSize=4" for n in (0, 2)]
    [subnet] = of_lines(tmp_path, *blocks).subnets
    assert cables(subnet) == {
        ("b0", "b[0-1]"): 2,
        ("b1", "b[0-1]"): 2,
        ("b2", "b[2-3]"): 2,
        ("b3", "b[2-3]"): 2,
        ("b[0-1]", "b[0-3]"): 4,
        ("b[0-3]", "b[2-3]"): 4,
    }


FIVE_KINDS = """
- {topology: a, tree: {switches: [{switch: s0, nodes: 'n[0-3]'}, {switch: s1, nodes: 'n[4-7]'}]}}
- {topology: b, block: {blocks: [{block: b0, nodes: 'n[0-3]'}, {block: b1, nodes: 'n[4-7]'}]}}
- {topology: c, flat: {options: []}}
- {topology: d, ring: {rings: [{ring: r0, nodes: 'n[0-7]'}]}}
- {topology: e, cluster_default: true, torus3d: {toruses: [{name: t, dims: {x: 2, y: 2, z: 2}}]}}
"""


def test_of_five_kinds_the_one_that_is_asked_for_is_looked_at(tmp_path: Path, golden: Golden) -> None:
    path = tmp_path / "topology.yaml"
    path.write_text(FIVE_KINDS)
    for name, switches in (("a", {"above", "s0", "s1"}), ("b", {"above", "b0", "b1"}), ("d", {"r0"})):
        assert {*opened(f"slurm:{path},topology={name}").switches.names} == switches
    for words in (str(path), f"slurm:{path},topology=c"):
        with pytest.raises(RankwiseError) as error:
            open_fabric([words])
        golden.says(error.value, "topology.yaml")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "gzip"])
def test_files_as_they_are_found(tmp_path: Path, encoding: str) -> None:
    """With a mark of byte order, gzipped, in a folder whose name looks like words."""
    folder = tmp_path / "a,uplinks=1"
    folder.mkdir()
    for name in ("tree.conf", "topology.yaml"):
        text = (MACHINES / name).read_text()
        data = gzip.compress(text.encode()) if encoding == "gzip" else text.encode(encoding)
        (folder / name).write_bytes(data)
        assert opened(str(folder / name)).switches.names == opened(str(MACHINES / name)).switches.names

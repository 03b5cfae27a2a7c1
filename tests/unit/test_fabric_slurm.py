"""Fabrics of Slurm's topology.conf and topology.yaml: switches, counted cables, and d-mod-k routes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from routes_walked import all_pairs, loads, walked

from golden import Golden
from rankwise.errors import RankwiseError
from rankwise.network.fabric.model import EVEN_SPLIT, LEAF_DOWN, LEAF_UP, MODELLED, Subnet
from rankwise.network.sources.generators.generate import generated
from rankwise.network.sources.open import open_fabric

MACHINES = Path(__file__).parent / "machines"


def opened(words: str) -> Subnet:
    (subnet,) = open_fabric([words]).subnets
    return subnet


def cables(subnet: Subnet) -> dict[tuple[str, str], int]:
    """How many there are between each two switches, by their names."""
    found: dict[tuple[str, str], int] = {}
    for one, other in zip(subnet.links.source[::2], subnet.links.destination[::2], strict=True):
        if max(one, other) < len(subnet.switches.names):
            pair = sorted((subnet.name_of(one), subnet.name_of(other)))
            found[pair[0], pair[1]] = found.get((pair[0], pair[1]), 0) + 1
    return found


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
    for one, other in all_pairs(12):
        walked(subnet, one, other)


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
    for one, other in all_pairs(16):
        walked(subnet, one, other)


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
            one, other = (np.sort(loads(net, pairs)[net.classes == kind]) for net in (modelled, made))
            np.testing.assert_array_equal(one, other)


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
        ("{twice}", "2 .. 'a1' .. 's0' .. 's1'"),
    ],
)
def test_says_in_one_line_what_is_wrong(tmp_path: Path, words: str, complaint: str, golden: Golden) -> None:
    paths = {
        "tree": MACHINES / "tree.conf",
        "yaml": MACHINES / "topology.yaml",
        "loop": written(tmp_path / "loop.conf", "SwitchName=s0 Switches=s1", "SwitchName=s1 Switches=s0"),
        "twice": written(tmp_path / "twice.conf", "SwitchName=s0 Nodes=a[1-2]", "SwitchName=s1 Nodes=a1"),
    }
    with pytest.raises(RankwiseError) as raised:
        open_fabric([words.format(**paths)])
    golden.says(raised.value, complaint.format(**paths))
    assert "\n" not in str(raised.value)

"""Machines from Slurm's topology.conf and topology.yaml, whose syntax is that of its manual pages."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from golden import Golden
from rankwise.errors import RankwiseError
from rankwise.topology.machine.hosts import folded, hosts_of
from rankwise.topology.machine.model import Machine
from rankwise.topology.machine.objects import Object
from rankwise.topology.machine.read import machine_of
from rankwise.topology.machine.shape import Shapes
from rankwise.topology.machine.write import text_of
from rankwise.topology.sources.slurm.machine import machine_from_slurm

MACHINES = Path(__file__).parent / "machines"


def named(top: Object) -> object:
    """The tree as nested dictionaries of names; a list of names where there are only nodes."""
    if all(not child.children for child in top.children):
        return [child.name for child in top.children]
    return {child.name: named(child) for child in top.children}


def shape(machine: Machine) -> str:
    return Shapes(machine).inside(machine.root)


def written(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines))
    return path


def test_switches() -> None:
    machine = machine_from_slurm(MACHINES / "tree.conf")
    assert machine.level_names() == ("machine", "switch 3", "switch 2", "switch", "node")
    top = {"s0": ["tux0", "tux1", "tux2", "tux3"], "s1": ["tux4", "tux5", "tux6", "tux7"]}
    assert named(machine.root) == {"all": {"top": top, "s2": ["rack1n1", "rack1n2", "rack2n1", "rack2n2"]}}
    assert machine.partition("switch 2", ["tux0", "tux5", "rack1n1"]).tolist() == [0, 0, 1]
    assert machine_of(text_of(machine)) == machine


def test_blocks() -> None:
    machine = machine_from_slurm(MACHINES / "block.conf", slots=2)
    assert machine.level_names() == ("machine", "block 2", "block", "node", "core")
    assert shape(machine) == "2 block-2 x 2 blocks x 4 nodes x 2 cores"
    assert [child.name for child in machine.root.children] == ["b1..b2", "b3..b4"]
    assert machine_of(text_of(machine)) == machine


@pytest.mark.parametrize(
    ("topology", "expected"),
    [
        (None, "1 switch-2 x 2 switches x 2 nodes"),
        ("topo1", "1 switch-2 x 2 switches x 2 nodes"),
        ("topo2", "1 block-2 x 4 blocks x 4 nodes"),
    ],
)
def test_yaml(topology: str | None, expected: str) -> None:
    machine = machine_from_slurm(MACHINES / "topology.yaml", topology=topology)
    assert shape(machine) == expected
    assert machine_of(text_of(machine)) == machine


def test_flat_topology_needs_nodes(golden: Golden) -> None:
    path = MACHINES / "topology.yaml"
    machine = machine_from_slurm(path, topology="topo3", hosts=["b", "a"], slots=3)
    assert machine.hosts() == ("b", "a")
    assert shape(machine) == "2 nodes x 3 cores"
    with pytest.raises(RankwiseError) as error:
        machine_from_slurm(path, topology="topo3")
    golden.says(error.value, "--node")


def test_nodes_of_a_job_only(golden: Golden) -> None:
    machine = machine_from_slurm(MACHINES / "tree.conf", hosts=["tux6", "tux1", "tux0"])
    assert named(machine.root) == {"all": {"top": {"s0": ["tux0", "tux1"], "s1": ["tux6"]}}}
    machine = machine_from_slurm(MACHINES / "tree.conf", hosts=["rack2n1"])
    assert machine.level_names() == ("machine", "switch 2", "switch", "node")
    with pytest.raises(RankwiseError) as error:
        machine_from_slurm(MACHINES / "tree.conf", hosts=["tux99"])
    golden.says(error.value, "tree.conf .. 'tux99'")


def test_inside_from_hwloc() -> None:
    machine = machine_from_slurm(MACHINES / "block.conf", hwloc=MACHINES / "virtual-machine.xml")
    assert shape(machine).endswith("x 4 nodes x 1 package x 1 numa x 1 l3 x 2 cores x 1 pu")
    assert [source.kind for source in machine.sources] == ["slurm", "hwloc"]


def test_several_switches_at_the_top_and_included_files(tmp_path: Path, golden: Golden) -> None:
    written(tmp_path / "more.conf", "SwitchName=b Nodes=n[2-3]")
    path = written(tmp_path / "t.conf", "SwitchName=a Nodes=n[0-1]", "include more.conf")
    assert named(machine_from_slurm(path).root) == {"a": ["n0", "n1"], "b": ["n2", "n3"]}
    written(tmp_path / "more.conf", "Include t.conf")
    with pytest.raises(RankwiseError) as error:
        machine_from_slurm(path)
    golden.says(error.value)


def test_lines_that_go_on_in_the_middle_of_a_list(tmp_path: Path) -> None:
    path = written(tmp_path / "t.conf", "SwitchName=a \\", "Nodes=n0,\\", "n1,n\\", "[2-3]")
    assert named(machine_from_slurm(path).root) == {"a": ["n0", "n1", "n2", "n3"]}


@pytest.mark.reported("machines/slurm-two-level")
def test_spines_are_one_level(tmp_path: Path) -> None:
    """A machine is a tree: switches above the same leaf are taken as one."""
    leaves = [f"SwitchName=leaf{leaf} Nodes=n[{4 * leaf}-{4 * leaf + 3}]" for leaf in range(4)]
    spines = [f"SwitchName=spine{spine} Switches=leaf[0-3]" for spine in range(4)]
    machine = machine_from_slurm(written(tmp_path / "t.conf", *leaves, *spines))
    assert shape(machine) == "1 switch-2 x 4 switches x 4 nodes"
    assert [top.name for top in machine.root.children] == ["spine[0-3]"]


def test_a_node_at_two_leaves_and_a_leaf_without_nodes(tmp_path: Path, golden: Golden) -> None:
    warnings: list[str] = []
    lines = ["SwitchName=a Nodes=n[1-4]", "SwitchName=b Nodes=n[4-6]", "SwitchName=no"]
    machine = machine_from_slurm(
        written(tmp_path / "t.conf", *lines, "SwitchName=top Switches=a,b,no"), warn=warnings.append
    )
    assert named(machine.root) == {"top": {"a": ["n1", "n2", "n3", "n4"], "b": ["n5", "n6"]}}
    golden.says("\n".join(warnings), "1 .. no .. 1 .. n4 .. a .. b")


def test_rings(tmp_path: Path) -> None:
    path = written(tmp_path / "t.conf", "RingName=r0 Nodes=n[0-3]", "RingName=r1 Nodes=n[4-7]")
    assert shape(machine_from_slurm(path)) == "2 rings x 4 nodes"


@pytest.mark.reported("machines/scontrol-show-topology")
def test_what_scontrol_shows(tmp_path: Path) -> None:
    lines = [
        "SwitchName=s0 Level=0 LinkSpeed=1 Nodes=n[0-3]",
        "SwitchName=s1 Level=0 LinkSpeed=1 Nodes=n[4-7]",
    ]
    path = written(tmp_path / "t", *lines, "SwitchName=s2 Level=1 LinkSpeed=1 Nodes=n[0-7] Switches=s[0-1]")
    assert shape(machine_from_slurm(path)) == "1 switch-2 x 2 switches x 4 nodes"


def test_hundred_thousand_nodes(tmp_path: Path) -> None:
    lines = [f"SwitchName=s{n} Nodes=n[{n * 100}-{n * 100 + 99}]" for n in range(1000)]
    path = written(tmp_path / "t.conf", *lines, "SwitchName=top Switches=s[0-999]")
    assert shape(machine_from_slurm(path, slots=4)) == "1 switch-2 x 1000 switches x 100 nodes x 4 cores"


WRONG_CONF = [
    ([""], "t.conf: defines no switch, block or ring"),
    (["Nodes=a"], "line 1: a line must have SwitchName="),
    (["# c", "SwitchName"], "line 2: 'SwitchName' is not of the form Key=value"),
    (["SwitchName="], "line 1: 'SwitchName=' is not of the form Key=value"),
    (["SwitchName=a Nodes=n[1-"], "line 1: 'n[1-' is no list of hosts"),
    (["SwitchName=a Nodes=n[1-2],,b"], "line 1: 'n[1-2],,b' is no list of hosts"),
    (["SwitchName=a Nodes=@all"], "line 1: '@all' is no list of hosts"),
    (["SwitchName=a Nodes=n[0-99999999]"], "names more than"),
    (["SwitchName=a Nodes=n[0-9999]m[0-9999]"], "names more than"),
    (["SwitchName=a nodes=x Nodes=y"], "line 1: Nodes is given twice"),
    (["SwitchName=a Nodes=x Color=red"], "line 1: unknown key 'color' beside switchname"),
    (["SwitchName=a"], "line 1: 'a' has neither nodes nor switches with nodes"),
    (["SwitchName=a Switches=b", "SwitchName=b"], "line 1: 'a' has neither nodes nor switches with nodes"),
    (["TorusName=t Dims=2x2x2 Nodes=n[0-7]"], "line 1: a torus is not read from Slurm"),
    (["SwitchName=a Nodes=x", "SwitchName=a Nodes=y"], "line 2: 'a' is defined twice"),
    (["SwitchName=a Switches=b"], "line 1: the switch 'b' below 'a' is not defined"),
    (["SwitchName=a Switches=a"], "line 1: 'a' is below itself"),
    (["SwitchName=a Switches=b", "SwitchName=b Switches=a"], "line 1: 'a' is below itself"),
    (["SwitchName=a Nodes=x", "BlockName=b Nodes=y"], "has more than one of switches, blocks and rings"),
    (["BlockName=b Nodes=y", "BlockSizes=4,x"], "line 2: BlockSizes must be numbers"),
    (["BlockName=b Nodes=y", "BlockSizes=4,6"], "block sizes must be multiples of each other"),
    (["SwitchName=a\x1b Nodes=x"], "line 1: the name 'a\\x1b' has control characters"),
    (
        ["SwitchName=s0 Nodes=x", *(f"SwitchName=s{n} Switches=s{n - 1}" for n in range(1, 5000))],
        "switches are nested more than 32 deep",
    ),
]


def test_wrong_conf(tmp_path: Path) -> None:
    for lines, complaint in WRONG_CONF:
        with pytest.raises(RankwiseError) as error:
            machine_from_slurm(written(tmp_path / "t.conf", *lines))
        assert complaint in str(error.value)
        assert str(error.value).startswith(str(tmp_path))


WRONG_YAML = [
    ("", ": must be a list"),
    ("a: [", "line 2: is not YAML: did not find"),
    ("\x00", "is not YAML"),
    ("- !!python/object/apply:os.system [ls]", "is not YAML: could not determine a constructor"),
    ("- 3", "[0]: must be an object"),
    ("- flat: true", "[0]: 'topology' is missing"),
    ("- topology: a", "[0].topology: must have exactly one of tree, block, flat, ring, torus3d"),
    ("- {topology: a, ring: {}}", "[0].ring: 'rings' is missing"),
    ("- {topology: a, torus3d: {}}", "[0].torus3d: a torus is not read from Slurm"),
    ("- {topology: a, star: {}}", "[0]: unknown key 'star'"),
    ("- {topology: a, flat: true}\n- {topology: b, flat: true}", "choose with --topology one of a, b"),
    ("- {topology: a, tree: {switches: []}}", "[0].tree.switches: must not be empty"),
    ("- {topology: a, tree: {switches: [{nodes: x}]}}", "[0].tree.switches[0]: 'switch' is missing"),
    ("- {topology: a, tree: {switches: [{switch: s, nodes: 3}]}}", "switches[0].nodes: must be a text"),
    ("- {topology: a, tree: {switches: [{switch: s, nodes: 'a['}]}}", "switches[0].nodes: 'a['"),
    ("- {topology: a, tree: {switches: [{switch: s}]}}", "[0].tree.switches[0]: 's' has neither"),
    (
        "- {topology: a, block: {block_sizes: [x], blocks: [{block: b, nodes: n}]}}",
        "block_sizes[0]: must be",
    ),
]


def test_wrong_yaml(tmp_path: Path) -> None:
    for text, complaint in WRONG_YAML:
        with pytest.raises(RankwiseError) as error:
            machine_from_slurm(written(tmp_path / "t.yaml", text))
        assert complaint in str(error.value)
        assert str(error.value).startswith(str(tmp_path))
        assert "\n" not in str(error.value)


def test_wrong_arguments(tmp_path: Path, golden: Golden) -> None:
    with pytest.raises(RankwiseError) as error:
        machine_from_slurm(MACHINES / "topology.yaml", topology="x")
    golden.says(error.value, "'x' .. topo1 .. topo2 .. topo3")
    with pytest.raises(RankwiseError, match="--topology is for"):
        machine_from_slurm(MACHINES / "tree.conf", topology="x")
    for name in ("nothing.conf", "nothing.yaml"):
        with pytest.raises(RankwiseError, match="cannot read"):
            machine_from_slurm(tmp_path / name)


@pytest.mark.parametrize("name", ["tree.conf", "block.conf", "topology.yaml"])
def test_damaged_files_end_in_one_line(tmp_path: Path, name: str) -> None:
    generator = random.Random(6)
    text = (MACHINES / name).read_bytes()
    path = tmp_path / name
    for _ in range(60):
        damaged = bytearray(text)
        for _ in range(generator.randint(1, 4)):
            damaged[generator.randrange(len(damaged))] = generator.choice(b"=[],-0 \n:&*!#\\\x00\xff")
        path.write_bytes(damaged)
        try:
            machine_of(text_of(machine_from_slurm(path)))
        except RankwiseError as error:
            assert "\n" not in str(error)


@pytest.mark.parametrize(
    ("text", "hosts"),
    [
        ("a", ["a"]),
        ("b,a", ["b", "a"]),
        ("n[08-10]", ["n08", "n09", "n10"]),
        ("n[3,1-2],x", ["n1", "n2", "n3", "x"]),
        ("a[1-2]b[3-4]", ["a1b3", "a1b4", "a2b3", "a2b4"]),
        (" a , b ", ["a", "b"]),
    ],
)
def test_lists_of_hosts(text: str, hosts: list[str]) -> None:
    assert hosts_of(text) == hosts


def test_folded_hosts() -> None:
    assert folded(["n2", "n1", "x", "n3"]) == "n[1-3],x"
    assert folded(["a[", "b"]) == "a[,b"

"""machine.json: what is written is what is read, and what is wrong is named with its place."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from golden import Golden
from rankwise.errors import RankwiseError
from rankwise.topology.machine.model import Cost, Level, Machine, Outlier, Source
from rankwise.topology.machine.objects import Object
from rankwise.topology.machine.read import machine_of, read_machine
from rankwise.topology.machine.shape import Shapes, object_counts
from rankwise.topology.machine.write import text_of, write_machine

DOCUMENTATION = Path(__file__).parents[2] / "docs" / "reference" / "machine.md"
SHORT: dict[str, Any] = {
    "format": "rankwise-machine",
    "version": 1,
    "levels": [{"name": "switch", "count": 2}, {"name": "node", "count": 4}, {"name": "core", "count": 12}],
}
TREE: dict[str, Any] = {
    "format": "rankwise-machine",
    "version": 1,
    "levels": [{"name": name} for name in ("switch", "node", "package", "core", "pu")],
    "templates": {"smt": [{"level": "core", "os": 0, "children": [{"level": "pu", "os": [0, 2]}]}]},
    "tree": [
        {
            "level": "switch",
            "name": "s1",
            "children": [{"level": "node", "names": ["a", "b"], "like": "smt"}],
        },
        {
            "level": "node",
            "name": "c",
            "link_mb_s": 5,
            "children": [{"level": "package", "count": 2, "children": [{"level": "core", "count": 3}]}],
        },
        {"level": "node", "name": "d"},
    ],
}


def made(document: object) -> Machine:
    return machine_of(json.dumps(document))


def shape(machine: Machine) -> str:
    return Shapes(machine).inside(machine.root)


def test_short_form() -> None:
    machine = made(SHORT)
    assert machine.level_names() == ("machine", "switch", "node", "core")
    assert shape(machine) == "2 switches x 4 nodes x 12 cores"
    assert object_counts(machine) == [1, 2, 8, 96]
    assert machine.hosts() == tuple(f"node{number}" for number in range(8))
    assert len(machine.slots) == 96


def test_short_form_with_names_and_costs() -> None:
    document = json.loads(json.dumps(SHORT))
    document["levels"][1] |= {"names": "tux[08-15]", "cost": {"latency_us": 1.5}, "link_mb_s": 12500}
    machine = made(document)
    assert machine.hosts() == ("tux08", "tux09", *(f"tux{number}" for number in range(10, 16)))
    assert machine.levels[2] == Level("node", Cost(latency_us=1.5), 12500)
    document["levels"][1]["names"] = [f"n{number}" for number in range(8)]
    assert made(document).hosts() == tuple(f"n{number}" for number in range(8))


def test_where_slots_meet() -> None:
    slots = made(SHORT).slots
    switch, node = np.arange(96) // 48, np.arange(96) // 12
    assert np.array_equal(slots.host, node)
    expected = np.where(switch[:, None] == switch, 1, 0) + (node[:, None] == node) + np.eye(96, dtype=int)
    everybody = np.arange(96)
    assert np.array_equal(slots.meet(everybody[:, None], everybody), expected)
    assert np.array_equal(slots.distance(everybody[:, None], everybody), 3 - expected)
    assert np.array_equal(slots.in_node(3), everybody % 12)


def test_unequal_tree() -> None:
    machine = made(TREE)
    inner = "1 core x 2 pus"
    assert shape(machine) == (f"(1 switch x 2 nodes x {inner} + 1 node x 2 packages x 3 cores + 1 node)")
    assert object_counts(machine) == [1, 1, 4, 2, 8, 4]
    assert machine.hosts() == ("a", "b", "c", "d")
    assert machine.nodes[2].link_mb_s == 5
    slots = machine.slots
    assert slots.host.tolist() == [0, 0, 1, 1, 2, 2, 2, 2, 2, 2, 3]
    assert slots.os[:, -1].tolist() == [0, 2, 0, 2, *[-1] * 7]
    levels = machine.level_names()
    meet = [[levels[level] for level in row] for row in slots.meet(np.arange(11)[:, None], np.arange(11))]
    assert meet[0][:5] == ["pu", "core", "switch", "switch", "machine"]
    assert meet[4][4:] == ["pu", "package", "package", "node", "node", "node", "machine"]
    assert meet[10] == ["machine"] * 10 + ["pu"]


def grown(generator: random.Random, level: int, node: int, depth: int, hosts: Iterator[int]) -> Object:
    """A random object: levels may be left out, but never that of nodes."""
    inside: list[Object] = []
    if level < node or (level < depth - 1 and generator.random() < 0.7):
        for _ in range(generator.randint(1, 3)):
            child = generator.randint(level + 1, node if level < node else depth - 1)
            inside.append(grown(generator, child, node, depth, hosts))
    name = f"h{next(hosts)}" if level == node else ""
    return Object(level, tuple(inside), name, os=generator.randint(0, 9) if level else -1)


def random_machine(generator: random.Random) -> Machine:
    """A machine of a few levels, with a random tree."""
    depth = generator.randint(3, 6)
    node = generator.randint(1, depth - 1)
    names = ["machine", *(f"l-{level}" for level in range(1, depth))]
    names[node] = "node"
    return Machine(tuple(map(Level, names)), grown(generator, 0, node, depth, count()))


def paths(top: Object) -> list[list[Object]]:
    """The objects around each slot, the outermost first, and the slot."""
    if not top.children:
        return [[top]]
    return [[top, *path] for child in top.children for path in paths(child)]


def test_slots_meet_where_the_tree_says_in_random_trees() -> None:
    generator = random.Random(5)
    for _ in range(50):
        machine = random_machine(generator)
        depth = len(machine.levels)
        leaves = paths(machine.root)
        assert len(machine.slots) == len(leaves)
        for slot, path in enumerate(leaves):
            for other, second in enumerate(leaves):
                common = [a.level for a, b in zip(path, second, strict=False) if a is b]
                assert machine.slots.meet(slot, other) == (depth - 1 if slot == other else max(common))
        assert machine.slots.os[:, -1].tolist() == [path[-1].os for path in leaves]
        assert machine_of(text_of(machine)) == machine


def test_partition_of_hosts() -> None:
    machine = made(TREE)
    assert machine.partition("switch", ["d", "a", "c", "b", "d"]).tolist() == [0, 1, 2, 1, 0]
    assert machine.partition("node", ["b", "a", "b"]).tolist() == [0, 1, 0]
    assert machine.partition("machine", ["b", "d"]).tolist() == [0, 0]
    for level, host, complaint in (
        ("core", "a", "'core' is inside nodes"),
        ("rack", "a", "no level 'rack'"),
        ("node", "z", "no node 'z'"),
    ):
        with pytest.raises(RankwiseError, match=complaint):
            machine.partition(level, [host])


def test_costs_by_level() -> None:
    document = json.loads(json.dumps(SHORT))
    document["levels"][0]["cost"] = {"latency_us": 2}
    document["levels"][2]["cost"] = {"latency_us": 0.25, "overhead_us": None}
    costs = made(document).costs("latency_us")
    assert np.array_equal(costs, [np.nan, 2, np.nan, 0.25], equal_nan=True)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    tree = made(TREE)
    machine = Machine(
        (Level("machine", Cost(5.0, 0.5, 0.25, 1000.0)), Level("switch", link_mb_s=7.5), *tree.levels[2:]),
        tree.root,
        (Source("hwloc", "inside of nodes", "a b.xml", "2026-01-01T00:00:00+00:00"), Source("slurm")),
        (
            Outlier(
                kind="slow node",
                where="node3",
                hosts=("a", "b"),
                what="latency",
                size=64,
                value=9.5,
                expected=2.0,
                level="node",
                verdict="slow alone",
            ),
        ),
    )
    write_machine(machine, tmp_path / "m.json")
    assert read_machine(tmp_path / "m.json") == machine
    assert [path.name for path in tmp_path.iterdir()] == ["m.json"]


def test_ten_thousand_nodes_are_small() -> None:
    """Nodes of 128 cores with two threads each, all numbered, in switches with names."""
    pairs = [Object(6, (Object(7, os=core), Object(7, os=core + 128)), os=core) for core in range(128)]
    packages = tuple(
        Object(
            4,
            tuple(Object(5, tuple(pairs[at : at + 16])) for at in range(start, start + 64, 16)),
            os=start // 64,
        )
        for start in (0, 64)
    )
    nodes = [Object(3, packages, f"compute-{number:05d}") for number in range(10_000)]
    switches = tuple(Object(2, tuple(nodes[at : at + 40]), f"leaf{at}") for at in range(0, 10_000, 40))
    root = Object(0, tuple(Object(1, switches[at : at + 50], f"spine{at}") for at in range(0, 250, 50)))
    names = ("machine", "switch 2", "switch", "node", "package", "l3", "core", "pu")
    machine = Machine(tuple(Level(name) for name in names), root)
    text = text_of(machine)
    assert len(text) < 1_000_000
    read = machine_of(text)
    assert object_counts(read) == [1, 5, 250, 10_000, 20_000, 80_000, 1_280_000, 2_560_000]
    assert read.hosts() == machine.hosts()
    assert text_of(read) == text


def test_examples_of_the_documentation() -> None:
    examples = re.findall(r"```json\n(.*?)```", DOCUMENTATION.read_text(encoding="utf-8"), re.DOTALL)
    assert [shape(machine_of(example)) for example in examples] == [
        "2 switches x 4 nodes x 12 cores",
        "(1 switch x 2 nodes x 4 cores + 1 switch x (2 nodes x 2 packages x 4 cores + 1 node x 2 cores))",
        "128 nodes x 64 cores",
        "4 nodes x 64 cores",
    ]


def changed(document: dict[str, Any], path: str, value: object) -> str:
    """The document as text, with another value (or none: ...) at a path such as `levels.0.count`."""
    copy = json.loads(json.dumps(document))
    *way, last = [int(word) if word.isdecimal() else word for word in path.split(".")]
    target = copy
    for step in way:
        target = target[step]
    if value is ...:
        del target[last]
    else:
        target[last] = value
    return json.dumps(copy)


WHAT_IS_WRONG_IS_NAMED = [
    (SHORT, "format", "x", 'format: must be "rankwise-machine"'),
    (SHORT, "version", 2, "version: this Rankwise reads version 1"),
    (SHORT, "version", ..., "'version' is missing"),
    (SHORT, "levels", [], "levels: must not be empty"),
    (SHORT, "levels", {}, "levels: must be a list"),
    (SHORT, "levels.0", 3, "levels[0]: must be an object"),
    (SHORT, "levels.2.count", 0, "levels[2].count: must be a whole number above 0"),
    (SHORT, "levels.2.count", 1.5, "levels[2].count: must be a whole number above 0"),
    (SHORT, "levels.2.count", True, "levels[2].count: must be a whole number above 0"),
    (SHORT, "levels.2.count", 10**30, "levels[2].count: must be at most"),
    (SHORT, "levels.2.count", 10**7, "levels[2].count: there must be at most"),
    (SHORT, "levels.2.count", ..., "levels[2]: 'count' is missing"),
    (SHORT, "levels.2.name", "", "levels[2].name: must not be empty"),
    (SHORT, "levels.2.name", "a\x1b[2J", "levels[2].name: must not contain control characters"),
    (SHORT, "levels.2.name", "switch", "levels[2]: the name 'switch' is given twice"),
    (SHORT, "levels.1.name", "host", 'levels: one must have the name "node"'),
    (SHORT, "levels.0.name", "machine", "levels[0]: the machine itself has no `count` or `names`"),
    (SHORT, "levels.1.speed", 1, "levels[1]: unknown key 'speed'"),
    (SHORT, "levels.1.cost", {"latency": 1}, "levels[1].cost: unknown key 'latency'"),
    (
        SHORT,
        "levels.1.cost",
        {"latency_us": -1},
        "levels[1].cost.latency_us: must be a number, 0 or more",
    ),
    (SHORT, "levels.1.cost", {"latency_us": 10**400}, "levels[1].cost.latency_us: must be a number"),
    (SHORT, "levels.1.link_mb_s", "fast", "levels[1].link_mb_s: must be a number"),
    (SHORT, "levels.1.names", "n[1-3]", "levels[1].names: must be 8, one for each node, not 3"),
    (SHORT, "levels.1.names", "n[1-", "levels[1].names: 'n[1-' is no list of hosts"),
    (SHORT, "levels.1.names", "n[1-4],n[4-7]", "levels[1].names: 'n4' is given twice"),
    (SHORT, "levels.1.names", "n[1-999999999]", "levels[1].names: 'n[1-999999999]' names more than"),
    (SHORT, "levels.0.names", ["a", "b"], 'levels[0].names: only the level "node"'),
    (SHORT, "templates", {}, "templates: are for a `tree`"),
    (SHORT, "sources", [{"kind": 1}], "sources[0].kind: must be a text"),
    (SHORT, "sources", [{}], "sources[0]: 'kind' is missing"),
    (SHORT, "outliers", [{"kind": "slow node"}], "outliers[0]: 'where' is missing"),
    (TREE, "tree", [], "tree: must not be empty"),
    (TREE, "tree.0.level", "rack", "tree[0].level: there is no level 'rack'"),
    (TREE, "tree.0.level", "machine", "tree[0].level: 'machine' can't be inside 'machine'"),
    (TREE, "tree.0.level", "core", "tree[0].level: must be inside a node"),
    (TREE, "tree.0.children", ..., "tree[0].level: an object around nodes must have `children`"),
    (TREE, "tree.1.name", ..., "tree[1]: a node must have a name"),
    (TREE, "tree.1.name", "a", "tree[1].name: the node 'a' is given twice"),
    (TREE, "tree.1.name", "a b", "tree[1].name: must be a name without blanks"),
    (TREE, "tree.1.names", ["c"], "tree[1].names: can't have `name`"),
    (TREE, "tree.0.count", 3, "tree[0]: names, os and count must give the same number of siblings"),
    (TREE, "tree.0.children.0.os", [1], "tree[0].children[0]: names, os and count must give"),
    (TREE, "tree.0.children.0.os", -1, "tree[0].children[0].os: must be a whole number above -1"),
    (TREE, "tree.0.children.0.like", "x", "tree[0].children[0].like: there is no template 'x'"),
    (TREE, "tree.1.like", "smt", "tree[1].like: can't have `children`"),
    (TREE, "templates.smt.0.like", "smt", "templates.smt[0].like: "),
    (TREE, "templates.smt", [], "templates.smt: must not be empty"),
    (TREE, "tree.1.children.0.count", 10**7, "tree[1].children[0]: there must be at most"),
    (TREE, "levels.0.count", 2, "levels[0]: unknown key 'count'"),
]


def test_what_is_wrong_is_named() -> None:
    for document, path, value, complaint in WHAT_IS_WRONG_IS_NAMED:
        with pytest.raises(RankwiseError) as error:
            machine_of(changed(document, path, value))
        assert complaint in str(error.value)
        assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "is not JSON"),
        ("{", "is not JSON"),
        ("[]", ""),
        ("{}", "'format' is missing"),
        (
            '{"format": "rankwise-latency", "sizes": []}',
            'format: must be "rankwise-machine"; `rankwise machine` makes',
        ),
        ("[" * 100_000, "nested too deeply"),
        ('{"version": 1, "version": 1}', "the key 'version' is given twice"),
        ('{"version": NaN}', "NaN .. JSON"),
        (json.dumps(SHORT).replace("1,", "9" * 5000 + ",", 1), "version"),
        ('{"version": "\\ud800"}', "JSON"),
        ('{"version": "\\\\\\u0000"}', "u0000"),
    ],
)
def test_what_is_no_machine(text: str, complaint: str, golden: Golden) -> None:
    with pytest.raises(RankwiseError) as error:
        machine_of(text)
    golden.says(error.value, complaint)


def test_damaged_files_end_in_one_line() -> None:
    generator = random.Random(3)
    text = text_of(made(TREE))
    for _ in range(500):
        damaged = list(text)
        for _ in range(generator.randint(1, 4)):
            damaged[generator.randrange(len(damaged))] = generator.choice('{}[]",:0-9aé\x00\n')
        try:
            machine_of("".join(damaged))
        except RankwiseError as error:
            assert "\n" not in str(error)


def test_unreadable_files(tmp_path: Path) -> None:
    with pytest.raises(RankwiseError, match=r"cannot read .*nothing"):
        read_machine(tmp_path / "nothing")
    with pytest.raises(RankwiseError, match="cannot read"):
        read_machine(tmp_path)
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    with pytest.raises(RankwiseError, match="is not UTF-8"):
        read_machine(tmp_path / "binary")

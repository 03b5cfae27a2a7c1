"""machine.json without Python: the slots are those that Python reads, and what is wrong is named likewise."""

from __future__ import annotations

import json
import random
import re
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from machine_reader import Slots, read
from test_machine_file import DOCUMENTATION, SHORT, TREE, WHAT_IS_WRONG_IS_NAMED, changed, grown

from rankwise.topology.machine.model import Level, Machine
from rankwise.topology.machine.read import machine_of
from rankwise.topology.machine.write import text_of
from rankwise.topology.sources.hwloc import machine_from_hwloc
from rankwise.topology.sources.slurm import machine_from_slurm

MACHINES = Path(__file__).parent / "machines"


def slots_of(machine: Machine) -> Slots:
    slots = machine.slots
    rows = slots.numbers.tolist(), slots.os[:, -1].tolist(), slots.host.tolist()
    return Slots(*rows, list(machine.hosts()))


def assert_same(text: str, path: Path) -> None:
    path.write_text(text, encoding="utf-8")
    assert read(path) == slots_of(machine_of(text))


def test_examples_of_the_documentation(tmp_path: Path) -> None:
    examples = re.findall(r"```json\n(.*?)```", DOCUMENTATION.read_text(encoding="utf-8"), re.DOTALL)
    trees = [text for text in examples if '"network"' not in text]
    assert len(trees) == 2
    for text in (*trees, json.dumps(SHORT), json.dumps(TREE)):
        assert_same(text, tmp_path / "machine.json")
    for text in examples:
        if text not in trees:
            assert "network: can't be used inside" in complaint_of(text, tmp_path / "machine.json")


@pytest.mark.parametrize("path", sorted(MACHINES.glob("*.xml")), ids=lambda path: path.stem)
def test_machines_of_hwloc(path: Path, tmp_path: Path) -> None:
    assert_same(text_of(machine_from_hwloc([path])), tmp_path / "machine.json")
    assert_same(text_of(machine_from_hwloc([path], ["a", "b.c.d"])), tmp_path / "machine.json")


def test_machines_of_slurm(tmp_path: Path) -> None:
    for name in ("tree.conf", "block.conf"):
        assert_same(text_of(machine_from_slurm(MACHINES / name, slots=2)), tmp_path / "machine.json")


@pytest.mark.parametrize(
    "names",
    ["tux[1-8]", "n[01-08]", "n[08-15]", "a[1-2]b[3-6]", "x,y,n[1-5],z", "n[5,1-4,7,9-10]", "a[1-2]-ib[1-4]"],
)
def test_lists_of_hosts(names: str, tmp_path: Path) -> None:
    assert_same(changed(SHORT, "levels.1.names", names), tmp_path / "machine.json")


def test_random_trees(tmp_path: Path) -> None:
    generator = random.Random(8)
    for _ in range(50):
        depth = generator.randint(3, 6)
        node = generator.randint(1, depth - 1)
        names = ["machine", *(f"l-{level}" for level in range(1, depth))]
        names[node] = "node"
        machine = Machine(tuple(Level(name) for name in names), grown(generator, 0, node, depth, count()))
        assert_same(text_of(machine), tmp_path / "machine.json")


def complaint_of(text: str | bytes, path: Path) -> str:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    said = read(path)
    assert isinstance(said, str)
    assert said.startswith(f"{path}: ")
    assert said.isprintable()
    return said


@pytest.mark.parametrize(("document", "path", "value", "complaint"), WHAT_IS_WRONG_IS_NAMED)
def test_what_is_wrong_is_named(
    document: dict[str, Any], path: str, value: object, complaint: str, tmp_path: Path
) -> None:
    if path in ("sources", "misfits"):
        pytest.skip("only a list is expected here: nothing in it is used")
    assert complaint in complaint_of(changed(document, path, value), tmp_path / "machine.json")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "is no JSON: line 1, column 1"),
        ("{", "is no JSON: line 1"),
        (json.dumps(SHORT)[:-1], "is no JSON"),
        (json.dumps(SHORT, indent=1) + "\n\nx", "is no JSON: line 2"),
        (json.dumps(SHORT) + "\0", "is no JSON"),
        ("\ufeff" + json.dumps(SHORT), "is no JSON: line 1, column 1"),
        ("[]", "must be an object"),
        ("[" * 100_000, "is no JSON"),
        ('{"a":' * 100_000, "is no JSON"),
        ('{"version": 1, "version": 1}', "the key 'version' is there twice"),
        ('{"version": NaN}', "is no JSON"),
        ('{"\\u001b[2J": 1}', "unknown key '?'"),
        (b"\xff\xfe", "byte 0 is not UTF-8"),
        (b'{"format": "\xc0\xaf"}', "byte 12 is not UTF-8"),
        (changed(SHORT, "levels.2.count", 16_777_217), "must be at most"),
        (
            changed(TREE, "tree.2.children", [{"level": "core", "count": 1 << 24}]),
            "more than 16777216 slots",
        ),
    ],
    ids=count(),
)
def test_hostile_files(text: str | bytes, complaint: str, tmp_path: Path) -> None:
    assert complaint in complaint_of(text, tmp_path / "machine.json")


def test_damaged_files(tmp_path: Path) -> None:
    """Whatever is read has slots, and nothing crashes."""
    generator = random.Random(4)
    path = tmp_path / "machine.json"
    for text in (json.dumps(SHORT), json.dumps(TREE)):
        for _ in range(1000):
            damaged = list(text)
            for _ in range(generator.randint(1, 4)):
                damaged[generator.randrange(len(damaged))] = generator.choice('{}[]",:0-9aé\x00\n')
            path.write_text("".join(damaged)[: generator.randint(1, 2 * len(text))], encoding="utf-8")
            said = read(path)
            assert said.isprintable() if isinstance(said, str) else said.objects


def test_unreadable_files(tmp_path: Path) -> None:
    assert read(tmp_path / "nothing") == f"{tmp_path}/nothing: cannot read it: No such file or directory"
    assert read(tmp_path) == f"{tmp_path}: cannot read it: it is no file"

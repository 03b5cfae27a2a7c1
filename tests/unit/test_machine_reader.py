"""machine.json without Python: the slots are those that Python reads, and what is wrong is named likewise."""

from __future__ import annotations

import errno
import json
import os
import random
import re
import unicodedata
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from machine_reader import Slots, read
from test_machine_file import DOCUMENTATION, SHORT, TREE, WHAT_IS_WRONG_IS_NAMED, changed, random_machine

from exhaustive import repeated
from golden import Golden, assert_facts
from rankwise.errors import RankwiseError
from rankwise.topology.machine.model import Machine
from rankwise.topology.machine.read import machine_of, read_machine
from rankwise.topology.machine.write import text_of
from rankwise.topology.sources.hwloc import machine_from_hwloc
from rankwise.topology.sources.slurm.machine import machine_from_slurm

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
            assert_facts(complaint_of(text, tmp_path / "machine.json"), "network")


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
        assert_same(text_of(random_machine(generator)), tmp_path / "machine.json")


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
    assert complaint in complaint_of(changed(document, path, value), tmp_path / "machine.json")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "is no JSON: line 1, column 1"),
        ("{", "is no JSON: line 1"),
        (json.dumps(SHORT)[:-1], "is no JSON"),
        (json.dumps(SHORT, indent=1) + "\n\nx", "line 20, column 1"),
        (json.dumps(SHORT) + "\0", "is no JSON"),
        ("\ufeff" + json.dumps(SHORT), "is no JSON: line 1, column 1"),
        ("[]", ""),
        ("[" * 100_000, "is no JSON"),
        ('{"a":' * 100_000, "is no JSON"),
        ('{"version": 1, "version": 1}', "the key 'version' is given twice"),
        ('{"version": NaN}', "is no JSON"),
        (json.dumps({**SHORT, "\x1b[2J": 1}), "unknown key '?'"),
        (b"\xff\xfe", "byte 0 is not UTF-8"),
        (b'{"format": "\xc0\xaf"}', "byte 12 is not UTF-8"),
        (changed(SHORT, "levels.2.count", 16_777_217), ""),
        (
            changed(TREE, "tree.2.children", [{"level": "core", "count": 1 << 24}]),
            "at most 16777216 slots",
        ),
    ],
    ids=count(),
)
def test_hostile_files(text: str | bytes, complaint: str, tmp_path: Path, golden: Golden) -> None:
    golden.says(complaint_of(text, tmp_path / "machine.json"), complaint)


VALUES = [
    *(None, True, 0, 1, 2, 2.0, -0.0, -1, 1.5, 1e300, 10**30, 10**400, 1 << 24, (1 << 24) + 1),
    *(
        "",
        "a",
        "node",
        "machine",
        "core",
        "pu",
        "smt",
        "a b",
        "a\tb",
        "\x00",
        "a\x00b",
        "\x7f",
        "\x85",
        "\ud800",
    ),
    *("a\u00a0b", "\u202e", "\ue000", "é", "n[1-8]", "n[1-4],m[1-4]", "n[1-4],n4", "x" * 300),
    *([], {}, [1], ["a"], ["a", "b"], [0, 1], {"a": 1}, [{"level": "pu"}], [{"level": "core", "os": 1}]),
]
KEYS = [
    "name",
    "names",
    "os",
    "count",
    "link_mb_s",
    "like",
    "children",
    "level",
    "cost",
    "tree",
    "levels",
    "x",
]
TEXTS = '{}[]",:0-9aé\x00\n\t .eE+\\/u\x0b\x0c\x01\ufeff\u00a0'


def copied(document: Any) -> Any:
    return json.loads(json.dumps(document))


def with_a_change(document: Any, generator: random.Random) -> Any:
    """The document with one value, of any depth, left out, replaced, added or doubled."""
    document = copied(document)
    target, key = document, generator.choice(list(document))
    while isinstance(target[key], (dict, list)) and target[key] and generator.random() < 0.8:
        target = target[key]
        key = generator.choice(list(target) if isinstance(target, dict) else range(len(target)))
    how, other = generator.random(), key if isinstance(target, list) else generator.choice(KEYS)
    if how < 0.2:
        del target[key]
    elif how < 0.8:
        target[key if how < 0.6 else other] = copied(generator.choice(VALUES))
    elif isinstance(target, list):
        target.append(copied(target[key]))
    else:
        target[other] = copied(target[key])
    return document


def with_damage(text: str, generator: random.Random) -> str:
    damaged = list(text)
    for _ in range(generator.randint(1, 3)):
        place = generator.randrange(len(damaged))
        damaged[place : place + generator.randint(0, 1)] = generator.choice(TEXTS) * generator.randint(0, 1)
    return "".join(damaged)


@repeated(1000, 3000)
def test_both_readers_take_the_same_files(tmp_path: Path, times: int) -> None:
    """Whole files, and damaged ones: both find the same slots, or the same is wrong."""
    generator = random.Random(31)
    path = tmp_path / "machine.json"
    full = copied(SHORT)
    full["levels"][1] |= {"names": "n[1-4],b[5-8]", "link_mb_s": 3, "cost": {"latency_us": 1.5}}
    full["sources"] = [{"kind": "hwloc", "what": "x", "file": "a b"}]
    outlier = {
        "kind": "slow node",
        "where": "n1",
        "hosts": ["n1"],
        "what": "latency",
        "size": 64,
        "value": 9.5,
    }
    full["outliers"] = [{**outlier, "expected": 2, "level": "node", "verdict": "slow alone"}]
    taken = refused = agreed = 0
    for _ in range(times):
        document = generator.choice((SHORT, TREE, full))
        for _ in range(generator.randint(0, 2)):
            document = with_a_change(document, generator)
        text = json.dumps(document, ensure_ascii=generator.random() < 0.5)
        if generator.random() < 0.3:
            text = with_damage(text, generator)
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        here = read(path)
        try:
            there: Slots | str = slots_of(read_machine(path))
        except RankwiseError as error:
            there = str(error)
        assert isinstance(here, str) == isinstance(there, str), (text, here, there)
        if isinstance(here, str) and isinstance(there, str):
            assert here.isprintable()
            refused += 1
            agreed += words_of(here) == words_of(there) or "is no JSON" in here
        else:
            assert here == there, text
            taken += 1
    assert min(taken, refused) > times / 6
    # Where two things are wrong, each may name another one.
    assert agreed > 0.97 * refused


def words_of(complaint: str) -> str:
    return complaint.partition("; `rankwise machine`")[0].replace('"', "'")


@repeated(500, 1500)
def test_characters_that_can_not_be_printed(tmp_path: Path, times: int) -> None:
    """At the ends of all runs of characters that are alike to Python, both readers say the same."""
    kinds = [unicodedata.category(chr(point)) for point in range(0x110000)]
    ends = [point for point in range(1, 0x110000) if kinds[point] != kinds[point - 1]]
    points = {point for end in ends for point in (end - 1, end)} - set(range(0xD800, 0xE000))
    chosen = random.Random(32).sample(sorted(points), times)
    for point in {*chosen, *range(1, 0x100), *range(0x2000, 0x2070), 0xFEFF, 0xFFFD, 0xFFFF, 0x10FFFF}:
        text = changed(SHORT, "levels.0.name", f"a{chr(point)}b")
        (tmp_path / "m.json").write_text(text, encoding="utf-8")
        try:
            machine_of(text)
        except RankwiseError as error:
            assert "control characters" in str(error), hex(point)
            assert "control characters" in str(read(tmp_path / "m.json")), hex(point)
            assert kinds[point] not in ("Lu", "Ll", "Lt", "Lm", "Lo", "Nd", "Po", "Sm", "Mn")
        else:
            assert not isinstance(read(tmp_path / "m.json"), str), hex(point)
            assert kinds[point] not in ("Cc", "Zl", "Zp", "Zs", "Co") or point == 0x20, hex(point)


def test_unreadable_files(tmp_path: Path, golden: Golden) -> None:
    golden.says(read(tmp_path / "nothing"), f"{tmp_path}/nothing: .. : {os.strerror(errno.ENOENT)}")
    golden.says(read(tmp_path), f"{tmp_path}: ")

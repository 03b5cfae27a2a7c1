"""Machines from hwloc: recorded files of several shapes, hostile ones, and the node that we run on."""

from __future__ import annotations

import ctypes
import os
import random
import shutil
from pathlib import Path

import pytest

from golden import Golden
from rankwise.errors import RankwiseError
from rankwise.topology.machine.model import Machine
from rankwise.topology.machine.read import machine_of
from rankwise.topology.machine.shape import Shapes
from rankwise.topology.machine.write import text_of
from rankwise.topology.sources import hwloc_live
from rankwise.topology.sources.hwloc import machine_from_hwloc

MACHINES = Path(__file__).parent / "machines"

HEAD = '<?xml version="1.0"?><!DOCTYPE topology SYSTEM "hwloc2.dtd">'


def shape(machine: Machine) -> str:
    return Shapes(machine).inside(machine.root)


def written(path: Path, inside: str, machine: str = "") -> Path:
    """A file with these objects inside of its Machine, which has these attributes."""
    path.write_text(
        f'{HEAD}<topology version="2.0"><object type="Machine" {machine}>{inside}</object></topology>'
    )
    return path


def core(number: int, *processors: int) -> str:
    inside = "".join(f'<object type="PU" os_index="{processor}"/>' for processor in processors)
    return f'<object type="Core" os_index="{number}">{inside}</object>'


@pytest.mark.parametrize(
    ("name", "levels", "expected"),
    [
        ("two-packages", "package numa l3 core pu", "2 packages x 2 numa x 1 l3 x 4 cores x 2 pus"),
        ("l3-around-numa", "package l3 numa core pu", "2 packages x 1 l3 x 2 numa x 2 cores x 1 pu"),
        ("numa-around-packages", "numa package core pu", "2 numa x 2 packages x 2 cores x 1 pu"),
        ("shared-l2", "package numa l3 l2 core pu", "1 package x 1 numa x 1 l3 x 2 l2 x 4 cores x 1 pu"),
        ("hbm", "package numa core pu", "1 package x 1 numa x 4 cores x 1 pu"),
        ("version1", "package numa l3 core pu", "2 packages x 1 numa x 2 l3 x 2 cores x 1 pu"),
        ("virtual-machine", "package numa l3 core pu", "1 package x 1 numa x 1 l3 x 2 cores x 1 pu"),
    ],
)
def test_recorded_files(name: str, levels: str, expected: str) -> None:
    machine = machine_from_hwloc([MACHINES / f"{name}.xml"])
    assert machine.level_names() == ("machine", "node", *levels.split())
    assert shape(machine) == f"1 node x {expected}"
    assert machine.slots.os[:, -1].tolist() == list(range(len(machine.slots)))
    assert machine_of(text_of(machine)) == machine


def test_names_of_nodes(golden: Golden) -> None:
    recorded = MACHINES / "virtual-machine.xml"  # the name in it is vm
    assert machine_from_hwloc([recorded]).hosts() == ("vm",)
    assert machine_from_hwloc([MACHINES / "hbm.xml"]).hosts() == ("hbm",)
    assert machine_from_hwloc([recorded], ["b", "a"]).hosts() == ("b", "a")
    assert machine_from_hwloc([recorded, MACHINES / "hbm.xml"], ["x", "y"]).hosts() == ("x", "y")
    with pytest.raises(RankwiseError) as error:
        machine_from_hwloc([recorded, recorded])
    golden.says(error.value, "'vm' .. --node")
    with pytest.raises(RankwiseError, match="--node names 3 nodes for 2 files"):
        machine_from_hwloc([recorded, recorded], ["a", "b", "c"])


def test_unequal_nodes() -> None:
    files = [MACHINES / f"{name}.xml" for name in ("shared-l2", "version1", "hbm")]
    machine = machine_from_hwloc(files)
    assert machine.level_names() == ("machine", "node", "package", "numa", "l3", "l2", "core", "pu")
    assert shape(machine) == (
        "(1 node x 1 package x 1 numa x 1 l3 x 2 l2 x 4 cores x 1 pu"
        " + 1 node x 2 packages x 1 numa x 2 l3 x 2 cores x 1 pu"
        " + 1 node x 1 package x 1 numa x 4 cores x 1 pu)"
    )
    assert [source.file for source in machine.sources] == [str(file) for file in files]
    assert machine_of(text_of(machine)) == machine


def test_opposite_orders_are_refused() -> None:
    with pytest.raises(RankwiseError, match=r"^numa, l3, .*which is not a tree$"):
        machine_from_hwloc([MACHINES / "l3-around-numa.xml", MACHINES / "numa-around-l3.xml"])


def test_only_allowed_processors(tmp_path: Path) -> None:
    """Processors 1 to 3 and 33 are allowed, of which 3 is offline."""
    inside = "".join(f'<object type="Package" os_index="{n}">{core(n, *some)}</object>' for n, some in CORES)
    machine = 'allowed_cpuset="0x00000002,0x0000000e" online_cpuset="0xf...f,0xfffffff7"'
    made = machine_from_hwloc([written(tmp_path / "a.xml", inside, machine)])
    assert shape(made) == "1 node x (1 package x 1 core x 1 pu + 1 package x 1 core x 2 pus)"
    assert made.slots.os[:, -1].tolist() == [2, 1, 33]
    assert made.slots.os[:, made.depth("package")].tolist() == [1, 2, 2]
    with pytest.raises(RankwiseError, match="holds no processor"):
        machine_from_hwloc([written(tmp_path / "b.xml", inside, 'allowed_cpuset="0x0"')])


CORES = ((0, (0, 32)), (1, (2, 3)), (2, (1, 33)))


def test_memory_without_processors(tmp_path: Path) -> None:
    memory = '<object type="NUMANode" os_index="{}"/>'
    cached = f'<object type="MemCache" os_index="7">{memory.format(1)}</object>'
    packages = [
        f'<object type="Package" os_index="{n}">{cached}{core(n, n)}{core(n + 2, n + 2)}</object>'
        for n in (0, 1)
    ]
    far = memory.format(4)  # of the whole machine, or of nothing
    machine = machine_from_hwloc([written(tmp_path / "a.xml", "".join(packages) + far)])
    assert shape(machine) == "1 node x 2 packages x 1 numa x 2 cores x 1 pu"
    assert machine.slots.os[:, machine.depth("numa")].tolist() == [1] * 4


def test_memory_of_a_package_around_memory_of_parts_of_it(tmp_path: Path) -> None:
    memory = '<object type="NUMANode" os_index="{}"/>'
    groups = [
        f'<object type="Group">{memory.format(n)}{core(2 * n, 2 * n)}{core(2 * n + 1, 2 * n + 1)}</object>'
        for n in (0, 1)
    ]
    inside = f'<object type="Package" os_index="0">{memory.format(9)}{"".join(groups)}</object>'
    machine = machine_from_hwloc([written(tmp_path / "a.xml", inside)])
    assert shape(machine) == "1 node x 1 package x 2 numa x 2 cores x 1 pu"
    assert machine.slots.os[:, machine.depth("numa")].tolist() == [0, 0, 1, 1]


def test_instruction_caches_are_no_level(tmp_path: Path) -> None:
    cache = '<object type="{}" depth="{}" cache_type="{}">{}</object>'
    inside = cache.format("L1iCache", 1, 2, core(0, 0) + core(1, 1)) + cache.format(
        "L2Cache", 2, 0, core(2, 2)
    )
    machine = machine_from_hwloc([written(tmp_path / "a.xml", inside)])
    assert shape(machine) == "1 node x 3 cores x 1 pu"


ENTITIES = '<!DOCTYPE topology [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>'
OUTSIDE = '<!DOCTYPE topology [<!ENTITY a SYSTEM "file:///etc/hostname">]>'
PARAMETER = '<!DOCTYPE topology SYSTEM "hwloc2.dtd" [<!ENTITY % a "x">]>'


WHAT_IS_NO_FILE_OF_HWLOC = [
    ("", "is not XML"),
    ("<topology", "is not XML"),
    ("not XML", "is not XML"),
    ("\x00\x01", "is not XML"),
    ("<topology/>", "is not XML of hwloc"),
    ("<html><object/></html>", "is not XML of hwloc"),
    (f"{ENTITIES}<topology>&b;</topology>", "has a DOCTYPE with declarations"),
    (f"{OUTSIDE}<topology>&a;</topology>", "has a DOCTYPE with declarations"),
    (f"{PARAMETER}<topology/>", "has a DOCTYPE with declarations"),
    ("<topology>" + "<object>" * 5000, "nests elements more than"),
    ('<topology><object type="Machine"/></topology>', "holds no processor"),
    (
        f'<topology><object type="Machine" allowed_cpuset="x">{core(0, 0)}</object></topology>',
        "can't be read",
    ),
    (
        f'<topology><object type="Machine" cpuset="0xzz">{core(0, 0)}</object></topology>',
        "has a set of processors that can't be read: '0xzz'",
    ),
    (
        f'<topology><object type="Machine" allowed_cpuset="0x-1">{core(0, 0)}</object></topology>',
        "can't be read",
    ),
    (f'<topology><object type="Machine">{core(0, 1, 1)}</object></topology>', "lists a processor twice"),
    (
        '<topology><object type="M"><object type="PU" os_index="-5"/></object></topology>',
        "holds no processor",
    ),
    (
        '<topology><object><object type="Package"><object type="Package">'
        f"{core(0, 0)}{core(1, 1)}</object>{core(2, 2)}</object></object></topology>",
        "which is not a tree",
    ),
]


def test_what_is_no_file_of_hwloc(tmp_path: Path) -> None:
    for text, complaint in WHAT_IS_NO_FILE_OF_HWLOC:
        path = tmp_path / "node.xml"
        path.write_text(text)
        with pytest.raises(RankwiseError, match=complaint) as error:
            machine_from_hwloc([path])
        assert "\n" not in str(error.value)


def test_bad_name_in_a_file(tmp_path: Path, golden: Golden) -> None:
    path = written(tmp_path / "a.xml", f'<info name="HostName" value="a b"/>{core(0, 0)}')
    with pytest.raises(RankwiseError) as error:
        machine_from_hwloc([path])
    golden.says(error.value, "'a b'")
    assert machine_from_hwloc([path], ["a"]).hosts() == ("a",)


def test_damaged_files_end_in_one_line(tmp_path: Path) -> None:
    generator = random.Random(4)
    text = (MACHINES / "version1.xml").read_bytes()
    path = tmp_path / "node.xml"
    for _ in range(100):
        damaged = bytearray(text)
        for _ in range(generator.randint(1, 5)):
            damaged[generator.randrange(len(damaged))] = generator.choice(b'<>"/=ax0,-\x00\xff')
        path.write_bytes(damaged)
        try:
            machine_of(text_of(machine_from_hwloc([path])))
        except RankwiseError as error:
            assert "\n" not in str(error)


def test_unreadable_file(tmp_path: Path) -> None:
    with pytest.raises(RankwiseError, match=r"cannot read .*; on the node, `lstopo node.xml` writes"):
        machine_from_hwloc([tmp_path / "nothing.xml"])


def library_is_there() -> bool:
    try:
        ctypes.CDLL(hwloc_live.LIBRARY)
    except OSError:
        return False
    return True


def test_this_node() -> None:
    if not library_is_there() and not any(map(shutil.which, hwloc_live.COMMANDS)):
        pytest.skip("hwloc is not installed")
    machine = machine_from_hwloc([], ["here"])
    assert machine.hosts() == ("here",)
    assert os.sched_getaffinity(0) <= set(machine.slots.os[:, -1].tolist())


def test_the_command_stands_in_for_the_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command = tmp_path / hwloc_live.COMMANDS[0]
    recorded = MACHINES / "two-packages.xml"
    command.write_text(f'#!/bin/sh\n[ "$*" = "--of xml" ] && exec /bin/cat {recorded}\n')
    command.chmod(0o755)
    monkeypatch.setattr(hwloc_live, "LIBRARY", "libnothing.so.0")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert len(machine_from_hwloc([], ["here"]).slots) == 32
    command.unlink()
    with pytest.raises(
        RankwiseError, match=r"neither libnothing.so.0 nor .*: install hwloc, or give its XML"
    ):
        machine_from_hwloc([])

"""Places of ranks on recorded machines: what is wrong with them, and their picture."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from assembled import made, rows
from profiles import write_profile
from synthetic import Process, small_world

from golden import Golden, assert_facts
from rankwise.__main__ import main
from rankwise.analysis.nodes.binding import Device, Fault, NodePlace, Processor, RankPlace, Task, faults_of
from rankwise.profile.collect.layout import CONSTANTS
from rankwise.topology.sources.hwloc_xml import Part, node_of

MACHINES = Path(__file__).parent / "machines"


def recorded(name: str) -> list[dict[str, int]]:
    """Return the processors of a file of hwloc, as records of the counters."""
    unknown = {"package": -1, "numa": -1, "l3": -1, "core": -1}
    node = node_of((MACHINES / name).read_bytes())
    return sorted(
        (processor for part in node.parts for processor in _below(part, unknown)),
        key=lambda record: record["os"],
    )


def _below(part: Part, around: dict[str, int]) -> Iterator[dict[str, int]]:
    if part.kind == "pu":
        yield {"os": part.os, "l3_kib": 16384 if around["l3"] >= 0 else 0, **around}
        return
    lowest = (
        min(processor["os"] for child in part.children for processor in _below(child, around))
        if part.children
        else part.os
    )
    number = {"package": part.os, "numa": part.os, "l3": lowest, "core": lowest}
    inside = around | {part.kind: number[part.kind]} if part.kind in number else around
    for child in part.children:
        yield from _below(child, inside)


def bits(cpus: Sequence[int]) -> np.ndarray:
    words = np.zeros(CONSTANTS["CPU_WORDS"], np.uint64)
    for cpu in cpus:
        words[cpu // 64] |= np.uint64(1 << cpu % 64)
    return words


def world(machine: str, hosts: Sequence[str], cpus: Sequence[Sequence[int]]) -> list[Process]:
    """Make ranks that may use these processors, on nodes of one shape; the first of each tells of it."""
    processes = small_world(len(cpus))
    described = set()
    for process, host, mine in zip(processes, hosts, cpus, strict=True):
        process.header |= {
            "host": host.encode(),
            "cpus_at_stop": bits(mine),
            "seen": bits(mine[:1]),
            "looks": 9,
        }
        if host not in described:
            process.processors = recorded(machine)
            described.add(host)
    return processes


def shown(capsys: pytest.CaptureFixture[str], path: Path, *words: str) -> str:
    assert main(["show", str(path), "--by", "node", *words]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("machine", sorted(path.name for path in MACHINES.glob("*.xml")))
@pytest.mark.parametrize("columns", [80, 120])
def test_every_core_of_recorded_machines_is_drawn_once(
    machine: str,
    columns: int,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    processors = recorded(machine)
    cores = sorted(
        {processor["core"] if processor["core"] >= 0 else processor["os"] for processor in processors}
    )
    path = made(tmp_path, world(machine, ["n01"], [[cores[0]]])).path
    text = shown(capsys, path)
    assert max(map(len, text.splitlines())) <= columns
    picture = text[text.index("n01: ") :]
    drawn = [
        cell.strip("[]")
        for line in picture.splitlines()
        if "[" in line or "." in line.split()
        for cell in line.split()
    ]
    assert sum(cell == "." for cell in drawn) >= len(cores) - 1
    assert f"{len(processors)} processor" in " ".join(picture.split())
    assert f"{len(cores)} core" in " ".join(picture.split())


def test_nodes_that_are_alike_are_one_picture(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    cores = sorted({processor["core"] for processor in recorded("two-packages.xml")})
    hosts = ["n01", "n01", "n02", "n02", "n03"]
    path = made(
        tmp_path,
        world("two-packages.xml", hosts, [[cores[0]], [cores[1]], [cores[0]], [cores[1]], [cores[0]]]),
    ).path
    assert rows(path, "SELECT host, shape FROM node_shapes") == [("n01", 1), ("n02", 1), ("n03", 1)]
    text = shown(capsys, path)
    assert "n[01-02]: " in text
    assert "2 identical nodes, n01 is shown" in " ".join(text.split())
    assert "\nn03: " in text
    assert_facts(" ".join(text.split()), "N03 .. 1 .. 2")


def place(rank: int, cpus: Sequence[int], **more: Any) -> RankPlace:
    members: dict[str, Any] = {"looks": 5, "moves": 0, "omp_threads": None, "tasks": ()}
    members |= {"omp_proc_bind": "", "omp_places": "", "seen": tuple(cpus[:1])}
    return RankPlace(rank=rank, cpus=tuple(cpus), **members | more)


def node(*ranks: RankPlace, host: str = "n01", devices: Sequence[Any] = (), threads: int = 2) -> NodePlace:
    """Make a node of two packages of four cores, with hardware threads numbered behind all cores."""
    processors = [
        Processor(8 * thread + core, core // 4, core // 4, core // 4 * 4, core, 32 << 20, "any")
        for thread in range(threads)
        for core in range(8)
    ]
    return NodePlace(host, tuple(processors), tuple(devices), ranks)


def named_faults(*nodes: NodePlace) -> list[tuple[str, tuple[int, ...]]]:
    return [(fault.kind, fault.ranks) for fault in faults_of(nodes)]


def busy(count: int, cpus: Sequence[int]) -> tuple[Task, ...]:
    return tuple(Task(100 + i, "solver", tuple(cpus), cpus[0], 5.0) for i in range(count))


ALL = range(16)


def test_nothing_is_wrong_with_ranks_on_cores_of_their_own() -> None:
    assert named_faults(node(*(place(rank, [rank, rank + 8]) for rank in range(8)))) == []


def test_ranks_on_one_core() -> None:
    assert named_faults(node(place(0, [3]), place(1, [3]), place(2, [4]))) == [("shared core", (0, 1))]


def test_hardware_threads_of_one_core_are_a_fault_where_cores_are_free() -> None:
    assert named_faults(node(place(0, [3]), place(1, [11]))) == [("shared core", (0, 1))]
    full = [place(rank, [rank]) for rank in range(16)]
    assert named_faults(node(*full)) == []


def test_more_ranks_than_cores() -> None:
    assert named_faults(node(*(place(rank, [0, 1]) for rank in range(3)), place(3, [4]))) == [
        ("crowded", (0, 1, 2))
    ]


def test_ranks_that_are_not_bound(golden: Golden) -> None:
    [fault] = faults_of([node(place(0, ALL, moves=3), place(1, ALL))])
    assert (fault.kind, fault.ranks) == ("not bound", (0, 1))
    golden.says(fault.what, "0-1 .. 8 .. n01 .. 3")


def test_what_a_batch_system_gives_is_all_that_there_is() -> None:
    """Four of the eight cores are the job's; ranks that may use all four are not bound, one each is."""
    assert named_faults(node(place(0, range(4)), place(1, range(4)))) == [("not bound", (0, 1))]
    assert named_faults(node(place(0, [0]), place(1, [1]))) == []


def test_a_rank_alone_needs_no_binding() -> None:
    assert named_faults(node(place(0, ALL))) == []


def test_threads_against_the_mask() -> None:
    bound, two = node(place(0, [0], omp_threads=4)), node(place(0, [0, 1], tasks=busy(2, [0, 1])))
    [fault] = faults_of([bound])
    assert fault.what == "rank 0 on n01 has 4 threads (OMP_NUM_THREADS=4) on 1 processor"
    assert named_faults(two) == [("threads not bound", (0,))]
    assert named_faults(node(place(0, [0, 1], tasks=busy(2, [0, 1]), omp_proc_bind="close"))) == []
    idle = (*busy(1, [0]), Task(200, "progress", (0,), 0, 0.01))
    assert named_faults(node(place(0, [0], tasks=idle))) == []


def test_devices_on_the_other_socket() -> None:
    card = Device("network", "mlx5_0", 0)
    ranks = [place(0, [0]), place(1, [5])]
    assert named_faults(node(*ranks, devices=[card])) == [("far network", (1,))]
    assert named_faults(node(*ranks, devices=[card, Device("network", "mlx5_1", 1)])) == []
    assert named_faults(node(*ranks, devices=[Device("gpu", "card0", None)])) == []
    assert named_faults(node(*ranks, devices=[Device("gpu", "card0", 1)])) == [("far gpu", (0,))]


def test_faults_of_many_nodes_are_one(golden: Golden) -> None:
    nodes = [node(place(2 * n, [0]), place(2 * n + 1, [0]), host=f"n{n}") for n in range(20)]
    [fault] = faults_of(nodes)
    assert fault == Fault(
        "shared core",
        tuple(f"n{n}" for n in range(20)),
        tuple(range(40)),
        fault.what,
        fault.cure,
    )
    golden.says(fault.what, "0-1 .. 0 .. n0 .. 19 .. 0-39 .. 20")
    golden.says(fault.cure)


def test_efficiency_cores_are_marked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    processes = world("virtual-machine.xml", ["n01"], [[0]])
    for processor in processes[0].processors:
        processor["kind"] = CONSTANTS["CORE_EFFICIENCY"]
    text = shown(capsys, made(tmp_path, processes).path)
    assert "0e" in text
    assert "e: efficiency core" in text


def test_damaged_records_are_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    processes = world("virtual-machine.xml", ["n01"], [[0]])
    processes[0].processors += [{"os": -5}, {"os": 5000}]
    processes[0].devices = [{"name": b"x", "kind": 77, "numa": 0}, {"name": b"mlx5_0", "kind": 1, "numa": -9}]
    path = made(tmp_path, processes).path
    assert rows(path, "SELECT MIN(processor) >= 0, MAX(processor) < 1024 FROM shape_processors") == [(1, 1)]
    assert rows(path, "SELECT kind, name, numa FROM shape_devices") == [("network", "mlx5_0", None)]
    assert "n01: " in shown(capsys, path)


def test_the_kernel_of_each_node(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    processes = world("virtual-machine.xml", ["n01", "n02", "n03"], [[0]] * 3)
    processes[0].kernels = [{"release": b"6.1.0"}]
    processes[1].kernels = [{"release": b"5.15.0-1-generic"}]
    path = made(tmp_path, processes).path
    assert rows(path, "SELECT * FROM kernels") == [("n01", "6.1.0"), ("n02", "5.15.0-1-generic")]
    assert "; Linux 5.15.0-1-generic, 6.1.0;" in " ".join(shown(capsys, path).split())
    assert main(["show", str(path), "-vv"]) == 0
    assert "Linux 5.15.0-1-generic, 6.1.0" in capsys.readouterr().out
    assert main(["show", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["run"]["kernels"] == ["5.15.0-1-generic", "6.1.0"]


def test_of_a_profile_that_does_not_tell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_profile(tmp_path / "a.rankwise")
    text = shown(capsys, path)
    assert "nodea" in text
    answer = json.loads(shown(capsys, path, "--json"))
    assert [row["host"] for row in answer["node_places"]] == ["nodea", "nodeb"]

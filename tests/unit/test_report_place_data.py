"""What a report tells of nodes and of the ranks on them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from assembled import made
from made_profile import Made
from synthetic import Process
from test_place_view import recorded, world
from test_report_sites_data import Plain

from rankwise.analysis.nodes.binding import NodePlace, Processor, RankPlace
from rankwise.analysis.opened import opened_profile
from rankwise.cpulist import cpu_list
from rankwise.findings.registry import RULES
from rankwise.findings.verdict import PROCESSORS
from rankwise.render.page.contents.parts.place import place_data
from rankwise.render.page.contents.subject import subject
from rankwise.views.node_inside import inside_text

MACHINE = "two-packages.xml"


def data_of(path: Path) -> dict[str, Any]:
    with opened_profile(path) as connection:
        return place_data(subject(path, connection, Plain()))


def cores() -> list[list[int]]:
    """The processors of each core of the machine."""
    processors = recorded(MACHINE)
    return [
        [processor["os"] for processor in processors if processor["core"] == core]
        for core in sorted({processor["core"] for processor in processors})
    ]


def job(tmp_path: Path, hosts: Sequence[str], cpus: Sequence[Sequence[int]]) -> tuple[Path, list[Process]]:
    processes = world(MACHINE, hosts, cpus)
    return made(tmp_path, processes).path, processes


def test_ranks_that_are_bound_and_nodes_that_are_alike(tmp_path: Path) -> None:
    core = cores()
    path, _ = job(tmp_path, ["n01", "n01", "n02", "n02", "n03"], [core[0], core[1]] * 2 + [core[0]])
    data = data_of(path)
    assert data["missing"] == data["unseen"] == ""
    [shape] = data["shapes"]
    assert len(shape["processor"]) == 32
    assert len(set(shape["core"])) == 16
    assert len(set(shape["package"])) == 2
    assert len(set(shape["numa"])) == 4
    assert data["nodes"]["shape"] == [0, 0, 0]
    kind = data["nodes"]["kind"]
    assert kind[0] == kind[1] != kind[2]
    ranks = data["ranks"]
    assert ranks["bound"] == [True] * 5
    assert [cpu_list(data["lists"][which]) for which in ranks["cpus"]] == [
        *[tuple(core[0]), tuple(core[1])] * 2,
        tuple(core[0]),
    ]
    assert ranks["looks"] == [9] * 5
    assert ranks["faults"] == [0] * 5
    assert [fault["kind"] for fault in data["faults"]] == ["fewer ranks"]
    assert data["faults"][0]["hosts"] == [2]


def test_faults_are_marked_on_the_ranks_that_have_them(tmp_path: Path) -> None:
    core = cores()
    every = [cpu for cpus in core for cpu in cpus]
    path, _ = job(tmp_path, ["n01"] * 3 + ["n02"] * 3, [core[0], core[0], core[1], every, every, core[1]])
    data = data_of(path)
    marks = {
        kind: [rank for rank in range(6) if data["ranks"]["faults"][rank] & 1 << number]
        for number, kind in enumerate(data["kinds"])
    }
    assert marks == {"shared core": [0, 1], "not bound": [3, 4]}
    assert data["ranks"]["bound"] == [True, True, True, False, False, True]
    first = data["faults"][0]
    assert (first["kind"], first["ranks"], first["hosts"]) == ("shared core", "0-1", [0])
    assert first["what"] == "ranks 0-1 share core 0 of n01"


def test_what_crowding_may_cost(tmp_path: Path) -> None:
    """Four ranks of 10 s each on the two processors of their node: 4 x 10 s x (1 - 2 / 4)."""
    run = Made(cpus="0-1")
    for processor in range(2):
        run.insert("shape_processors", shape=1, processor=processor, core=processor, kind="any")
    run.insert("node_shapes", host="node", shape=1)
    data = data_of(run.write(tmp_path / "crowded.rankwise"))
    [finding] = data["findings"]
    assert finding["rule"] == "oversubscribed"
    assert finding["seconds"] == pytest.approx(20.0)
    assert data["kinds"] == ["crowded"]


def test_the_rules_that_are_asked_are_there() -> None:
    assert set(PROCESSORS) <= {rule.id for rule in RULES}


def test_without_insides(tmp_path: Path) -> None:
    data = data_of(Made(hosts=["a", "a", "b", "b"]).write(tmp_path / "p.rankwise"))
    assert data["shapes"] == []
    assert "/sys" in data["unseen"]
    assert data["nodes"]["shape"] == [-1, -1]
    assert data["waiting"] is False


def test_bytes_by_node(tmp_path: Path) -> None:
    run = Made(hosts=["a", "a", "b", "b"])
    run.message(0, 1, 100)
    run.message(1, 2, 10)
    run.message(3, 0, 7)
    nodes = data_of(run.write(tmp_path / "p.rankwise"))["nodes"]
    assert (nodes["onNode"], nodes["offNode"], nodes["unplaced"]) == ([100, 0], [10, 7], [0, 0])


def test_waiting_of_collectives(tmp_path: Path) -> None:
    """Rank 3 comes 0.75 s after the others, which wait for it."""
    run = Made()
    run.instance("MPI_Barrier", 1, [1.0, 1.0, 1.0, 1.75], 1.75)
    for rank in range(4):
        run.call(rank, "MPI_Barrier", 0.0 if rank == 3 else 0.75)
    data = data_of(run.write(tmp_path / "p.rankwise"))
    assert data["waiting"] is True
    assert data["ranks"]["waited"] == pytest.approx([0.75, 0.75, 0.75, 0.0])
    assert data["ranks"]["run"] == pytest.approx([10.0] * 4)


def test_the_inside_in_words() -> None:
    processors = tuple(Processor(number, number // 2, None, None, None, None, "any") for number in range(4))
    node = NodePlace(
        "n",
        processors,
        (),
        (
            RankPlace(
                rank=0,
                cpus=(0,),
                seen=(),
                looks=0,
                moves=0,
                omp_threads=None,
                omp_proc_bind="",
                omp_places="",
                tasks=(),
            ),
        ),
    )
    assert inside_text(node) == "2 packages, 4 cores, 4 processors"
    assert inside_text(NodePlace("n", (), (), ())) == ""

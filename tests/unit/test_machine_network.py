"""The key `network` of machine.json: read, written, shown, measured, and refused where it is wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from machines_synthetic import tree

from golden import Golden
from rankwise.__main__ import main
from rankwise.errors import RankwiseError
from rankwise.latency.formats import own
from rankwise.topology.hierarchy.find import find_hierarchy
from rankwise.topology.machine.model import Machine
from rankwise.topology.machine.network import Dragonfly, Matrix, Routes, Torus
from rankwise.topology.machine.read import machine_of, read_machine
from rankwise.topology.machine.write import text_of
from rankwise.topology.sources.measured import machine_from_latency
from rankwise.topology.sources.node_matrix import node_matrix

TWO = [[0, 1], [1, 0]]
FABRIC: dict[str, Any] = {
    "kind": "routes",
    "routers": ["leaf1", "leaf2", "spine"],
    "at": {"n2": "leaf1", "n1": "leaf1", "n3": "leaf2", "n4": "leaf2"},
    "links": [["leaf1", "spine"], ["spine", "leaf2"], ["leaf1", "leaf2"]],
    "mb_s": [12500, 12500, 2500.5],
    "tables": [
        {"share": 0.75, "next": [[None, None, 0, 0], [1, 1, None, None], [0, 0, 1, 1]]},
        {"share": 0.25, "next": [[None, None, 2, 2], [2, 2, None, None], [None] * 4]},
    ],
}


def fabric(**changes: object) -> dict[str, Any]:
    """The fabric with other values; None: without the key."""
    return {key: value for key, value in (FABRIC | changes).items() if value is not None}


def made(network: object, nodes: int = 4) -> Machine:
    levels = [{"name": "node", "count": nodes, "names": f"n[1-{nodes}]"}, {"name": "core", "count": 2}]
    document = {"format": "rankwise-machine", "version": 1, "levels": levels, "network": network}
    return machine_of(json.dumps(document))


NETWORKS: list[tuple[dict[str, Any], object]] = [
    ({"kind": "torus", "dims": [2, 2]}, Torus((2, 2), (True, True))),
    ({"kind": "torus", "dims": [1, 4], "wrap": [True, False]}, Torus((1, 4), (True, False))),
    (
        {"kind": "torus", "dims": [9], "coordinates": {"n2": [1], "n1": [0], "n3": [2], "n4": [8]}},
        Torus((9,), (True,), ((0,), (1,), (2,), (8,))),
    ),
    ({"kind": "dragonfly", "groups": 2, "routers": 1, "nodes": 2}, Dragonfly(2, 1, 2)),
    (
        {
            "kind": "dragonfly",
            "groups": 3,
            "routers": 4,
            "nodes": 8,
            "coordinates": {f"n{n}": [2, n - 1] for n in (1, 2, 3, 4)},
        },
        Dragonfly(3, 4, 8, ((2, 0), (2, 1), (2, 2), (2, 3))),
    ),
    (
        FABRIC,
        Routes(
            ("leaf1", "leaf2", "spine"),
            (0, 0, 1, 1),
            ((0, 2), (2, 1), (0, 1)),
            (12500, 12500, 2500.5),
            (0.75, 0.25),
            (
                ((-1, -1, 0, 0), (1, 1, -1, -1), (0, 0, 1, 1)),
                ((-1, -1, 2, 2), (2, 2, -1, -1), (-1, -1, -1, -1)),
            ),
        ),
    ),
    (
        fabric(mb_s=None, tables=[{"next": table["next"]} for table in FABRIC["tables"]]),
        Routes(
            ("leaf1", "leaf2", "spine"),
            (0, 0, 1, 1),
            ((0, 2), (2, 1), (0, 1)),
            (),
            (0.5, 0.5),
            (
                ((-1, -1, 0, 0), (1, 1, -1, -1), (0, 0, 1, 1)),
                ((-1, -1, 2, 2), (2, 2, -1, -1), (-1, -1, -1, -1)),
            ),
        ),
    ),
]


@pytest.mark.parametrize(("given", "wanted"), NETWORKS)
def test_networks_are_read_and_written(given: dict[str, Any], wanted: object) -> None:
    machine = made(given)
    assert machine.network == wanted
    assert machine_of(text_of(machine)) == machine


def test_a_matrix_is_read_and_written() -> None:
    machine = made({"kind": "matrix", "us_per_byte": TWO, "latency_us": [[0, 2.5], [1e-3, 0]]}, nodes=2)
    assert machine.network == Matrix(((0, 1), (1, 0)), ((0, 2.5), (0.001, 0)))
    assert machine_of(text_of(machine)) == machine


@pytest.mark.parametrize(
    ("network", "complaint"),
    [
        (3, "network"),
        ({}, "network: 'kind' is missing"),
        ({"kind": "mesh"}, "network.kind"),
        ({"kind": "torus"}, "network: 'dims' is missing"),
        ({"kind": "torus", "dims": []}, "network.dims"),
        ({"kind": "torus", "dims": [2, 0]}, "network.dims[1] .. 0"),
        (
            {"kind": "torus", "dims": [2, 3]},
            "network: has 6 nodes, but the machine has 4: give their `coordinates`",
        ),
        ({"kind": "torus", "dims": [2**20, 2**20]}, "network.dims"),
        ({"kind": "torus", "dims": [1] * 17}, "network.dims .. 16"),
        ({"kind": "torus", "dims": [4], "wrap": [1]}, "network.wrap[0]"),
        ({"kind": "torus", "dims": [4], "wrap": []}, "network.wrap .. 1 .. `dims`"),
        ({"kind": "torus", "dims": [4], "speed": 1}, "network: unknown key 'speed'"),
        ({"kind": "torus", "dims": [4], "coordinates": {"n1": [0]}}, "network.coordinates: 'n2' is missing"),
        (
            {"kind": "torus", "dims": [4], "coordinates": {f"n{n}": [n] for n in range(5)}},
            "network.coordinates .. 'n0'",
        ),
        (
            {"kind": "torus", "dims": [4], "coordinates": {f"n{n}": [n] for n in range(1, 5)}},
            "network.coordinates.n4[0] .. 3",
        ),
        (
            {"kind": "torus", "dims": [4], "coordinates": {f"n{n}": [0, 0] for n in range(1, 5)}},
            "network.coordinates.n1 .. 1",
        ),
        ({"kind": "dragonfly", "groups": 2, "routers": 2}, "network: 'nodes' is missing"),
        (
            {"kind": "dragonfly", "groups": 2**20, "routers": 1, "nodes": 1},
            "network.groups",
        ),
        ({"kind": "matrix", "us_per_byte": TWO, "latency_us": TWO}, "network.us_per_byte: must be 4 rows"),
        (
            {"kind": "matrix", "us_per_byte": [[0] * 4] * 4, "latency_us": [[0] * 4, [0] * 3, [], []]},
            "network.latency_us: must be 4 rows of 4 numbers",
        ),
        (
            {"kind": "matrix", "us_per_byte": [[0, -1, 0, 0]] * 4, "latency_us": [[0] * 4] * 4},
            "network.us_per_byte[0][1] .. 0",
        ),
        (fabric(tables=None), "network: 'tables' is missing"),
        (fabric(routers=["leaf1", "leaf1"]), "network.routers: 'leaf1' is given twice"),
        (fabric(at={"n1": "leaf1"}), "network.at: 'n2' is missing"),
        (fabric(at=FABRIC["at"] | {"n3": "leaf3"}), "network.at.n3 .. 'leaf3'"),
        (fabric(at=FABRIC["at"] | {"n5": "leaf1"}), "network.at .. 'n5'"),
        (fabric(links=[["leaf1", "leaf1"]]), "network.links[0]"),
        (fabric(links=[["leaf1"]]), "network.links[0]"),
        (fabric(mb_s=[1]), "network.mb_s .. 3 .. `links`"),
        (fabric(mb_s=[1, 0, 1]), "network.mb_s[1] .. 0"),
        (fabric(tables=[]), "network.tables"),
        (
            fabric(tables=[FABRIC["tables"][0]]),
            "network.tables .. `share` .. 1",
        ),
        (
            fabric(tables=[{"next": [[]]}]),
            "network.tables[0].next .. 3 .. `routers`",
        ),
        (
            fabric(tables=[{"next": [[None] * 3] * 3}]),
            "network.tables[0].next[0] .. 4",
        ),
        (
            fabric(tables=[{"next": [[None, None, 3, 0], [1, 1, None, None], [0, 0, 1, 1]]}]),
            "network.tables[0].next[0][2] .. 2",
        ),
        (
            fabric(tables=[{"next": [[None, None, 1, 0], [1, 1, None, None], [0, 0, 1, 1]]}]),
            "network.tables[0].next[0][2] .. 1 .. leaf1",
        ),
        (
            fabric(tables=[{"next": [[None, None, 0, None], [1, 1, None, None], [0, 0, 1, 1]]}]),
            "network.tables[0].next .. n1 .. n4",
        ),
        (
            fabric(tables=[{"next": [[None, None, 0, 0], [1, 1, None, None], [0, 0, 0, 1]]}]),
            "network.tables[0].next .. n1 .. n3",
        ),
    ],
)
def test_what_is_wrong_is_named(network: object, complaint: str, golden: Golden) -> None:
    with pytest.raises(RankwiseError) as error:
        made(network)
    golden.says(str(error.value), complaint)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("network", "words"),
    [
        (NETWORKS[1][0], "1 x 4 .. 1"),
        (NETWORKS[3][0], "Between nodes: dragonfly of 2 groups x 1 routers x 2 nodes"),
        (
            {"kind": "matrix", "us_per_byte": [[0] * 4] * 4, "latency_us": [[0] * 4] * 4},
            "4",
        ),
        (FABRIC, "Between nodes: 3 routers with 3 links, 2 forwarding tables"),
    ],
)
def test_show_tells_it(
    network: dict[str, Any], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], golden: Golden
) -> None:
    path = tmp_path / "machine.json"
    path.write_text(text_of(made(network)))
    assert main(["machine", "show", str(path)]) == 0
    golden.says(capsys.readouterr().out, words)


def test_a_slow_pair_of_nodes_is_in_the_measured_matrix() -> None:
    """Two ranks on each of five nodes; all between nodes 1 and 3 takes four times as long."""
    planted = tree((2, 5), (0.5, 4.0), (20000, 5000), node=0)
    planted.links[0, 1, 3] = 4.0
    measurement = planted.measure(0.02)
    machine = machine_from_latency(measurement, find_hierarchy(measurement), "F.json").machine
    matrix = node_matrix(machine, measurement)
    place = {host: number for number, host in enumerate(machine.hosts())}
    order = [place[f"node{number}"] for number in range(5)]
    wanted = np.full((5, 5), 1.0)
    wanted[1, 3] = wanted[3, 1] = 4.0
    np.fill_diagonal(wanted, 0.0)
    assert np.array(matrix.latency_us)[np.ix_(order, order)] == pytest.approx(4.0 * wanted, rel=0.1)
    assert np.array(matrix.us_per_byte)[np.ix_(order, order)] == pytest.approx(wanted / 5000, rel=0.1)


def test_from_latency_writes_the_matrix(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    measured, output = tmp_path / "F.json", tmp_path / "machine.json"
    planted = tree((2, 3), (0.5, 4.0), (20000, 5000), node=0)
    own.write(planted.measure(0.02), measured)
    assert main(["machine", "from-latency", str(measured), "--network", "-o", str(output)]) == 0
    capsys.readouterr()
    network = read_machine(output).network
    assert isinstance(network, Matrix)
    assert np.array(network.latency_us)[0, 1:] == pytest.approx(4.0, rel=0.1)


def test_one_node_has_no_matrix(golden: Golden) -> None:
    measurement = tree((4,), (0.5,), (20000,), node=0).measure(0.02)
    machine = machine_from_latency(measurement, find_hierarchy(measurement), "F.json").machine
    with pytest.raises(RankwiseError) as error:
        node_matrix(machine, measurement)
    golden.says(error.value)

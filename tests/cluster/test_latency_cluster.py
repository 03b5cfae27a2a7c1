"""The levels of a machine, and what is slow there, as `rankwise latency` measures them between shaped links.

The machine is known: two nodes on each of two switches. How long messages take is only compared with what
the links make certain; what is asked for is which ranks are near each other. Processes that have nothing to
do with a measurement can disturb it, and all nodes share one machine: up to three are made.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from fabric import Links
from launching import LIMIT_SECONDS, across_nodes, environment, launch, launch_in_order, run
from libraries import Mpi, first_of_each, in_turn
from nodes import Cluster
from recording import RANKWISE

import patience
from rankwise.latency.formats import own
from rankwise.latency.measurement import Measurement
from rankwise.topology.hierarchy.find import find_hierarchy
from rankwise.topology.hierarchy.levels import Hierarchy
from rankwise.topology.hierarchy.slow_nodes import SLOW_LINK_OF_NODE, SLOW_NODE_OR_LINK
from rankwise.topology.machine.slots import numbered

BLOCK = [0, 0, 1, 1, 2, 2, 3, 3]
ROUND_ROBIN = [0, 1, 2, 3, 0, 1, 2, 3]
SHUFFLED = [2, 0, 3, 1, 1, 2, 3, 0]
UNEQUAL = [0, 0, 1, 2, 2, 3]

ATTEMPTS = 3
BLAMES = ("slow node", "slow link of a node", "slow node or its link", "slow link")

LIBRARIES = list(first_of_each(across_nodes(), lambda mpi: mpi.family))


mpi = in_turn(LIBRARIES)


@pytest.fixture
def links(switches: Cluster) -> Links:
    assert switches.links
    return switches.links


@pytest.fixture
def file(switches: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of a measurement, in a directory of its own that all nodes see."""
    directory = switches.directory / tmp_path_factory.mktemp("measurement").name
    directory.mkdir()
    return directory / "found.json"


def start(mpi: Mpi, cluster: Cluster, nodes: Sequence[int]) -> list[str]:
    """The words that start ranks on nodes, without a program; in the launcher's own way where it has one."""
    if nodes == BLOCK:
        return launch(mpi, cluster, 4, "block")
    if nodes == ROUND_ROBIN:
        return launch(mpi, cluster, 4, "round-robin")
    return launch_in_order(mpi, cluster, [cluster.names[node] for node in nodes])


def command(cluster: Cluster, file: Path, words: Sequence[str]) -> list[str]:
    options = ["--quiet", "--force", "--sizes", "64,16k", "--repeats", "10"]
    options += ["--probe-dir", str(cluster.directory / "probes")]
    return [str(RANKWISE), "latency", "-o", str(file), *options, "--", *words]


def measure(mpi: Mpi, cluster: Cluster, file: Path, nodes: Sequence[int]) -> Measurement:
    done = run(mpi, cluster, file.parent, command(cluster, file, start(mpi, cluster, nodes)))
    assert done.returncode == 0, done.stderr
    measured = own.read(file)
    assert measured.host_names() == [cluster.names[node] for node in nodes]
    return measured


def assert_levels(hierarchy: Hierarchy, links: Links, nodes: Sequence[int]) -> None:
    """Nodes, switches and the machine, and each rank in its place."""
    assert [level.name for level in hierarchy.levels] == ["node", "switch", "machine"]
    node, switch, machine = hierarchy.levels
    assert node.groups.tolist() == numbered(nodes).tolist()
    assert switch.groups.tolist() == numbered([links.fabric.switch_of(n) for n in nodes]).tolist()
    assert set(machine.groups.tolist()) == {0}
    assert switch.cost.latency_us is not None
    assert switch.cost.latency_us >= 2 * links.fabric.delay_us
    assert machine.cost.latency_us is not None
    assert machine.cost.latency_us >= 2 * links.fabric.delay_us + 2 * links.fabric.uplink_delay_us


def find(mpi: Mpi, links: Links, file: Path, nodes: Sequence[int], slow: set[str]) -> Hierarchy:
    """Measure until the levels are found, and no other nodes or links are blamed than the slow ones."""
    for attempt in range(ATTEMPTS):
        hierarchy = find_hierarchy(measure(mpi, links.cluster, file, nodes))
        try:
            assert_levels(hierarchy, links, nodes)
            # Of single ranks and pairs, some are slow on a busy machine.
            blamed = {outlier.where for outlier in hierarchy.outliers if outlier.kind in BLAMES}
            assert blamed == slow
            # Of two ranks on a node, chance may make them share a processor: then it may be the node, too.
            kinds = {outlier.kind for outlier in hierarchy.outliers if outlier.where in slow}
            assert kinds <= {SLOW_LINK_OF_NODE, SLOW_NODE_OR_LINK}
        except AssertionError:
            if attempt == ATTEMPTS - 1:
                raise
        else:
            break
    return hierarchy


@pytest.mark.parametrize(
    "nodes",
    [
        pytest.param(BLOCK, marks=pytest.mark.exhaustive, id="block"),
        pytest.param(ROUND_ROBIN, marks=pytest.mark.exhaustive, id="round-robin"),
        pytest.param(SHUFFLED, marks=pytest.mark.exhaustive, id="shuffled"),
        pytest.param(UNEQUAL, id="unequal"),
    ],
)
def test_levels_are_found(mpi: Mpi, links: Links, file: Path, nodes: Sequence[int]) -> None:
    find(mpi, links, file, nodes, slow=set())


@pytest.mark.exhaustive  # 8 s; a slow node is found in the same way
def test_a_slow_link_is_named(mpi: Mpi, links: Links, file: Path) -> None:
    with links.slow_link(3, "40mbit"):
        hierarchy = find(mpi, links, file, ROUND_ROBIN, slow={"node3"})
    (slow,) = [
        outlier for outlier in hierarchy.outliers if (outlier.where, outlier.what) == ("node3", "bandwidth")
    ]
    assert slow.value < 5.5 < slow.expected  # MB/s; some bytes go before the shaper counts


def test_a_slow_node_is_named(mpi: Mpi, links: Links, file: Path) -> None:
    with links.slow_node(1, 600):
        hierarchy = find(mpi, links, file, SHUFFLED, slow={"node1"})
    latencies = [
        outlier for outlier in hierarchy.outliers if (outlier.where, outlier.what) == ("node1", "latency")
    ]
    assert latencies
    assert all(outlier.value >= 2 * links.fabric.delay_us + 600 for outlier in latencies)
    shown = subprocess.run([str(RANKWISE), "latency", "show", str(file)], capture_output=True, text=True)
    assert shown.returncode == 0, shown.stderr
    assert "node1" in shown.stdout


def assert_one_line(stderr: str) -> None:
    """Rankwise says one thing; launchers may say more."""
    assert "Traceback" not in stderr
    assert len([line for line in stderr.splitlines() if line.startswith("rankwise: ")]) == 1, stderr


def test_a_host_that_is_not_there(mpi: Mpi, switches: Cluster, file: Path) -> None:
    words = launch_in_order(mpi, switches, ["node0", "node1", "node9"])
    done = run(mpi, switches, file.parent, command(switches, file, words))
    assert done.returncode != 0
    assert_one_line(done.stderr)
    assert list(file.parent.iterdir()) == []


def processes(cluster: Cluster, number: int) -> list[int]:
    """All that runs on a node but its first process."""
    link = subprocess.run(
        cluster.on(number, "readlink", "/proc/self/ns/net"), capture_output=True, text=True, check=True
    )
    pids = []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            there = str((entry / "ns" / "net").readlink()) == link.stdout.strip()
            if there and (entry / "cmdline").read_bytes() != b"sleep\0infinity\0":
                pids.append(int(entry.name))
    return pids


def test_a_node_that_dies(mpi: Mpi, switches: Cluster, file: Path) -> None:
    job = subprocess.Popen(
        switches.on(0, *command(switches, file, start(mpi, switches, BLOCK)), cwd=file.parent),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(mpi),
    )
    with job:
        patience.wait_until(
            lambda: job.poll() is not None or list(file.parent.glob("*/progress")), LIMIT_SECONDS
        )
        assert job.poll() is None
        for process in processes(switches, 3):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        _, said = job.communicate(timeout=LIMIT_SECONDS)
    assert job.returncode != 0
    assert_one_line(said)
    assert list(file.parent.iterdir()) == []

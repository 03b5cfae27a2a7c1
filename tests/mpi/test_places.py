"""Where ranks and their threads run, and what their node is like: programs/places.c, on every MPI."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from libraries import Mpi
from recording import Compile, Record, Recording, run_on

from rankwise.cpulist import cpu_list

RANKS = 2
REGIONS = 20
CPU = min(os.sched_getaffinity(0))


def of_nodes(done: Recording) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(done.shown("--by", "node", "--json"))
    return answer


def test_cores_that_a_rank_was_seen_on(record: Record) -> None:
    done = record("places.c", RANKS, str(CPU))
    rows = done.rows(
        "SELECT seen, looks, moves, cpus_stop, cpu_stop, tasks FROM places"
        " JOIN ranks ON ranks.rank = places.rank"
    )
    assert len(rows) == RANKS
    for seen, looks, moves, cpus_stop, stop, tasks in rows:
        # It ran where the system put it until it was bound, and there from then on.
        others = set(cpu_list(str(seen))) - {CPU}
        assert CPU in cpu_list(str(seen))
        assert len(others) <= 1
        assert moves == len(others)
        assert looks >= REGIONS + 2  # type: ignore[operator]
        assert (cpus_stop, stop) == (str(CPU), CPU)
        assert tasks >= 1  # type: ignore[operator]


def test_two_ranks_on_one_core(record: Record) -> None:
    faults = of_nodes(record("places.c", RANKS, str(CPU)))["place_faults"]
    # (A thread of the MPI library itself may be busy meanwhile: in so short a job, for a large part of it.)
    [fault] = [fault for fault in faults if not fault["kind"].startswith("threads ")]
    assert fault["kind"] == "shared core"
    assert fault["ranks"] == [0, 1]
    assert fault["what"].startswith(f"ranks 0-1 share core {CPU} of ")


def test_threads_that_share_a_core(record: Record) -> None:
    done = record("places.c", RANKS, str(CPU), "3")
    busy = done.rows(
        "SELECT rank, COUNT(*), MIN(busy) FROM tasks WHERE busy >= 0.25 AND cpus_allowed = ? GROUP BY rank",
        str(CPU),
    )
    assert [(rank, count) for rank, count, _ in busy] == [(0, 3), (1, 3)]
    kinds = {fault["kind"]: fault for fault in of_nodes(done)["place_faults"]}
    assert kinds["threads crowded"]["ranks"] == [0, 1]
    assert "has 3 threads on 1 processor" in kinds["threads crowded"]["what"]


def sysfs(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n")
    return root


def two_packages(root: Path) -> Path:
    """Make files as the kernel's: two packages of two cores of two hardware threads, one for efficiency."""
    files = {
        "devices/system/cpu/online": "0-7",
        "devices/system/node/online": "0-1",
        "devices/cpu_core/cpus": "0-2,4-6",
        "devices/cpu_atom/cpus": "3,7",
        "class/infiniband/mlx5_0/device/numa_node": "1",
        "class/net/eth0/device/numa_node": "0",  # the other side of a card that has been told of
        "class/net/lo/mtu": "65536",
        "class/drm/card0/device/numa_node": "0",
        "class/drm/card0-HDMI-A-1/device/numa_node": "0",
        "class/drm/card1/device/numa_node": "-1",
    }
    for node in range(2):
        files[f"devices/system/node/node{node}/cpulist"] = (
            f"{2 * node}-{2 * node + 1},{2 * node + 4}-{2 * node + 5}"
        )
    for cpu in range(8):
        package, core = cpu % 4 // 2, cpu % 4
        mates = files[f"devices/system/node/node{package}/cpulist"]
        here = f"devices/system/cpu/cpu{cpu}"
        files |= {
            f"{here}/topology/physical_package_id": str(package),
            f"{here}/topology/core_siblings_list": mates,
            f"{here}/topology/thread_siblings_list": f"{core},{core + 4}",
            f"{here}/cache/index0/level": "1",
            f"{here}/cache/index1/level": "3",
            f"{here}/cache/index1/shared_cpu_list": mates,
            f"{here}/cache/index1/size": "32768K",
        }
    return sysfs(root, files)


def test_the_node_as_the_kernel_tells_it(
    mpi: Mpi, compiled: Compile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RANKWISE_TEST_SYSFS", str(two_packages(tmp_path / "sys")))
    program = compiled(mpi, "places.c")
    done = run_on(mpi, mpi.launch(RANKS, program, str(CPU)), tmp_path / "a.rankwise")
    assert done.process.returncode == 0, done.process.stderr
    assert done.rows("SELECT COUNT(DISTINCT shape), COUNT(*) FROM node_shapes") == [(1, 1)]
    assert done.rows("SELECT release FROM kernels") == [(os.uname().release,)]
    cache = 32 << 20
    kinds = ["performance", "performance", "performance", "efficiency"] * 2
    assert done.rows("SELECT * FROM shape_processors ORDER BY processor") == [
        (1, cpu, cpu % 4 // 2, cpu % 4 // 2, cpu % 4 // 2 * 2, cpu % 4, cache, kinds[cpu]) for cpu in range(8)
    ]
    assert done.rows("SELECT kind, name, numa FROM shape_devices ORDER BY kind, name") == [
        ("gpu", "card0", 0),
        ("gpu", "card1", None),
        ("network", "mlx5_0", 1),
    ]


def test_the_real_node(record: Record) -> None:
    done = record("places.c", RANKS, str(CPU))
    processors = {cpu for (cpu,) in done.rows("SELECT processor FROM shape_processors")}
    online = Path("/sys/devices/system/cpu/online").read_text().strip()
    assert processors == set(cpu_list(online))
    assert f"{len(processors)} processor" in done.shown("--by", "node")

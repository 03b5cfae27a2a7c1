"""`rankwise where` on nodes: it compares distributions, and a run with the best one is as predicted."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from launching import LIMIT_SECONDS, across_nodes, launch, record_success, run
from libraries import Mpi, first_of_each
from nodes import Cluster
from recording import RANKWISE, Recording

# As in test_map_launched.py: of 4 ranks in a ring, neighbours share a node in blocks, and never in turns.
ALL = across_nodes()
FIRST = list(first_of_each(ALL, lambda mpi: mpi.family))
LIBRARIES = [pytest.param(mpi, marks=() if mpi in FIRST else pytest.mark.exhaustive) for mpi in ALL]
NODES = 2
SECONDS = 4 * LIMIT_SECONDS  # for a launch of each distribution


def where(mpi: Mpi, cluster: Cluster, place: Path, *words: str | Path) -> subprocess.CompletedProcess[str]:
    options = ["--json", "--probe-dir", cluster.directory]
    return run(mpi, cluster, place, [str(word) for word in (RANKWISE, "where", *options, *words)], SECONDS)


def off_node(done: Recording) -> int:
    hosts = dict(done.rows("SELECT rank, host FROM ranks"))
    sizes = {pair: size for pair, (_, size) in done.messages().items()}
    return sum(size for (source, target), size in sizes.items() if hosts[source] != hosts[target])


@pytest.mark.parametrize("mpi", LIBRARIES, ids=lambda mpi: mpi.name)
def test_ranks_that_were_dealt_out(
    mpi: Mpi, cluster: Cluster, ring: Callable[[Mpi], Path], place: Path
) -> None:
    words = launch(mpi, cluster, NODES, "round-robin", ring(mpi))
    done = record_success(mpi, cluster, place, words)
    hosts = [host for (host,) in done.rows("SELECT host FROM ranks ORDER BY rank")]
    looked = where(mpi, cluster, place, "--for", done.path, "--kind", "program", "--", *words)
    assert looked.returncode == 0, looked.stderr
    answer: dict[str, Any] = json.loads(looked.stdout)
    assert [rank["host"] for rank in answer["ranks"]] == hosts
    given, *others = answer["launches"]
    assert given["bytes_off_node"] == off_node(done)
    assert {tuple(launch["options"]) for launch in others} >= {cyclic(mpi)} - {options(words)}
    started = [launch for launch in others if launch["cost"] is not None]
    assert all(launch["nodes"] >= 1 for launch in started)
    assert list(place.glob("rankwise-where-*")) == []
    chosen = answer["recommended"]
    if mpi.family == "openmpi":
        assert chosen == ["--map-by", "core"]
        again = [word for word in words if word not in ("--map-by", "node")]
        again[1:1] = chosen
        (place / "again").mkdir()
        repeated = record_success(mpi, cluster, place / "again", again)
        [row] = [launch for launch in started if launch["options"] == chosen]
        assert off_node(repeated) == row["bytes_off_node"] < given["bytes_off_node"]


def cyclic(mpi: Mpi) -> tuple[str, ...]:
    return ("--map-by", "node") if mpi.family == "openmpi" else ("-ppn", "1")


def options(words: list[str]) -> tuple[str, ...]:
    """What distributes the ranks in a launch of these tests."""
    place = next(number for number, word in enumerate(words) if word in ("--map-by", "-ppn"))
    return (words[place], words[place + 1])


@pytest.mark.parametrize("mpi", LIBRARIES[:1], ids=lambda mpi: mpi.name)
def test_a_launch_that_fails(mpi: Mpi, cluster: Cluster, place: Path) -> None:
    words = launch(mpi, cluster, NODES, "block", "./app")
    words[words.index("-n") + 1] = "9"
    done = where(mpi, cluster, place, "--", *words)
    assert done.returncode != 0
    assert done.stdout == ""
    assert done.stderr.splitlines()[-1].startswith("rankwise: ")
    assert list(place.iterdir()) == []

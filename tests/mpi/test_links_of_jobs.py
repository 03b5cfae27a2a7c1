"""Transposes of a real job on a recorded fabric: programs/fft.c, one rank on each host."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from libraries import Mpi
from recording import LIMIT_SECONDS, RANKWISE, Compile, Recording, run_on

FABRIC = Path(__file__).parents[1] / "fabrics" / "tsubame-r1-ftree"
RANKS, COLUMNS, BLOCK = 16, 8, 16384
# Every 16th host: each has a switch of its own, so that all messages cross the fabric.
HOSTS = ",".join(f"t2a{16 * rank + 1:06}" for rank in range(RANKS))


def links(*words: str | Path) -> dict[str, Any]:
    command = [str(RANKWISE), "links", *map(str, words), "--fabric", str(FABRIC), "--place", HOSTS, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_SECONDS)
    assert (done.returncode, done.stderr) == (0, "")
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def record(mpi: Mpi, compiled: Compile, output: Path, *words: str) -> Recording:
    command = mpi.launch(RANKS, compiled(mpi, "fft.c"), *words)
    done = run_on(mpi, command, output, "--see-all")
    assert done.process.returncode == 0, done.process.stderr
    return done


def direct(done: Recording, communicator: str) -> bool:
    """Whether each rank sends each other one its block, as libraries do it above some size."""
    sent = done.messages(communicator, "in-collective", "MPI_Alltoall")
    return {size for _, size in sent.values()} == {BLOCK}


def test_slabs_load_links_as_all_to_all_does(mpi: Mpi, compiled: Compile, tmp_path: Path) -> None:
    done = record(mpi, compiled, tmp_path / "slabs.rankwise", "1", str(BLOCK))
    if not direct(done, "W_s1.0"):
        pytest.skip("the library sends blocks by way of other ranks, or hides its messages")
    answer = links(done.path, "--call", "alltoall")
    assert answer["classes"] == links("--all-to-all", str(BLOCK))["classes"]
    assert answer["job"]["bytes_on_links"] == RANKS * (RANKS - 1) * BLOCK
    assert [row["cause"]["communicator"] for row in answer["causes"]] == ["W_s1.0"]
    assert answer["sentences"][0].startswith("Alltoall on W_s1.0 loads ")


def test_pencils_are_two_causes(mpi: Mpi, compiled: Compile, tmp_path: Path) -> None:
    done = record(mpi, compiled, tmp_path / "pencils.rankwise", "2", str(BLOCK), str(COLUMNS))
    if not done.messages("W_s1.0", "in-collective", "MPI_Alltoall"):
        pytest.skip("the library hides its messages")
    answer = links(done.path, "--call", "alltoall")
    causes = {row["cause"]["communicator"]: row["cause"]["communicators"] for row in answer["causes"]}
    assert causes == {"W_s1": RANKS // COLUMNS, "W_s2": COLUMNS}
    alone = links(done.path, "--call", "alltoall", "--communicator", "W_s2")
    assert {row["cause"]["communicator"] for row in alone["causes"]} == {"W_s2"}
    whole = {row["cause"]["communicator"]: row["on_links"] for row in answer["causes"]}
    assert alone["job"]["bytes_on_links"] == whole["W_s2"]
    assert sum(whole.values()) == answer["job"]["bytes_on_links"]

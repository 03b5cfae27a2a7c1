"""`rankwise map verify`: a job in a bad order, before and after, on nodes with slow links."""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import nodes
import pytest
from launching import across_nodes, launch, record_success, run
from libraries import Mpi, first_of_each
from recording import RANKWISE

PARTNERS = Path(__file__).parent / "programs" / "partners.c"
LIBRARIES = list(first_of_each(across_nodes(), lambda mpi: mpi.family))
SIZE, ROUNDS, RANKS = 500_000, 4, 6
ALL_BYTES = (
    SIZE * ROUNDS * RANKS
)  # 2 MB from and to each rank: 0.6 s through links of 50 Mbit/s for two ranks
LIMIT_SECONDS = 100


def verified(
    mpi: Mpi, cluster: nodes.Cluster, place: Path, profile: Path, words: list[str], *options: str
) -> subprocess.CompletedProcess[str]:
    command = [str(RANKWISE), "map", "verify", str(profile), "--kind", "program", *options, "--", *words]
    return run(mpi, cluster, place, command, LIMIT_SECONDS)


@pytest.mark.exhaustive  # 17 s; test_map_verify_job.py compares on one node
@pytest.mark.parametrize("mpi", LIBRARIES, ids=lambda mpi: mpi.name)
def test_partners_that_were_parted(mpi: Mpi, slow: nodes.Cluster) -> None:
    """Dealt out in turns, no partners share a node; in the new order all do."""
    place = Path(tempfile.mkdtemp(prefix="test-", dir=slow.directory))
    program = place / "partners"
    mpi.compile(program, PARTNERS)
    words = launch(mpi, slow, 3, "round-robin", program, str(SIZE), str(ROUNDS))
    profile = record_success(mpi, slow, place, words).path
    kept, output = place / "kept", place / "placement"
    options = ["--pairs", "3", "--confidence", "75", "--json", "--keep", str(kept), "-o", str(output)]
    done = verified(mpi, slow, place, profile, words, *options)
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    before, after = ([run["bytes_off_node"] for run in answer[side]] for side in ("before", "after"))
    assert set(before) == {answer["present"]["bytes_off_node"]} == {ALL_BYTES}
    assert set(after) == {answer["found"]["bytes_off_node"]} == {0}
    interval = answer["interval"]
    assert len(before) == len(after) == interval["pairs"] == 3
    assert interval["confidence"] == 0.75
    assert interval["low"] <= interval["ratio"] <= interval["high"]
    assert (answer["verdict"] == "faster") == (interval["low"] > 1)
    assert answer["again"] == ""
    names = {path.name for path in kept.iterdir()}
    assert {"warm-up.before.rankwise", "warm-up.after.out", "03.after.rankwise"} <= names
    assert (output.is_dir(), bool(answer["command"])) == ((answer["verdict"] == "faster",) * 2)
    assert "3 pairs = 6 runs" in done.stderr


# Starts the ranks as before, whatever it is told of places.
DEAF = """#!/bin/sh
left=$#
while [ $left -gt 0 ]; do
  word=$1; shift; left=$((left - 1))
  case $word in
    --host | --hostfile | --map-by) shift; left=$((left - 1)) ;;
    *) set -- "$@" "$word" ;;
  esac
done
exec {launcher} --host {hosts} --map-by node "$@"
"""


def test_a_launcher_that_does_not_listen(slow: nodes.Cluster) -> None:
    """It must not be taken for a placement that is worth nothing."""
    mpi = next((mpi for mpi in LIBRARIES if mpi.family == "openmpi"), None)
    if mpi is None:
        pytest.skip("Open MPI is missing")
    place = Path(tempfile.mkdtemp(prefix="test-", dir=slow.directory))
    program, deaf = place / "partners", place / "mpirun"
    mpi.compile(program, PARTNERS)
    deaf.write_text(DEAF.format(launcher=mpi.mpirun, hosts=",".join(f"{name}:2" for name in slow.names)))
    deaf.chmod(0o755)
    words = launch(mpi, slow, 3, "round-robin", program, "1000", "1")
    profile = record_success(mpi, slow, place, words).path
    done = verified(mpi, slow, place, profile, [str(deaf), *words[1:]], "--pairs", "1")
    assert (done.returncode, done.stdout) == (1, "")
    assert re.search(r"^rankwise: .*\brank \d\b.*\bnode\d\b.*\bnode\d\b", done.stderr, re.MULTILINE)

"""Jobs that hang in a known way, and are ended by a time limit: why, in the profile and while they hang."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import libraries
import pytest
from jobs import LIMIT_SECONDS, RANKS, Job, Place
from libraries import Mpi
from recording import RANKWISE, Compile

HUNG_S = 1.5

mpi = libraries.in_turn(libraries.ONE_OF_EACH_LAUNCHER)


def waiting(job: Job) -> int:
    """How many ranks are inside a call that they called after MPI_Barrier."""
    threads = [counters.threads for counters in job.counters()]
    return sum(bool(rank["inside_key"].any() and rank["left_key"].any()) for rank in threads)


def until_it_hangs(job: Job, ranks: int) -> None:
    """Wait until so many ranks are inside the calls that they never leave."""
    start = time.monotonic()
    job.wait_until_ready()
    while waiting(job) < ranks:
        assert time.monotonic() < start + LIMIT_SECONDS, job.stderr
        time.sleep(0.05)


def hang_of(place: Place, what: str, ranks: int) -> dict[str, Any]:
    """What the profile says of a run that was ended when so many ranks had hung for HUNG_S."""
    with place.start(what) as job:
        until_it_hangs(job, ranks)
        time.sleep(HUNG_S)
        os.kill(job.process.pid, signal.SIGTERM)
        job.wait()
        done = place.recorded(job)
    summary = json.loads(done.shown("--json"))
    hang: dict[str, Any] = summary["hang"]
    assert hang is not None, summary["places"]
    # The time in the hang is time in MPI, and weighs in the findings.
    assert hang["lost_seconds"] >= HUNG_S
    assert hang["lost_percent_of_run"] > 10
    assert summary["efficiency"]["parallel"] < 1
    return hang


def ring(hang: dict[str, Any]) -> list[tuple[str, str, str]]:
    return [(step["ranks"], step["procedure"] or "", step["waits_for"]) for step in hang["steps"]]


EVERYBODY = f"0-{RANKS - 1}"
OTHERS_THAN_0 = f"1-{RANKS - 1}"


@pytest.mark.parametrize(
    ("what", "ranks", "kind", "root", "expected"),
    [
        ("cycle", RANKS, "cycle", "1-2", [("1", "MPI_Recv", "2"), ("2", "MPI_Recv", "1")]),
        (
            *("tag", RANKS, "unmatched", EVERYBODY),
            [("0", "MPI_Recv", "1"), (OTHERS_THAN_0, "MPI_Barrier", "0")],
        ),
        (
            *("bcast", RANKS, "mismatch", EVERYBODY),
            [("0", "MPI_Barrier", OTHERS_THAN_0), (OTHERS_THAN_0, "MPI_Bcast", "0")],
        ),
        (
            *("waitall", RANKS, "cycle", EVERYBODY),
            [("0", "MPI_Waitall", "2"), (OTHERS_THAN_0, "MPI_Barrier", "0")],
        ),
        (
            *("send", RANKS, "ended", EVERYBODY),
            [("0", "MPI_Ssend", "1"), (OTHERS_THAN_0, "MPI_Finalize", "0")],
        ),
    ],
)
def test_why_a_job_hangs(
    mpi: Mpi,
    compiled: Compile,
    tmp_path: Path,
    what: str,
    ranks: int,
    kind: str,
    root: str,
    expected: list[tuple[str, str, str]],
) -> None:
    hang = hang_of(Place(mpi, compiled(mpi, "deadlocks.c"), tmp_path), what, ranks)
    assert (hang["kind"], hang["is_deadlock"], hang["root"]) == (kind, True, root)
    assert ring(hang) == expected
    assert all(step["certain"] for step in hang["steps"])
    left_over = [
        (message["source"], message["destination"], message["tag"]) for message in hang["steps"][0]["found"]
    ]
    assert left_over == ([(1, 0, 8)] if what == "tag" else [])


@pytest.mark.parametrize(
    ("what", "late", "procedure", "collective"),
    [("barrier", "1", "MPI_Barrier", None), ("iallreduce", "2", "MPI_Wait", "MPI_Iallreduce")],
)
def test_one_that_computes_is_no_deadlock(
    mpi: Mpi, compiled: Compile, tmp_path: Path, what: str, late: str, procedure: str, collective: str | None
) -> None:
    hang = hang_of(Place(mpi, compiled(mpi, "deadlocks.c"), tmp_path), what, RANKS - 1)
    assert (hang["kind"], hang["is_deadlock"], hang["root"]) == ("computing", False, late)
    first, last = hang["steps"]
    assert (first["procedure"], first["waits_for"], first["collective"]) == (procedure, late, collective)
    assert first["count"] == RANKS - 1
    assert (last["ranks"], last["state"]) == (late, "outside")


def test_a_job_that_hangs_and_runs(mpi: Mpi, compiled: Compile, tmp_path: Path) -> None:
    place = Place(mpi, compiled(mpi, "deadlocks.c"), tmp_path)
    with place.start("tag") as job:
        until_it_hangs(job, RANKS)
        start = time.monotonic()
        while (hang := top(place)) is None:
            assert time.monotonic() < start + LIMIT_SECONDS, job.stderr
        os.kill(job.process.pid, signal.SIGTERM)
        job.wait()
        after = json.loads(place.recorded(job).shown("--json"))["hang"]
    assert (hang["kind"], hang["is_deadlock"], hang["root"]) == ("unmatched", True, EVERYBODY)
    assert all("deadlocks" in step["site"] for step in hang["steps"])
    # What is said while it runs is said of its profile, too.
    assert (after["kind"], after["root"], ring(after)) == (hang["kind"], hang["root"], ring(hang))
    assert [step["site"] for step in after["steps"]] == [step["site"] for step in hang["steps"]]


def top(place: Place) -> dict[str, Any] | None:
    """What a look at the running job says."""
    words = [*(str(RANKWISE), "top", "--once", "--json", "--every", "0.5"), str(place.run_directory)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=LIMIT_SECONDS, check=True)
    hang: dict[str, Any] | None = json.loads(done.stdout)["worlds"][0]["hang"]
    return hang

"""`rankwise tune machine` on each library: what is written, resuming after a kill, and what is refused.

How fast anything is is not for tests: what was found is compared with what was written.
"""

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
from libraries import Mpi
from recording import LIMIT_SECONDS, RANKWISE, Compile

from golden import assert_facts
from rankwise.tuning.machine.results import Kept
from rankwise.tuning.settings.file import read

# (Intel MPI needs a launch for each time.)
LIBRARIES = [
    library for library in libraries.ONE_OF_EACH_LAUNCHER if library.family != "mpiabi" and not library.vendor
]
mpi = libraries.in_turn(LIBRARIES)

SMALL = ("--call", "bcast", "--sizes", "8", "--resolve", "0.1", "--confidence", "60")


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Keeps the probes of all tests: each library's is compiled once."""
    return tmp_path_factory.mktemp("cache")


def _words(mpi: Mpi, *options: str) -> list[str]:
    return [str(RANKWISE), "tune", "machine", "--mpicc", mpi.mpicc, *options]


def _environment(mpi: Mpi, cache: Path) -> dict[str, str]:
    return {**mpi.env(), "XDG_CACHE_HOME": str(cache)}


def _machine(mpi: Mpi, cache: Path, place: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        _words(mpi, *options),
        capture_output=True,
        text=True,
        timeout=4 * LIMIT_SECONDS,
        env=_environment(mpi, cache),
        cwd=place,
        stdin=subprocess.DEVNULL,
    )


def _check_files(mpi: Mpi, compiled: Compile, answer: dict[str, Any], place: Path) -> None:
    """What is written holds the rules that were found, and a program runs with it."""
    written = [row["rule"] for row in answer["rules"] if row["written"]]
    assert bool(written) == bool(answer["files"]) == (place / "m.json").exists()
    if not written:
        return
    settings = read(place / "m.json")
    assert [(rule.procedure, rule.processes, rule.low, rule.high) for rule in settings.rules] == [
        (rule["procedure"], rule["processes"], rule["low"], rule["high"]) for rule in written
    ]
    program = compiled(mpi, "collectives_given.c")
    command = mpi.launch(2, program, "2", "bcast:8:10:world", "bcast:1024:10:world")
    done = subprocess.run(
        [str(RANKWISE), "run", "-q", "--with", "m.json", "-o", "p.rankwise", "--", *command],
        env=mpi.env(),
        cwd=place,
        capture_output=True,
        text=True,
        timeout=LIMIT_SECONDS,
    )
    assert done.returncode == 0, done.stderr


def test_the_second_call_has_nothing_to_do(mpi: Mpi, compiled: Compile, cache: Path, tmp_path: Path) -> None:
    launch = ("-o", "m.json", "--json", *SMALL, "--", *mpi.launch(2))
    done = _machine(mpi, cache, tmp_path, *launch)
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    assert [(point["procedure"], point["processes"], point["size"]) for point in answer["measured"]] == [
        ("MPI_Bcast", 2, 8),
    ]
    assert all(point["algorithm"] or point["why_default"] for point in answer["measured"])
    assert (answer["failed"], answer["ended"]) == ({}, "")
    assert_facts(done.stderr, "rankwise: 1 point .. 1 of 1")
    _check_files(mpi, compiled, answer, tmp_path)
    kept = Kept(tmp_path / "m.measured.jsonl")
    assert {arm.rejected for race in kept.results.raced.values() for arm in race.arms} <= {""}
    lines = (tmp_path / "m.measured.jsonl").read_text().splitlines()
    again = _machine(mpi, cache, tmp_path, *launch)
    assert again.returncode == 0, again.stderr
    # No race is run again. Where the winner gained nothing by the library's file, the runner-up is tried now.
    now = Kept(tmp_path / "m.measured.jsonl").results
    assert now.raced == kept.results.raced
    if all(point["algorithm"] or "file" not in point["why_default"] for point in answer["measured"]):
        assert json.loads(again.stdout)["measured"] == answer["measured"]
        # Only the launch was noted.
        assert len((tmp_path / "m.measured.jsonl").read_text().splitlines()) == len(lines) + 1
    shown = _machine(
        mpi, cache, tmp_path, "--show", "m.json", "--json", "--resolve", "0.1", "--confidence", "60"
    )
    assert shown.returncode == 0, shown.stderr
    assert json.loads(shown.stdout)["measured"] == json.loads(again.stdout)["measured"]


def test_a_call_that_is_killed_goes_on(mpi: Mpi, cache: Path, tmp_path: Path) -> None:
    launch = ("-o", "m.json", *SMALL, "--", *mpi.launch(2))
    path = tmp_path / "m.measured.jsonl"
    with subprocess.Popen(
        _words(mpi, *launch),
        env=_environment(mpi, cache),
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as job:
        end = time.monotonic() + LIMIT_SECONDS
        while job.poll() is None and not (path.exists() and b"race" in path.read_bytes()):
            assert time.monotonic() < end, "nothing was measured"
            time.sleep(0.02)
        os.killpg(job.pid, signal.SIGKILL)
    before = path.read_text().count(" race ")
    assert before
    done = _machine(mpi, cache, tmp_path, *launch)
    assert done.returncode == 0, done.stderr
    results = Kept(path).results
    assert len(results.raced) == 1
    assert path.read_text().count(" race ") >= before
    assert not results.failed


def test_a_budget_and_an_interrupt_keep_what_there_is(mpi: Mpi, cache: Path, tmp_path: Path) -> None:
    done = _machine(
        mpi, cache, tmp_path, "-o", "m.json", "--sizes", "8,64,512,4K", "--budget", "8s", "--", *mpi.launch(2)
    )
    if done.returncode == 0:
        assert (tmp_path / "m.measured.jsonl").stat().st_size
    else:  # the machine is so busy that the job did not start
        assert_facts(done.stderr, "--budget")
        assert not list(tmp_path.iterdir())
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (["--sizes", "8,x"], "--sizes .. 'x'"),
        (["--call", "bcast,foo"], "--call .. 'foo' .. allgather"),
        (["--node-counts", "9"], "--node-counts .. 1 node .. 9"),
        (["--node-counts", "0"], "--node-counts 0"),
        (["--ranks-per-node", "99"], "--ranks-per-node .. 99"),
        (["--ranks-per-node", "1"], ""),
        (["--assume", "luck"], "--assume .. 'luck' .. commutative"),
        (["--predicted-counts", "x"], "--predicted-counts x"),
        (["--check", "x"], "--check .. machine"),
        (["--show", "m.json"], "--show .. -o"),
    ],
)
def test_what_is_refused(mpi: Mpi, cache: Path, tmp_path: Path, options: list[str], line: str) -> None:
    done = _machine(mpi, cache, tmp_path, "-o", "m.json", *options, "--", *mpi.launch(2))
    assert done.returncode == 2, done.stderr
    assert_facts(done.stderr.splitlines()[-1], line)
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.exhaustive
@pytest.mark.timeout(400)
def test_all_collectives_of_a_small_machine(mpi: Mpi, compiled: Compile, cache: Path, tmp_path: Path) -> None:
    """Every algorithm of every collective, on 2 and 3 ranks: what comes out is whole."""
    options = ("--sizes", "8,4K", "--ranks-per-node", "2,3", "--assume", "commutative,not-in-place")
    launch = ("-o", "m.json", "--json", *options, "--budget", "90s", "--", *mpi.launch(3))
    done = _machine(mpi, cache, tmp_path, *launch)
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    # (With fewer processors than ranks, a round can take too long.)
    assert all("does not end" in why for why in answer["failed"].values())
    processes = {cell["processes"] for cell in answer["measured"]}
    if answer["ended"]:
        assert processes
        assert processes <= {2, 3}
    else:
        assert processes == {2, 3}
        assert len({cell["procedure"] for cell in answer["measured"]}) >= 8
    _check_files(mpi, compiled, answer, tmp_path)

"""A node loses its keeper, or all that it keeps: what was counted is exact as far as it can be there."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import time
from dataclasses import replace
from pathlib import Path

import libraries
import pytest
from jobs import LIMIT_SECONDS, RANKS, VICTIM, Job, Place, assert_known_calls, partial
from keepers import assert_gone, keeper_of, memory_of, wait_for_end
from recording import Recording, rankwise

import patience
from golden import assert_facts
from rankwise.profile.collect import node_memory
from rankwise.profile.collect.keys import part
from rankwise.profile.collect.node_files import read_node_file
from rankwise.profile.collect.procedures import PROCEDURES

LONG_AGO = 1_000_000_000


mpi = libraries.in_turn(libraries.ONE_OF_EACH)


def stop_one_that_saves(keeper: int) -> int:
    """Stop a child of the keeper that has stood back, and return its process id."""

    def stopped() -> int:
        for child in map(int, Path(f"/proc/{keeper}/task/{keeper}/children").read_text().split()):
            with contextlib.suppress(ProcessLookupError):  # it has saved
                if os.sched_getscheduler(child) == os.SCHED_IDLE:
                    os.kill(child, signal.SIGSTOP)
                    return child
        return 0

    end = patience.end(LIMIT_SECONDS)
    while not (child := stopped()):
        assert time.monotonic() < end
    return child


def kill(*pids: int) -> None:
    """At once and without a chance; some may be gone already, ended by their launcher."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def assert_whole(done: Recording) -> None:
    assert partial(done) == (0, "", 0)
    assert_known_calls(done)
    assert done.warnings == []
    assert done.dropped == {}


def test_the_keeper_is_killed_and_replaced(place: Place) -> None:
    with place.start("wait", under=place.rankwise("--keep-run-dir")) as job:
        job.wait_until_ready()
        first = keeper_of(memory_of(place.run_directory))
        kill(first)
        wait_for_end(first)
        job.go_on()
        assert job.wait() == 0, job.stderr
        done = place.recorded(job)
    assert job.stderr == ""
    assert_whole(done)
    assert_gone(place.run_directory, first)
    # The new one has saved all, in a file of its own.
    [last] = [file for path in place.run_directory.glob("*.node") if (file := read_node_file(path)).is_final]
    assert last.keeper != first
    assert len(last.entries) == RANKS


def test_the_keeper_leaves_while_it_is_called(place: Place, slow_bell: Path) -> None:
    """It has seen that all are leaving; the last one still writes to the pipe that nobody reads any more."""
    place.mpi = replace(place.mpi, environment={**place.mpi.environment, "LD_PRELOAD": str(slow_bell)})
    with place.start(under=place.rankwise("--save-every", "0.1")) as job:
        assert job.wait() == 0, job.stderr
        done = place.recorded(job)
    assert job.stderr == ""
    assert job.stdout.count("is done\n") == RANKS
    assert_whole(done)
    assert_gone(place.run_directory)


@pytest.mark.parametrize("who", ["one rank", "all ranks"])
def test_the_keeper_and_ranks_are_killed(place: Place, who: str) -> None:
    with place.start("hang", str(VICTIM)) as job:
        job.wait_until_hanging()
        keeper = keeper_of(memory_of(place.run_directory))
        kill(keeper)
        wait_for_end(keeper)
        [victim] = [process.header.pid for process in job.counters() if process.header.world_rank == VICTIM]
        kill(*(job.ranks if who == "all ranks" else [victim]))
        status = job.wait()
        done = place.recorded(job)
    assert partial(done)[::2] == (1, status)
    assert_known_calls(done)
    assert_gone(place.run_directory, keeper)


@pytest.mark.parametrize("how", ["recover", "the next run"])
def test_all_is_killed_and_the_counters_are_still_in_memory(place: Place, how: str) -> None:
    with place.start("hang", str(VICTIM)) as job:
        job.wait_until_hanging()
        memory = memory_of(place.run_directory)
        keeper, launcher = keeper_of(memory), job.launcher
        kill(keeper, job.process.pid, launcher, *job.ranks)
        job.process.wait(timeout=LIMIT_SECONDS)
        for pid in (keeper, launcher, *job.ranks):
            wait_for_end(pid)
    assert len(memory.counters()) == RANKS
    if how == "the next run":
        os.utime(memory.path, (LONG_AGO, LONG_AGO))  # what is new is left alone
        assert rankwise("run", "-o", place.directory / "next.rankwise", "--", "true").returncode == 1
        assert not memory.path.exists()
    recovered = rankwise("recover", place.run_directory)
    assert recovered.returncode == 0, recovered.stderr
    done = place.recorded(job)
    assert partial(done)[0] == 1
    assert_known_calls(done)
    node_memory.forget(place.run_directory)


@pytest.mark.reported("recording/stale_memory")
def test_a_dead_jobs_counters_do_not_enter_the_next(place: Place) -> None:
    with place.start("hang", str(VICTIM)) as job:
        job.wait_until_hanging()
        pids = [keeper_of(memory_of(place.run_directory)), job.process.pid, job.launcher, *job.ranks]
        kill(*pids)
        job.process.wait(timeout=LIMIT_SECONDS)
        for pid in pids:
            wait_for_end(pid)
    with place.start(under=place.rankwise("--force")) as job:
        assert job.wait() == 0, job.stderr
        assert_whole(place.recorded(job))
    assert job.stderr == ""
    assert [path.name for path in place.directory.glob("*.rankwise*")] == [place.profile.name]
    assert_gone(place.run_directory)


def test_a_run_that_goes_on_keeps_its_directory(place: Place) -> None:
    """Also when its `rankwise run` is no more."""
    again = ("run", "--force", "-o", place.profile, "--", "true")
    message = f"rankwise: {place.run_directory} belongs to a running job: wait for its end, or give another"
    with place.start("wait") as job:
        job.wait_until_ready()
        keeper = keeper_of(memory_of(place.run_directory))
        for alive in (True, False):
            if not alive:
                os.kill(job.process.pid, signal.SIGKILL)
                job.process.wait(timeout=LIMIT_SECONDS)
            other = rankwise(*again)
            assert (other.returncode, other.stderr.startswith(message)) == (2, True), other.stderr
        job.go_on()
        job.wait_for_ranks()
        wait_for_end(keeper)
    recovered = rankwise("recover", place.run_directory)
    assert recovered.returncode == 0, recovered.stderr
    done = place.recorded(job)
    assert partial(done)[0] == 0
    assert_known_calls(done)


@pytest.mark.parametrize("victim", ["nobody", "the keeper"])
def test_nobody_waits_for_one_that_saves_beside_them(place: Place, victim: str) -> None:
    """It gets no processor, in the middle of its work: then somebody else saves, and nothing of it stays."""
    with place.start("wait", under=place.rankwise("--keep-run-dir", "--save-every", "0.1")) as job:
        job.wait_until_ready()
        keeper = keeper_of(memory_of(place.run_directory))
        child = stop_one_that_saves(keeper)
        if victim == "the keeper":
            kill(keeper)
            wait_for_end(keeper)
        job.go_on()
        assert job.wait() == 0, job.stderr
        done = place.recorded(job)
    assert job.stderr == ""
    assert_whole(done)
    assert_gone(place.run_directory, keeper, child)
    if victim == "nobody":
        assert list(place.run_directory.glob("*.new")) == []


def test_when_a_process_died_and_when_it_was_saved(place: Place) -> None:
    with place.start("wait", under=place.rankwise("--keep-run-dir", "--save-every", "1000")) as job:
        job.wait_until_ready()
        victim = job.ranks[0]
        before = time.monotonic_ns(), time.time_ns()
        kill(victim)
        job.wait()
        after = time.monotonic_ns(), time.time_ns()
    [path] = place.run_directory.glob("*.node")
    last = read_node_file(path)
    [gone_ns] = [entry.gone_ns for entry in last.entries if f".{victim}." in entry.name]
    assert before[0] <= gone_ns <= after[0]
    assert before[1] <= last.saved_realtime_ns <= after[1]


def test_the_node_is_lost(place: Place) -> None:
    """Nothing stays of it but what its keeper has saved, and the profile says of when that is."""
    with place.start("wait", "1000000000", under=place.rankwise("--save-every", "0.1")) as job:
        job.wait_until_ready()
        memory = memory_of(place.run_directory)
        keeper = keeper_of(memory)
        wait_for_saves(place.run_directory, 3)
        os.kill(keeper, signal.SIGSTOP)
        saved = [read_node_file(path) for path in place.run_directory.glob("*.node")]
        job.go_on()
        patience.wait_until(lambda: counted(job, "MPI_Bcast"), LIMIT_SECONDS)
        kill(keeper, *job.ranks)
        shutil.rmtree(memory.path)
        status = job.wait()
        done = place.recorded(job)
    assert [file.is_final for file in saved] == [False]
    is_partial, reason, recorded_status = partial(done)
    assert (is_partial, recorded_status) == (1, status)
    assert_known_calls(done)
    assert done.calls("MPI_Bcast") == {}
    assert_facts(reason, f"{RANKS} .. {RANKS} .. MPI_Finalize")
    lost = rf"\b{RANKS}\b.*\bon {os.uname().nodename}\b.* [0-9.]+ s\b"
    assert sum(re.search(lost, text) is not None for text in done.warnings) == 1


def wait_for_saves(run_directory: Path, number: int) -> None:
    """Until all of its keepers have saved so often, from now on."""
    seen: dict[Path, set[int]] = {}

    def often() -> bool:
        for path in run_directory.glob("*.node"):
            seen.setdefault(path, set()).add(read_node_file(path).saved_realtime_ns)
        return bool(seen) and all(len(instants) > number for instants in seen.values())

    patience.wait_until(often, LIMIT_SECONDS)


def counted(job: Job, procedure: str) -> int:
    """How often all processes have called it by now."""
    [number] = [entry.id for entry in PROCEDURES if entry.name == procedure]
    rows = [
        process.calls[part(process.calls["key"], "CALLS", "PROCEDURE") == number]
        for process in job.counters()
    ]
    return sum(int(row["calls"].sum()) for row in rows)

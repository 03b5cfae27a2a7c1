"""Nobody notices the keeper: not the program, not its launcher, nor who waits for them; it outlives none."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
from pathlib import Path

import libraries
import pytest
import recording
from jobs import LIMIT_SECONDS, RANKS, Place, assert_known_calls, partial
from keepers import assert_gone, keeper_of, memory_of, unshared, wait_for_end
from libraries import Mpi
from recording import Compile

from rankwise.profile.collect import node_memory
from rankwise.profile.collect.node_memory import is_alive

mpi = libraries.in_turn(libraries.ONE_OF_EACH)


def test_what_the_program_finds_of_it(mpi: Mpi, compiled: Compile, tmp_path: Path) -> None:
    """No child, no signal, no open file but that of the counters; the same processors and variables."""
    command = mpi.launch(RANKS, compiled(mpi, "keeper_unseen.c"))
    bare = subprocess.run(
        command, capture_output=True, text=True, timeout=LIMIT_SECONDS, env=mpi.env(), check=True
    )
    done = recording.run(command, tmp_path / "a.rankwise", mpi.env())
    assert done.process.returncode == 0, done.process.stderr
    lines = done.process.stdout.splitlines()
    files = [line for line in lines if line.startswith("file ")]
    assert sorted(set(lines) - set(files)) == sorted(set(bare.stdout.splitlines()))
    assert "in the run: children 0 0 signals 0" in lines
    assert "at the end: children 0 0 signals 0" in lines
    assert sum(line.startswith("processors 1 blocked 1 ") for line in lines) == RANKS
    assert len(files) == len(set(files)) == RANKS
    memories = tuple(f"file {place}/rankwise." for place in ("/dev/shm", tempfile.gettempdir()))
    assert all(file.startswith(memories) and file.endswith(".counters") for file in files)
    assert done.process.stderr == bare.stderr


def test_what_it_has_of_the_program(place: Place) -> None:
    with place.start("wait") as job:
        job.wait_until_ready()
        memory = memory_of(place.run_directory)
        keeper = Path("/proc", str(keeper_of(memory)))
        assert (keeper / "comm").read_text() == "rankwise-keeper\n"
        assert (keeper / "cwd").readlink() == Path("/")
        assert (keeper / "environ").read_bytes() == b""
        opened = [str(path.readlink()) for path in (keeper / "fd").iterdir()]
        assert opened.count("/dev/null") == 3
        ours = (
            "/dev/null",
            str(memory.path),
            "anon_inode:",
            "/proc/",
            "/sys/",
        )  # it reads counters of the network
        assert [name for name in opened if not name.startswith(ours)] == []
        fields = (keeper / "stat").read_text().rpartition(")")[2].split()
        parent, group, session = (int(field) for field in fields[1:4])
        assert group == session
        assert group not in {os.getpgid(pid) for pid in (*job.ranks, job.launcher)}
        assert parent not in {*job.ranks, job.launcher}
        job.go_on()
        assert job.wait() == 0, job.stderr


def test_who_reads_the_output_does_not_wait_for_it(place: Place) -> None:
    """Also where the keeper is stopped: it has none of the program's pipes."""
    command = [*place.rankwise(), *place.mpi.launch(RANKS, place.program, "wait")]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=place.mpi.env(),
        cwd=place.directory,
    ) as process:
        keeper = keeper_of(memory_of(place.run_directory))
        try:
            os.kill(keeper, signal.SIGSTOP)
            (place.directory / "go").touch()
            printed, said = process.communicate(timeout=LIMIT_SECONDS)
            assert is_alive(keeper)
        finally:
            os.kill(keeper, signal.SIGKILL)
    assert process.returncode == 0, said
    assert printed.count("is done\n") == RANKS
    wait_for_end(keeper)
    node_memory.forget(place.run_directory)


@pytest.mark.parametrize("how", ["SIGTERM to all", "SIGKILL to all groups", "SIGKILL to its starters"])
def test_it_ends_with_its_job(place: Place, how: str) -> None:
    with place.start("wait") as job:
        job.wait_until_ready()
        keeper = keeper_of(memory_of(place.run_directory))
        if how == "SIGTERM to all":
            for pid in (keeper, *job.ranks):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGTERM)
        elif how == "SIGKILL to all groups":
            for group in {os.getpgid(pid) for pid in (*job.ranks, job.launcher)} - {os.getpgid(0)}:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(group, signal.SIGKILL)
        else:
            for pid in (job.process.pid, job.launcher, *job.ranks):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        job.process.wait(timeout=LIMIT_SECONDS)
        job.wait_for_ranks()
    assert_gone(place.run_directory, keeper)
    if how != "SIGTERM to all":
        done = subprocess.run(
            [str(recording.RANKWISE), "recover", "--force", str(place.run_directory)],
            capture_output=True,
            text=True,
            timeout=LIMIT_SECONDS,
        )
        assert done.returncode == 0, done.stderr
    done_recording = place.recorded(job)
    assert partial(done_recording)[0] == 1
    assert_known_calls(done_recording)


def test_a_container_ends_with_its_job(place: Place) -> None:
    """Its first process is the launch, and the kernel kills all others at its end."""
    words = [*unshared("--pid", "--fork", "--mount-proc"), *place.rankwise()]
    with place.start(under=words) as job:
        assert job.wait() == 0, job.stderr
        done = place.recorded(job)
    assert job.stderr == ""
    assert partial(done) == (0, "", 0)
    assert_known_calls(done)
    assert node_memory.of_run(place.run_directory) == []

"""Nowhere to write, or no longer: the program lives, one line says so, and what was counted is exact.

What can't be saved stays in the memory of its node, where `rankwise run` reads it if it is there, too.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import libraries
import pytest
from jobs import LIMIT_SECONDS, RANKS, ROUNDS, VICTIM, Place, assert_known_calls, partial
from recording import Recording, rankwise

import patience
from golden import assert_facts
from rankwise._files import installed
from rankwise.profile.collect import node_memory
from rankwise.profile.collect.counters import Counters, read_counters
from rankwise.profile.collect.keys import part
from rankwise.profile.collect.node_files import read_entries, read_node_file
from rankwise.profile.collect.procedures import PROCEDURES

mpi = libraries.in_turn(libraries.ONE_OF_EACH)


def preloaded(place: Place, run_directory: Path) -> dict[str, str]:
    """The environment that `rankwise run` makes, for a run directory that it would refuse.

    (It looks before the launch; a directory can be missing on another node all the same.)
    """
    return {
        **place.mpi.env(),
        "LD_PRELOAD": str(installed("lib/librankwise.so")),
        "RANKWISE_DIR": str(run_directory),
    }


def assert_lives_with_one_line(place: Place, run_directory: Path, why: str) -> None:
    done = subprocess.run(
        place.mpi.launch(RANKS, place.program),
        capture_output=True,
        text=True,
        timeout=LIMIT_SECONDS,
        env=preloaded(place, run_directory),
    )
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == [f"rank {rank} is done" for rank in range(RANKS)]
    said = [line for line in done.stderr.splitlines() if "rankwise" in line.lower()]
    assert len(said) == 1, done.stderr
    assert str(run_directory) in said[0]
    assert why in said[0]
    assert sends_in_memory(run_directory) == [ROUNDS] * RANKS


# A rank whose stderr is a pipe that nobody reads any more.
UNHEARD = """import os, sys
ends = os.pipe()
os.dup2(ends[1], 2)
os.close(ends[0])
os.execv(sys.argv[1], sys.argv[1:])"""


def test_nobody_reads_the_line(place: Place) -> None:
    run_directory = place.directory / "missing"
    done = subprocess.run(
        place.mpi.launch(RANKS, sys.executable, "-c", UNHEARD, place.program),
        capture_output=True,
        text=True,
        timeout=LIMIT_SECONDS,
        env=preloaded(place, run_directory),
    )
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == [f"rank {rank} is done" for rank in range(RANKS)]
    assert sends_in_memory(run_directory) == [ROUNDS] * RANKS


def sends_in_memory(run_directory: Path) -> list[int]:
    """How often each process called MPI_Send, as it stayed in the memory of this node; then remove it."""
    paths = [path for memory in node_memory.of_run(run_directory) for path in memory.counters()]
    counts = [sends(read_counters(path)) for path in paths]
    node_memory.forget(run_directory)
    return counts


def sends(counters: Counters) -> int:
    """How often a process called MPI_Send."""
    [number] = [procedure.id for procedure in PROCEDURES if procedure.name == "MPI_Send"]
    return int(counters.calls["calls"][part(counters.calls["key"], "CALLS", "PROCEDURE") == number].sum())


def only_root() -> None:
    if os.geteuid() != 0:
        pytest.skip("needs a directory of another user, which only root can make")


@pytest.mark.parametrize(
    ("what", "why"),
    [
        ("missing", os.strerror(errno.ENOENT)),
        ("below a file", os.strerror(errno.ENOTDIR)),
        ("a link", os.strerror(errno.ENOTDIR)),
        ("others may write", "others"),
        ("another user's", "another user"),
    ],
)
def test_run_directory_is_not_usable(place: Place, what: str, why: str) -> None:
    (place.directory / "file").write_text("")
    (place.directory / "real").mkdir(mode=0o700)
    run_directory = place.directory / ("file/run" if what == "below a file" else "run")
    if what == "a link":
        run_directory.symlink_to(place.directory / "real")
    elif what == "others may write":
        run_directory.mkdir()
        run_directory.chmod(0o777)
    elif what == "another user's":
        only_root()
        run_directory.mkdir(mode=0o700)
        os.chown(run_directory, 12345, 12345)
    assert_lives_with_one_line(place, run_directory, why)
    if what in ("a link", "others may write", "another user's"):
        assert list(run_directory.iterdir()) == []


def test_run_directory_is_refused_before_the_launch(place: Place) -> None:
    (place.directory / "file").write_text("")
    below = place.directory / "file" / "run"
    with place.start(under=place.rankwise("--run-dir", below)) as job:
        assert job.wait() == 2
        assert job.stdout == ""
        assert job.stderr.count("\n") == 1
        assert str(below) in job.stderr


@contextmanager
def small_disk(directory: Path, kilobytes: int) -> Iterator[Path]:
    """A file system of its own, which only root can mount."""
    disk = directory / "disk"
    disk.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k,mode=700", "rankwise-test", str(disk)]
    try:
        mounted = subprocess.run(words, capture_output=True, text=True, timeout=30)
    except FileNotFoundError:
        pytest.skip("no mount command")
    if mounted.returncode != 0:
        pytest.skip(f"a small file system can't be mounted: {mounted.stderr.strip()}")
    try:
        yield disk
    finally:
        subprocess.run(["umount", str(disk)], check=True, timeout=30)


def test_no_room_from_the_start(place: Place) -> None:
    with small_disk(place.directory, 4) as disk:
        assert_lives_with_one_line(place, disk, "No space left on device")
        assert list(disk.iterdir()) == []


def test_run_directory_is_read_only(place: Place) -> None:
    with small_disk(place.directory, 1000) as disk:
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True, timeout=30)
        assert_lives_with_one_line(place, disk, "Read-only file system")


def test_run_directory_is_not_on_every_node(place: Place) -> None:
    # The first rank, because it is the one that speaks for its node.
    elsewhere = place.directory / "not-here"
    script = place.directory / "elsewhere"
    script.write_text(
        "#!/bin/sh\n"
        f'[ "${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}}" != 0 ] || export RANKWISE_DIR={elsewhere}\n'
        'exec "$@"\n'
    )
    script.chmod(0o755)
    words = [*place.rankwise(), *place.mpi.launch(RANKS, script, place.program)]
    with place.start(words=words) as job:
        assert job.wait() == 0, job.stderr
        done = place.recorded(job)
    assert sorted(job.stdout.splitlines()) == [f"rank {rank} is done" for rank in range(RANKS)]
    assert [line for line in job.stderr.splitlines() if str(elsewhere) in line] == job.stderr.splitlines()
    assert len(job.stderr.splitlines()) == 1
    is_partial, reason, status = partial(done)
    assert (is_partial, status) == (1, 0)
    assert_facts(reason, f"1 .. {RANKS}")
    assert set(done.calls("MPI_Send", "W")) == {1, 2, 3}
    assert sends_in_memory(elsewhere) == [ROUNDS]


def test_run_directory_is_deleted_during_the_run(place: Place) -> None:
    with place.start("wait") as job:
        job.wait_until_ready()
        shutil.rmtree(place.run_directory)
        job.go_on()
        # The program's own end is a good one; that there is no profile is Rankwise's failure.
        assert job.wait() == 1
    assert job.stdout.count("is done\n") == RANKS
    not_saved, no_profile = job.stderr.splitlines()
    assert_not_saved(not_saved, place.run_directory, errno.ENOENT)
    assert_facts(no_profile, f"rankwise: .. {place.run_directory} ")
    assert not place.profile.exists()
    assert not node_memory.of_run(place.run_directory)


def assert_not_saved(line: str, run_directory: Path, why: int) -> None:
    """That this is the line of the last process of a node."""
    assert_facts(line, f"rankwise: .. {run_directory}: {os.strerror(why)} ")


def test_run_directory_is_deleted_and_the_job_fails(place: Place) -> None:
    with place.start("hang", str(VICTIM)) as job:
        job.wait_until_hanging()
        shutil.rmtree(place.run_directory)
        os.kill(job.launcher, signal.SIGKILL)
        assert job.wait() == 128 + signal.SIGKILL
    ours = [line for line in job.stderr.splitlines() if line.startswith("rankwise: ")]
    assert sum(f"{place.run_directory} " in line for line in ours) == 1
    assert not node_memory.of_run(place.run_directory)


def test_no_room_where_the_launch_is(place: Place) -> None:
    # launch.json takes a page, and the counters of all processes more than one.
    with (
        small_disk(place.directory, 8) as disk,
        place.start(under=place.rankwise("--run-dir", disk / "run")) as job,
    ):
        assert job.wait() == 0, job.stderr
        done = place.recorded(job)
    assert job.stdout.count("is done\n") == RANKS
    [line] = job.stderr.splitlines()
    assert_not_saved(line, disk / "run", errno.ENOSPC)
    assert partial(done)[0] == 0
    assert_known_calls(done)
    assert not node_memory.of_run(disk / "run")


def test_no_room_for_the_note_of_the_launch(place: Place) -> None:
    with small_disk(place.directory, 8) as disk:
        with (disk / "full").open("wb", buffering=0) as file, contextlib.suppress(OSError):
            while True:
                file.write(b"x")
        done = rankwise("run", "-o", disk / "x.rankwise", "--", "true")
        assert [path.name for path in disk.iterdir()] == ["full"]
    note = disk / "x.rankwise-run" / "launch.json.new"
    cure = "free space there, or give another place"
    assert done.stderr == f"rankwise: {note}: {os.strerror(errno.ENOSPC)}: {cure}\n"
    assert done.returncode == 1


def test_disk_full_during_the_run(place: Place) -> None:
    communicators = 400
    run = place.directory / "disk" / "run"

    def saved() -> list[int]:
        files = [entry for path in run.glob("*.node") for entry in read_entries(path)]
        return [sends(entry) for entry in files if isinstance(entry, Counters)]

    under = place.rankwise("--run-dir", run, "--keep-run-dir", "--save-every", "0.1")
    with (
        small_disk(place.directory, RANKS * 64) as disk,
        place.start("wait", str(communicators), under=under) as job,
    ):
        job.wait_until_ready()
        patience.wait_until(lambda: saved() == [ROUNDS] * RANKS, LIMIT_SECONDS)
        job.go_on()
        assert job.wait() == 0, job.stderr
        done = place.recorded(job)
        # The last whole save stays.
        [last] = (disk / "run").glob("*.node*")
        assert not read_node_file(last).is_final
        assert saved() == [ROUNDS] * RANKS
        node_memory.forget(run)
    assert job.stdout.count("is done\n") == RANKS
    [line] = job.stderr.splitlines()
    assert_not_saved(line, disk / "run", errno.ENOSPC)
    assert_every_call_is_somewhere(done, communicators)
    assert done.dropped == {}


def test_limit_on_the_size_of_files(place: Place) -> None:
    # Beyond it, the kernel would end the program with SIGXFSZ.
    communicators = 400
    with place.start("small-files", str(communicators)) as job:
        assert job.wait() == 0, job.stderr
        done = place.recorded(job)
    assert job.stdout.count("is done\n") == RANKS
    assert_every_call_is_somewhere(done, communicators)
    # (Which of the tables needs room first depends on how large the others are.)
    assert done.dropped.keys() & {"call_rows", "communicators"}


def assert_every_call_is_somewhere(done: Recording, communicators: int) -> None:
    """The rows that there was room for and the "other" rows together hold every call."""
    assert partial(done)[0] == 0
    assert_known_calls(done)
    for procedure, times in (("MPI_Comm_dup", 1), ("MPI_Bcast", 13), ("MPI_Comm_free", 1)):
        counted = {rank: calls for rank, (calls, _, _) in done.calls(procedure).items()}
        assert counted == dict.fromkeys(range(RANKS), communicators * times)
    assert "thread_calls" not in done.dropped
    other = "SELECT sum(calls) FROM calls WHERE communicator = 2 AND size_bin = 127"
    assert done.rows(other) == [(done.dropped.get("call_rows"),)]

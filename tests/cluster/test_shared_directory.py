"""Run directories of jobs over two nodes: shared, hanging, full, read-only, gone; and a node that dies."""

from __future__ import annotations

import errno
import json
import os
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import jobs
import libraries
import mounts
import pytest
from jobs import Job
from launching import RANKS_OF_NODE, across_nodes, check_connected, environment, launch
from libraries import Mpi
from nodes import Cluster, UnavailableError
from recording import RANKWISE, Recording

import patience
from exhaustive import few
from golden import assert_facts
from rankwise.profile.collect.node_files import NodeFile, read_node_file

NODES = 2
LIMIT_SECONDS = 60

Spoiled = Callable[[Cluster, int, Path], AbstractContextManager[None]]

FAULTS = Path(jobs.__file__).with_name("programs") / "faults.c"


mpi = libraries.in_turn(list(libraries.first_of_each(across_nodes(), lambda mpi: mpi.family)))


@pytest.fixture
def program(cluster: Cluster, mpi: Mpi) -> Path:
    """faults.c where all nodes see it."""
    program = cluster.directory / f"faults.{mpi.name}"
    if not program.exists():
        mpi.compile(program, FAULTS)
    return program


@pytest.fixture
def run_directory(place: Path) -> Path:
    """Empty, with nothing beside it."""
    directory = place / "shared" / "run"
    directory.parent.mkdir()
    directory.mkdir(mode=0o700)
    return directory


class Jobs:
    """Starts the program under Rankwise on two nodes."""

    def __init__(self, mpi: Mpi, cluster: Cluster, program: Path, place: Path, run_directory: Path) -> None:
        self.mpi, self.cluster, self.program = mpi, cluster, program
        self.place, self.run_directory = place, run_directory

    @contextmanager
    def start(self, *arguments: str, options: tuple[str, ...] = ()) -> Iterator[Job]:
        """Under way for a while."""
        rankwise = [str(RANKWISE), "run", "--quiet", "-o", str(self.place / "job.rankwise"), *options]
        rankwise += ["--run-dir", str(self.run_directory), "--"]
        words = launch(self.mpi, self.cluster, NODES, "block", self.program, *arguments)
        started = self.cluster.on(0, *rankwise, *words, cwd=self.place)
        job = Job(started, environment(self.mpi), self.place)
        try:
            yield job
        finally:
            job.process.kill()
            job.process.wait()

    def record(self, job: Job) -> Recording:
        """At the end of a job."""
        status = job.process.wait(timeout=LIMIT_SECONDS)
        check_connected(status, job.stderr)
        return Recording(
            subprocess.CompletedProcess("", status, job.stdout, job.stderr), self.place / "job.rankwise"
        )

    def node_files(self) -> dict[str, NodeFile]:
        """What was saved of each node."""
        files = map(read_node_file, self.run_directory.glob("*.node"))
        return {file.host: file for file in files}

    def wait_until_saved(self) -> None:
        """Until all processes of all nodes have been saved since they made their calls."""
        ready = (self.place / "stdout").stat().st_mtime_ns

        def saved() -> bool:
            files = self.node_files().values()
            return len(files) == NODES and all(file.saved_realtime_ns > ready for file in files)

        patience.wait_until(saved, LIMIT_SECONDS, self.node_files)

    def top(self, number: int) -> dict[str, Any]:
        """What `rankwise top` shows of the job on a node."""
        words = [str(RANKWISE), "top", "--once", "--json", "--every", "0.2", str(self.run_directory)]
        shown = subprocess.run(
            self.cluster.on(number, *words), capture_output=True, text=True, timeout=LIMIT_SECONDS, check=True
        )
        picture: dict[str, Any] = json.loads(shown.stdout)
        return picture

    def wait_for_ranks(self, job: Job) -> None:
        """Until all processes of the program have ended, whatever becomes of their launcher."""
        script = 'for pid; do kill -0 "$pid" 2>/dev/null && exit 1; done; exit 0'
        words = self.cluster.inside("sh", "-c", script, "sh", *map(str, job.ranks))
        patience.wait_until(lambda: subprocess.run(words).returncode == 0, LIMIT_SECONDS)

    def kill_node(self, number: int) -> None:
        """End all processes of a node at once, its keeper included."""
        script = """
        node=$(readlink /proc/self/ns/mnt)
        for process in /proc/[0-9]*; do
          [ "$(readlink "$process/ns/mnt")" = "$node" ] || continue
          case ${process#/proc/} in $1|$$) ;; *) set -- "$@" "${process#/proc/}" ;; esac
        done
        shift
        kill -STOP "$@"
        kill -KILL "$@"
        """
        words = self.cluster.on(number, "sh", "-c", script, "sh", self.cluster.pid(number))
        subprocess.run(words, check=True, timeout=LIMIT_SECONDS)


@contextmanager
def hanging(on_nodes: Jobs, numbers: Sequence[int]) -> Iterator[mounts.Hanging]:
    """The run directory is on a file system that can hang, on some nodes."""
    behind = on_nodes.place / "behind"
    behind.mkdir(mode=0o700)
    try:
        with mounts.hanging(on_nodes.cluster, numbers, behind, on_nodes.run_directory) as mounted:
            yield mounted
    except UnavailableError as reason:
        pytest.skip(str(reason))


@pytest.fixture
def on_nodes(mpi: Mpi, cluster: Cluster, program: Path, place: Path, run_directory: Path) -> Jobs:
    return Jobs(mpi, cluster, program, place, run_directory)


def assert_as_without(job: Job, status: int) -> None:
    """What the program says, and how it ends, is its own."""
    said = [line for line in job.stdout.splitlines() if not line.startswith("ready ")]
    assert sorted(said) == [f"rank {rank} is done" for rank in range(jobs.RANKS)]
    assert status == 0, job.stderr


def ours(job: Job) -> list[str]:
    """The lines of Rankwise."""
    return [line for line in job.stderr.splitlines() if line.startswith("rankwise: ")]


def assert_complete(done: Recording) -> None:
    jobs.assert_known_calls(done)
    assert done.rows("SELECT partial, partial_reason, ranks_seen, ranks_expected FROM run") == [
        (0, "", jobs.RANKS, jobs.RANKS)
    ]
    assert done.warnings == []


def assert_first_node_only(done: Recording) -> None:
    """The profile is exact of its ranks, and names the others."""
    assert done.calls("MPI_Send", "W") == dict.fromkeys(range(RANKS_OF_NODE), (jobs.ROUNDS, 1000, 0))
    [(partial, reason, seen, expected)] = done.rows(
        "SELECT partial, partial_reason, ranks_seen, ranks_expected FROM run"
    )
    assert (partial, seen, expected) == (1, RANKS_OF_NODE, jobs.RANKS)
    assert_facts(str(reason), "2 .. 4 .. 2-3")


def test_every_node_saves_one_file(on_nodes: Jobs) -> None:
    with on_nodes.start("wait", options=("--keep-run-dir", "--save-every", "0.5")) as job:
        job.wait_until_ready()
        on_nodes.wait_until_saved()
        for number in range(NODES):
            seen = on_nodes.top(number)
            assert [save["host"] for save in seen["saves"]] == [f"node{1 - number}"]
            [world] = seen["worlds"]
            assert [place["ranks"] for place in world["places"]] == ["0-3"]
            assert world["ranks_seen"] == jobs.RANKS
        job.go_on()
        done = on_nodes.record(job)
        assert_as_without(job, done.process.returncode)
    assert ours(job) == []
    assert_complete(done)
    assert {host: file.is_final for host, file in on_nodes.node_files().items()} == {
        "node0": True,
        "node1": True,
    }
    assert len(list(on_nodes.run_directory.glob("*.node"))) == NODES


def test_it_hangs_on_all_nodes_while_the_job_ends(on_nodes: Jobs) -> None:
    with hanging(on_nodes, range(NODES)) as mounted, on_nodes.start("wait") as job:
        job.wait_until_ready()
        mounted.hang()
        job.go_on()
        on_nodes.wait_for_ranks(job)
        mounted.go_on()
        done = on_nodes.record(job)
        assert_as_without(job, done.process.returncode)
    assert ours(job) == []
    assert_complete(done)


def test_it_hangs_on_one_node(on_nodes: Jobs) -> None:
    with hanging(on_nodes, [1]) as mounted:
        mounted.hang()
        with on_nodes.start() as job:
            done = on_nodes.record(job)
            assert_as_without(job, done.process.returncode)
    assert ours(job) == []
    assert_first_node_only(done)


@pytest.mark.parametrize(
    ("spoiled", "why"),
    few(
        [
            (mounts.full, os.strerror(errno.ENOSPC)),
            (mounts.read_only, os.strerror(errno.EROFS)),
            (mounts.gone, os.strerror(errno.ENOENT)),
        ],
        1,
    ),
)
def test_it_is_of_no_use_on_one_node(
    on_nodes: Jobs, cluster: Cluster, run_directory: Path, spoiled: Spoiled, why: str
) -> None:
    with spoiled(cluster, 1, run_directory), on_nodes.start() as job:
        done = on_nodes.record(job)
        assert_as_without(job, done.process.returncode)
    [line] = ours(job)
    assert_facts(line, f"{run_directory}: {why}")
    assert_first_node_only(done)


def test_a_node_dies(on_nodes: Jobs) -> None:
    with on_nodes.start("wait", options=("--save-every", "0.5")) as job:
        job.wait_until_ready()
        on_nodes.wait_until_saved()
        on_nodes.kill_node(1)
        done = on_nodes.record(job)
    assert done.process.returncode != 0
    jobs.assert_known_calls(done)
    [warning] = done.warnings
    assert_facts(warning, "2 .. node1")

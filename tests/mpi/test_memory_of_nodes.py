"""Where processes count: what they share and what they don't; and nothing is lost where there is no room."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import libraries
import pytest
from jobs import LIMIT_SECONDS, RANKS, Place, assert_known_calls, partial
from keepers import assert_gone, keeper_of, memory_of, unshared

from rankwise._files import installed
from rankwise.profile.assemble import assemble
from rankwise.profile.collect import node_memory
from rankwise.profile.collect.node_files import read_node_file

mpi = libraries.in_turn(libraries.ONE_OF_EACH)


@pytest.fixture
def apart(place: Place) -> Place:
    """The same with ranks that need no memory in common."""
    place.mpi = libraries.without_shared_memory(place.mpi)
    return place


def finals(run_directory: Path) -> list[int]:
    """How many processes are in each node file; these are final."""
    files = [read_node_file(path) for path in sorted(run_directory.glob("*.node"))]
    assert all(file.is_final for file in files)
    return [len(file.entries) for file in files]


def assert_whole(place: Place, words: list[str], nodes: list[int]) -> None:
    """Run a command; its processes count in so many places, and nothing is lost or there twice."""
    with place.start(words=words) as job:
        assert job.wait() == 0, job.stderr
        done = place.recorded(job)
    assert job.stderr == ""
    assert job.stdout.count("is done\n") == RANKS
    assert partial(done) == (0, "", 0)
    assert_known_calls(done)
    assert finals(place.run_directory) == nodes
    assert_gone(place.run_directory)


@pytest.mark.only_on(
    lambda mpi: mpi.vendor != "Intel", "it can't do without a memory that all ranks of a node share"
)
def test_ranks_with_a_memory_each(apart: Place) -> None:
    each = unshared("-m", prepare="mount -t tmpfs -o size=100m none /dev/shm")
    launch = apart.mpi.launch(RANKS, *each, apart.program)
    assert_whole(apart, [*apart.rankwise("--keep-run-dir"), *launch], [1] * RANKS)


def test_ranks_whose_process_ids_mean_nothing_to_one_another(apart: Place) -> None:
    """Each is the first process of its own: when it ends, its keeper is killed."""
    each = unshared("--pid", "--fork", "--mount-proc")
    launch = apart.mpi.launch(RANKS, *each, apart.program)
    assert_whole(apart, [*apart.rankwise("--keep-run-dir"), *launch], [1] * RANKS)


NO_ROOM = {
    "in shm": (["mount -t tmpfs -o size=1m none /dev/shm"], "tmpdir"),
    "nor in TMPDIR": (
        ["mount -t tmpfs -o size=1m none /dev/shm", "mount -t tmpfs -o size=1m none '{tmpdir}'"],
        "anonymous",
    ),
    "not for a page in shm": (
        ["mount -t tmpfs -o size=1m none /dev/shm", "cat /dev/zero 2> /dev/null > /dev/shm/full || true"],
        "tmpdir",
    ),
    "not for a page": (
        [
            *("mount -t tmpfs -o size=1m none /dev/shm", "mount -t tmpfs -o size=1m none '{tmpdir}'"),
            *("cat /dev/zero 2> /dev/null > /dev/shm/full || true",),
            *("cat /dev/zero 2> /dev/null > '{tmpdir}/full' || true",),
        ],
        "anonymous",
    ),
}


without_a_page = pytest.mark.only_on(lambda mpi: mpi.vendor != "Intel", "it ends with SIGBUS by itself there")


@pytest.mark.parametrize(
    "where", [pytest.param(case, marks=without_a_page) if "page" in case else case for case in NO_ROOM]
)
def test_no_room_in_memory(apart: Place, where: str) -> None:
    other = apart.directory / "tmp"
    other.mkdir()
    commands, memory = NO_ROOM[where]
    of_the_job = unshared("-m", prepare=" && ".join(commands).format(tmpdir=other))
    # (Launchers need room there.)
    launch = apart.mpi.launch(RANKS, "env", f"TMPDIR={other}", apart.program)
    with apart.start(words=[*of_the_job, *apart.rankwise("--keep-run-dir"), *launch]) as job:
        assert job.wait() == 0, job.stderr
        done = apart.recorded(job)
    assert job.stderr == ""
    assert partial(done) == (0, "", 0)
    assert_known_calls(done)
    assert done.rows("SELECT DISTINCT memory FROM ranks") == [(memory,)]
    without_name = f"{RANKS} ranks were in memory without a name: neither /dev/shm nor TMPDIR had room"
    assert done.warnings == ([f"the counters of {without_name}"] if memory == "anonymous" else [])
    sentence = f"counters of {RANKS} ranks in TMPDIR: /dev/shm had no room"
    assert (sentence in done.shown("-vv")) == (memory == "tmpdir")
    assert finals(apart.run_directory) == ([1] * RANKS if where == "not for a page" else [RANKS])
    assert_gone(apart.run_directory)
    assert not list(other.glob("rankwise.*"))


# (Other libraries die of it: they write to memory that they have not reserved.)
@pytest.mark.parametrize("mpi", libraries.ONE_OF_EACH[:1], ids=lambda mpi: mpi.name, indirect=True)
def test_the_memory_fills_up_during_the_run(apart: Place) -> None:
    """Records are dropped, and every call is somewhere."""
    communicators = 400
    of_the_job = unshared("-m", prepare="mount -t tmpfs -o size=80m none /dev/shm")
    fills = "while [ ! -e ready ]; do sleep 0.05; done; cat /dev/zero > /dev/shm/full; touch go"
    beside = ["sh", "-c", f'({fills}) 2> /dev/null & exec "$@"', "sh"]
    launch = apart.mpi.launch(RANKS, apart.program, "wait", str(communicators))
    words = [*of_the_job, *beside, *apart.rankwise(), *launch]
    with apart.start(words=words) as job:
        job.wait_until_ready()
        (apart.directory / "ready").touch()
        assert job.wait() == 0, job.stderr
        done = apart.recorded(job)
    assert partial(done) == (0, "", 0)
    assert_known_calls(done)
    assert done.dropped["call_rows"] > 0
    for procedure, times in (("MPI_Comm_dup", 1), ("MPI_Bcast", 13), ("MPI_Comm_free", 1)):
        counted = {rank: calls for rank, (calls, _, _) in done.calls(procedure).items()}
        assert counted == dict.fromkeys(range(RANKS), communicators * times)


def test_two_jobs_at_once(place: Place) -> None:
    places = [replace(place, directory=place.directory / name) for name in ("one", "two")]
    with ExitStack() as stack:
        jobs = []
        for job_place in places:
            job_place.directory.mkdir()
            jobs.append(stack.enter_context(job_place.start("wait")))
        for job in jobs:
            job.wait_until_ready()
        memories = [memory_of(job_place.run_directory) for job_place in places]
        keepers = [keeper_of(memory) for memory in memories]
        assert len(set(keepers)) == len({memory.path for memory in memories}) == len(places)
        for job_place, job, keeper in zip(places, jobs, keepers, strict=True):
            job.go_on()
            assert job.wait() == 0, job.stderr
            done = job_place.recorded(job)
            assert partial(done) == (0, "", 0)
            assert_known_calls(done)
            assert_gone(job_place.run_directory, keeper)


OTHER_USER = 20_000 + os.getpid() % 40_000  # another one for each process that runs tests


@pytest.fixture
def of_another_user(place: Place) -> Iterator[Path]:
    """A directory that both users may enter: the program, the library, and a run directory of the other."""
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        pytest.skip("needs root, who can be another user")
    with tempfile.TemporaryDirectory(prefix="rankwise-test-") as name:
        directory = Path(name)
        directory.chmod(0o755)
        shutil.copy(place.program, directory / "program")
        shutil.copy(installed("lib/librankwise.so"), directory / "librankwise.so")
        (directory / "run").mkdir(mode=0o700)
        os.chown(directory / "run", OTHER_USER, OTHER_USER)
        yield directory


def test_two_users_at_once(place: Place, of_another_user: Path) -> None:
    as_other = ["setpriv", f"--reuid={OTHER_USER}", f"--regid={OTHER_USER}", "--clear-groups"]
    preloaded = {
        "HOME": str(of_another_user / "run"),
        "TMPDIR": "/tmp",
        "LD_PRELOAD": str(of_another_user / "librankwise.so"),
        "RANKWISE_DIR": str(of_another_user / "run"),
    }
    theirs = place.mpi.launch(RANKS, of_another_user / "program")
    if subprocess.run([*as_other, "test", "-x", str(shutil.which(theirs[0]))], cwd="/").returncode:
        pytest.skip(f"the other user may not enter the directory of {theirs[0]}")
    with place.start("wait") as job:
        job.wait_until_ready()
        other = subprocess.run(
            [*as_other, *theirs],
            env={**place.mpi.env(), **preloaded},
            cwd="/",
            capture_output=True,
            text=True,
            timeout=LIMIT_SECONDS,
        )
        assert other.returncode == 0, other.stderr
        job.go_on()
        assert job.wait() == 0, job.stderr
        ours = place.recorded(job)
    assert other.stderr == ""
    assert_known_calls(ours)
    assert finals(of_another_user / "run") == [RANKS]
    made = assemble(of_another_user / "run", place.directory / "theirs.rankwise", exit_status=0)
    assert not made.partial
    assert_known_calls(replace(ours, path=made.path))
    assert not list(Path("/dev/shm").glob(f"rankwise.{OTHER_USER}.*"))


def test_somebody_else_has_taken_the_name(place: Place) -> None:
    """What belongs to another user, or others may write to, is not used: there is another place."""
    if os.geteuid() != 0:
        pytest.skip("needs a directory of another user, which only root can make")
    # (Not by `rankwise run`, in whose runs nobody can guess the name.)
    preloaded = [f"LD_PRELOAD={installed('lib/librankwise.so')}", f"RANKWISE_DIR={place.run_directory}"]
    place.run_directory.mkdir(mode=0o700)
    with place.start(words=["env", *preloaded, *place.mpi.launch(RANKS, place.program, "wait")]) as job:
        job.wait_until_ready()
        memory = memory_of(place.run_directory).path
        job.go_on()
        assert job.wait() == 0, job.stderr
    for path in place.run_directory.iterdir():
        path.unlink()
    memory.mkdir(mode=0o700)
    os.chown(memory, OTHER_USER, OTHER_USER)
    try:
        with place.start(words=["env", *preloaded, *place.mpi.launch(RANKS, place.program)]) as job:
            assert job.wait() == 0, job.stderr
        assert list(memory.iterdir()) == []
    finally:
        memory.rmdir()
    assemble(place.run_directory, place.profile, exit_status=0)
    done = place.recorded(job)
    assert partial(done) == (0, "", 0)
    assert_known_calls(done)
    assert not node_memory.of_run(place.run_directory)

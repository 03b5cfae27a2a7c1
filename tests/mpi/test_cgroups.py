"""The control group of a job, with the keeper in it, is frozen or killed: what was counted is exact."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import libraries
import pytest
from jobs import LIMIT_SECONDS, RANKS, VICTIM, Job, Place, assert_known_calls, partial
from keepers import assert_gone, keeper_of, memory_of
from recording import rankwise

import patience
from rankwise.profile.collect import node_memory

FROZEN_S = 3.0  # longer than the last process waits for its keeper


mpi = libraries.in_turn(libraries.ONE_OF_EACH)


class Group:
    """A control group of version 2."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def words(self) -> list[str]:
        """Words before a command that put it, and all that it starts, into the group."""
        return ["sh", "-c", f'echo $$ > {self.path}/cgroup.procs && exec "$@"', "sh"]

    def pids(self) -> list[int]:
        return list(map(int, (self.path / "cgroup.procs").read_text().split()))

    def freeze(self) -> None:
        self._set("freeze", "1", "frozen 1")

    def thaw(self) -> None:
        self._set("freeze", "0", "frozen 0")

    def kill(self) -> None:
        """As batch systems do: SIGKILL to each process at once, to those just started, too."""
        self._set("kill", "1", "populated 0")

    def _set(self, what: str, value: str, then: str) -> None:
        (self.path / f"cgroup.{what}").write_text(value)
        events = self.path / "cgroup.events"
        patience.wait_until(lambda: then in events.read_text().splitlines(), LIMIT_SECONDS, events.read_text)


@pytest.fixture
def group(tmp_path: Path) -> Iterator[Group]:
    """A group of one's own."""
    mounted = [line.split() for line in Path("/proc/mounts").read_text().splitlines()]
    roots = [Path(words[1]) for words in mounted if words[2] == "cgroup2"]
    if not roots:
        pytest.skip("no control groups of version 2")
    made = Group(roots[0] / f"rankwise-test.{tmp_path.name}.{time.monotonic_ns()}")
    try:
        made.path.mkdir()
    except OSError as error:
        pytest.skip(f"no control group of one's own: {error}")
    try:
        if not (made.path / "cgroup.kill").exists():
            pytest.skip("this kernel can't kill a control group")
        yield made
        made.kill()
    finally:
        made.path.rmdir()


def is_inside(group: Group, job: Job, keeper: int) -> bool:
    return {keeper, *job.ranks} <= set(group.pids())


def test_a_frozen_job_goes_on(place: Place, group: Group) -> None:
    under = [*group.words(), *place.rankwise("--keep-run-dir", "--save-every", "0.1")]
    with place.start("wait", under=under) as job:
        job.wait_until_ready()
        keeper = keeper_of(memory_of(place.run_directory))
        assert is_inside(group, job, keeper)
        group.freeze()
        time.sleep(FROZEN_S)
        group.thaw()
        job.go_on()
        assert job.wait() == 0, job.stderr
        done = place.recorded(job)
    assert job.stderr == ""
    assert partial(done) == (0, "", 0)
    assert_known_calls(done)
    assert done.warnings == []
    assert_gone(place.run_directory, keeper)


@pytest.mark.parametrize("is_frozen", [False, True], ids=["running", "frozen"])
def test_the_group_of_a_node_is_killed(place: Place, group: Group, is_frozen: bool) -> None:
    """As on a node where `rankwise run` is not."""
    words = [*place.rankwise(), *group.words(), *place.mpi.launch(RANKS, place.program, "hang", str(VICTIM))]
    with place.start(words=words) as job:
        job.wait_until_hanging()
        keeper = keeper_of(memory_of(place.run_directory))
        assert is_inside(group, job, keeper)
        if is_frozen:
            group.freeze()
        group.kill()
        status = job.wait()
        done = place.recorded(job)
    assert status == 128 + 9
    assert partial(done)[::2] == (1, status)
    assert_known_calls(done)
    assert_gone(place.run_directory, keeper)


def test_the_group_of_all_is_killed(place: Place, group: Group) -> None:
    with place.start("hang", str(VICTIM), under=[*group.words(), *place.rankwise()]) as job:
        job.wait_until_hanging()
        memory = memory_of(place.run_directory)
        assert is_inside(group, job, keeper_of(memory))
        group.kill()
        job.process.wait(timeout=LIMIT_SECONDS)
    assert len(memory.counters()) == RANKS
    recovered = rankwise("recover", place.run_directory)
    assert recovered.returncode == 0, recovered.stderr
    done = place.recorded(job)
    assert partial(done)[0] == 1
    assert_known_calls(done)
    node_memory.forget(place.run_directory)

"""While ranks run, nothing of Rankwise does: how often its processes are awake, and for how long."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import libraries
import pytest
from jobs import counters_now
from keepers import keeper_of, memory_of
from libraries import Mpi
from recording import LIMIT_SECONDS, RANKWISE, Compile

import patience
from rankwise.profile.collect.counters import Counters

RANKS = 2
SECONDS = 10.0
QUIET_S = 1.5  # from the launch on: what needs no haste waits longer
MOST_WAKE_UPS = 2 * SECONDS  # one a second, and a sample of the network's counters
MOST_SHARE = 0.002  # of a processor; four times what it takes, for machines with other work

mpi = libraries.in_turn(libraries.ONE_OF_EACH[:1])


class Awake(NamedTuple):
    """What processes have had of processors up to an instant."""

    wake_ups: int
    seconds: float

    def since(self, before: Awake) -> Awake:
        return Awake(self.wake_ups - before.wake_ups, self.seconds - before.seconds)


def awake(pids: Iterable[int]) -> Awake:
    """Of all their threads: the times that they slept, and the time that they ran."""
    tasks = [task for pid in pids for task in Path(f"/proc/{pid}/task").iterdir()]
    sleeps = 0
    for task in tasks:
        status = dict(line.split(":", 1) for line in (task / "status").read_text().splitlines())
        sleeps += int(status["voluntary_ctxt_switches"])
    return Awake(sleeps, sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9)


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def ours(run: int, run_directory: Path) -> list[int]:
    """`rankwise run`, its forks, and the keeper."""
    own = Path(f"/proc/{run}/cmdline").read_bytes()
    forks = [child for child in children(run) if Path(f"/proc/{child}/cmdline").read_bytes() == own]
    return [run, *forks, keeper_of(memory_of(run_directory))]


def samplers(run_directory: Path) -> list[int]:
    """The keeper's child that samples the network's counters, if the node has any."""
    pids = children(keeper_of(memory_of(run_directory)))
    return [pid for pid in pids if Path(f"/proc/{pid}/comm").read_text() == "rankwise-ports\n"]


def running(run_directory: Path) -> int:
    """How many ranks have left MPI_Init."""
    all_counters = counters_now(run_directory)
    return sum(
        isinstance(counters, Counters) and counters.header.state == "running" for counters in all_counters
    )


def test_nothing_of_ours_runs_while_ranks_run(mpi: Mpi, compiled: Compile, tmp_path: Path) -> None:
    """The job has one processor, and keeps it busy: so none that we might use has nothing to do."""
    if not Path("/proc/self/schedstat").exists():
        pytest.skip("this kernel does not tell how long a process ran")
    sign, output = tmp_path / "stop", tmp_path / "a.rankwise"
    command = mpi.launch(RANKS, compiled(mpi, "busy.c"), str(sign))
    processor = str(min(os.sched_getaffinity(0)))
    words = ["taskset", "-c", processor, str(RANKWISE), "run", "--quiet", "-o", str(output), "--", *command]
    launch = time.monotonic()
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True, env=mpi.env(), cwd=tmp_path) as process:
        directory = output.with_name("a.rankwise-run")
        patience.wait_until(directory.is_dir, LIMIT_SECONDS)
        patience.wait_until(lambda: running(directory) == RANKS, LIMIT_SECONDS)
        pids = ours(process.pid, directory)
        first = awake(pids)
        time.sleep(max(launch + QUIET_S - time.monotonic(), 0))
        in_the_beginning = awake(pids).since(first)
        pids += samplers(directory)
        first = awake(pids)
        time.sleep(SECONDS)
        later = awake(pids).since(first)
        assert ours(process.pid, directory) + samplers(directory) == pids
        sign.touch()
        errors = process.communicate(timeout=LIMIT_SECONDS)[1]
    assert (process.returncode, errors) == (0, "")
    assert in_the_beginning.wake_ups == 0
    assert later.wake_ups <= MOST_WAKE_UPS
    assert later.seconds <= MOST_SHARE * SECONDS

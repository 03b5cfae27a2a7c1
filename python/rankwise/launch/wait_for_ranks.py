"""Waits until all counts of processes are saved, also of those that outlive their launcher.

After `kill -9` of mpirun processes end a little later, and then keepers save what they have counted.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable
from pathlib import Path

from rankwise.profile.collect import node_memory
from rankwise.profile.collect.node_memory import COUNTERS_NAME, is_alive

_STEP_S, _LONGEST_STEP_S = 0.02, 1.0
_FOR_OTHERS_S = 5.0  # for nodes that have saved nothing yet, from the end of the visible ones
_FOR_FIRST_S = 1.0  # where no process has counted: the program probably doesn't use MPI
_REGULAR = ("finalized", "switched_off")
_LATE_S = 30.0  # of a busy file system


def wait_for_ranks(
    run_directory: Path, seconds: float = 3.0, sleep: Callable[[float], object] = time.sleep
) -> None:
    """Wait until nothing more comes into the run directory, at most `seconds`.

    Nodes whose processes were killed with their keeper can't be distinguished from running ones: they get a
    third of the time.

    Args:
        run_directory: of the job.
        seconds: to wait at most.
        sleep: called with the seconds between two looks.
    """
    start = time.monotonic()
    while (elapsed := time.monotonic() - start) < seconds:
        elsewhere = elapsed < seconds / 3 and _goes_on_elsewhere(run_directory)
        if not elsewhere and not _goes_on_here(run_directory):
            return
        sleep(_STEP_S)


def wait_for_all(run_directory: Path, ranks: int, meanwhile: Callable[[], object]) -> None:
    """Wait until no rank of a launch counts any more, however long that takes.

    Args:
        run_directory: of the launch.
        ranks: their number. Ranks that never count are waited for a few seconds from the last sign of others.
        meanwhile: is called now and then.
    """
    step, last_sign = _STEP_S, time.monotonic()
    while True:
        meanwhile()
        counted = _counted(run_directory)
        if _goes_on_here(run_directory) or _is_fresh_elsewhere(run_directory):
            last_sign = time.monotonic()
        elif counted >= ranks or time.monotonic() - last_sign > (_FOR_OTHERS_S if counted else _FOR_FIRST_S):
            return
        time.sleep(step)
        step = min(1.2 * step, _LONGEST_STEP_S)


def is_broken_here(run_directory: Path) -> bool:
    """Whether a process of this node is gone that did not come to the end of MPI_Finalize."""
    from rankwise.profile.collect.holders import find_counters

    host = os.uname().nodename
    gone = {}
    with contextlib.suppress(OSError):
        for holder in find_counters(run_directory).holders:
            here = [match for name in holder.names if (match := COUNTERS_NAME.fullmatch(name))]
            names = {match[0] for match in here if match["host"] == host and not is_alive(int(match["pid"]))}
            gone[holder] = names
    return any(
        not isinstance(process, Exception)
        and process.path.name in names
        and process.header.state not in _REGULAR
        for holder, names in gone.items()
        if names
        for process in holder.read()
    )


def _counted(run_directory: Path) -> int:
    """Return how many processes have left counters."""
    from rankwise.profile.collect.holders import find_counters

    with contextlib.suppress(OSError):
        return sum(len(holder.names) for holder in find_counters(run_directory).holders)
    return 0


def _is_fresh_elsewhere(run_directory: Path) -> bool:
    """Whether a keeper saves what a node counts; one that was killed has not saved for long."""
    from rankwise.errors import RankwiseError
    from rankwise.profile.collect.node_files import NODE_SUFFIX, read_node_file

    for path in run_directory.glob(f"*{NODE_SUFFIX}"):
        with contextlib.suppress(RankwiseError, OSError):
            node_file = read_node_file(path)
            age_s = time.time() - node_file.saved_realtime_ns / 1e9
            if not node_file.is_final and age_s < 3 * node_file.save_every_ms / 1e3 + _LATE_S:
                return True
    return False


def _goes_on_here(run_directory: Path) -> bool:
    host = os.uname().nodename
    for memory in node_memory.of_run(run_directory):
        matches = [match for path in memory.counters() if (match := COUNTERS_NAME.fullmatch(path.name))]
        if memory.is_kept() or any(
            match["host"] == host and is_alive(int(match["pid"])) for match in matches
        ):
            return True
    return False


def _goes_on_elsewhere(run_directory: Path) -> bool:
    # (Read late: it takes longer than most jobs have to be waited for.)
    from rankwise.errors import RankwiseError
    from rankwise.profile.collect.node_files import NODE_SUFFIX, read_node_file

    with contextlib.suppress(RankwiseError):  # the profile tells
        return not all(read_node_file(path).is_final for path in run_directory.glob(f"*{NODE_SUFFIX}"))
    return False

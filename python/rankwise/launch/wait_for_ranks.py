"""Waits until all is saved that processes have counted, also of those that outlive their launcher.

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

_STEP_S = 0.02


def wait_for_ranks(
    run_directory: Path, seconds: float = 3.0, sleep: Callable[[float], object] = time.sleep
) -> None:
    """Wait until nothing more comes into the run directory, but no longer than `seconds`.

    Nodes whose processes were killed with their keeper can't be told from those that go on: they get a third
    of the time.

    Args:
        run_directory: of the job.
        seconds: to wait at most.
        sleep: for so many seconds between two looks.
    """
    start = time.monotonic()
    while (elapsed := time.monotonic() - start) < seconds:
        elsewhere = elapsed < seconds / 3 and _goes_on_elsewhere(run_directory)
        if not elsewhere and not _goes_on_here(run_directory):
            return
        sleep(_STEP_S)


def _goes_on_here(run_directory: Path) -> bool:
    host = os.uname().nodename
    for memory in node_memory.of_run(run_directory):
        found = [match for path in memory.counters() if (match := COUNTERS_NAME.fullmatch(path.name))]
        if memory.is_kept() or any(one["host"] == host and is_alive(int(one["pid"])) for one in found):
            return True
    return False


def _goes_on_elsewhere(run_directory: Path) -> bool:
    # (Read late: it takes longer than most jobs have to be waited for.)
    from rankwise.errors import RankwiseError
    from rankwise.profile.collect.node_files import NODE_SUFFIX, read_node_file

    with contextlib.suppress(RankwiseError):  # the profile tells
        return not all(read_node_file(path).is_final for path in run_directory.glob(f"*{NODE_SUFFIX}"))
    return False

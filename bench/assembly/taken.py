"""What a command and all processes that it starts take: time, processor time, memory."""

from __future__ import annotations

import resource
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_EVERY_S = 0.02
_SHARE = 0.01  # of the time that may go into looking: at a large process it takes long, and holds that up


@dataclass(frozen=True)
class Taken:
    """What a command took.

    Attributes:
        seconds: from start to end.
        cpu_seconds: of it and all its descendants.
        peak_bytes: most memory of all of them at one instant, each shared page by its share.
    """

    seconds: float
    cpu_seconds: float
    peak_bytes: int


def watch(process: subprocess.Popen[bytes]) -> Taken:
    """Wait for a process that was just started, and look at its memory all the while."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    peak = 0
    while process.poll() is None:
        look = time.monotonic()
        peak = max(peak, sum(_memory(pid) for pid in _with_children(process.pid)))
        with suppress(subprocess.TimeoutExpired):
            process.wait(max(_EVERY_S, (time.monotonic() - look) / _SHARE))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return Taken(time.monotonic() - start, cpu, peak)


def _with_children(pid: int) -> list[int]:
    pids = [pid]
    for process in pids:
        with suppress(OSError):
            for task in Path(f"/proc/{process}/task").iterdir():
                pids += map(int, (task / "children").read_text(encoding="ascii").split())
    return pids


def _memory(pid: int) -> int:
    """Return the proportional set size of a process; 0 if it has gone."""
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) << 10
    return 0

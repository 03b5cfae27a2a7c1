"""Reads a few counters of a running job, without NumPy, which takes long to load.

Where it stands in them, src/runtime/format.h says; a test compares.
"""

from __future__ import annotations

import struct
from pathlib import Path

WORLD_SIZE_AT = 984
LAUNCHER_SIZE_AT = 1012
PIDS_AT = 24  # in a control page

_SIZE = struct.Struct("=i")
_PIDS = struct.Struct("=Q")


def ranks_of_job(counters: Path) -> int:
    """Return how many ranks the job of a process has, by its counters; 0 = unknown."""
    try:
        with counters.open("rb") as file:
            head = file.read(LAUNCHER_SIZE_AT + _SIZE.size)
        sizes: list[int] = [_SIZE.unpack_from(head, at)[0] for at in (WORLD_SIZE_AT, LAUNCHER_SIZE_AT)]
    except (OSError, struct.error):
        return 0
    return max(0, *sizes)


def sees_our_processes(control: Path) -> bool:
    """Return whether the process ids of a control page are valid in this namespace."""
    try:
        with control.open("rb") as file:
            [pids] = _PIDS.unpack_from(file.read(PIDS_AT + _PIDS.size), PIDS_AT)
        return bool(Path("/proc/self/ns/pid").stat().st_ino == pids)
    except (OSError, struct.error):
        return False

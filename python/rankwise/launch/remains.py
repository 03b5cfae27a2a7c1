"""Waits for MPI processes that outlive their launcher: after `kill -9` of mpirun they end a little later."""

from __future__ import annotations

import os
import time
from pathlib import Path

from rankwise.launch.observer import COUNTERS_NAME


def wait(run_directory: Path, seconds: float = 3.0) -> None:
    """Wait until the processes that count into the run directory are gone, but no longer than `seconds`.

    Processes on other hosts can't be asked; they get a third of the time.
    """
    start = time.monotonic()
    here = os.uname().nodename
    while (elapsed := time.monotonic() - start) < seconds:
        # (glob, because the directory may be gone by now.)
        processes = [m for m in (COUNTERS_NAME.fullmatch(p.name) for p in run_directory.glob("*")) if m]
        elsewhere = any(m["host"] != here for m in processes) and elapsed < seconds / 3
        if not elsewhere and not any(m["host"] == here and _alive(int(m["pid"])) for m in processes):
            return
        time.sleep(0.05)


def _alive(pid: int) -> bool:
    """Whether the process runs; one that only waits for its parent to notice (a zombie) does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (OSError, IndexError):
        return False
    return state not in "ZX"

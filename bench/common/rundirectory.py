"""What a job left in its run directory: bytes, our own part of MPI_Init, and how long the assembly takes."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from rankwise.profile.assemble import assemble
from rankwise.profile.counters import read_counters


def own_init(directory: Path) -> dict[str, float]:
    """Find the processor time of our own part of MPI_Init: of the worst and of the median process."""
    own = sorted(read_counters(path).header.own_setup_ns / 1e6 for path in directory.iterdir())
    return {"own_init_ms": own[-1], "own_init_median_ms": own[len(own) // 2]}


def all_of(directory: Path) -> dict[str, float]:
    """Find everything that a table shows of a run directory."""
    files = [path.stat() for path in directory.iterdir()]
    facts = own_init(directory)
    facts["disk_mb"] = sum(file.st_blocks for file in files) * 512 / 2**20
    facts["disk_kb_a_rank"] = facts["disk_mb"] * 1024 / len(files)
    with tempfile.TemporaryDirectory(prefix="rankwise-bench-") as name:
        start = time.monotonic()
        assemble(directory, Path(name) / "job.rankwise", exit_status=0)
        facts["assembly_ms"] = (time.monotonic() - start) * 1e3
    return facts

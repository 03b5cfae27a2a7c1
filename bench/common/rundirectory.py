"""What a job left in its run directory: files, bytes, our part of MPI_Init, and what the assembly takes."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from common.errors import BenchError
from rankwise.errors import RankwiseError
from rankwise.profile.assemble import assemble
from rankwise.profile.collect.counters import Counters
from rankwise.profile.collect.holders import find_counters


def own_init(directory: Path) -> dict[str, float]:
    """Find the processor time of our part of MPI_Init: of the worst and of the median process."""
    own = sorted(file.header.own_setup_ns / 1e6 for file in counters_of(directory))
    return {"own_init_ms": own[-1], "own_init_median_ms": own[len(own) // 2]}


def files_of(directory: Path) -> dict[str, float]:
    """Find how many files there are, and what they take on the disk."""
    files = [path.stat() for path in directory.iterdir()]
    return {"files": len(files), "disk_mb": sum(file.st_blocks for file in files) * 512 / 2**20}


def all_of(directory: Path) -> dict[str, float]:
    """Find everything that a table shows of a run directory."""
    facts = own_init(directory) | files_of(directory)
    facts["disk_kb_a_rank"] = facts["disk_mb"] * 1024 / len(counters_of(directory))
    with tempfile.TemporaryDirectory(prefix="rankwise-bench-") as name:
        start = time.monotonic()
        assemble(directory, Path(name) / "job.rankwise", exit_status=0)
        facts["assembly_ms"] = (time.monotonic() - start) * 1e3
    return facts


def counters_of(directory: Path) -> list[Counters]:
    """Read the counters of all processes."""
    files = []
    for holder in find_counters(directory).holders:
        for file in holder.read():
            if isinstance(file, RankwiseError):
                raise BenchError(str(file))
            files.append(file)
    if not files:
        raise BenchError(f"no process left counters in {directory}")
    return files

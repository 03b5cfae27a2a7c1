"""What a job takes of its node while it runs: memory of ranks and of the keeper, and the keeper's time.

The keeper's child that samples the counters of the network belongs to the keeper.
"""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from common.errors import BenchError
from common.jobs import Places
from rankwise.profile.collect import node_memory

_STEP_S = 0.05
_KEEPER, _SAMPLER = "rankwise-keeper", "rankwise-ports"


@contextlib.contextmanager
def look(places: Places, ranks: int, seconds: float = 0) -> Iterator[dict[str, float]]:
    """Look at a job whose ranks wait, and then let them end: for `Runner.beside`.

    Args:
        places: of the job.
        ranks: of the job.
        seconds: how long to watch the keeper.
    """
    figures: dict[str, float] = {}
    ended = threading.Event()
    thread = threading.Thread(target=_look, args=(places, ranks, seconds, figures, ended))
    thread.start()
    try:
        yield figures
    finally:
        ended.set()
        thread.join()


def _look(
    places: Places, ranks: int, seconds: float, figures: dict[str, float], ended: threading.Event
) -> None:
    pids: list[int] = []
    while len(pids) < ranks:
        if ended.wait(_STEP_S):
            return
        pids = _waiting(places.records, ranks)
    try:
        figures["node_mb"] = sum(_share_mb(pid) for pid in pids)
        keeper = _keeper(places.counters) if places.counters else None
        if keeper is not None and places.counters:
            samplers = _samplers(keeper)
            figures["keeper_mb"] = sum(map(_share_mb, [keeper, *samplers]))
            figures["node_mb"] += figures["keeper_mb"]
            figures["counters_mb"] = _counters_mb(places.counters)
            figures |= _watched(keeper, samplers, seconds, ended)
    finally:
        places.records.with_name(f"{places.records.name}.end").touch()


def _watched(keeper: int, samplers: list[int], seconds: float, ended: threading.Event) -> dict[str, float]:
    """Return the processor time of a keeper, and of its sampler if it has one."""
    start, sleeps = time.monotonic(), sum(map(_sleeps, samplers))
    keeper_s, sampler_s = _ran_s(keeper), sum(map(_ran_s, samplers))
    ended.wait(seconds)
    sampler_s = sum(map(_ran_s, samplers)) - sampler_s
    percent = 100 / (time.monotonic() - start)
    figures = {"keeper_percent": (_ran_s(keeper) - keeper_s + sampler_s) * percent}
    if samplers:
        figures["sampler_percent"] = sampler_s * percent
        figures["sampler_sleeps"] = sum(map(_sleeps, samplers)) - sleeps
    return figures


def _waiting(records: Path, ranks: int) -> list[int]:
    """Return the process ids of the ranks that wait."""
    pids = []
    for rank in range(ranks):
        with contextlib.suppress(OSError):
            lines = records.with_name(f"{records.name}.{rank}").read_text().splitlines()
            pids += [json.loads(line)["pid"] for line in lines if '"pid"' in line]
    return pids


def _share_mb(pid: int) -> float:
    """Return the resident memory of a process; what several have counts in equal shares."""
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return float(line.split()[1]) / 1024
    raise BenchError("this kernel tells no shares of memory (Pss)")


def _keeper(counters: Path) -> int | None:
    """Return the process id of the keeper of a run directory, if it has one."""
    argument = str(counters).encode()
    for directory in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            is_keeper = (directory / "comm").read_text() == f"{_KEEPER}\n"
            if is_keeper and argument in (directory / "cmdline").read_bytes().split(b"\0"):
                return int(directory.name)
    return None


def _samplers(keeper: int) -> list[int]:
    """Return the process id of its child that samples the counters of the network, if it has one."""
    pids = [int(pid) for pid in Path(f"/proc/{keeper}/task/{keeper}/children").read_text().split()]
    return [pid for pid in pids if Path(f"/proc/{pid}/comm").read_text() == f"{_SAMPLER}\n"]


def _counters_mb(counters: Path) -> float:
    """Return what the counters take of the node's memory, mapped or not."""
    files = [path.stat() for memory in node_memory.of_run(counters) for path in memory.counters()]
    return sum(file.st_blocks for file in files) * 512 / 2**20


def _sleeps(pid: int) -> int:
    """Return how often it went to sleep: the sampler does so at least once a sample."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("voluntary_ctxt_switches:"):
            return int(line.split()[1])
    raise BenchError("this kernel counts no switches of a process")


def _ran_s(pid: int) -> float:
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9

"""Synthetic jobs that are running, and a clock that tests set."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from synthetic import IDS, LOADED_NS, SECOND, WORLD, Process, stamp, ticks

from rankwise.live import snapshot, watch
from rankwise.profile.collect.keys import calls_key
from rankwise.profile.collect.layout import CONSTANTS

NO_STAMP = (0, 0, 0)


class Time:
    """Takes the place of the module `time` where jobs are watched; what sleeps, moves it on."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def time_ns(self) -> int:
        return LOADED_NS + round(self.seconds * SECOND)

    def monotonic(self) -> float:
        return self.seconds

    def sleep(self, seconds: float) -> None:
        self.seconds += seconds


def set_time(monkeypatch: pytest.MonkeyPatch, seconds: float) -> Time:
    """Make it this long after the processes were loaded."""
    fake = Time(seconds)
    for module in (snapshot, watch):
        monkeypatch.setattr(module, "time", fake)
    monkeypatch.setattr(watch, "_sleep", lambda seconds, _: fake.sleep(seconds))
    return fake


def running(
    process: Process, latest: float, inside: str = "", since: float = 0.0, on: int = WORLD
) -> Process:
    """Make a process one that runs, whose last heartbeat was at `latest`, perhaps inside a call."""
    state = {"state": CONSTANTS["STATE_RUNNING"], "stopping": NO_STAMP, "stopped": NO_STAMP}
    process.header |= state | {"latest": stamp(latest)}
    process.threads = [{"tid": 100, "alive": 1, "inside_since": ticks(since or latest)}]
    if inside:
        process.threads[0]["inside_key"] = calls_key(0, on, IDS[inside], 0)
    return process


def starting(rank: int, size: int) -> Process:
    """Make a process that is inside MPI_Init."""
    header: dict[str, Any] = {"state": CONSTANTS["STATE_STARTING"], "world_rank": -1, "world_size": -1}
    header |= {"launcher_rank": rank, "launcher_size": size, "latest": stamp(0.0)}
    header |= dict.fromkeys(("started", "stopping", "stopped"), NO_STAMP)
    return Process(header=header)


def write(directory: Path, processes: list[Process]) -> Path:
    """Write or overwrite a file for each process; return the directory."""
    for number, process in enumerate(processes):
        process.write(directory, f"rank{number}")
    return directory

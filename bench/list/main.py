"""How long `rankwise list` takes for many profiles. They are copies of one, with different dates."""

from __future__ import annotations

import argparse
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

import large_profiles

from rankwise.diagnosis.kept import keep_diagnosis

_PROFILES = 1000
_GRID = large_profiles.Grid(4, 4, 4)
_AIM_S = 2.0
_TIMES = 5


def main(arguments: list[str]) -> None:
    """Print the time of the command, with its start."""
    parser = argparse.ArgumentParser(prog="bench", description="Lists of many profiles.")
    parser.add_argument("--profiles", type=int, default=_PROFILES, metavar="N", help="their number")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="rankwise-bench-") as name:
        folder = Path(name)
        _write(folder, options.profiles)
        seconds = [_seconds(folder) for _ in range(_TIMES)]
    print(
        f"{options.profiles} profiles of {_GRID.ranks} ranks listed in {statistics.median(seconds):.2f} s"
        f" ({min(seconds):.2f} to {max(seconds):.2f}, {_TIMES} times; aim {_AIM_S:g} s for {_PROFILES})"
    )


def _write(folder: Path, profiles: int) -> None:
    first = large_profiles.write_stencil(folder / "0.rankwise", _GRID)
    with closing(sqlite3.connect(first)) as profile, profile:
        keep_diagnosis(profile)
    for number in range(1, profiles):
        path = folder / f"{number}.rankwise"
        path.write_bytes(first.read_bytes())
        with closing(sqlite3.connect(path)) as profile, profile:
            day, minute = 1 + number % 28, number % 60
            profile.execute("UPDATE run SET started = ?", (f"2026-11-{day:02}T10:{minute:02}:00+00:00",))


def _seconds(folder: Path) -> float:
    began = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "rankwise", "list", str(folder)], check=True, stdout=subprocess.DEVNULL
    )
    return time.perf_counter() - began

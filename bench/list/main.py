"""How long `rankwise list` takes for many profiles. They are copies of one, with different dates."""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from common.profiles import GRID, write_profiles

_PROFILES = 1000
_AIM_S = 2.0
_TIMES = 5


def main(arguments: list[str]) -> None:
    """Print the time of the command, with its start."""
    parser = argparse.ArgumentParser(prog="bench", description="Lists of many profiles.")
    parser.add_argument("--profiles", type=int, default=_PROFILES, metavar="N", help="their number")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="rankwise-bench-") as name:
        folder = Path(name)
        write_profiles(folder, options.profiles)
        seconds = [_seconds(folder) for _ in range(_TIMES)]
    print(
        f"{options.profiles} profiles of {GRID.ranks} ranks listed in {statistics.median(seconds):.2f} s"
        f" ({min(seconds):.2f} to {max(seconds):.2f}, {_TIMES} times; aim {_AIM_S:g} s for {_PROFILES})"
    )


def _seconds(folder: Path) -> float:
    began = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "rankwise", "list", str(folder)], check=True, stdout=subprocess.DEVNULL
    )
    return time.perf_counter() - began

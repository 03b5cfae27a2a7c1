"""How often `rankwise scaling` finds known laws and names the right call, and how long it takes."""

from __future__ import annotations

import argparse
import math
import resource
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import large_profiles
from scaling_made import Program
from test_scaling import EVEN, STRONG, WEAK
from test_scaling_models import LAWS, RANKS, fitted

import rankwise
from rankwise.views.runs.model_text import form_text

_AT = 1024
_GRIDS = ((2, 2, 2), (4, 2, 2), (4, 4, 2), (4, 4, 4))  # 8 to 64 ranks
_PROFILES = 50
_AIM_S = 3.0
_TIMES = 5


def main(arguments: list[str]) -> None:
    """Print how often laws are found, verdicts are right, and the time of the command, with its start."""
    parser = argparse.ArgumentParser(prog="bench", description="Scaling of programs with known laws.")
    parser.add_argument(
        "--repeat", type=int, default=40, metavar="N", help="of each law (default: %(default)s)"
    )
    options = parser.parse_args(arguments)
    _laws(options.repeat)
    with tempfile.TemporaryDirectory(prefix="rankwise-bench-") as name:
        _verdicts(Path(name), max(1, options.repeat // 8))
    with tempfile.TemporaryDirectory(prefix="rankwise-bench-") as name:
        _time(Path(name))


def _laws(repeat: int) -> None:
    print(f"Laws at {RANKS[0]} to {RANKS[-1]} ranks with 3 % of noise, {repeat} times each:\n")
    print(f"{'':24}  {'one run each':>32}  {'three runs each':>32}")
    head = f"{'found':>8}  {'interval':>9}  {'width':>11}"
    print(f"{'law':24}  {head}  {head}")
    for name, (law, form) in LAWS.items():
        cells = []
        for runs in (1, 3):
            fits = [fitted(law, runs, seed) for seed in range(repeat)]
            found = sum(form_text(each.model, ["p"]) == form for each in fits)
            predicted = [each.predict((float(_AT),)) for each in fits]
            right = sum(each.low <= law(_AT) <= each.high for each in predicted)
            width = statistics.median((each.high - each.low) / law(_AT) for each in predicted)
            cells.append(f"{found:>8}  {right:>9}  {100 * width:>9.0f} %")
        print(f"{name:24}  {'  '.join(cells)}")
    print(
        f"\nfound: of {repeat}, the law itself is the model. interval: of {repeat}, at {_AT} ranks it"
        " includes the truth. width: of the interval, median, relative to the truth.\n"
    )


def _verdicts(folder: Path, repeat: int) -> None:
    for title, program, expected in (
        ("strong", STRONG, "Alltoall on W_s1 stops scaling"),
        ("weak", WEAK, "Alltoall on W_s1 stops scaling"),
        ("nothing but noise", EVEN, "No call stops scaling"),
    ):
        for runs in (1, 3):
            right = sum(
                _title(folder / f"{title}-{runs}-{seed}", program, runs, seed).startswith(expected)
                for seed in range(repeat)
            )
            print(f"{title}, {runs} run{'s' * (runs > 1)} each: {right} of {repeat} verdicts are right")


def _title(folder: Path, program: Program, runs: int, seed: int) -> str:
    folder.mkdir()
    replace(program, noise=0.03).write(folder, runs=runs, seed=seed)
    return rankwise.scaling(folder).title


def _time(folder: Path) -> None:
    each = math.ceil(_PROFILES / len(_GRIDS))
    for number in range(_PROFILES):
        path = folder / f"{number}.rankwise"
        place, again = divmod(number, each)
        if again:
            path.write_bytes((folder / f"{place * each}.rankwise").read_bytes())
        else:
            large_profiles.write_stencil(path, large_profiles.Grid(*_GRIDS[place]))
        with closing(sqlite3.connect(path)) as profile, profile:
            profile.execute("UPDATE run SET started = ?", (f"2026-11-01T10:{number:02}:00+00:00",))
    before = _cpu_seconds()
    seconds = [_seconds(folder) for _ in range(_TIMES)]
    print(
        f"\n{_PROFILES} profiles of 8 to 64 ranks: {statistics.median(seconds):.2f} s"
        f" ({min(seconds):.2f} to {max(seconds):.2f}, {_TIMES} times; aim {_AIM_S:g} s),"
        f" {(_cpu_seconds() - before) / _TIMES:.2f} CPU seconds"
    )


def _cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _seconds(folder: Path) -> float:
    began = time.perf_counter()
    words = [sys.executable, "-m", "rankwise", "scaling", "--strong", str(folder)]
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began

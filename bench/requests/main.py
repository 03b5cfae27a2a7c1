"""What the table of requests costs: one request entered and taken out, without MPI around it."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from common.errors import BenchError

_ROOT = Path(__file__).parents[2]
_SOURCES = (Path(__file__).with_name("requests.cpp"), _ROOT / "src" / "runtime" / "requests.cpp")
_FLAGS = ("-std=c++20", "-O2", "-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics", "-pthread")
_AIM_NS = 25
_LOCKED = 0  # one thread that takes the locks

_ROWS = tuple((threads, alive) for threads in (1, _LOCKED, 4) for alive in (1, 8, 1000, 100_000))


def _build(directory: Path) -> Path:
    program = directory / "requests"
    compiler = os.environ.get("CXX") or shutil.which("c++") or "g++"
    words = [*compiler.split(), *_FLAGS, f"-I{_ROOT / 'src' / 'runtime'}", "-o", str(program)]
    answer = subprocess.run(
        [*words, *map(str, _SOURCES)], capture_output=True, text=True, timeout=120, check=False
    )
    if answer.returncode != 0:
        raise BenchError(f"{' '.join(words)} failed:\n{answer.stderr.strip()}")
    return program


def _measure(program: Path, threads: int, alive: int) -> tuple[float, float]:
    words = [str(program), str(threads), str(alive)]
    answer = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    if answer.returncode != 0:
        raise BenchError(f"{' '.join(words)} ended with status {answer.returncode}")
    fastest, mean = map(float, answer.stdout.split())
    return fastest, mean


def main(arguments: list[str]) -> None:
    """Build the program, run it for each row, print a table."""
    argparse.ArgumentParser(
        prog="bench", description="What the table of requests costs a nonblocking call and its completion."
    ).parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="rankwise-bench-") as name:
        program = _build(Path(name))
        print("threads              alive  fastest, ns  mean, ns  aim")
        for threads, alive in _ROWS:
            fastest, mean = _measure(program, threads, alive)
            who = "1, with locks" if threads == _LOCKED else f"{threads}{' at once' if threads > 1 else ''}"
            mark = "  over" if mean > _AIM_NS else ""
            print(f"{who:<16} {alive:>9}  {fastest:>11.1f}  {mean:>8.1f}  <= {_AIM_NS}{mark}")

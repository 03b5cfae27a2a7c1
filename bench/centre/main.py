"""Many runs of a computing centre: how quickly they are added, bytes of a job, seconds of each question."""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from centre.synthetic import Centre, copy_month, write_month
from common.profiles import GRID, write_profiles
from rankwise.centre import questions
from rankwise.centre.asked import Asked
from rankwise.centre.engines.duckdb_engine import DuckDB
from rankwise.centre.engines.engine import Engine
from rankwise.centre.schema import TABLES
from rankwise.centre.store import Store

_RUNS = 1_000_000
_MONTHS = 36
_MADE = 3  # months that are made; the others are copies with other numbers
_FULL_RUNS = 10_000  # of a month with all tables, for the bytes of a job
_AIM_S, _AIM_RUNS, _AIM_BYTES = 10.0, 10_000_000, 20_000
_PROFILES, _AIM_RATE = 1000, 200  # that are added, and how many in a second
_ROWS = 10
_TIMES = 3


def main(arguments: list[str]) -> None:
    """Print profiles added in a second, bytes of a job, and seconds of each question."""
    parser = argparse.ArgumentParser(prog="bench", description="Questions about many runs.")
    parser.add_argument("--runs", type=int, default=_RUNS, metavar="N", help="their number")
    parser.add_argument("--store", type=Path, metavar="DIR", help="where they are, or are made and kept")
    parser.add_argument("--threads", type=int, default=2, metavar="N", help="of DuckDB")
    parser.add_argument("--memory", default="6GB", metavar="SIZE", help="that DuckDB may use")
    parser.add_argument("--times", type=int, default=_TIMES, metavar="N", help="how often each is asked")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="rankwise-bench-") as name:
        folder = Path(name)
        _ingest(folder, options.times)
        write_month(folder / "full", "2026-11", _FULL_RUNS, Centre(), details=True)
        print(f"{_size(folder / 'full') / _FULL_RUNS:,.0f} bytes a job (aim {_AIM_BYTES:,}):")
        for table in TABLES:
            print(f"  {table.name:12} {_size(folder / 'full' / table.name) / _FULL_RUNS:8,.0f}")
        store = options.store or folder / "store"
        if not (store / "rankwise-centre.json").exists():
            _write(store, options.runs)
        with DuckDB(Store(store), threads=options.threads, memory=options.memory) as engine:
            _ask(engine, options.times)


def _ingest(folder: Path, times: int) -> None:
    """Print how many profiles a second one command adds to an empty store, with its start."""
    profiles = folder / "profiles"
    profiles.mkdir()
    write_profiles(profiles, _PROFILES)
    seconds = []
    for number in range(times):
        into = ["--into", str(folder / f"store{number}")]
        began = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "rankwise", "centre", "ingest", str(profiles), *into],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        seconds.append(time.perf_counter() - began)
    print(
        f"{_PROFILES} profiles of {GRID.ranks} ranks added, {_PROFILES / statistics.median(seconds):.0f} a"
        f" second ({_PROFILES / max(seconds):.0f} to {_PROFILES / min(seconds):.0f}; aim {_AIM_RATE})"
    )


def _write(store: Path, runs: int) -> None:
    months = [f"{2024 + at // 12}-{at % 12 + 1:02}" for at in range(_MONTHS)]
    for at, month in enumerate(months):
        if at < _MADE:
            write_month(store, month, runs // _MONTHS, Centre(), details=False)
        else:
            copy_month(store, months[at % _MADE], month)


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*.parquet"))


def _ask(engine: Engine, times: int) -> None:
    everything, month = Asked(), Asked(since="2025-06", until="2025-06")
    runs = questions.jobs(engine, everything, 1).scope.totals["runs"]
    print(f"{runs:,} runs; seconds, and seconds of processors (aim {_AIM_S:g} s for {_AIM_RUNS:,}):")
    asks: dict[str, Callable[[Asked], object]] = {
        "waste": lambda asked: questions.waste(engine, asked, _ROWS),
        "programs": lambda asked: questions.programs(engine, asked, _ROWS),
        "jobs": lambda asked: questions.jobs(engine, asked, _ROWS),
        "users": lambda asked: questions.users(engine, asked, _ROWS),
        "hosts": lambda asked: questions.hosts(engine, asked),
        "trends": lambda asked: questions.trends(engine, asked, _ROWS),
    }
    for name, ask in asks.items():
        texts = []
        for asked in (everything, month):
            seconds, processors = [], []
            for _ in range(times):
                began, used = time.perf_counter(), time.process_time()
                ask(asked)
                seconds.append(time.perf_counter() - began)
                processors.append(time.process_time() - used)
            texts.append(f"{statistics.median(seconds):7.2f} {statistics.median(processors):7.2f}")
        print(f"  {name:10} {texts[0]}    of one month {texts[1]}", flush=True)

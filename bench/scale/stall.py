"""Whether a program ever waits for the file system of its run directory, which is slow here."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from common.jobs import Places, Runner, build
from common.mpis import Mpi, environment
from common.report import table
from common.results import Result, compare
from common.rows import worst
from rankwise.launch.wait_for_ranks import wait_for_ranks
from rankwise.profile.collect.launch_note import FILE_NAME as LAUNCH_NOTE
from scale.slow_mount import RATE, slow_mount, unavailable

RANKS = 4
_AIM_MS = 1.0
_WRITE_BACK_EVERY_S = 2
_KEEPER_S = 60.0  # to save the counters, which takes its time here
ROWS = (
    worst("longest sweep", "ms", "longest_ms", _AIM_MS),
    worst("sweep, 99.9th percentile", "ms", "thousandth_ms"),
    worst("sweep, median", "us", "median_us"),
    worst("longest sleep in a sweep", "ms", "longest_sleep_ms", _AIM_MS),
)


def measure(mpi: Mpi, library: Path, pairs: int, seconds: int, timeout: float) -> None:
    """Print the table of one MPI, or why it has none."""
    if reason := unavailable():
        print(f"{mpi.name}, stalls: left out: {reason}\n")
        return
    print(f"{mpi.name}: {pairs} pairs of runs of {seconds} s on a slow file system", file=sys.stderr)
    with tempfile.TemporaryDirectory(prefix="rankwise-bench-") as name, slow_mount(Path(name)) as place:
        program = build(mpi, "sweeps", Path(name))
        runner = Runner(
            mpi, program, RANKS, library, timeout + seconds, (str(seconds),), beside=_watched, place=place
        )
        jobs = list(runner.pairs(pairs))
    results = compare(ROWS, jobs)
    print(f"{mpi.name} ({mpi.version}), {RANKS} ranks with 300 communicators each, sweeps for {seconds} s;")
    print(f"the run directory is on a file system that takes {RATE}B/s, `rankwise top` reads it;")
    print(f"{pairs} pairs of runs: medians over the pairs, of each run the worst rank")
    print(table(results, mpi))
    for result in results:
        if result.row.aim is not None:
            print(f"{result.row.key}: {_verdict(result)}")
    print(flush=True)


def _verdict(result: Result) -> str:
    noise = max(result.without)
    if noise > _AIM_MS:
        return (
            f"{noise:.1f} ms without the library, too: whether it adds more than {_AIM_MS:g} ms is not known"
        )
    return f"at most {max(result.differences):.3f} ms added in any pair"


@contextlib.contextmanager
def _watched(places: Places) -> Iterator[dict[str, float]]:
    """Beside a job with the library have `rankwise top` look at it; wait at the end until all is saved.

    Changed pages are written back every other second, as on a node whose memory is short; else it takes the
    kernel half a minute to begin.
    """
    if places.counters is None:
        yield {}
        return
    note = places.counters / LAUNCH_NOTE  # for `top`, which begins before the job
    note.write_text("{}")
    top: list[str | Path] = [sys.executable, "-m", "rankwise", "top", "--every", "1", places.counters]
    write_back: list[str | Path] = [
        "sh",
        "-c",
        f'while sleep {_WRITE_BACK_EVERY_S}; do sync -f "$1"; done',
        "sh",
        note,
    ]
    beside = [
        subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env=environment())
        for words in (top, write_back)
    ]
    try:
        yield {}
        wait_for_ranks(places.counters, _KEEPER_S)
    finally:
        for process in beside:
            process.terminate()
            process.wait()
        note.unlink()

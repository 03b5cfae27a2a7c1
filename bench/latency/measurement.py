"""One run of the probe of `rankwise latency`."""

from __future__ import annotations

import argparse
import json
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path

from common.errors import BenchError
from common.jobs import output_of
from common.mpis import Mpi


@dataclass(frozen=True)
class Measured:
    """How long the pairs took.

    Attributes:
        steps: of the schedule.
        seconds: of all of them.
        whole: all were measured; else `seconds` is extrapolated from those that were.
    """

    steps: int
    seconds: float
    whole: bool


def measure(
    mpi: Mpi, program: Path, ranks: int, mode: str, seed: int, options: argparse.Namespace
) -> Measured:
    """Measure all pairs in a mode, for `options.limit` seconds at most."""
    with tempfile.TemporaryDirectory(prefix="rankwise-bench-") as name:
        words = [name, mode, str(options.size), str(options.repeats), str(seed)]
        ended = threading.Event()
        watch = threading.Thread(target=_end_after, args=(Path(name), options.limit, ended))
        watch.start()
        try:
            output = output_of([*mpi.launch(ranks, {}), str(program), *words], options.timeout)
        finally:
            ended.set()
            watch.join()
        header = Path(name) / "header.json"
        if not header.is_file():
            raise BenchError(f"the probe left no {header.name}\n{output.strip()}")
        header_content = json.loads(header.read_text())
    done = header_content["rounds_done"]
    if not done:
        raise BenchError(f"no step of {mode} was done in {options.limit:g} s")
    return Measured(
        header_content["rounds"],
        header_content["seconds"] / done * header_content["rounds"],
        done == header_content["rounds"],
    )


def _end_after(directory: Path, seconds: float, ended: threading.Event) -> None:
    """Make the probe stop when it has measured so long; it looks between two steps."""
    while not ended.wait(0.05):
        try:
            words = (directory / "progress").read_text().split()
        except OSError:  # not yet there
            continue
        if len(words) == 3 and float(words[2]) >= seconds:
            (directory / "stop").touch()
            return

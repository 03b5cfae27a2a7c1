"""PricedSlots the ranks of one graph with the engine: place.py TRAFFIC PLACES RESULT EFFORT THREADS."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import numpy as np

from rankwise.analysis.messages.traffic import Traffic
from rankwise.placement.engine import place
from rankwise.placement.priced_slots import PricedSlots


def _memory(what: str) -> int:
    """Read kB from what the kernel says about this process."""
    line = next(
        line_of_file
        for line_of_file in Path("/proc/self/status").read_text().splitlines()
        if line_of_file.startswith(what)
    )
    return int(line.split()[1])


def main(traffic: str, places: str, result: str, effort: str, threads: str) -> None:
    """Load, place, tell what it took: the time of placing alone, the memory with the arrays given."""
    place(Traffic(2, [0], [1], [1]), PricedSlots([[0], [1]], [1.0, 0.0]))  # so that the library is loaded
    Path("/proc/self/clear_refs").write_text("5")  # sets VmHWM back
    before = _memory("VmRSS")
    with np.load(traffic) as arrays:
        given = Traffic(int(arrays["ranks"]), *(arrays[name] for name in ("one", "other", "bytes")))
    with np.load(places) as arrays:
        machine = PricedSlots(arrays["objects"], arrays["per_byte"])
    cpu, wall = time.process_time(), time.perf_counter()
    placed = place(given, machine, effort=int(effort), threads=int(threads))
    usage = {
        "cpu": time.process_time() - cpu,
        "wall": time.perf_counter() - wall,
        "kb": _memory("VmHWM") - before,
    }
    placed.slot.tofile(result)
    print(json.dumps(usage))


if __name__ == "__main__":
    main(*sys.argv[1:])

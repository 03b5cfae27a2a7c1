"""The time that a program tells: the programs here, LAMMPS, and the example solver."""

from __future__ import annotations

import re

from common.errors import BenchError

_ALL = re.compile(r"^seconds ([\d.]+)|^Loop time of ([\d.]+)", re.MULTILINE)
_ITERATIONS = re.compile(r"points, (\d+) iterations$", re.MULTILINE)
_OF_ONE = re.compile(r"an iteration: ([\d.]+) in the first (\d+), ([\d.]+) in the others")
_REORDERING = re.compile(r"^reordering: ([\d.]+) s for the order, ([\d.]+) s for the data", re.MULTILINE)


def seconds(output: str) -> float:
    """Return the time that a program reports, including that of a reordering.

    Raises:
        BenchError: it reports none.
    """
    if match := _ALL.search(output):
        return float(match[1] or match[2])
    of_one, number = _OF_ONE.search(output), _ITERATIONS.search(output)
    if of_one is None or number is None:
        raise BenchError(f"the program told no time: {output.strip()[-200:]}")
    first = int(of_one[2])
    cost = _REORDERING.search(output)
    total = float(of_one[1]) * first + float(of_one[3]) * (int(number[1]) - first)
    return total + (float(cost[1]) + float(cost[2]) if cost else 0)

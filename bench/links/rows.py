"""A line of the table: what a step takes."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable


def row(name: str, rounds: int, work: Callable[[], object], aim: float | None = None) -> None:
    """Print what it takes; `over` where every round missed the aim, `over?` where the median did."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    median = statistics.median(times)
    missed = "" if aim is None or median <= aim else "over" if min(times) > aim else "over?"
    limit_text = "" if aim is None else f"{aim:.2f}"
    print(
        f"{name:<58} {median:>9.4f} {min(times):>9.4f} {max(times):>9.4f} {limit_text:>6}  {missed}".rstrip(),
        flush=True,
    )

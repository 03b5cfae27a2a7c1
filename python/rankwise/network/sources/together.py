"""Work on several files or subnets at the same time: the native library and NumPy let other threads run."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TypeVar

_Result = TypeVar("_Result")
_LARGE = 1 << 24
"""Smaller works would be done before threads have begun."""


def done_together(works: Sequence[Callable[[], _Result]], sizes: Sequence[int]) -> list[_Result]:
    """Return the results of several works, in their order.

    Args:
        works: they are called, each once, by as many threads as there are processors.
        sizes: of each, in bytes: the largest ones begin.

    Raises:
        Exception: what the first of the works that failed has raised, by their order.
    """
    threads = min(len(works), len(os.sched_getaffinity(0)))
    if threads < 2 or sum(sizes) < _LARGE:
        return [work() for work in works]
    from concurrent.futures import Future, ThreadPoolExecutor  # not above: it takes time, and few need it

    futures: dict[int, Future[_Result]] = {}
    with ThreadPoolExecutor(threads) as pool:
        for place in sorted(range(len(works)), key=lambda place: -sizes[place]):
            futures[place] = pool.submit(works[place])
        return [futures[place].result() for place in range(len(works))]

"""Divides the counters of a job into portions that are read, and made into rows, each at once.

For a large job several processes do that, and none keeps all rows: they are read in a second pass, once the
meaning of the numbers in them is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from rankwise.errors import RankwiseError
from rankwise.profile.collect.counters import Counters
from rankwise.profile.collect.holders import Holder
from rankwise.profile.join.batches import Batch, Common, Counted, Own, make_batch

_TOGETHER = 64
"""Processes in a portion, or more if a file has more."""


class Portion(NamedTuple):
    """Files that are read together.

    Attributes:
        holders: the files.
        with_rows: whether the rows of calls and messages are kept.
    """

    holders: tuple[Holder, ...]
    with_rows: bool


class RowsTask(NamedTuple):
    """Processes whose rows are made together.

    Attributes:
        common: of their world.
        owns: by the name of their counters.
        holders: where these are.
    """

    common: Common
    owns: Mapping[str, Own]
    holders: tuple[Holder, ...]


class Made(NamedTuple):
    """Rows, and their processes.

    Attributes:
        batch: the rows; None = no rows.
        processes: their number.
        gone: names of counters that could not be read a second time.
    """

    batch: Batch | None
    processes: int
    gone: tuple[str, ...] = ()


def portions(holders: Iterable[Holder], *, with_rows: bool) -> Iterator[Portion]:
    """Divide files into portions."""
    return (Portion(together, with_rows) for together in _together(holders))


def read_portion(portion: Portion) -> list[Counters | str]:
    """Read the counters; for those that cannot be read, a sentence that says why."""
    results: list[Counters | str] = []
    for holder in portion.holders:
        for counters in holder.read():
            if isinstance(counters, RankwiseError):
                results.append(str(counters))
            else:
                results.append(counters if portion.with_rows else counters.without_rows())
    return results


def make_kept_rows(common: Common, processes: Iterable[tuple[Own, Counters]]) -> Iterator[Made]:
    """Make the rows of processes whose counters were read with them."""
    together: list[tuple[Own, Counted]] = []
    for own, counters in processes:
        together.append((own, Counted(counters.calls, counters.messages)))
        if len(together) == _TOGETHER:
            yield Made(make_batch(common, together), len(together))
            together = []
    if together:
        yield Made(make_batch(common, together), len(together))


def rows_tasks(common: Common, owns: Mapping[str, Own], holders: Iterable[Holder]) -> Iterator[RowsTask]:
    """Divide the processes of a world, whose rows have to be read.

    Args:
        common: of the world.
        owns: by the name of their counters.
        holders: where these are, and perhaps others.
    """
    for together in _together(holders):
        here = {name: owns[name] for holder in together for name in holder.names if name in owns}
        if here:
            yield RowsTask(common, here, together)


def make_rows(task: RowsTask) -> Made:
    """Read rows of calls and messages, and make rows for the profile of them."""
    read: dict[str, Counted] = {}
    for holder in task.holders:
        read.update((name, Counted(*rows)) for name, rows in holder.read_rows(task.owns))
    gone = tuple(name for name in task.owns if name not in read)
    ranks = sorted(((task.owns[name], counted) for name, counted in read.items()), key=_rank)
    batch = make_batch(task.common, ranks) if ranks else None
    return Made(batch, len(task.owns), gone)


def _rank(process: tuple[Own, Counted]) -> int:
    return process[0].rank


def _together(holders: Iterable[Holder]) -> Iterator[tuple[Holder, ...]]:
    together: list[Holder] = []
    count = 0
    for holder in holders:
        together.append(holder)
        count += len(holder.names)
        if count >= _TOGETHER:
            yield tuple(together)
            together, count = [], 0
    if together:
        yield tuple(together)

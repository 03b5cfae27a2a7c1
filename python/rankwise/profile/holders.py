"""Finds the counters of a run directory: files of one process each, and node files with those of many."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from rankwise.errors import RankwiseError
from rankwise.profile.counters import Counters, read_counters
from rankwise.profile.node_files import NODE_SUFFIX, NodeFile, read_entries, read_node_file

COUNTERS_SUFFIX = ".counters"


@dataclass(frozen=True)
class Holder:
    """A file that holds counters.

    Attributes:
        path: of the file.
        names: of the counters that are to be read from it, each as if it were a file beside it.
    """

    path: Path
    names: frozenset[str]

    def read(self) -> Iterator[Counters | RankwiseError]:
        """Read the counters as they are now: in place of those that cannot be read, why."""
        try:
            if self.path.name.endswith(NODE_SUFFIX):
                yield from read_entries(self.path, self.names)
            else:
                yield read_counters(self.path)
        except RankwiseError as failure:
            yield failure


@dataclass(frozen=True)
class Found:
    """The counters of a run directory.

    Attributes:
        holders: the files to read them from, sorted by path; each name is read from one of them.
        node_files: what the node files say about themselves, sorted by path.
        failures: node files that cannot be read.
    """

    holders: tuple[Holder, ...]
    node_files: tuple[NodeFile, ...]
    failures: tuple[RankwiseError, ...]


def find_counters(run_directory: Path) -> Found:
    """Find all counters of a run directory.

    The counters of one process may be there several times, where a keeper had to be replaced: those with the
    latest sign of life count.

    Raises:
        OSError: the directory cannot be read.
    """
    paths = sorted(run_directory.iterdir())
    node_files: list[NodeFile] = []
    failures: list[RankwiseError] = []
    for path in paths:
        if path.name.endswith(NODE_SUFFIX):
            try:
                node_files.append(read_node_file(path))
            except RankwiseError as failure:
                failures.append(failure)
    names = {path: {path.name} for path in paths if path.name.endswith(COUNTERS_SUFFIX)}
    names |= {one.path: {entry.name for entry in one.entries} for one in node_files}
    _leave_the_latest(names, {one.path: one.saved_realtime_ns for one in node_files})
    holders = (Holder(path, frozenset(names[path])) for path in paths if names.get(path))
    return Found(tuple(holders), tuple(node_files), tuple(failures))


def _leave_the_latest(names: dict[Path, set[str]], saved_ns: dict[Path, int]) -> None:
    """Leave each name in the file only that has the latest counters; a bare file is as late as can be."""
    places: dict[str, list[Path]] = defaultdict(list)
    for path, here in names.items():
        for name in here:
            places[name].append(path)
    for name, paths in places.items():
        if len(paths) > 1:
            latest = max(
                paths,
                key=lambda path: (
                    _latest_ns(Holder(path, frozenset({name})).read()),
                    path not in saved_ns,
                    saved_ns.get(path, 0),
                ),
            )
            for path in paths:
                if path != latest:
                    names[path].discard(name)


def _latest_ns(read: Iterable[Counters | RankwiseError]) -> int:
    """Return the last sign of life in one process's counters; -1 if they cannot be read."""
    return max(
        (-1 if isinstance(one, RankwiseError) else one.header.stamps["latest"].monotonic_ns for one in read),
        default=-1,
    )

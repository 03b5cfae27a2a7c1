"""Finds the counters of a run directory: files of one process each, and node files with those of many."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from rankwise.errors import RankwiseError
from rankwise.profile.collect import node_memory
from rankwise.profile.collect.counters import Counters, read_counters, rows_in
from rankwise.profile.collect.launch_note import read_launch_note
from rankwise.profile.collect.node_files import (
    NODE_SUFFIX,
    NodeFile,
    open_entries,
    read_entries,
    read_node_file,
)
from rankwise.profile.collect.rows import Rows
from rankwise.profile.collect.source import open_source
from rankwise.records import dataclass

COUNTERS_SUFFIX = ".counters"


@dataclass(frozen=True)
class Holder:
    """A file that holds counters.

    Attributes:
        path: of the file.
        names: of the counters to read from it, each as if it were a file next to it.
        in_memory: it is in the memory of this node, where links to files without a name are ours.
    """

    path: Path
    names: frozenset[str]
    in_memory: bool = False

    def read(self) -> Iterator[Counters | RankwiseError]:
        """Read the counters as they are now; for those that cannot be read, the reason."""
        try:
            if self.path.name.endswith(NODE_SUFFIX):
                yield from read_entries(self.path, self.names)
            else:
                yield read_counters(self.path, follow_links=self.in_memory)
        except RankwiseError as failure:
            yield failure

    def read_rows(self, names: Container[str]) -> Iterator[tuple[str, tuple[Rows, Rows]]]:
        """Read only calls and messages, of some of the counters; skips those that are gone."""
        with suppress(RankwiseError):
            if self.path.name.endswith(NODE_SUFFIX):
                for entry, source in open_entries(self.path):
                    if entry.name in self.names and entry.name in names:
                        with suppress(RankwiseError):
                            yield entry.name, rows_in(source, self.path)
            elif self.path.name in names:
                with open_source(self.path, "a counters file", follow_links=self.in_memory) as source:
                    yield self.path.name, rows_in(source.counters(), self.path)


@dataclass(frozen=True)
class CounterFiles:
    """The counters of a run directory.

    Attributes:
        holders: the files to read them from, sorted by path; each name is read from one of them.
        node_files: the heads of the node files, sorted by path.
        failures: node files that cannot be read.
    """

    holders: tuple[Holder, ...]
    node_files: tuple[NodeFile, ...]
    failures: tuple[RankwiseError, ...]


def find_counters(run_directory: Path) -> CounterFiles:
    """Find all counters of a run directory: in it, and in the memory of this node.

    The counters of one process may exist several times: as a keeper has saved them and as they are now, or
    from two keepers, if one was replaced. The latest heartbeat count decides. Files of an earlier run in the
    same directory are skipped.

    Raises:
        OSError: the directory cannot be read.
    """
    run = read_launch_note(run_directory).run
    in_memory = {path for memory in node_memory.of_run(run_directory, run) for path in memory.counters()}
    paths = sorted({*run_directory.iterdir(), *in_memory})
    node_files: list[NodeFile] = []
    failures: list[RankwiseError] = []
    for path in paths:
        if path.name.endswith(NODE_SUFFIX):
            try:
                node_file = read_node_file(path)
            except RankwiseError as failure:
                failures.append(failure)
            else:
                if not run or node_file.run in (0, run):
                    node_files.append(node_file)
    names = {path: {path.name} for path in paths if path.name.endswith(COUNTERS_SUFFIX)}
    names |= {node_file.path: {entry.name for entry in node_file.entries} for node_file in node_files}
    holders = [Holder(path, frozenset(names[path]), path in in_memory) for path in paths if path in names]
    holders = _with_the_latest(
        holders, {node_file.path: node_file.saved_realtime_ns for node_file in node_files}
    )
    return CounterFiles(tuple(holders), tuple(node_files), tuple(failures))


def _with_the_latest(holders: Iterable[Holder], saved_ns: Mapping[Path, int]) -> list[Holder]:
    """Assign each name to the file with the latest counters; a bare file always counts as latest."""
    places: dict[str, list[Holder]] = defaultdict(list)
    for holder in holders:
        for name in holder.names:
            places[name].append(holder)
    names_by_holder: dict[Holder, set[str]] = defaultdict(set)
    for name, among in places.items():
        latest = (
            among[0]
            if len(among) == 1
            else max(among, key=lambda candidate: _lateness(candidate, name, saved_ns))
        )
        names_by_holder[latest].add(name)
    return sorted(
        (replace(holder, names=frozenset(names_by_holder[holder])) for holder in names_by_holder),
        key=lambda left_holder: left_holder.path,
    )


def _lateness(holder: Holder, name: str, saved_ns: Mapping[Path, int]) -> tuple[int, bool, int]:
    read = replace(holder, names=frozenset({name})).read()
    return _latest_ns(read), holder.path not in saved_ns, saved_ns.get(holder.path, 0)


def _latest_ns(read: Iterable[Counters | RankwiseError]) -> int:
    """Return the last heartbeat in the counters of a process; -1 if they can't be read."""
    return max(
        (
            -1 if isinstance(counters, RankwiseError) else counters.header.stamps["latest"].monotonic_ns
            for counters in read
        ),
        default=-1,
    )

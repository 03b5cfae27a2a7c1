"""Reads node files: the counters of all processes of a node, as its keeper saved them.

As with counters files, intact parts are read, and each damaged part is reported in a sentence.
"""

from __future__ import annotations

import os
import re
import time
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from rankwise.errors import RankwiseError
from rankwise.profile.collect import layout
from rankwise.profile.collect.clock import iso
from rankwise.profile.collect.counters import Counters, counters_in
from rankwise.profile.collect.network_samples import NetworkSamples, read_samples
from rankwise.profile.collect.source import Source, check_format, open_source
from rankwise.profile.collect.text import text_of
from rankwise.records import dataclass
from rankwise.version import __version__

NODE_SUFFIX = ".node"

_WHAT = "a node file"
_ENTRY_NAME = re.compile(r"[^/]+\.\d+\.[0-9a-f]+\.counters")
_MOST_HOSTS = 3  # in a sentence
_MOST_ENTRIES = 1 << 16  # of a file: no node has so many processors


@dataclass(frozen=True)
class NodeEntry:
    """The place of the counters of a process in a node file.

    Attributes:
        name: of the counters file that it stands for.
        offset: from the start of the node file.
        length: bytes.
        gone_ns: when the process was seen to be gone, on the node's CLOCK_MONOTONIC; 0 = it was not.
    """

    name: str
    offset: int
    length: int
    gone_ns: int


@dataclass(frozen=True, kw_only=True)
class NodeFile:
    """The head of a node file.

    Attributes:
        path: of the file.
        host: the node.
        keeper: process id of who saved it.
        run: which of the runs that have had this run directory, 0 = not known.
        is_final: whether all processes had left when it was saved: nothing more comes.
        saved_realtime_ns: when the counters were read, since 1970.
        saved_monotonic_ns: the same instant on the node's CLOCK_MONOTONIC.
        save_every_ms: at most so long from one save to the next, if the file system is fast enough.
        entries: the processes, each name once.
        losses: damage of the directory of entries, a sentence each.
        network: samples of the network's counters; None = it has no samples.
    """

    path: Path
    host: str
    keeper: int
    run: int
    is_final: bool
    saved_realtime_ns: int
    saved_monotonic_ns: int
    save_every_ms: int
    entries: tuple[NodeEntry, ...]
    losses: tuple[str, ...]
    network: NetworkSamples | None = None


def read_node_file(path: Path) -> NodeFile:
    """Read the head of a node file, and where its counters are.

    Raises:
        RankwiseError: not a file, not readable, not a node file, or written by another Rankwise.
    """
    with _opened(path) as (node_file, _):
        return node_file


def read_entries(path: Path, names: Collection[str] | None = None) -> Iterator[Counters | RankwiseError]:
    """Read counters from a node file, as it is now; for those that cannot be read, the reason.

    Args:
        path: of the node file. The counters are named as if they were files next to it.
        names: of the entries; None = all. Missing ones are skipped.

    Raises:
        RankwiseError: not a file, not readable, not a node file, or written by another Rankwise.
    """
    for entry, source in open_entries(path):
        if names is None or entry.name in names:
            try:
                yield counters_in(source, path.with_name(entry.name), entry.gone_ns)
            except RankwiseError as failure:
                yield failure


def open_entries(path: Path) -> Iterator[tuple[NodeEntry, Source]]:
    """Open a node file, and return where the counters of each entry are to be read.

    Raises:
        RankwiseError: not a file, not readable, not a node file, or written by another Rankwise.
    """
    with _opened(path) as (node_file, source):
        for entry in node_file.entries:
            yield entry, source.counters(entry.offset, entry.length).loaded()


def late_saves(
    node_files: Iterable[NodeFile], going_on: Mapping[Path, Collection[str]], ended_ns: int | None
) -> list[str]:
    """Return a sentence about counts that may be missing since the last saves, if any.

    Args:
        node_files: of a run directory.
        going_on: the counters that were read from each of them, of processes that went on when it was saved.
        ended_ns: when the job ended, since 1970; None = not known.
    """
    late = [node_file for node_file in node_files if not node_file.is_final and going_on.get(node_file.path)]
    if not late:
        return []
    processes = sum(len(going_on[node_file.path]) for node_file in late)
    saved_ns = min(node_file.saved_realtime_ns for node_file in late)
    when = (
        f"at {iso(saved_ns)}"
        if ended_ns is None
        else f"{max(ended_ns - saved_ns, 0) / 1e9:.1f} s before its end"
    )
    hosts = list(dict.fromkeys(node_file.host for node_file in late))
    where = ", ".join(hosts[:_MOST_HOSTS]) + (", ..." if len(hosts) > _MOST_HOSTS else "")
    return [
        f"what {processes} processes of the job counted after their last save is missing (on {where}):"
        f" the earliest was {when}"
    ]


def save_node_file(run_directory: Path, host: str, counters: Sequence[Path], run: int = 0) -> Path:
    """Save counters from the memory of a node, as its keeper would: their processes are gone.

    Args:
        run_directory: where to.
        host: the node.
        counters: the files.
        run: which of the runs that have had this run directory, 0 = not known.

    Raises:
        OSError: some can't be read, or the node file can't be written.
    """
    images = [path.read_bytes() for path in counters]
    header = np.zeros(1, layout.NODE_HEADER)
    header["magic"], header["version"] = layout.NODE_MAGIC, layout.CONSTANTS["NODE_VERSION"]
    header["byte_order"] = layout.CONSTANTS["BYTE_ORDER"]
    header["header_bytes"], header["entry_bytes"] = header.itemsize, layout.NODE_ENTRY.itemsize
    header["entry_count"], header["is_final"], header["run"] = len(images), 1, run
    header["saved_realtime_ns"], header["saved_monotonic_ns"] = time.time_ns(), time.monotonic_ns()
    header["host"], header["runtime_version"] = os.fsencode(host), __version__.encode()
    entries = np.zeros(len(images), layout.NODE_ENTRY)
    entries["name"] = [os.fsencode(path.name) for path in counters]
    entries["bytes"] = [len(image) for image in images]
    end = header.nbytes + entries.nbytes
    entries["offset"] = [end + sum(map(len, images[:i])) for i in range(len(images))]
    header["file_bytes"] = end + sum(map(len, images))
    namespace = Path("/proc/self/ns/pid").stat().st_ino
    path = run_directory / f"{host}.{namespace}.{os.getpid()}.{time.time_ns():x}{NODE_SUFFIX}"
    new = path.with_name(f"{path.name}.new")
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(header.tobytes() + entries.tobytes() + b"".join(images))
    new.replace(path)
    return path


@contextmanager
def _opened(path: Path) -> Iterator[tuple[NodeFile, Source]]:
    with open_source(path, _WHAT) as source:
        yield _node_file(source, path), source


def _node_file(source: Source, path: Path) -> NodeFile:
    header = _header_record(source, path)
    losses: Counter[str] = Counter()
    count = int(header["entry_count"])
    entries = _entries(source, count, losses)
    return NodeFile(
        path=path,
        host=text_of(header["host"]),
        keeper=int(header["keeper"]),
        run=int(header["run"]),
        is_final=bool(header["is_final"]),
        saved_realtime_ns=int(header["saved_realtime_ns"]),
        saved_monotonic_ns=int(header["saved_monotonic_ns"]),
        save_every_ms=int(header["save_every_ms"]),
        entries=tuple(entries),
        losses=tuple(
            f"{path.name}: {loss}" + (f" ({times} times)" if times > 1 else "")
            for loss, times in losses.items()
        ),
        network=read_samples(source, header),
    )


def _header_record(source: Source, path: Path) -> np.void:
    """Return the header, once it is certain that this Rankwise understands the file."""
    header = source.records(layout.NODE_HEADER, 1, 0, layout.NODE_HEADER.itemsize)
    if not len(header) or header[0]["magic"] != layout.NODE_MAGIC:
        raise RankwiseError(f"{path} is not {_WHAT}, or was cut short before its header was written")
    record: np.void = header[0]
    sizes = {"header_bytes": layout.NODE_HEADER.itemsize, "entry_bytes": layout.NODE_ENTRY.itemsize}
    check_format(record, path, layout.CONSTANTS["NODE_VERSION"], sizes)
    return record


def _entries(source: Source, count: int, losses: Counter[str]) -> Iterator[NodeEntry]:
    """Read the directory of entries."""
    possible = min(count, _MOST_ENTRIES)
    rows = source.records(
        layout.NODE_ENTRY, possible, layout.NODE_HEADER.itemsize, layout.NODE_ENTRY.itemsize
    )
    if len(rows) < count:
        losses[f"{count - len(rows)} of {count} processes are missing"] += 1
    names: set[str] = set()
    budget = source.length  # entries don't overlap; damaged ones might, and fill the memory
    for name, offset, length, gone_ns in rows[["name", "offset", "bytes", "gone_ns"]].tolist():
        entry = NodeEntry(text_of(name), offset, length, gone_ns)
        budget -= min(length, max(0, source.length - offset))
        if not _ENTRY_NAME.fullmatch(entry.name) or entry.name in names or budget < 0:
            losses["the damaged entry of a process was passed over"] += 1
            continue
        names.add(entry.name)
        yield entry

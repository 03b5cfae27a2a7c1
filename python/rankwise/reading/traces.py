"""What an open profile has of single calls as files for viewers of traces."""

from __future__ import annotations

import gzip
import os
import shutil
import sqlite3
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from rankwise.analysis.overview import run_facts
from rankwise.analysis.timing.traced import Trace
from rankwise.errors import RankwiseError
from rankwise.extras import check
from rankwise.render.export.about import about, samples
from rankwise.render.export.otf2_archive import write_otf2
from rankwise.render.export.perfetto import write_perfetto
from rankwise.whole_files import appearing, refuse_existing

FORMATS = ("perfetto", "otf2")


@dataclass(frozen=True)
class WrittenTrace:
    """A trace that was written.

    Attributes:
        path: of the file that a viewer opens.
        events: in it.
        bytes: of the file, or of all of them.
        samples: in words, how many calls of how many are in it.
        counters: whether it has the total activity of ranks.
    """

    path: Path
    events: int
    bytes: int
    samples: str
    counters: bool


def write_trace(
    connection: sqlite3.Connection, path: Path, to: str, left_out: Collection[str], *, force: bool
) -> WrittenTrace:
    """Write a trace.

    Args:
        connection: the profile, or a part of it.
        path: of the file, of OTF2 of a directory, which is made if it does not exist.
        to: one of `FORMATS`.
        left_out: tables outside the part.
        force: replace what exists.

    Raises:
        RankwiseError: something is there already, or can't be written, or there is no such format.
        ValueError: the profile is damaged.
    """
    if to not in FORMATS:
        raise RankwiseError(f"traces are not written as {to!r}: there are {', '.join(FORMATS)}")
    if to == "otf2":
        check("otf2")
        target = path / "traces.otf2"
        if path.exists() and not path.is_dir():
            raise RankwiseError(f"{path} is a file: give the name of a directory with -o")
    else:
        target = path
    refuse_existing(target, force=force)
    trace = Trace(connection, with_time_line="intervals" not in left_out)
    facts = about(run_facts(connection), trace)
    with _made(target.parent):
        if to == "perfetto":
            with appearing(target) as (unfinished,), _text(unfinished, target.suffix == ".gz") as file:
                events = write_perfetto(trace, facts, file)
            size = target.stat().st_size
        else:
            with _directory(path) as unfinished:
                events = write_otf2(trace, facts, unfinished)
            size = sum(file.stat().st_size for file in (path / "traces").rglob("*"))
    return WrittenTrace(target, events, size, samples(trace), bool(trace.line.ranks))


def _text(path: Path, compressed: bool) -> TextIO:
    return gzip.open(path, "wt", encoding="ascii") if compressed else path.open("w", encoding="ascii")


@contextmanager
def _made(directory: Path) -> Iterator[None]:
    """Make a missing directory; if nothing gets into it, everything that was made is removed.

    Raises:
        RankwiseError: it can't be made.
    """
    missing = [folder for folder in (directory, *directory.parents) if not folder.exists()]
    try:
        try:
            directory.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            message = f"cannot write to {directory}: {error.strerror}; choose another place with -o"
            raise RankwiseError(message) from error
        yield
    finally:
        for folder in missing:
            with suppress(OSError):  # it has files
                folder.rmdir()


@contextmanager
def _directory(path: Path) -> Iterator[Path]:
    """Give a directory whose files get into that at `path` at the end, in the place of a trace there.

    Raises:
        RankwiseError: they can't be written. Nothing is left of them then.
    """
    unfinished = path / f".traces.{os.getpid()}"
    try:
        yield unfinished
        shutil.rmtree(path / "traces", ignore_errors=True)
        # Viewers open this one, so it comes last.
        for name in ("traces", "traces.def", "traces.otf2"):
            (unfinished / name).replace(path / name)
    except OSError as error:
        cause = error.strerror or str(error)
        raise RankwiseError(f"{path} can't be written: {cause}; choose another place with -o", 1) from error
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)

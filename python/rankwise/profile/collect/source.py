"""Reads parts of files in run directories, with bounds: the files are not trusted."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from rankwise.errors import RankwiseError
from rankwise.profile.collect.layout import CONSTANTS
from rankwise.profile.collect.rows import Rows
from rankwise.profile.collect.text import text_of

_MOST_BYTES = CONSTANTS["MOST_BYTES"]
_MOST_AT_ONCE = 1 << 20


class Source:
    """The bytes of a file, or a part of them; never reads beyond its end.

    Pieces are read, not mapped: a file that gets shorter meanwhile would kill the reader of a mapping.

    Attributes:
        length: bytes.
        too_long: whether it has more, which are passed over.
    """

    def __init__(self, descriptor: int, start: int, length: int, most: int | None = None) -> None:
        self.length = length if most is None else min(length, most)
        self.too_long = self.length < length
        self._descriptor = descriptor
        self._start = start
        self._loaded: memoryview | None = None

    def loaded(self) -> Source:
        """Return the same, read at once if it is small; only for files that are no longer written."""
        if self.length <= _MOST_AT_ONCE:
            self._loaded = memoryview(self._read(0, self.length))
        return self

    def counters(self, start: int = 0, length: int | None = None) -> Source:
        """Return the part with the counters of a process, as far as it exists.

        Args:
            start: where it begins.
            length: bytes; None = all that follow.
        """
        remaining = max(0, self.length - start)
        length = remaining if length is None else min(length, remaining)
        return Source(self._descriptor, self._start + min(start, self.length), length, _MOST_BYTES)

    def records(self, dtype: np.dtype[Any], count: int, offset: int, stride: int) -> Rows:
        """Read as many records as are whole, `count` at most."""
        whole = max(0, min(count, (self.length - offset) // stride))
        data = self._read(offset, whole * stride)
        whole = min(whole, len(data) // stride)
        rows: Rows = np.ndarray((whole,), dtype, data, strides=(stride,))
        return rows

    def _read(self, offset: int, length: int) -> bytearray | memoryview:
        if self._loaded is not None:
            return self._loaded[offset : offset + length]
        data = bytearray()
        while len(data) < length:
            piece = os.pread(self._descriptor, length - len(data), self._start + offset + len(data))
            if not piece:  # it got shorter since
                break
            data += piece
        return data


@contextmanager
def open_source(path: Path, what: str, *, follow_links: bool = False) -> Iterator[Source]:
    """Open a regular file to read it.

    Args:
        path: of the file.
        what: its expected kind, with an article.
        follow_links: also symbolic links: only in directories that no other user can write to.

    Raises:
        RankwiseError: it is no regular file, or cannot be read; also of errors while it is read.
    """
    refused = RankwiseError(f"{path} is not {what}: remove it from the run directory")
    try:
        # Looked at first: to open a device may do something. No named pipe is waited for.
        if not stat.S_ISREG((path.stat() if follow_links else path.lstat()).st_mode):
            raise refused
        flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | (0 if follow_links else os.O_NOFOLLOW)
        descriptor = os.open(path, flags)
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise refused
            yield Source(descriptor, 0, status.st_size)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise RankwiseError(f"{path} cannot be read: {error.strerror}") from error


def check_format(header: np.void, path: Path, version: int, sizes: Mapping[str, int]) -> str:
    """See that this Rankwise understands a file with this header, whose magic is right.

    Args:
        header: with members `byte_order`, `version`, `runtime_version`.
        path: of the file.
        version: that is understood.
        sizes: required values of members of the header.

    Returns:
        What else may have written it, for a sentence.

    Raises:
        RankwiseError: it was written with another byte order, by another Rankwise, or is damaged.
    """
    recorded_by = text_of(header["runtime_version"])
    other = "another version of Rankwise" + (f" ({recorded_by})" if recorded_by else "")
    if header["byte_order"] != CONSTANTS["BYTE_ORDER"]:
        raise RankwiseError(f"{path} was written with another byte order: recover it on such a machine")
    if header["version"] != version:
        raise RankwiseError(
            f"{path} has format {header['version']} and this Rankwise reads only {version}: "
            f"recover it with {other}"
        )
    if any(header[name] != size for name, size in sizes.items()):
        raise RankwiseError(f"{path} has a damaged header, or was written by {other}")
    return other

"""Opens files with untrusted names: never a file that blocks the reader, or one without end."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import BinaryIO

_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY


def open_regular(path: Path, most_bytes: int) -> BinaryIO:
    """Open a regular file for reading.

    Raises:
        OSError: it can't be opened, is no regular file (to open a FIFO may wait, a device may do anything),
            is empty (as most in /proc say that they are), or larger than `most_bytes`.
        ValueError: no file can have this name.
    """
    _check(path, path.stat(), most_bytes)
    file = os.fdopen(os.open(path, _FLAGS), "rb")
    try:
        _check(path, os.fstat(file.fileno()), most_bytes)  # another may have taken its place
    except OSError:
        file.close()
        raise
    return file


def changed_ns(file: BinaryIO) -> int:
    """Return when the file, or the target of its name, was last changed: nanoseconds since 1970."""
    status = os.fstat(file.fileno())
    return max(status.st_mtime_ns, status.st_ctime_ns)


def _check(path: Path, status: os.stat_result, most_bytes: int) -> None:
    if not stat.S_ISREG(status.st_mode) or not 0 < status.st_size <= most_bytes:
        raise OSError(f"{path} is not a regular file, empty, or too large")

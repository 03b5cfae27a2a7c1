"""Reads the notes that `rankwise run` leaves in a run directory: small files, each one JSON object."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

_MOST_BYTES = 64 << 20  # more than the words of any command


def read_note(path: Path) -> dict[str, Any]:
    """Read a note.

    Raises:
        OSError: it is not there, can't be read, or is no regular file.
        ValueError: it holds no JSON object.
    """
    try:
        note = json.loads(_content(path))
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    if not isinstance(note, dict):
        raise ValueError("it holds no object")
    return note


def _content(path: Path) -> bytes:
    """Read a file, and nothing else that may have been put in its place: a link, a device, a named pipe."""
    if not stat.S_ISREG(path.lstat().st_mode):
        raise OSError("it is not a regular file")
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        # (Python makes room for all that it is asked to read.)
        return file.read(min(os.fstat(descriptor).st_size, _MOST_BYTES))

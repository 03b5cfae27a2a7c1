"""Words what the system refuses: where, what, and what cures it."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

_FULL_BYTES = 1 << 16  # who has less is as good as full
_IS_FULL = (errno.ENOSPC, errno.EDQUOT)
_CURES = {
    errno.ENOSPC: "free space there, or give another place",
    errno.EDQUOT: "free space there, or give another place",
    errno.EROFS: "give a place that can be written to",
    errno.EACCES: "check its permissions, or give another place",
    errno.EPERM: "check its permissions, or give another place",
    errno.EFBIG: "raise the file size limit (ulimit -f)",
    errno.EMFILE: "raise the limit on open files (ulimit -n)",
    errno.ENFILE: "the machine has too many open files: try again later",
    errno.ENOMEM: "raise the memory limit (ulimit -v), or request more memory",
    errno.EAGAIN: "raise the limit on processes (ulimit -u)",
}


def trouble(error: OSError | MemoryError) -> str:
    """Say in one sentence what went wrong, where, and what to do.

    What writes to an open file does not tell its name. Then those places are named that are full.
    """
    if isinstance(error, MemoryError):
        return f"out of memory: {_CURES[errno.ENOMEM]}"
    try:
        Path.cwd()
    except FileNotFoundError:  # who is in a directory that was removed finds nothing at all
        return "the current directory no longer exists: change to another one and try again"
    places = [
        os.fsdecode(name) for name in (error.filename, error.filename2) if isinstance(name, str | bytes)
    ]
    if not places and error.errno in _IS_FULL:
        places = list(_full_places())
    parts = [", ".join(places), error.strerror or str(error), _CURES.get(error.errno or 0, "")]
    return ": ".join(filter(None, parts))


def _full_places() -> Iterator[str]:
    """Find the full places, among those that are written to implicitly."""
    devices = set()
    for name, place in (("the current directory", Path.cwd()), ("TMPDIR", Path(tempfile.gettempdir()))):
        try:
            there, device = os.statvfs(place), place.stat().st_dev
        except OSError:
            continue
        if device not in devices and there.f_blocks and there.f_bavail * there.f_frsize < _FULL_BYTES:
            devices.add(device)
            yield f"{name}, {place}"

"""Which MPI library a compiler links, as its own answer to -show tells."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path


def identity(shown: str, environment: Mapping[str, str]) -> list[str]:
    """Return what tells a library from another one, and from itself after an update.

    Args:
        shown: what the compiler prints for -show.
        environment: that it is called with.

    Returns:
        path, time of change in ns and size of each library of MPI that is linked; empty if none is found.
    """
    try:
        words = shlex.split(shown)
    except ValueError:  # not what we think it is
        return []
    named = environment.get("LD_LIBRARY_PATH", "").split(":")
    directories = [Path(word[2:]) for word in words if word.startswith("-L")] + [Path(n) for n in named if n]
    names = [f"lib{word[2:]}.so" for word in words if word.startswith("-lmpi")]
    found = []
    for name in names:
        places = (directory / name for directory in directories)
        if place := next((place for place in places if place.is_file()), None):
            status = place.stat()
            found.append(f"{place.resolve()} {status.st_mtime_ns} {status.st_size}")
    return found

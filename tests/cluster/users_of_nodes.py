"""Users that only nodes know: nothing of them is on the machine, and none can be left behind."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from nodes import Cluster, UnavailableError

_FIRST_ID = 61_800
_LIMIT_SECONDS = 30

# $1 = a directory that other users can't enter, $2 = one below it that they are to see.
_OPEN = """
mount --bind "$2" /mnt
mount -t tmpfs -o mode=755 tmpfs "$1"
mkdir -p "$2"
mount --move /mnt "$2"
"""


def add(cluster: Cluster, names: Sequence[str]) -> None:
    """Add users, with home directories that all nodes see, and let them start this Python.

    Raises:
        UnavailableError: the nodes refuse.
    """
    place = cluster.directory
    place.chmod(0o755)
    passwords, groups = Path("/etc/passwd").read_text(), Path("/etc/group").read_text()
    for number, name in enumerate(names, start=_FIRST_ID):
        home = place / "home" / name
        home.mkdir(parents=True, mode=0o700)
        os.chown(home, number, number)
        passwords += f"{name}:x:{number}:{number}::{home}:/bin/sh\n"
        groups += f"{name}:x:{number}:\n"
    (place / "passwd").write_text(passwords)
    (place / "group").write_text(groups)
    python = Path(sys.base_prefix).resolve()
    closed = next((above for above in reversed(python.parents) if not above.stat().st_mode & 1), None)
    for node in range(len(cluster.names)):
        for file in ("passwd", "group"):
            _run(cluster, node, "mount", "--bind", place / file, f"/etc/{file}")
        if closed:
            _run(cluster, node, "sh", "-euc", _OPEN, "sh", closed, python)


def _run(cluster: Cluster, node: int, *words: str | Path) -> None:
    done = subprocess.run(cluster.on(node, *words), capture_output=True, text=True, timeout=_LIMIT_SECONDS)
    if done.returncode != 0:
        raise UnavailableError(f"no users on nodes here: {done.stderr.strip()}")

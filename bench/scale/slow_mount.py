"""A directory on a file system that writes slowly, as a shared one may under ten thousand ranks."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from common.errors import BenchError

RATE = "200k"  # bytes a second


def unavailable() -> str:
    """Why there can't be one here; empty if there can."""
    if os.geteuid() != 0:
        return "needs root, for a mount"
    if shutil.which("bindfs") is None:
        return "bindfs is not installed"
    return "" if Path("/dev/fuse").exists() else "no /dev/fuse"


@contextlib.contextmanager
def slow_mount(directory: Path) -> Iterator[Path]:
    """Mount one in a directory.

    Raises:
        BenchError: not possible here.
    """
    behind, mount = directory / "behind", directory / "mount"
    behind.mkdir()
    mount.mkdir()
    made = subprocess.run(
        ["bindfs", f"--write-rate={RATE}", behind, mount], capture_output=True, text=True, check=False
    )
    if made.returncode != 0:
        raise BenchError(f"no slow file system: {made.stderr.strip()}")
    try:
        yield mount
    finally:
        subprocess.run(["umount", "--lazy", mount], check=True)

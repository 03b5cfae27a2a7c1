"""Makes the directory in the memory of a node that processes count in: here below TMPDIR."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Any

import numpy as np

from rankwise.profile.collect import layout
from rankwise.profile.collect.layout import CONSTANTS


def make_memory(parent: Path, run_directory: Path, **control: Any) -> Path:
    """Make it.

    Args:
        parent: where; for the code under test, TMPDIR has to be this.
        run_directory: that it belongs to.
        control: members of struct rankwise_control that are to differ.
    """
    directory = parent / f"rankwise.{os.geteuid()}.0123456789abcdef"
    directory.mkdir(mode=0o700)
    page = np.zeros(1, layout.STRUCTS["control"])
    values: dict[str, Any] = {
        "magic": layout.CONTROL_MAGIC,
        "version": CONSTANTS["NODE_VERSION"],
        "pids": Path("/proc/self/ns/pid").stat().st_ino,
        "host": socket.gethostname().encode(),
        "run_directory": os.fsencode(run_directory.absolute()),
    }
    for member, value in (values | control).items():
        page[member] = value
    (directory / "control").write_bytes(page.tobytes())
    return directory


def name_of(pid: int, began: str = "aa") -> str:
    """Return what the counters of a process of this node are called."""
    return f"{socket.gethostname()}.{pid}.{began}.counters"

"""Reads the control page of counters in the memory of a node: struct rankwise_control."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

import numpy as np

from rankwise.profile.collect import layout
from rankwise.profile.collect.text import text_of


class Control(NamedTuple):
    """The content of a control page.

    Attributes:
        run_directory: where the counters are saved.
        host: of the processes.
        pids: inode of the namespace that their ids belong to.
        keeper: process id of the latest keeper, 0 = there was none.
        run: which of the runs that have had this run directory, 0 = not known.
    """

    run_directory: Path
    host: str
    pids: int
    keeper: int
    run: int

    def sees_our_processes(self) -> bool:
        """Whether process ids mean the same there as here."""
        try:
            return Path("/proc/self/ns/pid").stat().st_ino == self.pids and self.host == os.uname().nodename
        except OSError:
            return False


def read_control(path: Path) -> Control | None:
    """Read a control page; None if it is not Rankwise's, or damaged."""
    dtype = layout.STRUCTS["control"]
    try:
        data = path.read_bytes()
    except OSError:
        return None
    if len(data) < dtype.itemsize:
        return None
    page = np.frombuffer(data, dtype, 1)[0]
    if page["magic"] != layout.CONTROL_MAGIC or page["version"] != layout.CONSTANTS["NODE_VERSION"]:
        return None
    directory = Path(os.fsdecode(bytes(page["run_directory"])))
    return Control(directory, text_of(page["host"]), int(page["pids"]), int(page["keeper"]), int(page["run"]))

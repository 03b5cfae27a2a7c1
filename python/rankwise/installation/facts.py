"""What one node tells of the installation: ranks run `python -m rankwise.installation.facts DIRECTORY`.

The first process of each node writes HOST.json into the directory, which shows that it can. One that can't
says so on stdout, which the launcher hands on.
"""

from __future__ import annotations

import ctypes.util
import hashlib
import json
import os
import platform
import shutil
import socket
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from rankwise.errors import RankwiseError
from rankwise.launch import checkup
from rankwise.launch.plan import library
from rankwise.version import version_and_commit

CANT_WRITE = "rankwise-node-can-not-write"
"""Begins the line of a process that can't write its file: host and reason follow, separated by tabs."""

TRANSPORTS = {"UCX": "ucp", "libfabric": "fabric", "PSM2": "psm2", "PSM3": "psm3"}
"""Libraries that MPI libraries send by, and their names for the linker."""

_CLOCK_SOURCE = Path("/sys/devices/system/clocksource/clocksource0/current_clocksource")
_TOPOLOGY = ("lstopo-no-graphics", "lstopo")


@dataclass(frozen=True, kw_only=True)
class Facts:
    """What a node is like.

    Attributes:
        host: its name.
        version: of Rankwise, with the commit if that is known.
        python: its version.
        library: of the processes: where it is; '' = missing.
        digest: of that file.
        complaint: why the library can't be used, '' if it can.
        time: of its wall clock, in seconds since 1970.
        clock_source: that the kernel takes the time from; '' = unknown.
        memory_bytes: free in /dev/shm, where processes count.
        transports: keys of TRANSPORTS of the libraries that are there.
        hwloc: whether hwloc's lstopo is there.
    """

    host: str
    version: str
    python: str
    library: str
    digest: str
    complaint: str
    time: float
    clock_source: str
    memory_bytes: int
    transports: tuple[str, ...]
    hwloc: bool


def facts() -> Facts:
    """Look at this node."""
    try:
        path, digest = str(library()), hashlib.sha256(library().read_bytes()).hexdigest()
    except (RankwiseError, OSError):
        path = digest = ""
    finding = checkup.own_library()
    return Facts(
        host=socket.gethostname(),
        version=version_and_commit(),
        python=platform.python_version(),
        library=path,
        digest=digest,
        complaint=finding.text if finding.cure else "",
        time=time.time(),
        clock_source=_clock_source(),
        memory_bytes=_free("/dev/shm"),
        transports=tuple(name for name, file in TRANSPORTS.items() if ctypes.util.find_library(file)),
        hwloc=any(shutil.which(name) for name in _TOPOLOGY),
    )


def _clock_source() -> str:
    try:
        return _CLOCK_SOURCE.read_text().strip()
    except OSError:
        return ""


def _free(directory: str) -> int:
    try:
        return shutil.disk_usage(directory).free
    except OSError:
        return 0


def read(directory: Path) -> list[Facts]:
    """Read what the nodes have written, sorted by host."""
    texts = [json.loads(file.read_text(encoding="utf-8")) for file in directory.glob("*.json")]
    facts_of_nodes = [Facts(**{**text, "transports": tuple(text["transports"])}) for text in texts]
    return sorted(facts_of_nodes, key=lambda node: node.host)


def main(arguments: Sequence[str]) -> int:
    """Write the facts of this node, unless another process of it does.

    Returns:
        The exit status: always 0, or launchers would end the other processes.
    """
    host = socket.gethostname()
    place = Path(arguments[0]) / host
    try:
        os.close(os.open(place, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        new = place.with_name(f"{host}.new")
        new.write_text(json.dumps(asdict(facts())), encoding="utf-8")
        new.replace(place.with_name(f"{host}.json"))
    except FileExistsError:
        pass
    except OSError as error:
        print(f"{CANT_WRITE}\t{host}\t{error.strerror}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

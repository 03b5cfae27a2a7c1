"""Jobs that are profiled in one order, mapped, and started again: bytes between nodes, predicted and real."""

from __future__ import annotations

import json
import shlex
import subprocess
from dataclasses import dataclass
from pathlib import Path

from launching import version
from libraries import Mpi
from nodes import Cluster
from recording import RANKWISE, Recording
from traffic.interface import FILES, sent_by


@dataclass(frozen=True)
class Mapped:
    """What `rankwise map` says of a profile.

    Attributes:
        present: bytes between nodes in the order of the run.
        found: predicted for the order that was found.
        hosts: of the ranks in that order.
        words: the printed command, which has the options of the run.
    """

    present: int
    found: int
    hosts: list[str]
    words: list[str]


def map_profile(mpi: Mpi, done: Recording, output: Path, *options: str) -> Mapped:
    """Map a profile, and write the launchers' files."""
    words = [str(RANKWISE), "map", str(done.path), *options, "--json", "-o", str(output)]
    shown = json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
    [command] = [file["command"] for file in shown["files"] if file["launcher"] == _launcher(mpi)]
    return Mapped(
        shown["present"]["bytes_off_node"],
        shown["found"]["bytes_off_node"],
        [seat["host"] for seat in shown["bindings"]],
        shlex.split(command),
    )


def _launcher(mpi: Mpi) -> str:
    """The name under which `rankwise map` lists the file of the run's launcher."""
    if mpi.family == "mpich":
        return "Intel MPI" if mpi.vendor else "MPICH"
    return "Open MPI 5, PRRTE" if version(mpi) >= (5,) else "Open MPI 4"


def counted(done: Recording) -> int:
    """Bytes between nodes, by the profile."""
    [(volume,)] = done.rows(
        """SELECT coalesce(sum(bytes), 0) FROM messages
           JOIN ranks AS sender ON sender.rank = source JOIN ranks AS receiver ON receiver.rank = destination
           WHERE sender.host != receiver.host"""
    )
    assert isinstance(volume, int)
    return volume


def carried(cluster: Cluster) -> int:
    """Bytes that all nodes' interfaces have sent so far, without headers and what TCP sent again.

    What launchers say to each other is in it: the same in two runs of a job, whatever its order.
    """
    total = 0
    for number in range(len(cluster.names)):
        devices, protocols = (
            subprocess.run(cluster.on(number, "cat", file), capture_output=True, text=True, check=True).stdout
            for file in FILES
        )
        total += sent_by(devices, protocols)
    return total

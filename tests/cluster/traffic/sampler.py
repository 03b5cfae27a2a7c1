"""Samples a node's interface and the counters file of the one rank there, side by side.

    sampler.py RUN_DIRECTORY MEETING_DIRECTORY INTERVAL_SECONDS

Writes MEETING_DIRECTORY/samples, a line a sample: seconds; payload that the interface had sent before and
after the counters were read; bytes that the rank has sent to others by these, in the program's own messages
and inside collectives. Meets programs/pauses.c by the files `sampling`, `done`, `sampled` in that directory.
"""

from __future__ import annotations

import contextlib
import socket
import sys
import time
from pathlib import Path

import interface

from rankwise.errors import RankwiseError
from rankwise.profile.collect import node_memory
from rankwise.profile.collect.counters import Counters, read_counters
from rankwise.profile.collect.keys import part
from rankwise.profile.collect.layout import CONSTANTS
from rankwise.profile.join.peers import Peers

PATIENCE_SECONDS = 30


def claimed(counters: Counters) -> tuple[int, int]:
    """Bytes sent to other processes: by the program itself, and inside collectives."""
    rank, keys = counters.header.world_rank, counters.messages["key"]
    peers = Peers({rank: counters}, counters.header.world_size)
    to_others = peers.known(rank, part(keys, "MESSAGES", "PEER")) != rank
    kinds = part(keys, "MESSAGES", "KIND")

    def total(kind: str) -> int:
        return int(counters.messages["bytes"][to_others & (kinds == CONSTANTS[f"MESSAGE_{kind}"])].sum())

    return total("POINT_TO_POINT"), total("IN_COLLECTIVE")


def running(run_directory: Path) -> Path:
    """Wait for the counters of the rank on this node, and until it has left MPI_Init."""
    end = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < end:
        for path in [path for memory in node_memory.of_run(run_directory) for path in memory.counters()]:
            if not path.name.startswith(f"{socket.gethostname()}."):
                continue  # of another node, which has its memory in common with us
            with contextlib.suppress(RankwiseError):  # it has no header yet
                if read_counters(path).header.state == "running":
                    return path
        time.sleep(0.005)
    raise SystemExit(f"no rank runs here: {run_directory}")


def main(run_directory: Path, meeting: Path, interval: float) -> None:
    path = running(run_directory)
    end = time.monotonic() + PATIENCE_SECONDS
    samples = []
    finished = False
    due = time.monotonic()
    while not finished and time.monotonic() < end:
        start = time.monotonic()
        finished = (meeting / "done").exists()
        before = interface.sent()
        own, inside = claimed(read_counters(path))
        samples.append((start, before, interface.sent(), own, inside))
        if len(samples) == 1:
            (meeting / "sampling").touch()
        now = time.monotonic()
        due = max(due + interval, now)  # a late sample is not made up for
        time.sleep(due - now)
    (meeting / "samples").write_text("".join(" ".join(map(str, sample)) + "\n" for sample in samples))
    (meeting / "sampled").touch()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), float(sys.argv[3]))

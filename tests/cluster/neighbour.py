"""Another job on the same network: a stream between two nodes, for a while."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fabric import address
from nodes import Cluster

_STREAM = Path(__file__).parent / "programs" / "stream.py"
_MOST_BYTES = 1 << 30
_MOST_SECONDS = 60


@dataclass
class Stream:
    """A stream from one node to another.

    Attributes:
        bytes: that have arrived; known at its end.
    """

    bytes: int = 0


@contextlib.contextmanager
def stream(
    cluster: Cluster,
    source: int,
    destination: int,
    *,
    most_bytes: int = _MOST_BYTES,
    most_seconds: float = _MOST_SECONDS,
) -> Iterator[Stream]:
    """Send from one node to another as fast as the links allow, until the end at the latest."""
    made = Stream()
    where = address(destination), str(most_seconds)
    take = cluster.on(destination, sys.executable, _STREAM, "take", *where)
    with (
        subprocess.Popen(take, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as receiver,
        contextlib.ExitStack() as stack,
    ):
        stack.callback(receiver.kill)
        assert receiver.stdout
        assert receiver.stdout.readline() == "ready\n"
        send = cluster.on(source, sys.executable, _STREAM, "send", *where, str(most_bytes))
        sender = stack.enter_context(
            subprocess.Popen(send, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        )
        stack.callback(sender.kill)
        assert sender.stdout
        assert sender.stdout.readline() == "sending\n"
        yield made
        sender.communicate(timeout=most_seconds)  # closes its input
        made.bytes = int(receiver.communicate(timeout=most_seconds)[0])

"""Links with a delay, for kernels without sch_netem: frames read from one end are written to the other later.

    delay_line.py END END MICROSECONDS [END END MICROSECONDS ...]

Makes both ends of each link as tap devices in its network namespace and says `ready`. A line
`END MICROSECONDS` on stdin changes the delay of a link in both directions, and is answered by `ready`, too.
Ends with its input.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import struct
import sys
import time
from collections import deque

_TUNSETIFF, _TUNSETOFFLOAD = 0x400454CA, 0x400454D0
_TAP, _NO_PACKET_INFORMATION, _OFFLOAD_HEADER = 0x0002, 0x1000, 0x4000
_CHECKSUM, _TSO4, _TSO6 = 0x01, 0x02, 0x04  # whole TCP segments come through: fewer frames to move
_LARGEST_FRAME = 70000
_FRAMES_AT_ONCE = 64


class End:
    """One end of a link, and what is on its way to the other end."""

    def __init__(self, name: str, delay_us: float) -> None:
        self.file = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
        flags = _TAP | _NO_PACKET_INFORMATION | _OFFLOAD_HEADER
        fcntl.ioctl(self.file, _TUNSETIFF, struct.pack("16sH22x", name.encode(), flags))
        fcntl.ioctl(self.file, _TUNSETOFFLOAD, _CHECKSUM | _TSO4 | _TSO6)
        self.other = self
        self.delay = delay_us * 1e-6
        self.under_way: deque[tuple[float, bytes]] = deque()

    def take(self) -> None:
        """Take the frames that have come."""
        with contextlib.suppress(OSError):  # no more, or the device is down
            for _ in range(_FRAMES_AT_ONCE):
                frame = os.read(self.file, _LARGEST_FRAME)
                self.under_way.append((time.monotonic() + self.delay, frame))

    def deliver(self, now: float) -> None:
        """Hand over the frames whose time has come."""
        while self.under_way and self.under_way[0][0] <= now:
            with contextlib.suppress(OSError):  # the device is down: the frame is lost
                os.write(self.other.file, self.under_way.popleft()[1])


def _ends(words: list[str]) -> dict[str, End]:
    ends = {}
    for first, second, delay_us in zip(*[iter(words)] * 3, strict=True):
        ends[first], ends[second] = End(first, float(delay_us)), End(second, float(delay_us))
        ends[first].other, ends[second].other = ends[second], ends[first]
    return ends


def _change(ends: dict[str, End], order: str) -> None:
    name, delay_us = order.split()
    for end in (ends[name], ends[name].other):
        end.delay = float(delay_us) * 1e-6


def main() -> None:
    ends = _ends(sys.argv[1:])
    by_file = {end.file: end for end in ends.values()}
    orders = sys.stdin.fileno()
    print("ready", flush=True)
    with contextlib.suppress(PermissionError):  # never wait behind a polling rank
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))
    while True:
        due = [end.under_way[0][0] for end in ends.values() if end.under_way]
        wait = max(0.0, min(due) - time.monotonic()) if due else None
        ready, _, _ = select.select([orders, *by_file], [], [], wait)
        for file in ready:
            if file != orders:
                by_file[file].take()
            elif line := sys.stdin.readline():
                _change(ends, line)
                print("ready", flush=True)
            else:
                return
        now = time.monotonic()
        for end in by_file.values():
            end.deliver(now)


if __name__ == "__main__":
    main()

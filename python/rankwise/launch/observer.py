"""Watches the MPI processes on this node: when each is gone, in which order, and how it ended.

They are the launcher's children and not ours. But the kernel tells anybody of their user when one ends
(pidfd), in the order in which they do, and since Linux 6.15 also the status that their parent gets.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import select
import struct
import threading
import time
from collections import Counter
from collections.abc import Collection
from pathlib import Path

from rankwise.profile.collect import node_memory
from rankwise.profile.collect.end_note import EndNote, Seen
from rankwise.profile.collect.node_memory import COUNTERS_NAME

_LOOK_S = 0.1  # between two looks for new processes
_LOOK_SHARE = 50  # ... or this many times what a look takes, where the directory is slow
_MOST_LOOKS = 10  # at a process that has made its file and not mapped it yet
_ENDING_S = 1.0

# linux/pidfd.h: struct pidfd_info is 64 bytes; its first member says what is asked for, its last is the
# status.
_PIDFD_GET_INFO = 0xC040FF0B
_INFO_BYTES = 64
_WITH_EXIT = 1 << 3
_EXIT_OFFSET = 60


class Observer:
    """Watches the processes that count into a run directory.

    Args:
        run_directory: of the job.
    """

    def __init__(self, run_directory: Path) -> None:
        self._directory = run_directory
        self._host = os.uname().nodename
        self._names: dict[int, str] = {}  # by descriptor
        self._looks: Counter[str] = Counter()
        self._gone: dict[int, tuple[int, int | None]] = {}  # in their order: when, and what /proc told
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="observer", daemon=True)

    def start(self) -> None:
        """Begin to watch, in a thread of its own."""
        # (An old kernel may not have what this needs.)
        with contextlib.suppress(OSError, RuntimeError, AttributeError):
            self._epoll = select.epoll()
            self._wake = os.eventfd(0)
            self._epoll.register(self._wake, select.EPOLLIN)
            os.close(os.pidfd_open(os.getpid()))
            self._thread.start()

    @property
    def watched(self) -> Collection[str]:
        """Return the files of the processes that are being watched, or were."""
        return tuple(self._names.values())

    def note(self, interrupted_ns: int | None = None) -> EndNote:
        """Stop watching, and return what is known of the end.

        Args:
            interrupted_ns: when a signal asked the launch to end, on CLOCK_MONOTONIC.
        """
        self._over.set()
        if self._thread.is_alive():
            os.eventfd_write(self._wake, 1)
            self._thread.join(_ENDING_S)
        orders = {descriptor: order for order, descriptor in enumerate(self._gone, 1)}
        seen = {}
        for descriptor, name in self._names.items():
            gone_ns, status = self._gone.get(descriptor, (0, None))
            told = _status_of(descriptor)
            seen[name] = Seen(orders.get(descriptor, 0), gone_ns, status if told is None else told)
        return EndNote(self._host, time.monotonic_ns(), time.time_ns(), interrupted_ns, seen)

    def _watch(self) -> None:
        with contextlib.suppress(OSError):
            while not self._over.is_set():
                start = time.monotonic()
                self._look()
                until = start + max(_LOOK_S, _LOOK_SHARE * (time.monotonic() - start))
                while not self._over.is_set() and (left := until - time.monotonic()) > 0:
                    self._note_ends(left)
            self._note_ends(0)

    def _look(self) -> None:
        """Begin to watch the processes that are new."""
        for memory in node_memory.of_run(self._directory):
            for name in [path.name for path in memory.counters()]:
                if self._looks[name] >= _MOST_LOOKS or not (found := COUNTERS_NAME.fullmatch(name)):
                    continue
                self._looks[name] += 1
                if found["host"] == self._host:
                    with contextlib.suppress(OSError):  # it is gone already
                        self._begin(int(found["pid"]), name)

    def _begin(self, pid: int, name: str) -> None:
        descriptor = os.pidfd_open(pid)
        # A number may mean another process here, or another one by now. Its own has the file mapped.
        if name not in Path(f"/proc/{pid}/maps").read_text(errors="replace"):
            os.close(descriptor)
            return
        self._looks[name] = _MOST_LOOKS
        self._names[descriptor] = name
        # (Each event once: the second comes when its parent has taken note of it.)
        self._epoll.register(descriptor, select.EPOLLIN | select.EPOLLET)

    def _note_ends(self, seconds: float) -> None:
        """Wait for processes to end, or to be woken.

        Epoll tells events in the order in which they came, also where a busy machine lets us see several at
        once. That of two ends close together is the order in which the kernel was done with them.
        """
        for descriptor, _ in self._epoll.poll(seconds):
            if descriptor != self._wake and descriptor not in self._gone:
                self._gone[descriptor] = time.monotonic_ns(), _status_in_proc(descriptor)


def _status_of(descriptor: int) -> int | None:
    """Return the wait status of a process that its parent has taken note of; None = not told."""
    info = bytearray(_INFO_BYTES)
    struct.pack_into("Q", info, 0, _WITH_EXIT)
    try:
        fcntl.ioctl(descriptor, _PIDFD_GET_INFO, info)
    except OSError:  # an older kernel
        return None
    told: int = struct.unpack_from("Q", info)[0]
    status: int = struct.unpack_from("i", info, _EXIT_OFFSET)[0]
    return status if told & _WITH_EXIT else None


def _status_in_proc(descriptor: int) -> int | None:
    """Return the wait status of a process as long as its parent has not taken note of it; None = not told."""
    try:
        about = Path(f"/proc/self/fdinfo/{descriptor}").read_text()
        pid = int(re.search(r"^Pid:\s+(\d+)", about, re.MULTILINE)[1])  # type: ignore[index]
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (OSError, TypeError):
        return None
    # Nothing and "not allowed to know" are the same number.
    return int(fields[-1]) or None if fields[0] == "Z" else None

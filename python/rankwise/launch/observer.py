"""Watches the MPI processes on this node: when each is gone, in which order, and how it ended.

They are the launcher's children and not ours. But the kernel tells anybody of their user when one ends
(pidfd), in the order in which they do, and since Linux 6.15 also the status that their parent gets. It also
reports when one begins, as that makes a file in the memory of the node. So no polling is needed.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import select
import struct
import time
from collections.abc import Collection
from pathlib import Path

from rankwise._linux import News
from rankwise.profile.collect import node_memory
from rankwise.profile.collect.end_note import EndNote, Seen
from rankwise.profile.collect.glimpse import sees_our_processes
from rankwise.profile.collect.node_memory import COUNTERS_NAME, NodeMemory

_FIRST_LOOK_S = 0.5  # where the kernel has no news for us; each further look after twice the time
_INEXACT_S = 1.0  # of two clocks, and of when the kernel says that a process began

# linux/pidfd.h: struct pidfd_info is 64 bytes; its first member selects the information, its last is the
# status.
_PIDFD_GET_INFO = 0xC040FF0B
_INFO_BYTES = 64
_WITH_EXIT = 1 << 3
_EXIT_OFFSET = 60

_BEGAN = 19  # proc_pid_stat(5), counted from the state


class Observer:
    """Watches the processes that count into a run directory.

    Args:
        run_directory: of the job.

    Attributes:
        due: when to poll, where the kernel reports no events; see launch/job.py.
    """

    def __init__(self, run_directory: Path) -> None:
        self._directory = run_directory
        self._host = os.uname().nodename
        self._names: dict[int, str] = {}  # by descriptor
        self._gone: dict[int, tuple[int, int | None]] = {}  # in their order: when, and the status from /proc
        self._epoll: select.epoll | None = None
        self._news: News | None = None
        self._pause_s = _FIRST_LOOK_S
        self.due: float | None = None

    @property
    def descriptor(self) -> int | None:
        """Return the file that is readable when a process has begun or ended; None without one."""
        return self._epoll.fileno() if self._epoll else None

    @property
    def watched(self) -> Collection[str]:
        """Return the files of the processes that are being watched, or were."""
        return tuple(self._names.values())

    def start(self) -> None:
        """Begin to watch."""
        # (An old kernel may not have what this needs.)
        with contextlib.suppress(OSError, AttributeError):
            os.close(os.pidfd_open(os.getpid()))
            self._epoll = select.epoll()
            with contextlib.suppress(OSError):
                self._news = News()
                self._epoll.register(self._news.descriptor, select.EPOLLIN)
            if self._news:
                self._await_memory(self._news)
            else:
                self._look()

    def step(self) -> None:
        """Take note of who has begun and who has ended."""
        self.wait(0)

    def wait(self, seconds: float) -> None:
        """Take note of it as soon as there is something, or after some time.

        Epoll reports events in their order, even if a busy machine delivers several at once. For two ends
        close together, it is the order in which the kernel finished them.
        """
        if self._epoll is None:
            time.sleep(seconds)
            return
        for descriptor, _ in self._epoll.poll(seconds):
            if descriptor in self._names and descriptor not in self._gone:
                self._gone[descriptor] = time.monotonic_ns(), _status_in_proc(descriptor)
        if self._news:
            self._follow(self._news)
        elif self.due is not None and self.due <= time.monotonic():
            self._look()

    def note(self, interrupted_ns: int | None = None) -> EndNote:
        """Return the observations about the end.

        Args:
            interrupted_ns: when a signal asked the launch to end, on CLOCK_MONOTONIC.
        """
        with contextlib.suppress(OSError):
            self.step()
        orders = {descriptor: order for order, descriptor in enumerate(self._gone, 1)}
        processes = {}
        for descriptor, name in self._names.items():
            gone_ns, status = self._gone.get(descriptor, (0, None))
            exit_info = _status_of(descriptor)
            processes[name] = Seen(
                orders.get(descriptor, 0), gone_ns, status if exit_info is None else exit_info
            )
        return EndNote(self._host, time.monotonic_ns(), time.time_ns(), interrupted_ns, processes)

    def _look(self) -> None:
        """Find new processes, where the kernel reports no events."""
        for memory in node_memory.of_run(self._directory):
            for path in memory.counters():
                self._begin(path)
        self.due = time.monotonic() + self._pause_s
        self._pause_s *= 2

    def _await_memory(self, news: News) -> None:
        """Watch for the job's memory on this node."""
        for place in node_memory.places():
            with contextlib.suppress(OSError):
                news.watch(place)
        for memory in node_memory.of_run(self._directory):
            self._enter(news, memory)

    def _follow(self, news: News) -> None:
        for directory, name in news.read():
            if not name:
                self._await_memory(news)
            elif COUNTERS_NAME.fullmatch(name):
                self._take_in(news, directory / name)
            elif node_memory.is_name_of_memory(name):
                self._enter(news, NodeMemory(directory / name))

    def _enter(self, news: News, memory: NodeMemory) -> None:
        """Watch for new processes in a memory directory of any user: that shows when the first has begun."""
        with contextlib.suppress(OSError):  # it is gone already
            news.watch(memory.path)
            for path in memory.counters():
                self._take_in(news, path)

    def _take_in(self, news: News, counters: Path) -> None:
        memory = counters.parent
        if not NodeMemory(memory).is_of(self._directory):
            news.leave(memory)
        elif self._begin(counters):
            # All others will be there too. So files of other programs next to it need not wake us any more.
            for other in news.watched - {memory}:
                news.leave(other)

    def _begin(self, counters: Path) -> bool:
        """Begin to watch a process; False if it is none of this node that lives."""
        match = COUNTERS_NAME.fullmatch(counters.name)
        if match is None or counters.name in self._names.values():
            return False
        if match["host"] != self._host or not sees_our_processes(counters.parent / node_memory.CONTROL):
            return False
        pid = int(match["pid"])
        try:
            descriptor = os.pidfd_open(pid)
        except OSError:
            return False
        if not _lived(pid, int(match["began"], 16)):
            os.close(descriptor)
            return False
        self._names[descriptor] = counters.name
        # (Each event once: the second comes when its parent has taken note of it.)
        assert self._epoll
        self._epoll.register(descriptor, select.EPOLLIN | select.EPOLLONESHOT)
        return True


def _lived(pid: int, realtime_ns: int) -> bool:
    """Whether a process lived at an instant: one that began later has the number of another one.

    (Its mappings would show the file. But to read them holds up all changes to its memory.)
    """
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        age_s = time.clock_gettime(time.CLOCK_BOOTTIME) - int(fields[_BEGAN]) / os.sysconf("SC_CLK_TCK")
    except (OSError, IndexError, ValueError):
        return False
    return age_s > time.time() - realtime_ns / 1e9 - _INEXACT_S


def _status_of(descriptor: int) -> int | None:
    """Return the wait status of a reaped process; None = unknown."""
    info = bytearray(_INFO_BYTES)
    struct.pack_into("Q", info, 0, _WITH_EXIT)
    try:
        fcntl.ioctl(descriptor, _PIDFD_GET_INFO, info)
    except OSError:  # an older kernel
        return None
    exit_info: int = struct.unpack_from("Q", info)[0]
    status: int = struct.unpack_from("i", info, _EXIT_OFFSET)[0]
    return status if exit_info & _WITH_EXIT else None


def _status_in_proc(descriptor: int) -> int | None:
    """Return the wait status of a zombie; None = unknown."""
    try:
        about = Path(f"/proc/self/fdinfo/{descriptor}").read_text()
        pid = int(re.search(r"^Pid:\s+(\d+)", about, re.MULTILINE)[1])  # type: ignore[index]
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (OSError, TypeError):
        return None
    # Nothing and "not allowed to know" are the same number.
    return int(fields[-1]) or None if fields[0] == "Z" else None

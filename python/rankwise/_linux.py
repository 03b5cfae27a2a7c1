"""What Linux offers and Python's library lacks: news of directories, signals as files, exchange of names."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import struct
from collections.abc import Iterable
from pathlib import Path

# linux/inotify.h
_IN_MOVED_TO = 0x80
_IN_CREATE = 0x100
_IN_Q_OVERFLOW = 0x4000
_IN_IGNORED = 0x8000
_IN_ONLYDIR = 0x01000000
_EVENT = struct.Struct("iIII")  # the descriptor of the watch, what, a cookie, how long the name is
_EVENTS_BYTES = 1 << 16

# linux/signalfd.h: the first member of struct signalfd_siginfo, 128 bytes, is the number of the signal.
_SIGINFO_BYTES = 128
_SIGSET_BYTES = 128

# fcntl.h, linux/fs.h
_AT_FDCWD = -100
_RENAME_EXCHANGE = 2

_libc = ctypes.CDLL(None, use_errno=True)


class News:
    """Tells which names are new in directories, without looks at them (inotify).

    Attributes:
        descriptor: it is readable when there is news.

    Raises:
        OSError: the kernel has no more of these for this user.
    """

    def __init__(self) -> None:
        self.descriptor = _checked(_libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC))
        self._paths: dict[int, Path] = {}

    def close(self) -> None:
        """Ask for no more news."""
        os.close(self.descriptor)

    @property
    def watched(self) -> set[Path]:
        """Return the directories that news comes from."""
        return set(self._paths.values())

    def watch(self, directory: Path) -> None:
        """Ask for news of a directory too.

        Raises:
            OSError: there is no such directory, or it can't be watched.
        """
        asked = _IN_CREATE | _IN_MOVED_TO | _IN_ONLYDIR
        watch = _checked(_libc.inotify_add_watch(self.descriptor, os.fsencode(directory), asked))
        self._paths[watch] = directory

    def leave(self, directory: Path) -> None:
        """Ask for no more news of a directory."""
        for watch in [watch for watch, path in self._paths.items() if path == directory]:
            _libc.inotify_rm_watch(self.descriptor, watch)
            del self._paths[watch]

    def read(self) -> list[tuple[Path, str]]:
        """Return what is new since the last time: the directory, and a name.

        Without a name it is more than that: what the directory holds has to be looked up, or it is gone, and
        is watched no more.
        """
        events: list[tuple[Path, str]] = []
        with contextlib.suppress(BlockingIOError):
            data = os.read(self.descriptor, _EVENTS_BYTES)
            at = 0
            while at < len(data):
                watch, what, _, length = _EVENT.unpack_from(data, at)
                at += _EVENT.size
                events += self._of_event(watch, what, os.fsdecode(data[at : at + length].rstrip(b"\0")))
                at += length
        return events

    def _of_event(self, watch: int, what: int, name: str) -> list[tuple[Path, str]]:
        if what & _IN_Q_OVERFLOW:
            return [(path, "") for path in self._paths.values()]
        if watch not in self._paths:  # it was left meanwhile
            return []
        if what & _IN_IGNORED:
            return [(self._paths.pop(watch), "")]
        return [(self._paths[watch], name)]


class SignalFile:
    """Signals that come as data of a file (signalfd); they have to be blocked.

    Attributes:
        descriptor: it is readable when one has come.

    Raises:
        OSError: there can be no more files.
    """

    def __init__(self, signals: Iterable[int]) -> None:
        wanted = (ctypes.c_char * _SIGSET_BYTES)()
        for signum in signals:
            _libc.sigaddset(wanted, signum)
        self.descriptor = _checked(_libc.signalfd(-1, wanted, os.O_NONBLOCK | os.O_CLOEXEC))

    def take(self) -> int:
        """Take a signal that has come; 0 = there is none."""
        try:
            record = os.read(self.descriptor, _SIGINFO_BYTES)
        except BlockingIOError:
            return 0
        signum: int = struct.unpack_from("I", record)[0]
        return signum

    def close(self) -> None:
        """Close the file."""
        os.close(self.descriptor)


def close_all_but(*kept: int) -> None:
    """Close all files of a forked process but these: it would keep locks, and its readers waiting."""
    for name in os.listdir("/proc/self/fd"):  # noqa: PTH208 - the names are all that is wanted
        if int(name) not in kept:
            with contextlib.suppress(OSError):  # the listing itself was one
                os.close(int(name))


def exchange(one: Path, other: Path) -> bool:
    """Exchange what two names stand for, so that at each moment both are there.

    Returns:
        Whether it was done: some file systems, such as NFS, can't.

    Raises:
        OSError: it failed.
    """
    if not hasattr(_libc, "renameat2"):  # glibc before 2.28
        return False
    names = (_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other))
    try:
        _checked(_libc.renameat2(*names, _RENAME_EXCHANGE))
    except OSError as error:
        if error.errno in (errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP):
            return False
        raise
    return True


def stand_back() -> None:
    """Run only when nobody else wants the processor, from now on: an ordinary user can't take it back."""
    with contextlib.suppress(OSError, AttributeError):
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))


def _checked(answer: int) -> int:
    if answer < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return answer

"""Starts the command and stays with it until it has ended, whatever signals come."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import resource
import signal
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import PurePath
from threading import Event, Thread
from typing import NamedTuple

from rankwise.launch.signal_origin import SignalOrigin

_HANDED_ON = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2)
_STDERR = 2
_M_ARENA_MAX = -8  # of glibc's malloc.h
_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


class End(NamedTuple):
    """How the command ended.

    Attributes:
        status: as a shell tells it: 128 + n if signal n killed it.
        interrupted: what ended it from the outside, as part of a sentence; '' if nothing did.
        interrupted_ns: when that was, on CLOCK_MONOTONIC; None = never.
        killed_by: the signal that killed it; 0 if it ended by itself.
    """

    status: int
    interrupted: str
    interrupted_ns: int | None = None
    killed_by: int = 0


def run(
    words: Sequence[str],
    environment: Mapping[str, str],
    stderr: int | None = None,
    started: Callable[[], None] = lambda: None,
    meanwhile: Callable[[Event], object] = lambda _: None,
) -> End:
    """Start a command with our stdin, stdout, stderr, open files and process group, and wait for its end.

    From here to the end of the process the signals that would end us stay blocked: none of them can come
    between the end of the command and the writing of the profile.

    Args:
        words: the command; the first is looked up on PATH.
        environment: of the command.
        stderr: descriptor that it gets in place of ours; None = ours.
        started: is called when it has been started.
        meanwhile: done beside the command, once it is started; it raises nothing. Its event is set when the
            command has ended, which waits for it.

    Raises:
        OSError: it can't be started.
    """
    handled = {*_HANDED_ON, signal.SIGCHLD}
    _spare_addresses()
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, handled)
    with SignalOrigin(_HANDED_ON) as origin:
        try:
            pid = _start(list(words), environment, mask, stderr)
        except OSError as error:
            if error.errno != errno.ENOEXEC:
                raise
            pid = _start(
                ["/bin/sh", *words], environment, mask, stderr
            )  # a text without `#!`, as shells do it
        started()
        ended = Event()
        beside = Thread(target=meanwhile, args=[ended])
        beside.start()
        status, received, received_ns = _wait(pid, handled, origin)
        ended.set()
        beside.join()
    code = os.waitstatus_to_exitcode(status)
    killed_by = max(-code, 0)
    if received:
        why = f"{signal.Signals(received).name} ended the launch"
        return End(128 + killed_by if killed_by else code, why, received_ns, killed_by)
    if killed_by:
        why = f"{PurePath(words[0]).name} was killed by {signal.Signals(killed_by).name}"
        return End(128 + killed_by, why, received_ns, killed_by)
    return End(code, "")


def _spare_addresses() -> None:
    """Let no thread of ours reserve 64 MiB for its objects where the address space is limited (ulimit -v)."""
    if resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY:
        with contextlib.suppress(AttributeError):  # a C library that does not do so anyway
            ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 1)


def _start(words: list[str], environment: Mapping[str, str], mask: Iterable[int], stderr: int | None) -> int:
    """Start a process that finds everything as if we were not there; return its id.

    (subprocess.Popen would close the files that the user has open beyond stderr, and can't set the mask.)
    """
    not_ignored = [signal.SIGPIPE, signal.SIGXFSZ]  # Python ignores them; the program must not
    files = [] if stderr is None else [(os.POSIX_SPAWN_DUP2, stderr, _STDERR)]
    return os.posix_spawnp(
        words[0], words, environment, file_actions=files, setsigmask=mask, setsigdef=not_ignored
    )


def _wait(pid: int, handled: set[signal.Signals], origin: SignalOrigin) -> tuple[int, int, int]:
    """Wait for the child and hand signals on.

    Returns:
        its wait status, the last signal that meant the end, 0 if none came, and when the first one came, or
        if none came, when it ended (CLOCK_MONOTONIC).
    """
    received = received_ns = 0
    while True:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            # A command that gets a signal with us may end before we take ours.
            received = max(signal.sigpending() & {*_ENDING}, default=received)
            return status, received, received_ns or time.monotonic_ns()
        # One second, in case that somebody who started us has made SIGCHLD unreliable.
        signum = _next_signal(handled, 1)
        if signum in (0, signal.SIGCHLD):
            continue
        if signum in _ENDING:
            received = signum
            received_ns = received_ns or time.monotonic_ns()
        if not origin.is_group(signum):
            os.kill(pid, signum)


def _next_signal(signals: Iterable[int], seconds: int) -> int:
    """Take one of the signals, which are blocked, once there is one; 0 = none came.

    (If we are stopped or frozen while signal.sigtimedwait waits, and go on after its time is over, it tells
    of a signal that never came.)
    """
    libc = ctypes.CDLL(None)
    wanted = (ctypes.c_ulong * 16)()  # sigset_t
    for signum in signals:
        libc.sigaddset(wanted, signum)
    took: int = libc.sigtimedwait(wanted, None, (ctypes.c_long * 2)(seconds, 0))
    return max(0, took)

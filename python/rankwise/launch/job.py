"""Starts the command and stays until it has ended, through all signals."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import resource
import select
import signal
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath
from typing import NamedTuple, Protocol

from rankwise._linux import SignalFile
from rankwise.launch.signal_origin import SignalOrigin

_HANDED_ON = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2)
_STDERR = 2
_M_ARENA_MAX = -8  # of glibc's malloc.h
_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
_OLD_KERNEL_MS = (
    1000  # between two looks whether the command has ended, where no file tells (before Linux 5.3)
)


class End(NamedTuple):
    """How the command ended.

    Attributes:
        status: as a shell reports it: 128 + n if signal n killed it.
        interrupted: what ended it from the outside, as part of a sentence; '' if nothing did.
        interrupted_ns: when that was, on CLOCK_MONOTONIC; None = never.
        killed_by: the signal that killed it; 0 if it ended by itself.
    """

    status: int
    interrupted: str
    interrupted_ns: int | None = None
    killed_by: int = 0


class Beside(Protocol):
    """Something to do beside the command, which sleeps until it has a reason.

    A processor that is awake for us is taken from a rank: what needs no reason has no place here.
    """

    @property
    def descriptor(self) -> int | None:
        """Return a file that is readable when there is something to do; None without one."""

    @property
    def due(self) -> float | None:
        """Return when there is something to do in any case, on time.monotonic(); None = never."""

    def start(self) -> None:
        """Get ready; the command starts at once."""

    def step(self) -> None:
        """Do the pending work, without waiting; after an exception it is not called again."""


def run(
    words: Sequence[str],
    environment: Mapping[str, str],
    stderr: int | None = None,
    beside: Sequence[Beside] = (),
) -> End:
    """Start a command with our stdin, stdout, stderr, open files and process group, and wait for its end.

    From here to the end of the process the signals that would end us stay blocked: none of them can come
    between the end of the command and the writing of the profile.

    Args:
        words: the command; the first is looked up on PATH.
        environment: of the command.
        stderr: descriptor for its stderr; None = inherited.
        beside: done meanwhile.

    Raises:
        OSError: it can't be started.
    """
    handled = {*_HANDED_ON, signal.SIGCHLD}
    _spare_addresses()
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, handled)
    for helper in beside:
        helper.start()
    with SignalOrigin(_HANDED_ON) as origin:
        try:
            pid = _start(list(words), environment, mask, stderr)
        except OSError as error:
            if error.errno != errno.ENOEXEC:
                raise
            pid = _start(
                ["/bin/sh", *words], environment, mask, stderr
            )  # a text without `#!`, as shells do it
        status, received, received_ns = _wait(pid, handled, origin, beside)
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
    """Keep threads from reserving 64 MiB each where the address space is limited (ulimit -v)."""
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


def _wait(
    pid: int, handled: set[signal.Signals], origin: SignalOrigin, beside: Sequence[Beside]
) -> tuple[int, int, int]:
    """Wait for the child, forward signals, and run helpers meanwhile.

    Returns:
        its wait status, the last signal that meant the end, 0 if none came, and when the first one came, or
        if none came, when it ended (CLOCK_MONOTONIC).
    """
    received = received_ns = 0
    with (
        contextlib.closing(SignalFile(handled)) as signals,
        contextlib.closing(Turns(_descriptor_of(pid), beside)) as turns,
    ):
        while True:
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                # A command that gets a signal with us may end before we take ours.
                received = max(signal.sigpending() & {*_ENDING}, default=received)
                return status, received, received_ns or time.monotonic_ns()
            signum = signals.take()
            if signum == 0:
                turns.wait(signals.descriptor)
                continue
            if signum in _ENDING:
                received = signum
                received_ns = received_ns or time.monotonic_ns()
            if signum != signal.SIGCHLD and not origin.is_group(signum):
                os.kill(pid, signum)


def _descriptor_of(pid: int) -> int | None:
    """Return a file that is readable once a process has ended; None where the kernel has none.

    (SIGCHLD alone would not do: who started us may have made it unreliable.)
    """
    with contextlib.suppress(OSError, AttributeError):
        return os.pidfd_open(pid)
    return None


class Turns:
    """Sleeps until the command has ended, a signal has come, or one of the other tasks has work.

    Args:
        ended: a file that is readable when the command has ended, closed with this; None = no file tells.
        beside: done when it has a reason.
    """

    def __init__(self, ended: int | None, beside: Sequence[Beside]) -> None:
        self._beside = list(beside)
        self._ended = ended

    def close(self) -> None:
        """Close the file."""
        if self._ended is not None:
            os.close(self._ended)

    def wait(self, signals: int | None = None) -> None:
        """Sleep and run due helpers; return at once when the command has ended."""
        poll = select.poll()
        watched = {helper.descriptor: helper for helper in self._beside}
        for descriptor in (signals, self._ended, *watched):
            if descriptor is not None:
                poll.register(descriptor, select.POLLIN)
        ready = {descriptor for descriptor, _ in poll.poll(self._patience_ms())}
        if ready & {signals, self._ended}:
            return
        now = time.monotonic()
        for helper in list(self._beside):
            if helper.descriptor in ready or (helper.due is not None and helper.due <= now):
                self._step(helper)

    def _patience_ms(self) -> float | None:
        """Return how long nothing is to be done unless something happens; None = for ever."""
        now = time.monotonic()
        most = [1e3 * max(helper.due - now, 0.0) for helper in self._beside if helper.due is not None]
        if self._ended is None:
            most.append(_OLD_KERNEL_MS)
        return min(most, default=None)

    def _step(self, helper: Beside) -> None:
        try:
            helper.step()
        except Exception:  # the command goes on in any case
            self._beside.remove(helper)

"""Starts the command and stays with it until it has ended, whatever signals come."""

from __future__ import annotations

import errno
import os
import signal
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from threading import Thread

from rankwise.launch.witness import Witness

_HANDED_ON = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2)
_STDERR = 2
_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


@dataclass(frozen=True)
class End:
    """How the command ended.

    Attributes:
        status: as a shell tells it: 128 + n if signal n killed it.
        interrupted: what ended it from the outside, as part of a sentence; '' if nothing did.
    """

    status: int
    interrupted: str


def run(
    words: Sequence[str],
    environment: Mapping[str, str],
    stderr: int | None = None,
    meanwhile: Callable[[], None] = lambda: None,
) -> End:
    """Start a command with our stdin, stdout, stderr, open files and process group, and wait for its end.

    From here to the end of the process the signals that would end us stay blocked: none of them can come
    between the end of the command and the writing of the profile.

    Args:
        words: the command; the first is looked up on PATH.
        environment: of the command.
        stderr: descriptor that it gets in place of ours; None = ours.
        meanwhile: done beside the command, once it is started; it raises nothing.

    Raises:
        OSError: it can't be started.
    """
    handled = {*_HANDED_ON, signal.SIGCHLD}
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, handled)
    with Witness(_HANDED_ON) as witness:
        try:
            pid = _start(list(words), environment, mask, stderr)
        except OSError as error:
            if error.errno != errno.ENOEXEC:
                raise
            pid = _start(
                ["/bin/sh", *words], environment, mask, stderr
            )  # a text without `#!`, as shells do it
        beside = Thread(target=meanwhile)
        beside.start()
        status, received = _wait(pid, handled, witness)
        beside.join()
    code = os.waitstatus_to_exitcode(status)
    if received:
        return End(128 - code if code < 0 else code, f"{signal.Signals(received).name} ended the launch")
    if code < 0:
        return End(128 - code, f"{PurePath(words[0]).name} was killed by {signal.Signals(-code).name}")
    return End(code, "")


def _start(words: list[str], environment: Mapping[str, str], mask: Iterable[int], stderr: int | None) -> int:
    """Start a process that finds everything as if we were not there; return its id.

    (subprocess.Popen would close the files that the user has open beyond stderr, and can't set the mask.)
    """
    not_ignored = [signal.SIGPIPE, signal.SIGXFSZ]  # Python ignores them; the program must not
    files = [] if stderr is None else [(os.POSIX_SPAWN_DUP2, stderr, _STDERR)]
    return os.posix_spawnp(
        words[0], words, environment, file_actions=files, setsigmask=mask, setsigdef=not_ignored
    )


def _wait(pid: int, handled: set[signal.Signals], witness: Witness) -> tuple[int, int]:
    """Wait for the child and hand signals on.

    Returns:
        its wait status, and the last signal that meant the end, 0 if none came.
    """
    received = 0
    while True:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            return status, received
        # One second, in case that somebody who started us has made SIGCHLD unreliable.
        info = signal.sigtimedwait(handled, 1)
        if info is None or info.si_signo == signal.SIGCHLD:
            continue
        if info.si_signo in _ENDING:
            received = info.si_signo
        if not witness.saw(info.si_signo):
            os.kill(pid, info.si_signo)

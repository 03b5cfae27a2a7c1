"""Distinguishes signals to Rankwise alone from those to the whole process group.

The launched command stays in our process group, so that Ctrl-C, `timeout` and batch systems reach it as they
always do. A signal sent to our process alone has to be handed on; one that the group got must not be, because
launchers take a second one as "stop at once, leave everything lying". What the kernel says about the sender
does not tell the two apart, but another process of the group does: it got the signal, too, or it didn't.
"""

from __future__ import annotations

import os
import select
import signal
from collections.abc import Collection
from types import TracebackType

from rankwise._linux import close_all_but


class SignalOrigin:
    """A child process that does nothing but note which signals reach it.

    Args:
        signals: to note; they must be blocked in the caller, so that none is lost or kills the child early.
    """

    def __init__(self, signals: Collection[signal.Signals]) -> None:
        self._notes, notes = os.pipe()
        lifeline, self._lifeline = os.pipe()
        self._seen: list[int] = []
        self.pid = os.fork()
        if self.pid == 0:
            try:
                _take_notes(signals, notes, lifeline)
            finally:
                os._exit(0)
        os.close(notes)
        os.close(lifeline)

    def is_group(self, signum: int, seconds: float = 0.25) -> bool:
        """Whether the group got the signal, too; each arrival is reported once.

        Args:
            signum: the signal that we got.
            seconds: to wait for the child to be scheduled.
        """
        while signum not in self._seen:
            ready, _, _ = select.select([self._notes], [], [], seconds)
            new = os.read(self._notes, 64) if ready else b""
            if not new:
                return False
            self._seen += new
        self._seen.remove(signum)
        return True

    def __enter__(self) -> SignalOrigin:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End it.

        (It would end when its lifeline is cut, as it does when we are killed; but not while it is stopped.)
        """
        os.close(self._lifeline)
        os.close(self._notes)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


def _take_notes(signals: Collection[signal.Signals], notes: int, lifeline: int) -> None:
    """Write a byte for every signal until the other end of the lifeline is closed."""
    close_all_but(notes, lifeline)
    os.set_blocking(notes, False)
    signal.set_wakeup_fd(notes, warn_on_full_buffer=False)
    for signum in signals:
        signal.signal(signum, lambda *_: None)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, signals)
    while os.read(lifeline, 1):
        pass

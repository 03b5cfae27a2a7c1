"""What a signal to Rankwise means for a launch in a separate session, which Ctrl-C does not reach."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from types import FrameType, TracebackType

PATIENCE_SECONDS = 10.0  # from SIGTERM to SIGKILL


class Signals:
    """Counts the signals that ask us to end, and does nothing else about them.

    Attributes:
        last: the last one that came, 0 if none.
        count: of the requests to end: one means early, two mean at once.
    """

    _ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

    def __init__(self) -> None:
        self.last = 0
        self.count = 0

    def _note(self, number: int, _: FrameType | None) -> None:
        self.last = number
        # All but Ctrl-C mean it at once.
        self.count += 1 if number == signal.SIGINT else 2

    def __enter__(self) -> Signals:
        self._before = {number: signal.signal(number, self._note) for number in self._ENDING}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)


def send(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    """Send a signal to the launcher and to what stands between us and it, such as `time`."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, number)

"""Lines on stderr, beside the results on stdout."""

from __future__ import annotations

import contextlib
import sys
import threading
from types import TracebackType

from rankwise.text.safe import safe

PATIENCE_S = 5.0
"""Seconds after the end of a job before a line says what takes so long; users expect no wait there."""


def say(line: str) -> None:
    """Write a line with our name in front; a closed stderr is no failure."""
    with contextlib.suppress(OSError):
        sys.stderr.write(f"rankwise: {safe(line)}\n")


class Waiting:
    """A piece of work that should be short; if it is not, a line says what takes so long.

    Args:
        what: the work, as part of a sentence.
        wanted: whether to print the line.
    """

    def __init__(self, what: str, wanted: bool) -> None:
        self._wanted = wanted
        self._timer = threading.Timer(PATIENCE_S, say, [f"the job has ended; still waiting for {what}"])
        self._timer.daemon = True

    def __enter__(self) -> None:
        if self._wanted:
            self._timer.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._timer.cancel()

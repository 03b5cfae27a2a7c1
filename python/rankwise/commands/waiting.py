"""Says what is being waited for, where it takes long: after the end of a job nobody expects to wait."""

from __future__ import annotations

import threading
from types import TracebackType

from rankwise.commands.saying import say

PATIENCE_S = 5.0


class Waiting:
    """A piece of work that should not take long.

    Args:
        what: is waited for, as part of a sentence.
        wanted: whether to say so.
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

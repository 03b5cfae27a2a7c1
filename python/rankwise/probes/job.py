"""A running launch of a probe.

The launcher gets a separate session, so that the terminal's Ctrl-C does not reach it: the caller decides what
a signal means.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rankwise.launch.signals import PATIENCE_SECONDS, send

_LOOK_S = 0.1
_KEPT_BYTES = 64 * 1024


@dataclass(frozen=True)
class End:
    """How the launch ended.

    Attributes:
        status: as a shell tells it: 128 + n if signal n killed it.
        said: the end of what it wrote to stdout and stderr.
    """

    status: int
    said: str


class Job:
    """The launch; a context that it does not outlive."""

    def __init__(self, words: Sequence[str], environment: Mapping[str, str]) -> None:
        """Start it.

        Args:
            words: the launch with the probe in it.
            environment: of the launcher.

        Raises:
            OSError: the launcher can't be started.
        """
        self._kill_at: float | None = None
        with contextlib.ExitStack() as opened:
            self._output = opened.enter_context(tempfile.TemporaryFile())
            self._process = subprocess.Popen(
                list(words),
                env=dict(environment),
                stdin=subprocess.DEVNULL,
                stdout=self._output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            self._opened = opened.pop_all()

    def __enter__(self) -> Job:
        return self

    def __exit__(self, *_: object) -> None:
        while self.running:
            self.stop()
            self.wait()
        self._opened.close()

    @property
    def running(self) -> bool:
        """Whether it has not ended."""
        return self._process.poll() is None

    def wait(self, seconds: float = _LOOK_S) -> None:
        """Wait for its end, at most so many seconds."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)

    def stop(self) -> None:
        """Ask the launcher to end at once; if it has been asked before and takes too long, kill it."""
        if self._kill_at is None:
            send(self._process, signal.SIGTERM)
            self._kill_at = time.monotonic() + PATIENCE_SECONDS
        elif time.monotonic() > self._kill_at:
            send(self._process, signal.SIGKILL)

    def end(self) -> End:
        """Return how it ended; it has to have."""
        code = self._process.returncode
        size = self._output.seek(0, os.SEEK_END)
        self._output.seek(max(0, size - _KEPT_BYTES))
        said = self._output.read().decode("utf-8", "replace")
        return End(128 - code if code < 0 else code, said)

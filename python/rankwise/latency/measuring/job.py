"""Watches the running probe: its progress, and what Ctrl-C means.

The launcher gets a session of its own, so that the terminal's Ctrl-C does not reach it: the first one lets
the probe end by itself, and only the second one ends the launch.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rankwise.launch.signals import PATIENCE_SECONDS, Signals, send

STOP = "stop"
PROGRESS = "progress"
_LOOK_S = 0.1
_KEPT_BYTES = 64 * 1024

Listener = Callable[[int, int], None]


@dataclass(frozen=True)
class End:
    """How the launch ended.

    Attributes:
        status: as a shell tells it: 128 + n if signal n killed it.
        said: the end of what it wrote to stdout and stderr.
    """

    status: int
    said: str


def run(
    words: Sequence[str],
    environment: Mapping[str, str],
    directory: Path,
    signals: Signals,
    listener: Listener,
    say: Callable[[str], None],
) -> End:
    """Start the launch and wait for its end.

    Args:
        words: the launch with the probe in it.
        environment: of the launcher.
        directory: that the probe works in.
        signals: that came to us.
        listener: is told the steps done and the steps in all, whenever they change.
        say: is told what a signal leads to.

    Raises:
        OSError: the launcher can't be started.
    """
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            list(words),
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        _wait(process, signals, directory, listener, say)
        code = process.returncode
        size = output.seek(0, os.SEEK_END)
        output.seek(max(0, size - _KEPT_BYTES))
        said = output.read().decode("utf-8", "replace")
        return End(128 - code if code < 0 else code, said)


def _wait(
    process: subprocess.Popen[bytes],
    signals: Signals,
    directory: Path,
    listener: Listener,
    say: Callable[[str], None],
) -> None:
    told: tuple[int, int] | None = None
    stopping = False
    kill_at: float | None = None
    while process.poll() is None:
        if (steps := progress(directory)) and steps != told:
            told = steps
            listener(*steps)
        if signals.count > 1 or (signals.count and not told):  # there is nothing yet that could be lost
            if kill_at is None:
                send(process, signal.SIGTERM)
                kill_at = time.monotonic() + PATIENCE_SECONDS
            elif time.monotonic() > kill_at:
                send(process, signal.SIGKILL)
        elif signals.count and not stopping:
            stopping = True
            (directory / STOP).touch()
            say("ending after the running step; Ctrl-C once more ends at once")
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_LOOK_S)
    if (steps := progress(directory)) and steps != told:
        listener(*steps)


def progress(directory: Path) -> tuple[int, int] | None:
    """Return the steps done and the steps in all; None if the probe has not said so yet."""
    try:
        done, total = (directory / PROGRESS).read_text(encoding="ascii").split()[:2]
        return int(done), int(total)
    except (OSError, ValueError):  # not yet there, or just being replaced
        return None

"""One run of a command: in a separate session, with a time limit, its output in a file."""

from __future__ import annotations

import contextlib
import os
import signal
import stat
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from rankwise.launch.inner_launch import LaunchWatch
from rankwise.launch.signals import PATIENCE_SECONDS, Signals, send

_LOOK_SECONDS = 0.1


@dataclass(frozen=True)
class End:
    """How a run ended.

    Attributes:
        status: as a shell reports it: 128 + n if signal n killed it.
        seconds: from the start of the launcher to its end.
        too_long: we ended it, because of the time limit.
        interrupted: we ended it, because of a signal to us.
    """

    status: int
    seconds: float
    too_long: bool = False
    interrupted: bool = False


def run(
    words: Sequence[str],
    environment: Mapping[str, str],
    output: Path,
    limit: float,
    signals: Signals,
    watch: LaunchWatch | None = None,
) -> End:
    """Run a command to its end, or until its time is over.

    Args:
        words: the command.
        environment: of the command.
        output: file for what it writes to stdout and stderr.
        limit: seconds that it may take.
        signals: that came to us; the first one ends the run.
        watch: called with the started process; None: not called.

    Raises:
        OSError: the command can't be started, or the file not be written.
    """
    start = time.monotonic()
    with output.open("wb") as written, _input() as stdin:
        process = subprocess.Popen(
            list(words),
            env=dict(environment),
            stdin=stdin,
            stdout=written,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        too_long = _wait(process, start + limit, signals, watch)
        code = process.returncode
    ended = too_long is not None
    return End(
        128 - code if code < 0 else code,
        time.monotonic() - start,
        too_long=ended and bool(too_long),
        interrupted=ended and not too_long,
    )


@contextlib.contextmanager
def _input() -> Iterator[BinaryIO | int]:
    """Give each run all our input if it is a file, by opening it again; otherwise none."""
    try:
        is_file = stat.S_ISREG(os.fstat(0).st_mode)
    except OSError:  # it is closed
        is_file = False
    if not is_file:
        yield subprocess.DEVNULL
        return
    with Path("/proc/self/fd/0").open("rb") as again:
        yield again


def _wait(
    process: subprocess.Popen[bytes], deadline: float, signals: Signals, watch: LaunchWatch | None
) -> bool | None:
    """Wait for the end; tell whether the time limit (True) or a signal (False) made us bring it about."""
    too_long: bool | None = None
    kill_at = 0.0
    while process.poll() is None:
        now = time.monotonic()
        if watch:
            watch.look(process.pid)
        if too_long is None and (signals.count or now > deadline):
            too_long = not signals.count
            send(process, signal.SIGTERM)
            kill_at = now + PATIENCE_SECONDS
        elif too_long is not None and now > kill_at:
            send(process, signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(watch.pause_s if watch else _LOOK_SECONDS)
    return too_long

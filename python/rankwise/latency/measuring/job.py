"""Watches the running probe: its progress, and what Ctrl-C means.

The first one lets the probe end by itself, and only the second one ends the launch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from rankwise.launch.signals import Signals
from rankwise.probes.job import End, Job

STOP = "stop"
PROGRESS = "progress"

Listener = Callable[[int, int], None]


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
        signals: that we received.
        listener: is called with the steps done and the total of steps, when they change.
        say: is called with the consequence of a signal.

    Raises:
        OSError: the launcher can't be started.
    """
    with Job(words, environment) as job:
        _wait(job, signals, directory, listener, say)
        return job.end()


def _wait(
    job: Job,
    signals: Signals,
    directory: Path,
    listener: Listener,
    say: Callable[[str], None],
) -> None:
    last_steps: tuple[int, int] | None = None
    stopping = False
    while job.running:
        if (steps := progress(directory)) and steps != last_steps:
            last_steps = steps
            listener(*steps)
        if signals.count > 1 or (signals.count and not last_steps):  # there is nothing yet that could be lost
            job.stop()
        elif signals.count and not stopping:
            stopping = True
            (directory / STOP).touch()
            say("ending after the running step; Ctrl-C once more ends at once")
        job.wait()
    if (steps := progress(directory)) and steps != last_steps:
        listener(*steps)


def progress(directory: Path) -> tuple[int, int] | None:
    """Return the steps done and the total; None if the probe has not reported them yet."""
    try:
        done, total = (directory / PROGRESS).read_text(encoding="ascii").split()[:2]
        return int(done), int(total)
    except (OSError, ValueError):  # not yet there, or just being replaced
        return None

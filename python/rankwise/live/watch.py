"""Looks at a job repeatedly until it has ended."""

from __future__ import annotations

import contextlib
import select
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rankwise._linux import News
from rankwise.errors import RankwiseError
from rankwise.live.picture import Picture
from rankwise.live.process import Process
from rankwise.live.snapshot import Snapshot, take
from rankwise.live.world_picture import picture
from rankwise.profile.collect.clock import NANOSECONDS
from rankwise.profile.collect.end_note import has_ended
from rankwise.profile.collect.launch_note import FILE_NAME as LAUNCH_NOTE
from rankwise.profile.collect.launch_note import read_launch_note

_PATIENCE_S = 10.0
_CHECK_S = 2.0  # how often to check for the end, if the kernel sends no news: it may be noted on another node


@dataclass(frozen=True)
class Look:
    """One look at a job.

    Attributes:
        picture: None as long as no process has called MPI_Init.
        last: the job has ended.
    """

    picture: Picture | None
    last: bool


class Watch:
    """A job under observation.

    Args:
        directory: its run directory.
        every: seconds between two looks.
    """

    def __init__(self, directory: Path, every: float) -> None:
        self._directory = directory
        self._every = every
        self._note = read_launch_note(directory)
        self._launched = (directory / LAUNCH_NOTE).exists()
        self._before: Snapshot | None = None
        self._now: Snapshot | None = None

    def looks(self) -> Iterator[Look]:
        """Look, wait, and look again, until the job has ended.

        Raises:
            RankwiseError: counters exist, but two looks could read none of them.
        """
        with contextlib.ExitStack() as at_end:
            news: News | None = None
            with contextlib.suppress(OSError):
                news = News()
                at_end.callback(news.close)
                news.watch(self._directory)
            while True:
                start = time.monotonic()
                look = self.look()
                yield look
                if look.last:
                    return
                self._wait_until(start + self._every, news)

    def look(self) -> Look:
        """Look once.

        Raises:
            RankwiseError: counters exist, but neither this look nor the previous one could read any.
        """
        snapshot = take(self._directory)
        if self._now and not _files(self._now) <= _files(snapshot):
            # The files are being removed, which is the end; the last picture stays.
            return Look(self._picture(over=True), last=True)
        if snapshot.unreadable and not snapshot.processes and self._now and self._now.unreadable:
            raise RankwiseError(snapshot.unreadable[0])
        self._before, self._now = self._now, snapshot
        over = snapshot.over or is_over(snapshot.processes, self._launched)
        return Look(self._picture(over=over), over)

    def _picture(self, *, over: bool) -> Picture | None:
        if self._now is None or not self._now.processes:
            return None
        return picture(str(self._directory), self._note, self._before, self._now, over=over)

    def _wait_until(self, end: float, news: News | None) -> None:
        """Sleep, but not beyond the end of the job."""
        while (remaining := end - time.monotonic()) > 0:
            _sleep(min(remaining, _CHECK_S), news)
            if has_ended(self._directory) or not self._directory.is_dir():
                return


def _sleep(seconds: float, news: News | None) -> None:
    """Sleep until the run directory changes, at most for some seconds."""
    if select.select([news.descriptor] if news else [], [], [], seconds)[0] and news:
        news.read()


def _files(snapshot: Snapshot) -> set[str]:
    return {process.counters.path.name for process in snapshot.processes}


def is_over(processes: Sequence[Process], launched: bool) -> bool:
    """Return whether the job of some processes has ended.

    `rankwise run` notes the end itself. As its script may start a further program after one has ended, it
    gets some time. A rank that is killed because another one aborts can't note its end: then silence is the
    end.

    Args:
        processes: all processes of the run directory.
        launched: whether the directory has a note of `rankwise run`.
    """
    if not processes:
        return False
    silent = min(process.now_ns - process.heartbeat_ns for process in processes) / NANOSECONDS > _PATIENCE_S
    if all(process.ended for process in processes):
        return silent or not launched
    return silent and any(process.counters.header.state == "aborted" for process in processes)

"""Progress on stderr, only on a terminal: of a fraction, of counted steps, and of unknown length."""

from __future__ import annotations

import sys
import threading
import time
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

_PATIENCE_S = 1.0
_REDRAW_S = 0.1
_LONG_S = 2.0


class ProgressBar:
    """Shows the progress after a second, as a listener of rankwise.profile.progress; removed at the end.

    Args:
        what: is being done.
        wanted: False = show nothing.
    """

    def __init__(self, what: str, *, wanted: bool = True) -> None:
        self._what = what
        self._wanted = wanted and sys.stderr is not None and sys.stderr.isatty()
        self._next = time.monotonic() + _PATIENCE_S
        self._shown: tuple[Progress, TaskID] | None = None

    def __enter__(self) -> ProgressBar:
        return self

    def __call__(self, fraction: float) -> None:
        """Set the fraction of the work that is done."""
        if not self._wanted or time.monotonic() < self._next:
            return
        self._next = time.monotonic() + _REDRAW_S
        progress, task = self._shown = self._shown or self._start()
        progress.update(task, completed=fraction, refresh=True)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._shown:
            self._shown[0].stop()

    def _start(self) -> tuple[Progress, TaskID]:
        # Imported late: most profiles are made before it would be shown.
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

        progress = Progress(
            TextColumn("rankwise: {task.description}"),
            BarColumn(),
            TaskProgressColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            auto_refresh=False,
            transient=True,
        )
        task = progress.add_task(self._what, total=1.0)
        progress.start()
        return progress, task


class StepBar:
    """Shows the number of steps that are done, only on a terminal; removed at the end.

    Args:
        what: is being done.
        wanted: False = show nothing.
    """

    def __init__(self, what: str, *, wanted: bool = True) -> None:
        self._what = what
        self.shown = wanted and sys.stderr is not None and sys.stderr.isatty()
        self._progress: Progress | None = None

    def __enter__(self) -> StepBar:
        if self.shown:
            self._progress = _bar()
            self._task = self._progress.add_task(self._what, total=None)
            self._progress.start()
        return self

    def __call__(self, done: int, total: int) -> None:
        """Set the number of steps that are done, and of all steps."""
        if self._progress:
            self._progress.update(self._task, completed=done, total=total)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._progress:
            self._progress.stop()


class Activity:
    """Shows the present activity after two seconds, and its duration; removed at the end.

    Args:
        what: is being done.
        wanted: False = show nothing.
    """

    def __init__(self, what: str, *, wanted: bool = True) -> None:
        self._what = what
        self._wanted = wanted and sys.stderr is not None and sys.stderr.isatty()
        self._lock = threading.Lock()
        self._ended = False
        self._progress: Progress | None = None

    def __enter__(self) -> Activity:
        if self._wanted:
            self._timer = threading.Timer(_LONG_S, self._start)
            self._timer.daemon = True
            self._timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self._wanted:
            return
        self._timer.cancel()
        with self._lock:
            self._ended = True
            if self._progress:
                self._progress.stop()

    def _start(self) -> None:
        with self._lock:
            if self._ended:
                return
            self._progress = _spinner()
            self._progress.add_task(self._what, total=None)
            self._progress.start()


def _spinner() -> Progress:
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    return Progress(
        SpinnerColumn("line"),
        TextColumn("rankwise: {task.description}"),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
        redirect_stdout=False,
    )


def _bar() -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    return Progress(
        TextColumn("rankwise: {task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("steps, left"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
        refresh_per_second=5,
        # Lines that are written while the bar is on the screen go above it.
        redirect_stdout=False,
    )

"""A bar on stderr for work whose steps are counted, and the time that is left."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress


class StepBar:
    """Shows the steps done of all, only on a terminal, and is gone at the end.

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
        """Take note of how many steps are done, of how many."""
        if self._progress:
            self._progress.update(self._task, completed=done, total=total)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._progress:
            self._progress.stop()


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
        # The bar may be on the screen while lines are written: they go above it.
        redirect_stdout=False,
    )

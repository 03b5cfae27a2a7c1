"""Distributes work among further processes, one per processor, if there is enough work."""

from __future__ import annotations

import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING, TypeVar

from rankwise.errors import RankwiseError

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor
    from multiprocessing.process import BaseProcess

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")

_WAITING = 2  # tasks for each worker that are under way or done and not yet taken: bounds the memory


class Workers:
    """Processes that work while this one goes on with what they have done; none = this process does the work.

    Use as a context manager: at its end the processes are gone.
    """

    def __init__(self, count: int) -> None:
        """Prepare to start this many processes, which start when there is work."""
        self._count = count
        self._pool: ProcessPoolExecutor | None = None

    @property
    def several(self) -> bool:
        """Whether the work is shared out."""
        return self._count > 0

    def __enter__(self) -> Workers:
        if self.several:
            # Imported late: most jobs are small.
            import multiprocessing
            from concurrent.futures import ProcessPoolExecutor

            # Started afresh: nothing of this process, which may be large, is in them.
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(self._count, context, initializer=_begin)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._pool:
            self._pool.shutdown(wait=True, cancel_futures=True)

    def map(self, function: Callable[[_Item], _Result], items: Iterable[_Item]) -> Iterator[_Result]:
        """Return the function's result for each item, in their order.

        Args:
            function: of a module, if the work is distributed.
            items: can be pickled, if the work is distributed.

        Raises:
            RankwiseError: a process was ended from the outside.
        """
        if not self._pool:
            yield from map(function, items)
            return
        from concurrent.futures.process import BrokenProcessPool

        waiting: deque[Future[_Result]] = deque()
        try:
            for item in items:
                waiting.append(self._pool.submit(function, item))
                if len(waiting) > _WAITING * self._count:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        except BrokenProcessPool as error:
            raise RankwiseError(
                "a process that made a part of the profile was killed: is there enough memory? "
                "`rankwise recover` tries again",
                exit_status=1,
            ) from error


def processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0))


def _begin() -> None:
    """Prepare a worker."""
    from multiprocessing import parent_process

    # Who interrupts means the whole command: this process ends its workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = parent_process()
    if parent:
        # A worker waits for work, and would do so for ever if its parent were killed.
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)

"""The view of a job on the terminal from which `rankwise run` was started.

The view has the terminal for itself: it is shown only if the program's output goes elsewhere. The program's
stderr is kept meanwhile, and written after the view has ended.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from rankwise._linux import close_all_but, stand_back
from rankwise.errors import RankwiseError
from rankwise.live.watch import Look, Watch
from rankwise.render.terminal.live.screen import show, steerable
from rankwise.text.safe import safe

EVERY_S = 2.0
_PATIENCE_S = 10.0
_FIRST_SCREEN = "\x1b[?1049l\x1b[?25h"  # leaves the second one and shows the cursor
_NOT_OURS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2)


def possible() -> bool:
    """Return whether there is a terminal without the program's output."""
    return steerable(sys.stderr) and not sys.stdout.isatty()


class View:
    """A view in a separate process, so that its failures don't reach the job.

    Args:
        directory: the run directory.
        kept: file to create for the program's stderr.

    Attributes:
        stderr: descriptor for the program.
    """

    def __init__(self, directory: Path, kept: Path) -> None:
        self._kept = kept
        self.stderr = os.open(kept, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        parent = os.getpid()
        self._pid = os.fork()
        if self._pid == 0:
            try:
                # Signals are for the job; the view ends with it.
                signal.pthread_sigmask(signal.SIG_BLOCK, _NOT_OURS)
                close_all_but(0, 1, 2)  # not the lock of the run directory
                stand_back()
                looks = Watch(directory, EVERY_S).looks()
                show(_while_child_of(parent, looks), EVERY_S, sys.stderr)
                os._exit(0)
            except RankwiseError as error:
                sys.stderr.write(f"rankwise: the view ended: {safe(str(error))}\n")
                os._exit(0)
            finally:
                os._exit(1)

    def end(self) -> None:
        """Wait for the last picture, and write the program's stderr."""
        if self._status() != 0:
            sys.stderr.write(_FIRST_SCREEN)
        os.lseek(self.stderr, 0, os.SEEK_SET)
        with contextlib.suppress(OSError), os.fdopen(self.stderr, "rb") as kept:
            sys.stderr.flush()
            shutil.copyfileobj(kept, sys.stderr.buffer)
            sys.stderr.flush()
        self._kept.unlink(missing_ok=True)

    def _status(self) -> int:
        """Wait for the view, and return its status."""
        deadline = time.monotonic() + _PATIENCE_S
        while time.monotonic() < deadline:
            ended, status = os.waitpid(self._pid, os.WNOHANG)
            if ended:
                return status
            time.sleep(0.02)
        os.kill(self._pid, signal.SIGKILL)
        return os.waitpid(self._pid, 0)[1]


def _while_child_of(parent: int, looks: Iterable[Look]) -> Iterator[Look]:
    """Stop if `rankwise run` itself was killed."""
    for look in looks:
        yield look
        if os.getppid() != parent:
            return

"""Input from a pipe, which can be read once: it is kept, so that every run of a command gets all input."""

from __future__ import annotations

import os
import select
import shutil
import stat
from collections.abc import Callable
from tempfile import TemporaryFile

from rankwise.errors import RankwiseError

_STDIN = 0
_PATIENCE_SECONDS = 5.0  # until the first byte


def keep_piped_input(say: Callable[[str], None]) -> None:
    """Put a file in the place of our stdin, if that is a pipe: see trials.process, which opens it again.

    Args:
        say: called with what happens to the pipe, before anything is run.

    Raises:
        RankwiseError: what comes out of the pipe can't be kept.
    """
    try:
        is_pipe = stat.S_ISFIFO(os.fstat(_STDIN).st_mode)
    except OSError:  # it is closed
        return
    if not is_pipe:
        return
    # Our parent may leave a pipe open that no process writes to.
    if not select.select([_STDIN], [], [], _PATIENCE_SECONDS)[0]:
        say(f"stdin is a pipe without data for {_PATIENCE_SECONDS:g} s: runs get no input")
        return
    try:
        with TemporaryFile() as file, os.fdopen(os.dup(_STDIN), "rb") as pipe:
            shutil.copyfileobj(pipe, file)
            file.flush()
            size = file.tell()
            file.seek(0)
            os.dup2(file.fileno(), _STDIN)
    except OSError as error:
        raise RankwiseError(
            f"stdin is a pipe, and its data can't be kept: {error.strerror}; give a file: < FILE",
            1,
        ) from None
    if size:
        say(f"stdin is a pipe: its {size:,} B are kept, and every run of the program gets all of them")

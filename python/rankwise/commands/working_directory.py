"""Where runs of the user's program leave profiles and output, while a command makes them."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from rankwise.errors import RankwiseError


@contextlib.contextmanager
def working_directory(wanted: Path | None, purpose: str) -> Iterator[Path]:
    """Make a directory that every node sees, near the user's files; it stays if a run fails.

    Args:
        wanted: the user's choice, which stays in any case.
        purpose: part of the name, unless the user chose the directory.

    Raises:
        RankwiseError: it can't be made; or an error raised inside, with the directory's name.
    """
    if wanted is None:
        directory = Path(tempfile.mkdtemp(prefix=f"rankwise-{purpose}-", dir=Path.cwd()))
    else:
        directory = wanted.absolute()
        try:
            directory.mkdir(mode=0o700)
        except OSError as error:
            raise RankwiseError(
                f"{wanted} can't be made: {error.strerror}; give a new one with --keep"
            ) from None
    try:
        yield directory
    except RankwiseError as error:
        if any(directory.iterdir()):
            raise RankwiseError(
                f"{error}; what the runs left is in {directory}", error.exit_status
            ) from error
        directory.rmdir()
        raise
    if wanted is None:
        shutil.rmtree(directory, ignore_errors=True)

"""Files that appear whole, or not at all, and replace nothing unasked."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from rankwise.errors import RankwiseError


def refuse_existing(*paths: Path, force: bool, option: str = "-o") -> None:
    """Raise RankwiseError if one of the files, which `option` tells, is there and may not be replaced."""
    for path in paths:
        if path.is_dir():
            raise RankwiseError(f"{path} is a directory: give the name of a file")
        if path.exists() and not force:
            raise RankwiseError(
                f"{path} already exists: give another name with {option}, or --force to replace it"
            )


@contextmanager
def appearing(*paths: Path, option: str = "-o") -> Iterator[tuple[Path, ...]]:
    """Give a temporary name for each of the files; at the end they get their own, in this order.

    Raises:
        RankwiseError: they can't be written. Nothing is left of them then.
    """
    temporary = tuple(path.with_name(f".{path.name}.{os.getpid()}") for path in paths)
    try:
        yield temporary
        for source, path in zip(temporary, paths, strict=True):
            source.replace(path)
    except OSError as error:
        cause = error.strerror or str(error)
        raise RankwiseError(
            f"{paths[-1]} can't be written: {cause}; choose another place with {option}", 1
        ) from error
    finally:
        for source in temporary:
            with suppress(OSError):  # also of a file that is not there, where nothing may be written
                source.unlink()

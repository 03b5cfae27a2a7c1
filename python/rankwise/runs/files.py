"""The profiles that a user names: files, and directories that are searched."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from rankwise.errors import RankwiseError

SUFFIX = ".rankwise"


def profiles_in(named: Iterable[Path]) -> list[Path]:
    """Return the profiles among files and below directories, each once; directories sorted by path.

    Args:
        named: files with any name, and directories.

    Raises:
        RankwiseError: a path does not exist, a directory can't be read, or there is no profile at all.
    """
    given = list(named)
    found: dict[Path, Path] = {}
    for path in given:
        if path.is_dir():
            inside = sorted(_below(path))
        elif path.exists():
            inside = [path]
        else:
            raise RankwiseError(f"{path} is not found: give profiles, or directories that have some")
        for file in inside:
            found.setdefault(file.resolve(), file)
    if not found:
        where = ", ".join(map(str, given))
        raise RankwiseError(
            f"{where}: no file *{SUFFIX} is here; `rankwise run` and `rankwise collect` make them"
        )
    return [*found.values()]


def _below(directory: Path) -> Iterator[Path]:
    def refuse(error: OSError) -> None:
        if Path(error.filename) == directory:
            raise RankwiseError(f"{directory} cannot be read: {error.strerror}") from error

    for folder, _, names in os.walk(directory, onerror=refuse):
        for name in names:
            if name.endswith(SUFFIX) and (Path(folder) / name).is_file():
                yield Path(folder) / name

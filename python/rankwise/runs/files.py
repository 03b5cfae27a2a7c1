"""The profiles that a user names: files, and directories that are searched."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from rankwise.errors import RankwiseError
from rankwise.runs.unreadable import Unreadable

SUFFIX = ".rankwise"
_RUN_SUFFIX = ".rankwise-run"  # of directories in which processes leave their counters: they hold no profiles


class Profiles(NamedTuple):
    """The profiles that were found.

    Attributes:
        files: their paths, each once; of directories sorted by path.
        unreadable: directories that were skipped.
    """

    files: list[Path]
    unreadable: list[Unreadable]


def profiles_in(named: Iterable[Path]) -> Profiles:
    """Return the profiles among files and below directories.

    Args:
        named: files with any name, and directories.

    Raises:
        RankwiseError: a path does not exist or can't be read, or there is no profile at all.
    """
    given = list(named)
    found: dict[Path, Path] = {}
    unreadable: dict[Path, Unreadable] = {}
    for path in given:
        inside: list[Path] = []
        for place in _below(path) if _is_directory(path) else [path]:
            if isinstance(place, Unreadable):
                unreadable.setdefault(place.path.resolve(), place)
            else:
                inside.append(place)
        for file in sorted(inside):
            found.setdefault(file.resolve(), file)
    if not found:
        where = ", ".join(map(str, given))
        more = f", and {unreadable_directories(unreadable.values())}" if unreadable else ""
        raise RankwiseError(
            f"{where}: no file *{SUFFIX} is here{more}; `rankwise run` and `rankwise collect` make them"
        )
    return Profiles([*found.values()], [*unreadable.values()])


def unreadable_directories(unreadable: Iterable[Unreadable]) -> str:
    """Return which directories are unreadable: `2 directories cannot be read: a, b`."""
    first, *more = unreadable
    if not more:
        return first.reason
    names = [str(each.path) for each in (first, *more)]
    rest = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"{len(names)} directories cannot be read: {', '.join(names[:_NAMED])}{rest}"


_NAMED = 3


def _is_directory(path: Path) -> bool:
    try:
        return stat.S_ISDIR(path.stat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        raise RankwiseError(f"{path} is not found: give profiles, or directories that have some") from None
    except OSError as error:
        raise RankwiseError(f"{path} cannot be read: {error.strerror}") from error


def _below(directory: Path) -> Iterator[Path | Unreadable]:
    """Give the profiles below a directory, and the directories below it that can't be read."""
    errors: list[OSError] = []
    for folder, folders, names in os.walk(directory, onerror=errors.append):
        folders[:] = sorted(name for name in folders if not name.endswith(_RUN_SUFFIX))
        for name in names:
            path = Path(folder) / name
            try:
                if name.endswith(SUFFIX) and stat.S_ISREG(path.stat().st_mode):
                    yield path
            except FileNotFoundError:  # a dangling link, or it has just been removed
                continue
            except OSError as error:
                errors.append(OSError(error.errno, error.strerror, folder))
                break
    for refused in errors:
        where, reason = Path(refused.filename), f"{refused.filename} cannot be read: {refused.strerror}"
        if where == directory:
            raise RankwiseError(reason) from refused
        yield Unreadable(where, reason, is_directory=True)

"""Folders of files that appear whole, or not at all, and replace only folders of the same kind."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path, PurePosixPath

from rankwise._linux import exchange
from rankwise.errors import RankwiseError

_FILE, _FOLDER, _TOP = 0o644, 0o755, 0o700


def check_folder(folder: Path, mark: str, *, force: bool) -> None:
    """Refuse a folder that may not be replaced.

    Args:
        folder: to be written.
        mark: name of the file that lists the others.
        force: whether it may be replaced if it has nothing else.

    Raises:
        RankwiseError: it has something else, or is not to be replaced.
    """
    if not folder.exists():
        return
    if not folder.is_dir():
        raise RankwiseError(f"{folder} is no folder: give another one with -o")
    there = set(_files_below(folder))
    if not there:
        return
    other = min(there - {mark, *_listed(folder / mark)}, default=None)
    if other is not None:
        raise RankwiseError(
            f"{folder} has something else, {other}: give another folder with -o; rules of a web server go"
            " into its configuration"
        )
    if not force:
        raise RankwiseError(f"{folder} already exists: give another one with -o, or --force to replace it")


def write_folder(folder: Path, mark: str, files: Iterable[tuple[str, bytes]]) -> int:
    """Write files into a new folder, which then replaces the old one; return their number.

    Only its owner can access a new folder. If it replaces another, the rights of the old one stay.

    Args:
        folder: that `check_folder` did not refuse.
        mark: name of the file that lists them.
        files: names, with `/` for folders, and contents.

    Raises:
        RankwiseError: they can't be written. The folder is unchanged then.
    """
    whole = folder.resolve()
    new = whole.with_name(f".{whole.name}.new-{os.getpid()}")
    old = whole.with_name(f".{whole.name}.old-{os.getpid()}")
    names: list[str] = []
    try:
        whole.parent.mkdir(parents=True, exist_ok=True)
        new.mkdir(_TOP)
        for name, content in files:
            _write(new, name, content)
            names.append(name)
        _write(new, mark, (json.dumps(sorted(names), indent=0) + "\n").encode())
        _replace(whole, new, old)
    except OSError as error:
        raise RankwiseError(
            f"{folder} can't be written: {error.strerror or error}; it is unchanged; choose another place"
            " with -o",
            1,
        ) from error
    finally:
        for leftover in (new, old):
            shutil.rmtree(leftover, ignore_errors=True)
    return len(names)


def _write(folder: Path, name: str, content: bytes) -> None:
    path = folder / name
    if not path.parent.exists():
        path.parent.mkdir(_FOLDER)
        path.parent.chmod(_FOLDER)  # umask may hide it
    path.write_bytes(content)
    path.chmod(_FILE)


def _replace(folder: Path, new: Path, old: Path) -> None:
    if not folder.exists():
        new.rename(folder)
        return
    status = folder.stat()
    with suppress(PermissionError):
        os.chown(new, -1, status.st_gid)
    new.chmod(status.st_mode & 0o7777)
    if not exchange(new, folder):
        folder.rename(old)
        new.rename(folder)


def _listed(mark: Path) -> Iterator[str]:
    """Give the names that were written; none if the list can't be read."""
    with suppress(OSError, ValueError):
        names = json.loads(mark.read_text(encoding="utf-8"))
        if isinstance(names, list):
            yield from (name for name in names if isinstance(name, str))


def _files_below(folder: Path) -> Iterator[str]:
    """Give all that is below a folder and is no folder, and empty folders."""
    for path, folders, files in os.walk(folder):
        below = PurePosixPath(path).relative_to(folder)
        yield from (str(below / name) for name in files)
        if not folders and not files and path != str(folder):
            yield str(below)

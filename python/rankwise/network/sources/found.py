"""Reads the given files and directories, and generates fabrics from words."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from rankwise.errors import RankwiseError
from rankwise.network.fabric.model import Source
from rankwise.network.sources.generators.generate import generated, is_rule
from rankwise.network.sources.groups import Read
from rankwise.network.sources.infiniband.lids import read_masks
from rankwise.network.sources.infiniband.masks import unmasked
from rankwise.network.sources.parts import Masks, Part, Whole
from rankwise.network.sources.readers import KNOWN, READERS
from rankwise.network.sources.slurm.read import is_slurm, slurm_fabric
from rankwise.network.sources.text import TextFile, head_of, read_text, without_complaints
from rankwise.network.sources.together import done_together

_DEEPEST = 4
_MOST_FILES = 10_000


class _Found(NamedTuple):
    """A file that is not read yet; fields as in `Read`.

    Attributes:
        read: reads it; RankwiseError if it can't, or if it is malformed.
        size: in bytes.
    """

    directory: str
    rank: int
    kind: str
    read: Callable[[], Part]
    size: int = 0


class FabricFiles:
    """The files of a fabric. A file that is reached by several paths is read once.

    Attributes:
        warnings: a line for each file that can't be read.
    """

    def __init__(self) -> None:
        self.warnings: list[str] = []
        self._found: list[_Found] = []
        self._known: dict[str, bool] = {}  # by real path: whether it describes a subnet

    def add(self, path: str) -> None:
        """Add a file, all files of a directory, or a generated fabric.

        Raises:
            RankwiseError: it can't be read, or is nothing of a fabric, or one that was added before is
                malformed.
        """
        try:
            self._add(path)
        except RankwiseError:
            self.files()  # raises the error of a file that was added before
            raise

    def _add(self, path: str) -> None:
        if is_rule(path):
            part = Whole((generated(path),), (Source("generator", path),))
            self._found.append(_Found("", 0, "generator", lambda: part))
        elif is_slurm(path):
            slurm = slurm_fabric(path)
            self._found.append(_Found("", 0, "slurm", lambda: slurm))
        elif _is_directory(Path(path)):
            self._add_directory(Path(path))
        else:
            self._add_file(Path(path))

    def files(self) -> list[Read]:
        """Read the files, and return them in the order in which they were added, with real GUIDs.

        Masks in a directory are for its files and for those given by name, and those given by name for all.

        Raises:
            RankwiseError: a file can't be read, or is malformed.
        """
        parts = done_together([each.read for each in self._found], [each.size for each in self._found])
        masks = [
            (each.directory, part)
            for each, part in zip(self._found, parts, strict=True)
            if isinstance(part, Masks)
        ]
        read_files: list[Read] = []
        for (directory, rank, kind, *_), part in zip(self._found, parts, strict=True):
            if isinstance(part, Masks):
                continue
            its = [mask for place, mask in masks if place in ("", directory) or not directory]
            read_files.append(Read(len(read_files), directory, rank, kind, unmasked(part, its)))
        return read_files

    def _keep(self, directory: str, rank: int, file: TextFile) -> None:
        reader = READERS[rank]
        self._found.append(_Found(directory, rank, reader.kind, partial(reader.read, file), file.size))

    def _add_file(self, path: Path) -> None:
        real = os.path.realpath(path)
        if real in self._known:
            return
        file = read_text(path)
        rank = _rank_of(file.head)
        if rank is None:
            raise RankwiseError(f"{path} is not a known file of a fabric: {KNOWN}")
        self._known[real] = True
        self._keep("", rank, file)

    def _add_directory(self, top: Path) -> None:
        """Add files of a directory and its subdirectories; other files than a fabric's are skipped."""
        before, any_known = len(self.warnings), False
        for path in _files_in(top):
            real = os.path.realpath(path)
            if real not in self._known:
                self._known[real] = self._add_found(path, os.path.realpath(path.parent))
            any_known |= self._known[real]
        if not any_known:
            nothing = f"{top} contains no known file of a fabric: {KNOWN}"
            raise RankwiseError(self.warnings[before] if self.warnings[before:] else nothing)

    def _add_found(self, path: Path, directory: str) -> bool:
        """Add a file if it belongs to a fabric, and return whether it describes a subnet."""
        try:
            rank = _rank_of(head_of(path))
        except RankwiseError as error:
            self.warnings.append(f"{error}; it is skipped")
            return False
        if rank is None:
            return False
        self._keep(directory, rank, read_text(path))
        return READERS[rank].read is not read_masks


def _is_directory(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:  # such as a name that is too long: reading it reports the error
        return False


def _rank_of(head: bytes) -> int | None:
    """Return which of READERS reads a file; None: none does."""
    head = without_complaints(head)
    return next((rank for rank, reader in enumerate(READERS) if reader.fits(head)), None)


def _files_in(top: Path) -> Iterator[Path]:
    """Return the files of a directory and its subdirectories, by name, without hidden files."""
    count = 0
    waiting = [(top, 0)]
    while waiting:
        directory, depth = waiting.pop()
        try:
            inside = sorted(entry for entry in directory.iterdir() if not entry.name.startswith("."))
            files = [entry for entry in inside if entry.is_file()]
            deeper = [entry for entry in inside if entry.is_dir() and not entry.is_symlink()]
        except OSError as error:
            raise RankwiseError(f"cannot read {directory}: {error.strerror or error}") from error
        count += len(inside)
        if count > _MOST_FILES:
            raise RankwiseError(f"{top} has more than {_MOST_FILES} files: give those of the fabric by name")
        if depth < _DEEPEST:
            waiting += [(entry, depth + 1) for entry in reversed(deeper)]
        yield from files

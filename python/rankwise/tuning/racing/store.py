"""Keeps measurements in a file of JSON lines, so that Ctrl-C loses none."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from rankwise.errors import RankwiseError
from rankwise.tuning.cells.cell import Cell
from rankwise.tuning.racing.racer import Racer

Record = dict[str, Any]


class Store:
    """Rounds of races, by the key of the race."""

    def __init__(self, path: Path | None = None, *, read_only: bool = False) -> None:
        """Read the file.

        Args:
            path: of the file, which need not exist yet; None: nothing is kept.
            read_only: nothing will be added, so half a line at the end stays: another process may write it.

        Raises:
            RankwiseError: a line in it is damaged.
            OSError: it can't be read.
        """
        self._path = path
        self._kept: dict[str, list[Record]] = {}
        if path and path.is_file():
            text = path.read_text(encoding="utf-8", errors="replace")
            whole = text[: text.rfind("\n") + 1]  # the last line may have been cut off
            if whole != text and not read_only:
                path.write_text(whole, encoding="utf-8")
            for number, line in enumerate(whole.split("\n")[:-1], 1):
                key, record = _record(line, path, number)
                self._kept.setdefault(key, []).append(record)

    @property
    def is_empty(self) -> bool:
        """Whether nothing was kept yet."""
        return not self._kept

    def records(self, key: str) -> list[Record]:
        """Return the records under a key, in their order."""
        return list(self._kept.get(key, []))

    def add(self, key: str, record: Mapping[str, Any]) -> None:
        """Add a record.

        Raises:
            OSError: the file can't be written.
        """
        self._kept.setdefault(key, []).append(dict(record))
        if self._path:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"key": key, **record}) + "\n")


def _record(line: str, path: Path, number: int) -> tuple[str, Record]:
    try:
        record = json.loads(line)
        return str(record.pop("key")), record
    except (ValueError, KeyError, TypeError, AttributeError):
        raise RankwiseError(
            f"{path} is damaged in line {number}: delete that line, and the same command goes on without it"
        ) from None


class Kept(NamedTuple):
    """The records of a store under a key.

    Attributes:
        store: with the records.
        key: of the records.
    """

    store: Store
    key: str

    def records(self) -> list[Record]:
        """Return the records, in their order."""
        return self.store.records(self.key)

    def add(self, record: Mapping[str, Any]) -> None:
        """Add a record; see Store."""
        self.store.add(self.key, record)


def key_of(racer: Racer, cell: Cell, arms: Iterable[str], part: str) -> str:
    """Return the key of a race, which depends on the library, the nodes, the cell and the arms.

    Args:
        racer: that runs it.
        cell: that is raced.
        arms: their names.
        part: distinguishes races of the same cell.
    """
    about = repr((racer.library, racer.hosts, racer.overruled, cell, list(arms)))
    return f"{cell.name} {part} {hashlib.sha256(about.encode()).hexdigest()[:16]}"

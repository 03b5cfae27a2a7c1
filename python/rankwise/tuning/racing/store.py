"""Keeps what was measured, so that it need not be measured again after Ctrl-C: a file of JSON lines."""

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
    """Rounds of races, by what was raced."""

    def __init__(self, path: Path | None = None, *, read_only: bool = False) -> None:
        """Read what there is.

        Args:
            path: of the file, which need not be there yet; None: nothing is kept.
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
        """Return what was kept under a key, in its order."""
        return list(self._kept.get(key, []))

    def add(self, key: str, record: Mapping[str, Any]) -> None:
        """Keep something more.

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
    """What a store has under a key.

    Attributes:
        store: that keeps it.
        key: of it.
    """

    store: Store
    key: str

    def records(self) -> list[Record]:
        """Return what was kept, in its order."""
        return self.store.records(self.key)

    def add(self, record: Mapping[str, Any]) -> None:
        """Add something more; see Store."""
        self.store.add(self.key, record)


def key_of(racer: Racer, cell: Cell, arms: Iterable[str], part: str) -> str:
    """Return the key of a race: another library, other nodes, another cell or other arms have another one.

    Args:
        racer: that runs it.
        cell: that is raced.
        arms: their names.
        part: tells races of one cell apart.
    """
    about = repr((racer.library, racer.hosts, racer.overruled, cell, list(arms)))
    return f"{cell.name} {part} {hashlib.sha256(about.encode()).hexdigest()[:16]}"

"""Joins the files of the processes: the same name, opened on the same communicator in the same mode."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from rankwise.profile.collect.counters import Counters
from rankwise.profile.collect.layout import CONSTANTS, names_of
from rankwise.profile.collect.text import text_of
from rankwise.profile.join.communicators import FIRST, CommunicatorTable
from rankwise.profile.join.own_ids import own_ids
from rankwise.records import dataclass

OTHER = CONSTANTS["FILE_OTHER"]
_KEPT_BYTES = CONSTANTS["MOST_FILE_BYTES"]
_MODES = sorted(names_of("file_mode").items())
_LARGEST = 2**63 - 1  # that SQLite stores
_ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"


@dataclass
class File:
    """A row of the table `files`."""

    id: int
    name: str
    communicator: int
    mode: str
    opens: int
    name_hash: str
    named: int | None


@dataclass(frozen=True)
class Files:
    """The files of a world.

    Attributes:
        rows: of the table `files`; "other" is there only if there are files or calls on them.
        ids: for each rank, the id in the profile by the file's index on that process.
    """

    rows: list[File]
    ids: dict[int, NDArray[np.int64]]

    def ids_of(self, rank: int, indices: NDArray[np.int64]) -> NDArray[np.int64]:
        """Translate a process's indices; one without a record becomes "other"."""
        return own_ids(self.ids[rank], indices, OTHER)


def join_files(world: Mapping[int, Counters], communicator_table: CommunicatorTable) -> Files:
    """Join the files of the processes of a world.

    Args:
        world: counters by rank.
        communicator_table: its communicators.
    """
    files: dict[tuple[str, str, int, str], File] = {}
    ids: dict[int, NDArray[np.int64]] = {}
    none = np.array([OTHER], np.int64)
    for rank, counters in world.items():
        if not len(counters.files):
            ids[rank] = none
            continue
        communicators, named = (
            communicator_table.ids_of(rank, counters.files[column].astype(np.int64)).tolist()
            for column in ("communicator", "own")
        )
        own = [OTHER]
        for row, communicator, its_own in zip(counters.files, communicators, named, strict=True):
            key = (f"{row['name_hash']:016x}", _name(row), communicator, _mode(int(row["mode"])))
            name_hash, name, _, mode = key
            file = files.setdefault(key, File(len(files) + 1, name, communicator, mode, 0, name_hash, None))
            if file.named is None and its_own >= FIRST:
                file.named = its_own
            file.opens = min(file.opens + int(row["opens"]), _LARGEST)
            own.append(file.id)
        ids[rank] = np.array(own, np.int64)
    used = files or any(len(counters.accesses) for counters in world.values())
    other = [File(OTHER, "(other)", CONSTANTS["COMMUNICATOR_OTHER"], "", 0, "", None)] if used else []
    return Files([*other, *files.values()], ids)


def _name(row: np.void) -> str:
    """Return the name; of a long one the end, after an ellipsis."""
    if row["name_bytes"] <= _KEPT_BYTES:
        return text_of(row["name"])
    # The cut may have gone through a character.
    return _ELLIPSIS + text_of(row["name"].lstrip(bytes(range(0x80, 0xC0))))


def _mode(bits: int) -> str:
    """Return `create rdwr` for MPI_MODE_CREATE | MPI_MODE_RDWR."""
    return " ".join(name for bit, name in _MODES if bits & bit)

"""From one process's rows of calls, messages and accesses to rows of the profile's tables."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.profile import layout
from rankwise.profile.clock import Clock
from rankwise.profile.communicators import Joined
from rankwise.profile.files import Files
from rankwise.profile.keys import part
from rankwise.profile.peers import IMPOSSIBLE, OTHER, UNKNOWN, Peers
from rankwise.profile.procedures import PROCEDURES, Procedure
from rankwise.profile.regions import Regions
from rankwise.profile.rows import Rows, add_up_accesses, add_up_calls, add_up_messages

OUTSIDE_WORLD = -1
"""The other end of messages to or from processes that are not in MPI_COMM_WORLD, or not known."""
NO_ROOM = -2
"""The other end of messages whose row had no room."""

NOT_ATTRIBUTED = Procedure(0, "(not attributed)", "unknown", "", True)
"""Stands for the call that caused a message inside a collective where that is not known."""

_RECORDED = np.array([procedure.id for procedure in PROCEDURES], np.int64)
_KINDS = [name.replace("_", "-") for _, name in sorted(layout.names_of("message_kind").items())]
_IN_COLLECTIVE = _KINDS.index("in-collective")
_FETCH = "one-sided-fetch"  # from the peer to the process that counted it; in the profile it is one-sided

# Keys with the profile's own ids: a world may have more communicators than one process. In the order of the
# tables' primary keys, so that the rows come sorted.
_CALLS_SHIFTS = {"communicator": 32, "region": 18, "procedure": 7, "bin": 0}
_MESSAGES_SHIFTS = {"communicator": 42, "kind": 40, "procedure": 29, "peer": 0}
_ACCESSES_SHIFTS = {"file": 11, "procedure": 0}


@dataclass
class TableRows:
    """Rows ready for the profile.

    Attributes:
        rows: tuples in the order of the table's columns.
        unknown: rows passed over, because their procedure or kind does not exist.
    """

    rows: Iterable[tuple[int | float | str, ...]]
    unknown: int


def calls_rows(rank: int, rows: Rows, clock: Clock, joined: Joined, regions: Regions) -> TableRows:
    """Make rows of the table `calls` from one process's."""
    procedures = part(rows["key"], "CALLS", "PROCEDURE")
    known = np.isin(procedures, _RECORDED)
    unknown = len(rows) - int(known.sum())
    rows, procedures = rows[known], procedures[known]
    columns = {
        "communicator": joined.ids_of(rank, part(rows["key"], "CALLS", "COMMUNICATOR")),
        "region": regions.ids_of(rank, part(rows["key"], "CALLS", "REGION")),
        "procedure": procedures,
        "bin": part(rows["key"], "CALLS", "BIN"),
    }
    # Several indices may have become one id ("other").
    total = add_up_calls(_with_keys(rows, columns, _CALLS_SHIFTS))
    parts = _parts(total["key"], _CALLS_SHIFTS)
    ids = [parts[name].tolist() for name in ("communicator", "region", "procedure", "bin")]
    numbers = [total[name].astype(np.int64).tolist() for name in ("calls", "bytes_sent", "bytes_received")]
    times = [clock.seconds(total[name]).tolist() for name in ("ticks", "min_ticks", "max_ticks")]
    unfinished = [0] * len(total)
    return TableRows(zip([rank] * len(total), *ids, *numbers, *times, unfinished, strict=True), unknown)


def messages_rows(rank: int, rows: Rows, joined: Joined, peers_of: Peers) -> TableRows:
    """Make rows of the table `messages` from one process's."""
    procedures = part(rows["key"], "MESSAGES", "PROCEDURE")
    kinds = part(rows["key"], "MESSAGES", "KIND")
    peers = peers_of.known(rank, part(rows["key"], "MESSAGES", "PEER"))
    attributed = np.isin(procedures, _RECORDED)
    nobodys = (procedures == NOT_ATTRIBUTED.id) & (kinds == _IN_COLLECTIVE)
    known = (attributed | nobodys) & (kinds < len(_KINDS)) & (peers != IMPOSSIBLE)
    unknown = len(rows) - int(known.sum())
    rows = rows[known]
    columns = {
        "communicator": joined.ids_of(rank, part(rows["key"], "MESSAGES", "COMMUNICATOR")),
        "kind": kinds[known],
        "procedure": procedures[known],
        "peer": peers[known],
    }
    # Several peers may have become one.
    total = add_up_messages(_with_keys(rows, columns, _MESSAGES_SHIFTS))
    parts = _parts(total["key"], _MESSAGES_SHIFTS)
    peers = parts["peer"]
    peers[peers == OTHER] = NO_ROOM
    peers[peers == UNKNOWN] = OUTSIDE_WORLD
    fetched = parts["kind"] == _KINDS.index(_FETCH)
    return TableRows(
        zip(
            np.where(fetched, peers, rank).tolist(),
            np.where(fetched, rank, peers).tolist(),
            parts["communicator"].tolist(),
            [_KINDS[kind].removesuffix("-fetch") for kind in parts["kind"].tolist()],
            parts["procedure"].tolist(),
            total["messages"].astype(np.int64).tolist(),
            total["bytes"].astype(np.int64).tolist(),
            strict=True,
        ),
        unknown,
    )


def accesses_rows(rank: int, rows: Rows, clock: Clock, files: Files) -> TableRows:
    """Make rows of the table `file_accesses` from one process's."""
    procedures = part(rows["key"], "ACCESSES", "PROCEDURE")
    known = np.isin(procedures, _RECORDED)
    unknown = len(rows) - int(known.sum())
    rows = rows[known]
    columns = {
        "file": files.ids_of(rank, part(rows["key"], "ACCESSES", "FILE")),
        "procedure": procedures[known],
    }
    total = add_up_accesses(_with_keys(rows, columns, _ACCESSES_SHIFTS))
    parts = _parts(total["key"], _ACCESSES_SHIFTS)
    numbers = [total[name].astype(np.int64).tolist() for name in ("accesses", "bytes_read", "bytes_written")]
    ids = [parts[name].tolist() for name in ("file", "procedure")]
    seconds = clock.seconds(total["ticks"]).tolist()
    return TableRows(zip([rank] * len(total), *ids, *numbers, seconds, strict=True), unknown)


def _with_keys(rows: Rows, columns: dict[str, NDArray[np.int64]], shifts: dict[str, int]) -> Rows:
    renamed: Rows = rows.copy()
    keys = np.zeros(len(rows), np.uint64)
    for name, shift in shifts.items():
        keys |= columns[name].astype(np.uint64) << np.uint64(shift)
    renamed["key"] = keys
    return renamed


def _parts(keys: NDArray[np.uint64], shifts: dict[str, int]) -> dict[str, NDArray[np.int64]]:
    """Take keys apart again; the shifts come in descending order."""
    parts: dict[str, NDArray[np.int64]] = {}
    above = 64
    for name, shift in shifts.items():
        mask = np.uint64((1 << (above - shift)) - 1)
        parts[name] = ((keys >> np.uint64(shift)) & mask).astype(np.int64)
        above = shift
    return parts

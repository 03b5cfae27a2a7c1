"""A run directory as a job of many ranks leaves it: one file a rank, with rows of calls and messages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.profile import layout
from rankwise.profile.keys import calls_key, messages_key
from rankwise.profile.layout import CONSTANTS
from rankwise.profile.procedures import PROCEDURES, TABLE_DIGEST

_IDS = {procedure.name: procedure.id for procedure in PROCEDURES}
_COLLECTIVES = ("MPI_Allreduce", "MPI_Barrier", "MPI_Bcast", "MPI_Reduce", "MPI_Allgather", "MPI_Alltoall")
_POINT_TO_POINT = ("MPI_Send", "MPI_Recv", "MPI_Isend", "MPI_Irecv", "MPI_Waitall")
_FIRST = CONSTANTS["FIRST_COMMUNICATOR"]
_COMMUNICATORS = 6  # the world, and its parts by five splits: of 2, 4, 8, 16 and 32 neighbours
_SECOND = 2_000_000_000  # ticks


def write(directory: Path, ranks: int, rows: int) -> None:
    """Write the files: of a rank's rows four fifths are calls, the others messages."""
    communicators = np.zeros(_COMMUNICATORS, layout.COMMUNICATOR)
    calls = _calls(rows * 4 // 5)
    messages = np.zeros(rows - len(calls), layout.MESSAGES)
    messages["messages"], messages["bytes"] = 100, 100_000
    threads = np.zeros(1, layout.THREAD)
    regions = np.zeros(1, layout.REGION)
    regions["entries"] = 1
    tables: list[tuple[str, int, NDArray[Any]]] = [
        ("THREADS", -1, threads),
        ("COMMUNICATORS", -1, communicators),
        ("REGIONS", -1, regions),
        ("CALLS", 0, calls),
        ("MESSAGES", 0, messages),
    ]
    header, sections = _header(ranks, len(tables)), _sections(tables)
    for rank in range(ranks):
        header["world_rank"] = rank
        header["pid"] = 10_000 + rank
        header["host"] = b"node%d" % (rank // 128)
        _describe(communicators, rank, ranks)
        messages["key"] = [
            messages_key(0, _FIRST, _IDS["MPI_Isend"], (rank + 1 + peer) % ranks)
            for peer in range(len(messages))
        ]
        parts = [header, sections, *(rows for _, _, rows in tables)]
        (directory / f"node{rank // 128}.{10_000 + rank}.0.counters").write_bytes(
            b"".join(part.tobytes() for part in parts)
        )


def _calls(count: int) -> NDArray[Any]:
    """Make rows of calls that differ in procedure, communicator and size; the same on all ranks."""
    keys = [calls_key(0, _FIRST, _IDS[name], 10) for name in _POINT_TO_POINT]
    bins = range(1, 40)
    keys += [
        calls_key(0, _FIRST + communicator, _IDS[name], size_bin)
        for size_bin in bins
        for communicator in range(_COMMUNICATORS)
        for name in _COLLECTIVES
    ]
    rows = np.zeros(count, layout.CALLS)
    rows["key"] = keys[:count]
    rows["calls"], rows["ticks"], rows["min_ticks"], rows["max_ticks"] = 1000, 10**9, 10**5, 10**7
    rows["bytes_sent"] = 1_000_000
    rows["bytes_sent"][: len(_POINT_TO_POINT)] = (5, 0, 5, 0, 0)
    rows["bytes_received"][: len(_POINT_TO_POINT)] = (0, 5, 0, 5, 0)
    return rows


def _describe(records: NDArray[Any], rank: int, ranks: int) -> None:
    records["parent_id"], records["id"][0], records["letter"][0] = 1, 1, b"W"
    records["parent_id"][0] = 0
    records["rank"][0], records["size"][0] = rank, ranks
    for split in range(1, len(records)):
        width = 1 << split
        first = rank // width * width
        record = records[split]
        record["id"] = 1 << 40 | split << 32 | first + 1
        record["letter"], record["sequence"], record["leader"] = b"s", split, first
        record["rank"], record["size"] = rank - first, min(width, ranks - first)
        record["flags"] = CONSTANTS["COMMUNICATOR_ONE_OF_SEVERAL"]
        record["procedure"] = _IDS["MPI_Comm_split"]
    records["created"] = 2 * _SECOND


def _header(ranks: int, sections: int) -> NDArray[Any]:
    header = np.zeros(1, layout.HEADER)
    values: dict[str, object] = {
        "magic": layout.MAGIC,
        "version": CONSTANTS["FORMAT_VERSION"],
        "byte_order": CONSTANTS["BYTE_ORDER"],
        "header_bytes": layout.HEADER.itemsize,
        "section_bytes": layout.SECTION.itemsize,
        "section_count": sections,
        "state": CONSTANTS["STATE_FINALIZED"],
        "table_digest": TABLE_DIGEST,
        "runtime_version": b"bench",
        "job": b"bench",
        "executable": b"/home/me/solver",
        "library": b"Open MPI v4.1.4",
        "cpus_allowed": b"0-127",
        "world_size": ranks,
        "abi": CONSTANTS["ABI_OPENMPI"],
        "launcher_rank": -1,
        "launcher_size": -1,
    }
    for name, value in values.items():
        header[name] = value
    for seconds, name in enumerate(("loaded", "started", "latest", "stopping", "stopped"), 1):
        header[name] = (seconds * _SECOND, seconds * 10**9, 1_700_000_000 * 10**9 + seconds * 10**9)
    return header


def _sections(tables: list[tuple[str, int, NDArray[Any]]]) -> NDArray[Any]:
    sections = np.zeros(len(tables), layout.SECTION)
    offset = layout.HEADER.itemsize + sections.nbytes
    for section, (kind, thread, rows) in zip(sections, tables, strict=True):
        section["kind"] = CONSTANTS[f"SECTION_{kind}"]
        section["record_bytes"], section["capacity"], section["used"] = rows.itemsize, len(rows), len(rows)
        section["thread"], section["offset"] = thread, offset
        offset += rows.nbytes
    return sections

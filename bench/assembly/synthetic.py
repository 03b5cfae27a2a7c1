"""A run directory as a job of many ranks leaves it: one file a node, with rows of each rank."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from nodes_synthetic import node_file
from numpy.typing import NDArray

from rankwise.profile.collect import layout
from rankwise.profile.collect.keys import calls_key, messages_key
from rankwise.profile.collect.layout import CONSTANTS
from rankwise.profile.collect.procedures import PROCEDURES, TABLE_DIGEST

_IDS = {procedure.name: procedure.id for procedure in PROCEDURES}
_COLLECTIVES = ("MPI_Allreduce", "MPI_Barrier", "MPI_Bcast", "MPI_Reduce", "MPI_Allgather", "MPI_Alltoall")
_POINT_TO_POINT = ("MPI_Send", "MPI_Recv", "MPI_Isend", "MPI_Irecv", "MPI_Waitall")
_FIRST = CONSTANTS["FIRST_COMMUNICATOR"]
_COMMUNICATORS = 6  # the world, and its parts by five splits: of 2, 4, 8, 16 and 32 neighbours
_SECOND = 2_000_000_000  # ticks
_RANKS_A_NODE = 100


def write(directory: Path, ranks: int, rows: int, nodes: int) -> None:
    """Write the files: of a rank's rows four fifths are calls, the others messages.

    Args:
        directory: an existing one.
        ranks: their number.
        rows: of each rank.
        nodes: node files; 0 = one file a rank in their place.
    """
    generator = np.random.default_rng(ranks)
    communicators = np.zeros(_COMMUNICATORS, layout.COMMUNICATOR)
    calls = _calls(rows * 4 // 5)
    messages = np.zeros(rows - len(calls), layout.MESSAGES)
    messages["messages"] = 100
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
    ranks_a_node = -(-ranks // (nodes or -(-ranks // _RANKS_A_NODE)))
    images: dict[str, bytes] = {}
    for rank in range(ranks):
        node = rank // ranks_a_node
        header["world_rank"] = rank
        header["pid"] = 10_000 + rank
        header["host"] = b"node%d" % node
        _describe(communicators, rank, ranks)
        _take_time(calls, generator)
        messages["bytes"] = generator.integers(100, 1_000_000, len(messages))
        messages["key"] = [
            messages_key(0, _FIRST, _IDS["MPI_Isend"], (rank + 1 + peer) % ranks)
            for peer in range(len(messages))
        ]
        # All that is sent is received; otherwise each communicator would get a warning.
        calls["bytes_received"][1] = calls["bytes_sent"][0]
        calls["bytes_received"][3] = calls["bytes_sent"][2]
        parts = [header, sections, *(rows for _, _, rows in tables)]
        images[f"node{node}.{10_000 + rank}.0.counters"] = b"".join(part.tobytes() for part in parts)
        if rank + 1 == ranks or (rank + 1) % ranks_a_node == 0:
            if nodes:
                path = directory / f"node{node}.1.{node}.0.node"
                path.write_bytes(node_file(images, host=b"node%d" % node))
            else:
                for name, image in images.items():
                    (directory / name).write_bytes(image)
            images.clear()


def _take_time(calls: NDArray[Any], generator: np.random.Generator) -> None:
    """Give all rows of a rank different times: the size of a profile depends on its numbers."""
    longest = generator.uniform(1e3, 1e7, len(calls))  # ticks; up to 5 ms
    calls["max_ticks"] = longest
    calls["min_ticks"] = longest / generator.uniform(1.0, 100.0, len(calls))
    calls["ticks"] = longest * calls["calls"] * generator.uniform(0.005, 0.05, len(calls))


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
    # (Number and size of collectives are the same on all ranks.)
    rows["calls"] = np.random.default_rng(count).integers(10, 5000, count)
    rows["bytes_sent"] = rows["calls"] * 1000
    rows["bytes_sent"][: len(_POINT_TO_POINT)] = (500_000, 0, 700_000, 0, 0)
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
    stamps = {"loaded": 1, "started": 2, "latest": 100, "stopping": 101, "stopped": 102}
    for name, seconds in stamps.items():
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

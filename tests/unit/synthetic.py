"""Builds counters files byte by byte from the layout, as the runtime would leave them."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from rankwise.profile.collect import layout
from rankwise.profile.collect.keys import accesses_key, calls_key, messages_key
from rankwise.profile.collect.layout import CONSTANTS
from rankwise.profile.collect.procedures import PROCEDURES, TABLE_DIGEST

IDS = {procedure.name: procedure.id for procedure in PROCEDURES}
LETTERS = {procedure.name: procedure.letter for procedure in PROCEDURES}

FREQUENCY = 2_000_000_000  # ticks a second
LOADED_NS = 1_700_000_000_000_000_000
SECOND = 1_000_000_000

NONE, SEVERAL, OTHER, WORLD, SELF, PART = range(6)  # indices on every process of `small_world`

WORLD_ID = 0x1111111111111111
SELF_ID = 0x2222222222220000
PART_ID = 0x3333333333330000


def stamp(seconds: float, start_ns: int = LOADED_NS) -> tuple[int, int, int]:
    """Make the stamp this long after the process was loaded."""
    ns = round(seconds * SECOND)
    return (5_000_000_000 + ns * FREQUENCY // SECOND, 7_000_000_000 + ns, start_ns + ns)


def ticks(seconds: float) -> int:
    """Make the counter this long after the process was loaded."""
    return stamp(seconds)[0]


def call(
    procedure: str,
    communicator: int = WORLD,
    size_bin: int = 0,
    region: int = 0,
    calls: int = 1,
    sent: int = 0,
    received: int = 0,
    seconds: float = 0.0,
    shortest: float = 0.0,
    longest: float = 0.0,
    site: int = 0,
) -> dict[str, int]:
    """Make a row of calls; negative numbers are corrections."""
    return {
        "key": calls_key(region, communicator, IDS[procedure], size_bin, site),
        "calls": calls % 2**64,
        "bytes_sent": sent % 2**64,
        "bytes_received": received % 2**64,
        "ticks": round(seconds * FREQUENCY),
        "min_ticks": round(shortest * FREQUENCY),
        "max_ticks": round(longest * FREQUENCY),
    }


def message(
    procedure: str | None, peer: int, messages: int, size: int, communicator: int = WORLD, kind: int = 0
) -> dict[str, int]:
    """Make a row of messages; a procedure of None is not known."""
    key = messages_key(kind, communicator, IDS[procedure] if procedure else 0, peer)
    return {"key": key, "messages": messages, "bytes": size}


def file(
    name: bytes, communicator: int = WORLD, name_hash: int = 7, opens: int = 1, mode: int = 2
) -> dict[str, Any]:
    """Make a record of a file, as MPI_File_open names it; `communicator` is an index."""
    return {
        "name": name[-CONSTANTS["MOST_FILE_BYTES"] :],
        "name_bytes": len(name),
        "name_hash": name_hash,
        "communicator": communicator,
        "opens": opens,
        "mode": mode,
    }


def access(
    procedure: str, index: int, accesses: int = 1, read: int = 0, written: int = 0, seconds: float = 0.0
) -> dict[str, int]:
    """Make a row of accesses; `index` is the file's on the process, from 1."""
    return {
        "key": accesses_key(index, IDS[procedure]),
        "accesses": accesses,
        "bytes_read": read,
        "bytes_written": written,
        "ticks": round(seconds * FREQUENCY),
    }


def endpoint(address: int, own: int = 0) -> dict[str, Any]:
    """Make a record of an endpoint."""
    return {"address": (address, ~address % 2**64), "own": own}


def pattern(
    procedure: str,
    size: int,
    communicator: int = WORLD,
    calls: int = 1,
    kept: int = 1,
    root: int = -1,
    lost: int = 0,
) -> dict[str, int]:
    """Make a record of a pattern; a size of -1 differs by process."""
    return {
        "procedure": IDS[procedure],
        "size": size % 2**64,
        "communicator": communicator,
        "calls": calls,
        "kept": kept,
        "root": root,
        "lost": lost,
    }


def pattern_row(index: int, peer: int, messages: int, size: int, call: int = 1) -> dict[str, int]:
    """Make a row of a pattern; `index` is the pattern's."""
    return {"pattern": index, "call": call, "peer": peer, "messages": messages, "bytes": size}


def loaded_object(path: bytes, build_id: bytes = b"", kind: int = 0) -> dict[str, Any]:
    """Make a record of a program, a library or a file of Python."""
    size = CONSTANTS["MOST_BUILD_ID_BYTES"]
    return {
        "name": path,
        "build_id": np.frombuffer(build_id.ljust(size, b"\0"), np.uint8),
        "build_id_bytes": len(build_id),
        "kind": kind,
    }


@dataclass
class Process:
    """One MPI process: members of the header, and the records of each kind (rows by thread)."""

    header: dict[str, Any] = field(default_factory=dict)
    threads: list[dict[str, Any]] = field(default_factory=lambda: [{"tid": 100, "alive": 1}])
    communicators: list[dict[str, Any]] = field(default_factory=list)
    regions: list[dict[str, Any]] = field(default_factory=lambda: [{"entries": 1}])
    calls: list[list[dict[str, int]]] = field(default_factory=list)
    messages: list[list[dict[str, int]]] = field(default_factory=list)
    files: list[dict[str, Any]] = field(default_factory=list)
    accesses: list[list[dict[str, int]]] = field(default_factory=list)
    endpoints: list[dict[str, Any]] = field(default_factory=list)
    patterns: list[dict[str, int]] = field(default_factory=list)
    pattern_rows: list[dict[str, int]] = field(default_factory=list)
    imports: list[str] = field(default_factory=list)
    objects: list[dict[str, Any]] = field(default_factory=list)
    sites: list[dict[str, int]] = field(default_factory=list)
    frames: list[dict[str, int]] = field(default_factory=list)
    paths: list[list[dict[str, Any]]] = field(default_factory=list)
    arrival_tables: list[dict[str, int]] = field(default_factory=list)
    system_counters: list[dict[str, Any]] = field(default_factory=list)
    processors: list[dict[str, Any]] = field(default_factory=list)
    devices: list[dict[str, Any]] = field(default_factory=list)
    kernels: list[dict[str, Any]] = field(default_factory=list)
    adapter_ports: list[dict[str, Any]] = field(default_factory=list)
    rail_choices: list[dict[str, Any]] = field(default_factory=list)
    tasks: list[dict[str, Any]] = field(default_factory=list)
    arguments: bytes = b""  # each word ends with a zero

    def sections(self) -> list[tuple[str, int, np.ndarray]]:
        sections = [
            ("THREADS", -1, records(layout.THREAD, self.threads)),
            ("COMMUNICATORS", -1, records(layout.COMMUNICATOR, self.communicators)),
            ("REGIONS", -1, records(layout.REGION, self.regions)),
        ]
        sections += [("CALLS", thread, records(layout.CALLS, rows)) for thread, rows in enumerate(self.calls)]
        sections += [
            ("MESSAGES", thread, records(layout.MESSAGES, rows)) for thread, rows in enumerate(self.messages)
        ]
        sections += [("FILES", -1, records(layout.FILE, self.files))] if self.files else []
        for kind, dtype, rows in (
            ("ENDPOINTS", layout.ENDPOINT, self.endpoints),
            ("PATTERNS", layout.PATTERN, self.patterns),
            ("PATTERN_ROWS", layout.PATTERN_ROW, self.pattern_rows),
            ("OBJECTS", layout.OBJECT, self.objects),
            ("SITES", layout.SITE, self.sites),
            ("FRAMES", layout.SITE, self.frames),
            ("ARRIVAL_TABLES", layout.ARRIVAL_TABLE, self.arrival_tables),
            ("SYSTEM_COUNTERS", layout.SYSTEM_COUNTERS, self.system_counters),
            ("PROCESSORS", layout.PROCESSOR, self.processors),
            ("DEVICES", layout.DEVICE, self.devices),
            ("KERNELS", layout.KERNEL, self.kernels),
            ("ADAPTER_PORTS", layout.ADAPTER_PORT, self.adapter_ports),
            ("RAIL_CHOICES", layout.RAIL_CHOICE, self.rail_choices),
            ("TASKS", layout.TASK, self.tasks),
            ("IMPORTS", layout.IMPORT, [{"name": name.encode()} for name in self.imports]),
        ):
            sections += [(kind, -1, records(dtype, rows))] if rows else []
        sections += [("PATHS", thread, records(layout.PATH, rows)) for thread, rows in enumerate(self.paths)]
        sections += [
            ("ACCESSES", thread, records(layout.ACCESSES, rows)) for thread, rows in enumerate(self.accesses)
        ]
        return sections

    def to_bytes(self) -> bytes:
        sections = self.sections()
        directory = np.zeros(len(sections), layout.SECTION)
        offset = layout.HEADER.itemsize + directory.nbytes + 64  # room for further sections
        body = bytearray(64)
        for entry, (kind, thread, rows) in zip(directory, sections, strict=True):
            entry["kind"] = CONSTANTS[f"SECTION_{kind}"]
            entry["record_bytes"] = rows.itemsize
            entry["used"] = len(rows)
            entry["capacity"] = len(rows) + 2  # a table is rarely full
            entry["thread"] = thread
            entry["offset"] = offset
            body += rows.tobytes() + bytes(2 * rows.itemsize)
            offset += rows.nbytes + 2 * rows.itemsize
        header = records(
            layout.HEADER, [self._header() | {"section_count": len(sections), "file_bytes": offset}]
        )
        return header.tobytes() + directory.tobytes() + bytes(body)

    def write(self, directory: Path, name: str) -> Path:
        directory.mkdir(exist_ok=True)
        path = directory / f"{name}.counters"
        path.write_bytes(self.to_bytes())
        return path

    def _header(self) -> dict[str, Any]:
        arguments = self.arguments[: layout.HEADER["arguments"].itemsize]
        return {
            "argument_bytes": len(arguments),
            "arguments": arguments,
            "magic": layout.MAGIC,
            "version": CONSTANTS["FORMAT_VERSION"],
            "byte_order": CONSTANTS["BYTE_ORDER"],
            "header_bytes": layout.HEADER.itemsize,
            "section_bytes": layout.SECTION.itemsize,
            "state": CONSTANTS["STATE_FINALIZED"],
            "table_digest": TABLE_DIGEST,
            "runtime_version": b"0.1.0",
            "host": b"node1",
            "job": b"job-1",
            "executable": b"/home/me/solver",
            "library": b"Open MPI v4.1.4",
            "cpus_allowed": b"0-3",
            "pid": 4000,
            "world_rank": 0,
            "world_size": 1,
            "abi": CONSTANTS["ABI_OPENMPI"],
            "thread_level": 1,
            "cpu_at_start": 2,
            "cpu_at_stop": -1,
            "launcher_rank": -1,
            "launcher_size": -1,
            "loaded": stamp(0.0),
            "started": stamp(0.5),
            "latest": stamp(9.0),
            "stopping": stamp(9.5),
            "stopped": stamp(10.0),
            "user_us": 8_000_000,
            "system_us": 250_000,
            "max_rss_bytes": 50 << 20,
            "own_call_picoticks": 100_000,  # 100 ticks = 50 ns
            "own_other_call_picoticks": 100_000,
            "own_setup_ns": 1_000_000,
            "own_finish_ns": 500_000,
            "pauses": 0,
        } | self.header


def records(dtype: np.dtype, rows: list[dict[str, Any]]) -> np.ndarray:
    """Make records with the given members; the others are zero."""
    array = np.zeros(len(rows), dtype)
    for record, row in zip(array, rows, strict=True):
        for name, value in row.items():
            record[name] = value
    return array


def communicator(
    identity: int, letter: str, rank: int, size: int, parent: int = 0, **members: Any
) -> dict[str, Any]:
    """Make a record of a communicator; `parent` is an id."""
    return {
        "id": identity,
        "parent_id": parent,
        "letter": letter.encode(),
        "rank": rank,
        "size": size,
        "created": ticks(0.5),
    } | members


def small_world(size: int = 4) -> list[Process]:
    """Make a complete run: a ring of messages on the world, an Allreduce on the even and on the odd ranks.

    Every rank sends 3 messages of 100 bytes to its right neighbour, and receives as many.
    """
    one_of_several = CONSTANTS["COMMUNICATOR_ONE_OF_SEVERAL"]
    processes = []
    for rank in range(size):
        half = {
            "procedure": IDS["MPI_Comm_split"],
            "sequence": 1,
            "leader": rank % 2,
            "color": rank % 2,
            "flags": one_of_several,
            "created": ticks(1.0 + 0.1 * rank),
            "freed": ticks(8.0 + 0.1 * rank),
        }
        processes.append(
            Process(
                header={"world_rank": rank, "world_size": size, "pid": 4000 + rank},
                communicators=[
                    communicator(WORLD_ID, "W", rank, size),
                    communicator(SELF_ID + rank, "S", 0, 1),
                    communicator(
                        PART_ID + rank % 2, "s", rank // 2, (size + 1 - rank % 2) // 2, WORLD_ID, **half
                    ),
                ],
                calls=[
                    [
                        call(
                            "MPI_Send", size_bin=7, calls=3, sent=300, seconds=0.3, shortest=0.05, longest=0.2
                        ),
                        call("MPI_Recv", size_bin=7, calls=3, received=300, seconds=0.6, longest=0.4),
                        call(
                            "MPI_Allreduce",
                            PART,
                            4,
                            calls=10,
                            sent=80,
                            seconds=1.0,
                            shortest=0.1,
                            longest=0.1,
                        ),
                    ]
                ],
                messages=[[message("MPI_Send", (rank + 1) % size, 3, 300)]],
            )
        )
    return processes


def write_world(directory: Path, processes: list[Process], prefix: str = "rank") -> Path:
    """Write a file for each process; return the directory."""
    for number, process in enumerate(processes):
        process.write(directory, f"{prefix}{number}")
    return directory

"""Reads the counters of one MPI process.

The process may have died at any instant, the disk may have been full, the file may have been copied halfway:
intact parts are read, and each damaged part is reported in a sentence (a loss).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import RankwiseError
from rankwise.profile.collect import layout
from rankwise.profile.collect.arrival_sample import thinned_out
from rankwise.profile.collect.clock import Stamp, is_damaged
from rankwise.profile.collect.keys import part
from rankwise.profile.collect.path_sample import few_paths, possible_paths
from rankwise.profile.collect.procedures import TABLE_DIGEST
from rankwise.profile.collect.rows import Rows, add_up_accesses, add_up_calls, add_up_messages
from rankwise.profile.collect.side_sample import thinned_out as thinned_out_sides
from rankwise.profile.collect.source import Source, check_format, open_source
from rankwise.profile.collect.text import text_of
from rankwise.profile.collect.time_line import BETWEEN, TimeLine, time_line
from rankwise.records import dataclass

_FEW_PATHS = 64  # of calls, where there are thousands of processes
_FEW_SIDES = 128  # of messages, where there are thousands of processes
_STAMPS = ("loaded", "started", "latest", "stopping", "stopped")
_KINDS = layout.names_of("section_kind")
_RECORDS: Mapping[str, np.dtype[Any]] = {
    "threads": layout.THREAD,
    "communicators": layout.COMMUNICATOR,
    "regions": layout.REGION,
    "calls": layout.CALLS,
    "messages": layout.MESSAGES,
    "files": layout.FILE,
    "accesses": layout.ACCESSES,
    "endpoints": layout.ENDPOINT,
    "patterns": layout.PATTERN,
    "pattern_rows": layout.PATTERN_ROW,
    "imports": layout.IMPORT,
    "objects": layout.OBJECT,
    "sites": layout.SITE,
    "frames": layout.SITE,
    "paths": layout.PATH,
    "streams": layout.STREAM,
    "sides": layout.SIDE,
    "arrival_tables": layout.ARRIVAL_TABLE,
    "arrivals": layout.ARRIVAL,
    "neighbours": layout.NEIGHBOUR,
    "time_lines": layout.TIME_LINE,
    "system_counters": layout.SYSTEM_COUNTERS,
    "processors": layout.PROCESSOR,
    "devices": layout.DEVICE,
    "kernels": layout.KERNEL,
    "adapter_ports": layout.ADAPTER_PORT,
    "rail_choices": layout.RAIL_CHOICE,
    "tasks": layout.TASK,
}
_FEW_ARRIVALS = 16  # instances of each collective, of a job that is too large to keep all
_FEW_INTERVALS = 32  # the same for intervals
# Other records refer to these by position: those after a hole have lost their number.
_NUMBERED = frozenset(
    {
        "threads",
        "communicators",
        "regions",
        "files",
        "endpoints",
        "patterns",
        "objects",
        "sites",
        "frames",
        "streams",
        "arrival_tables",
    }
)


class Comparison(NamedTuple):
    """One node's clock compared with another's: struct rankwise_clock_comparison."""

    own_ticks: int
    other_ticks: int
    round_trip: int

    @property
    def is_done(self) -> bool:
        """Whether there was a comparison."""
        return self.own_ticks > 0


@dataclass(frozen=True, kw_only=True)
class Header:
    """The members of struct rankwise_header, converted: a process's description of itself.

    Attributes:
        state: name in enum rankwise_state, lower case; ``unknown`` if damaged.
        abi: name in enum rankwise_abi, lower case.
        stamps: loaded, started, latest, stopping, stopped; unused ones are all zero.
        dropped: counts by enum rankwise_dropped.
        transport: which hook sees messages inside collectives; empty if none was tried.
        transport_state: name in enum rankwise_transport_state, lower case; ``unknown`` if damaged.
        transport_sees: names in enum rankwise_transport_sees, lower case.
        transport_note: why the hook is not active; may be empty.
        passed_by: numbers of procedures with calls that may be missing; 0: any in objects loaded later.
        profiling_names: numbers of procedures that were called by their ``PMPI_`` names.
        profiling_callers: names of the objects that did so, separated by commas.
        memory: name in enum rankwise_memory, lower case; ``unknown`` if damaged.
        clock: the clock that counts the ticks: a number common to all processes of a node; 0 = unknown.
        reference: the clock that this clock was compared with; 0 = none.
        at_start: that comparison in MPI_Init.
        at_stop: the same in MPI_Finalize.
        absent: by enum rankwise_system_counter: 0 = it is counted, else why not: a number of errno or of enum
            rankwise_absent.
        seen: processors that it was seen on: bit p % 64 of word p / 64.
        looks: how often that was asked.
        moves: how often the processor had changed since the time before.
        cpus_at_stop: processors that it might use at MPI_Finalize, as such bits; none = not known.
        omp_num_threads: OMP_NUM_THREADS, of the outermost level; 0 = not set.
        omp_proc_bind: OMP_PROC_BIND; empty = not set.
        omp_places: OMP_PLACES; empty = not set.
        tasks: threads of all kinds at MPI_Finalize; 0 = not known.
        computing_tasks: most threads that were seen to compute between two looks; 0 = not known.
        run_queue_wait_ns: that its threads were ready and had no processor, plus 1; 0 = not known.
        world_order_kept: why MPI_COMM_WORLD has kept its order although a new one was asked for; '' = it has
            not, or none was.
        batch_job: id of the batch system's job that it belongs to; '' = unknown.
        imports_known: whether `imports` has all procedures that the process imports without a wrapper.
    """

    state: str
    abi: str
    runtime_version: str
    host: str
    job: str
    executable: str
    library: str
    cpus_allowed: str
    pid: int
    world_rank: int
    world_size: int
    thread_level: int
    abort_code: int
    cpu_at_start: int
    cpu_at_stop: int
    launcher_rank: int
    launcher_size: int
    user_us: int
    system_us: int
    max_rss_bytes: int
    own_call_picoticks: int
    own_other_call_picoticks: int
    own_setup_ns: int
    own_finish_ns: int
    pauses: int
    stamps: Mapping[str, Stamp]
    dropped: tuple[int, ...]
    transport: str
    transport_state: str
    transport_sees: tuple[str, ...]
    transport_note: str
    passed_by: tuple[int, ...]
    profiling_names: tuple[int, ...]
    profiling_callers: str
    memory: str
    imports_known: int
    clock: int = 0
    reference: int = 0
    at_start: Comparison = Comparison(0, 0, 0)
    at_stop: Comparison = Comparison(0, 0, 0)
    absent: tuple[int, ...] = ()
    seen: tuple[int, ...] = ()
    looks: int = 0
    moves: int = 0
    cpus_at_stop: tuple[int, ...] = ()
    omp_num_threads: int = 0
    omp_proc_bind: str = ""
    omp_places: str = ""
    tasks: int = 0
    computing_tasks: int = 0
    run_queue_wait_ns: int = 0
    world_order_kept: str = ""
    batch_job: str = ""


@dataclass(frozen=True, kw_only=True)
class Counters:
    """The counters of a process.

    Attributes:
        path: of the file; in a node file, the path of the counters file that it replaces, in the run
            directory.
        header: the process.
        threads: records of struct rankwise_thread.
        communicators: records of struct rankwise_communicator; record 0 has index 3 in the keys.
        regions: records of struct rankwise_region.
        calls: rows of struct rankwise_calls, summed over the threads, in the order of the keys.
        messages: rows of struct rankwise_messages, in the same way.
        files: records of struct rankwise_file; record 0 has index 1 in the keys.
        accesses: rows of struct rankwise_accesses, summed over the threads, in the order of the keys.
        endpoints: records of struct rankwise_endpoint; record 0 has the peer RANKWISE_FIRST_ENDPOINT.
        patterns: records of struct rankwise_pattern.
        pattern_rows: records of struct rankwise_pattern_row; several may be of the same call and peer.
        objects: records of struct rankwise_object.
        sites: records of struct rankwise_site; record 0 has index 1.
        frames: the same, for the functions that calls came through.
        paths: records of struct rankwise_path, of all threads.
        streams: records of struct rankwise_stream; of each thread in the order in which its sides count them.
        sides: records of struct rankwise_side.
        arrival_tables: records of struct rankwise_arrival_table.
        arrivals: records of struct rankwise_arrival, including unused ones.
        neighbours: records of struct rankwise_neighbour.
        time_line: its activity over time; None = unknown.
        system_counters: records of struct rankwise_system_counters.
        processors: records of struct rankwise_processor: of its node, if this process describes the node.
        devices: records of struct rankwise_device, in the same way.
        kernels: records of struct rankwise_kernel, in the same way; at most one.
        adapter_ports: records of struct rankwise_adapter_port, in the same way.
        rail_choices: records of struct rankwise_rail_choice.
        tasks: records of struct rankwise_task.
        imports: MPI functions that the process refers to and Rankwise has no wrapper for.
        arguments: the command line, as far as it was kept; empty if it is not known.
        losses: unreadable parts, a sentence each.
        left: start times, in ticks, of calls that ended during the reading of a running process: they may
            or may not be counted.
        gone_ns: when the process was seen to be gone, on its node's CLOCK_MONOTONIC; 0 = it was not.
        ticks_between: sum over the calls that are neither MPI_Init nor MPI_Finalize, nor their kin.
        calls_at: how many such calls there are at each site, by its index; 0 = at an unknown one.
        has_called: whether there is such a call, ended or not.
    """

    path: Path
    header: Header
    threads: Rows
    communicators: Rows
    regions: Rows
    calls: Rows
    messages: Rows
    files: Rows
    accesses: Rows
    endpoints: Rows
    patterns: Rows
    pattern_rows: Rows
    objects: Rows
    sites: Rows
    frames: Rows
    paths: Rows
    streams: Rows
    sides: Rows
    arrival_tables: Rows
    arrivals: Rows
    neighbours: Rows
    system_counters: Rows
    processors: Rows
    devices: Rows
    kernels: Rows
    adapter_ports: Rows
    rail_choices: Rows
    tasks: Rows
    imports: frozenset[str]
    arguments: tuple[str, ...]
    losses: tuple[str, ...]
    left: tuple[int, ...] = ()
    gone_ns: int = 0
    ticks_between: float = 0.0
    calls_at: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    has_called: bool = True
    time_line: TimeLine | None = None

    def without_rows(self) -> Counters:
        """Return a copy without `calls` and `messages`, the largest parts, and with small samples."""
        threads, sides = thinned_out_sides(self.threads, self.sides, _FEW_SIDES)
        tables, arrivals = thinned_out(self.arrival_tables, self.arrivals, _FEW_ARRIVALS)
        return replace(
            self,
            calls=_none(layout.CALLS),
            messages=_none(layout.MESSAGES),
            arrival_tables=tables,
            arrivals=arrivals,
            threads=threads,
            sides=sides,
            paths=few_paths(self.paths, _FEW_PATHS),
            time_line=self.time_line and self.time_line.within(_FEW_INTERVALS),
        )


def read_counters(path: Path, *, follow_links: bool = False) -> Counters:
    """Read a counters file.

    Args:
        path: of the file.
        follow_links: also symbolic links: only in directories that no other user can write to.

    Raises:
        RankwiseError: not a file, not readable, not a counters file, or written by another Rankwise.
    """
    with open_source(path, "a counters file", follow_links=follow_links) as source:
        return counters_in(source.counters(), path)


def counters_in(source: Source, path: Path, gone_ns: int = 0) -> Counters:
    """Read the counters of one process.

    Args:
        source: where they are.
        path: the name for them.
        gone_ns: when the process was seen to be gone, on its node's CLOCK_MONOTONIC; 0 = it was not.

    Raises:
        RankwiseError: these are no counters, or written by another Rankwise.
    """
    record = _header_record(source, path)
    losses: Counter[str] = Counter()
    if source.too_long:
        losses["what lies behind the largest possible size was passed over"] += 1
    sections = int(record["section_count"])
    pieces = _pieces(source, sections, losses)
    tables = _tables_of(pieces)
    # Once more, after the rows: a call that has not ended by then is in none of them.
    threads = _tables(source, sections, Counter(), ["threads"])["threads"][: len(tables["threads"])]
    header = _header(record)
    nameless = int((tables["communicators"]["id"] == 0).sum())
    if nameless:
        losses["a damaged communicator is booked on (other)"] += nameless
    if is_damaged(list(header.stamps.values())):
        losses["its clock is damaged: times are by the clocks of the others"] += 1
    if header.state == "unknown":
        losses["the state of the process is damaged"] += 1
    calls = _possible(add_up_calls(tables["calls"]), losses)
    line, damaged = time_line(pieces["time_lines"], pieces["calls"], pieces["messages"])
    if damaged:
        losses["its time line is damaged, or was being changed while it was read"] += 1
    return Counters(
        path=path,
        header=header,
        threads=threads,
        communicators=tables["communicators"],
        regions=tables["regions"],
        calls=calls,
        messages=_possible(add_up_messages(tables["messages"]), losses),
        files=tables["files"],
        accesses=_possible(add_up_accesses(tables["accesses"]), losses),
        endpoints=tables["endpoints"],
        patterns=tables["patterns"],
        pattern_rows=tables["pattern_rows"],
        objects=tables["objects"],
        sites=tables["sites"],
        frames=tables["frames"],
        paths=possible_paths(tables["paths"]),
        streams=tables["streams"],
        sides=tables["sides"],
        arrival_tables=tables["arrival_tables"],
        arrivals=tables["arrivals"],
        neighbours=tables["neighbours"],
        system_counters=tables["system_counters"],
        processors=tables["processors"],
        devices=tables["devices"],
        kernels=tables["kernels"],
        adapter_ports=tables["adapter_ports"],
        rail_choices=tables["rail_choices"],
        tasks=tables["tasks"],
        imports=frozenset(text_of(name) for name in tables["imports"]["name"].tolist()),
        arguments=_arguments(record),
        losses=tuple(
            f"{path.name}: {loss}" + (f" ({times} times)" if times > 1 else "")
            for loss, times in losses.items()
        ),
        left=_starts_of_left_calls(tables["threads"], threads),
        gone_ns=gone_ns,
        ticks_between=float(calls["ticks"][_between(calls["key"])].sum()),
        calls_at=_calls_at(calls),
        has_called=_has_called(calls, threads),
        time_line=line,
    )


def rows_in(source: Source, path: Path) -> tuple[Rows, Rows]:
    """Read `calls` and `messages` of a process again, without reporting damage.

    Raises:
        RankwiseError: these are no counters, or written by another Rankwise.
    """
    record = _header_record(source, path)
    losses: Counter[str] = Counter()
    tables = _tables(source, int(record["section_count"]), losses, ("calls", "messages"))
    return (
        _possible(add_up_calls(tables["calls"]), losses),
        _possible(add_up_messages(tables["messages"]), losses),
    )


def _between(keys: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Return which keys belong to calls between MPI_Init and MPI_Finalize."""
    return BETWEEN[part(keys, "CALLS", "PROCEDURE")]


def _calls_at(calls: Rows) -> NDArray[np.int64]:
    between = calls[_between(calls["key"])]
    counts = np.zeros(1 << layout.CONSTANTS["CALLS_SITE_BITS"], np.int64)
    np.add.at(counts, part(between["key"], "CALLS", "SITE"), between["calls"].astype(np.int64))
    used = int(np.flatnonzero(counts).max(initial=-1)) + 1
    return np.array(counts[:used])  # a view would keep the whole array


def _has_called(calls: Rows, threads: Rows) -> bool:
    inside = threads["inside_key"][threads["inside_key"] != 0]
    return bool((calls["calls"][_between(calls["key"])] != 0).any() or _between(inside).any())


def _starts_of_left_calls(before: Rows, after: Rows) -> tuple[int, ...]:
    """Return when the calls began that threads have left meanwhile."""
    before = before[: len(after)]
    same = (before["inside_key"] == after["inside_key"]) & (before["inside_since"] == after["inside_since"])
    return tuple(before["inside_since"][(before["inside_key"] != 0) & ~same].tolist())


def _header_record(source: Source, path: Path) -> np.void:
    """Return the header, once it is certain that this Rankwise understands the file."""
    header = source.records(layout.HEADER, 1, 0, layout.HEADER.itemsize)
    if not len(header) or header[0]["magic"] != layout.MAGIC:
        raise RankwiseError(f"{path} is not a counters file, or was cut short before its header was written")
    record: np.void = header[0]
    sizes = {"header_bytes": layout.HEADER.itemsize, "section_bytes": layout.SECTION.itemsize}
    other = check_format(record, path, layout.CONSTANTS["FORMAT_VERSION"], sizes)
    if record["table_digest"] != TABLE_DIGEST:
        raise RankwiseError(f"{path} numbers the MPI procedures differently: recover it with {other}")
    return record


def _header(record: np.void) -> Header:
    assert record.dtype.names
    values: dict[str, Any] = dict(zip(record.dtype.names, record.item(), strict=True))
    texts = {name: text_of(value) for name, value in values.items() if isinstance(value, bytes)}
    members = {name: values[name] for name in Header.__annotations__ if name in values} | texts
    del members["magic"], members["arguments"]
    return Header(
        **members
        | {
            "state": layout.names_of("state").get(values["state"], "unknown"),
            "abi": layout.names_of("abi").get(values["abi"], "none"),
            "stamps": {name: Stamp(*values[name]) for name in _STAMPS},
            "dropped": tuple(record["dropped"].tolist()),
            "absent": tuple(record["absent"].tolist()),
            "seen": tuple(record["seen"].tolist()),
            "cpus_at_stop": tuple(record["cpus_at_stop"].tolist()),
            "at_start": Comparison(*values["at_start"]),
            "at_stop": Comparison(*values["at_stop"]),
            "passed_by": _numbers_of(record["passed_by"]),
            "profiling_names": _numbers_of(record["profiling_names"]),
            "memory": layout.names_of("memory").get(values["memory"], "unknown"),
            "transport_state": layout.names_of("transport_state").get(values["transport_state"], "unknown"),
            "transport_sees": tuple(
                name
                for bit, name in sorted(layout.names_of("transport_sees").items())
                if values["transport_sees"] & bit
            ),
        }
    )


def _numbers_of(words: NDArray[np.uint64]) -> tuple[int, ...]:
    """Return the numbers whose bit is set: bit n % 64 of word n / 64 stands for n."""
    if not words.any():
        return ()
    bits = np.unpackbits(words.astype("<u8").view(np.uint8), bitorder="little")
    return tuple(int(number) for number in np.flatnonzero(bits))


def _arguments(header: np.void) -> tuple[str, ...]:
    room = layout.HEADER["arguments"].itemsize
    length = min(int(header["argument_bytes"]), room)
    if not length:
        return ()
    text = bytes(header["arguments"]).ljust(room, b"\0")[:length]
    words = [text_of(word) for word in text.removesuffix(b"\0").split(b"\0")]
    if length == room and not text.endswith(b"\0"):
        words[-1] += "\N{HORIZONTAL ELLIPSIS}"
    return tuple(words)


def _tables(
    source: Source, section_count: int, losses: Counter[str], kinds: Iterable[str] = _RECORDS
) -> dict[str, Rows]:
    """Collect the records of some kinds from all their sections."""
    return _tables_of(_pieces(source, section_count, losses, kinds))


def _tables_of(pieces: Mapping[str, list[tuple[int, Rows]]]) -> dict[str, Rows]:
    return {kind: _joined([rows for _, rows in lots], _RECORDS[kind]) for kind, lots in pieces.items()}


def _pieces(
    source: Source, section_count: int, losses: Counter[str], kinds: Iterable[str] = _RECORDS
) -> dict[str, list[tuple[int, Rows]]]:
    """Collect the records of some kinds, section by section, with the threads that they are of."""
    pieces: dict[str, list[tuple[int, Rows]]] = {kind: [] for kind in kinds}
    broken: set[str] = set()
    budget = source.length  # sections don't overlap; damaged ones might, and fill the memory
    for section in _sections(source, section_count, losses):
        kind = _KINDS.get(section["kind"], "")
        if kind not in pieces:
            losses["a section of an unknown kind was passed over"] += 1
            continue
        if kind in broken and kind in _NUMBERED:
            losses[f"{kind} that follow a damaged section were passed over"] += 1
            continue
        stride, count = section["record_bytes"], min(section["used"], section["capacity"])
        if stride < _RECORDS[kind].itemsize or section["offset"] > source.length or budget <= 0:
            losses[f"a damaged section of {kind} was passed over"] += 1
            broken.add(kind)
            continue
        rows = source.records(_RECORDS[kind], count, section["offset"], stride)
        budget -= len(rows) * stride
        if len(rows) < count or count < section["used"]:
            losses[f"{section['used'] - len(rows)} of {section['used']} records of {kind} are missing"] += 1
            broken.add(kind)
        pieces[kind].append((section["thread"], rows))
    return pieces


def _joined(pieces: list[Rows], dtype: np.dtype[Any]) -> Rows:
    if len(pieces) == 1:
        return pieces[0]
    return np.concatenate([np.empty(0, dtype), *pieces]) if pieces else _none(dtype)


@cache
def _none(dtype: np.dtype[Any]) -> Rows:
    """Return no records; the same array each time, because most processes have none of most kinds."""
    return np.empty(0, dtype)


def _sections(source: Source, count: int, losses: Counter[str]) -> list[dict[str, int]]:
    """Read the directory of sections."""
    possible = min(count, layout.CONSTANTS["MAX_SECTIONS"])
    directory = source.records(layout.SECTION, possible, layout.HEADER.itemsize, layout.SECTION.itemsize)
    if len(directory) < count:
        losses[f"{count - len(directory)} of {count} sections are missing"] += 1
    assert layout.SECTION.names
    return [dict(zip(layout.SECTION.names, section, strict=True)) for section in directory.tolist()]


def _possible(rows: Rows, losses: Counter[str]) -> Rows:
    """Drop negative numbers: a sum that is still below zero was cut short or is damaged."""
    assert rows.dtype.names
    for column in rows.dtype.names[1:]:
        negative: NDArray[np.bool_] = rows[column].view(np.int64) < 0
        if negative.any():
            rows[column][negative] = 0
            losses[f"impossible numbers of {column} were set to 0"] += int(negative.sum())
    return rows

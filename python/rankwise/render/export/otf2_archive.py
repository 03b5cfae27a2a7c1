"""A trace as an OTF2 archive, for Vampir, Scalasca and others, through OTF2's own library for Python.

Meaning of the records: https://perftools.pages.jsc.fz-juelich.de/cicd/otf2/. Definitions are global; the
events of each location are written in the order of time.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import CFUNCTYPE, c_char_p, c_int, c_uint64, c_void_p, cast
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from rankwise.analysis.collectives.contribution import contribution
from rankwise.analysis.timing.traced import Posted, Trace, TracedCall, TracedMessage
from rankwise.analysis.waiting.procedures import FOR_ALL, FOR_LOWER, FOR_OTHERS, FOR_ROOT
from rankwise.render.export.counters import COUNTERS, Level, counters_of_rank
from rankwise.text.names import quoted_name
from rankwise.text.safe import safe

_RESOLUTION = 1_000_000_000
_LEAST_CHUNK = 256 << 10  # that the library takes
_BYTES_OF_RANK = 16  # in a group, at most
_PROBES = ("MPI_Probe", "MPI_Mprobe")  # another call receives the message
_NO_RANK = 2**32 - 1  # OTF2_UNDEFINED_UINT32


class _Event(NamedTuple):
    """Of a rank: when, on which of its lanes, and the writer's method with its arguments."""

    at: int
    lane: int
    kind: str
    arguments: tuple[Any, ...]


def write_otf2(trace: Trace, about: dict[str, Any], directory: Path) -> int:
    """Write an archive `traces` into a directory; return the number of events.

    Args:
        trace: of a profile.
        about: the description of the archive.
        directory: made by the library.

    Raises:
        ImportError: the library is missing.
        OSError: it can't be written.
        ValueError: the profile is damaged.
    """
    import _otf2  # later: it is optional
    import otf2

    archive = None
    with _errors_kept() as errors:
        try:
            with otf2.writer.open(
                str(directory),
                timer_resolution=_RESOLUTION,
                # Each location gets its own chunks, also in memory. A definition has to fit into one.
                chunk_size_events=_LEAST_CHUNK,
                chunk_size_definitions=max(_LEAST_CHUNK, _BYTES_OF_RANK * len(trace.hosts)),
            ) as archive:
                archive.creator = safe(f"{about['written_by']}", "utf-8")
                description = "; ".join(f"{name}: {what}" for name, what in about.items())
                archive.description = safe(description, "utf-8")
                return _Writer(trace, archive, about["started"]).write()
        except (_otf2.Error, otf2.error.Error) as error:
            if archive is not None:
                archive._handle = (
                    None  # otherwise it would try again to close an archive that can't be written
                )
            raise OSError(0, errors[0] if errors else str(error)) from error


@contextmanager
def _errors_kept() -> Iterator[list[str]]:
    """Yield a list of the library's error messages, the cause first, instead of printing them."""
    from _otf2.Config import conf
    from _otf2.ErrorCodes import Error_GetDescription, ErrorCode

    errors: list[str] = []
    # (user data, file, line, function, code, format, its arguments)
    kinds = (c_void_p, c_char_p, c_uint64, c_char_p, c_int, c_char_p, c_void_p)

    def keep(*what: Any) -> int:
        code: int = what[4]
        errors.append(Error_GetDescription(ErrorCode(code)))
        return code

    register = conf.lib.OTF2_Error_RegisterCallback
    register.argtypes, register.restype = (c_void_p, c_void_p), c_void_p
    callback = CFUNCTYPE(c_int, *kinds)(keep)
    before = register(cast(callback, c_void_p), None)
    try:
        yield errors
    finally:
        register(before, None)


class _Writer:
    """Writes a trace into an open archive."""

    def __init__(self, trace: Trace, archive: Any, started: str) -> None:
        self._trace = trace
        self._archive = archive
        self._started = started
        self._definitions = archive.definitions
        self._regions: dict[str, Any] = {}
        self._locations: dict[tuple[int, int], Any] = {}
        self._groups: dict[int, Any] = {}
        self._define_ranks()
        self._communicators = dict(self._define_communicators())
        self._counters = self._define_counters()
        self._waited = self._define_attribute("waited", "nanoseconds until the others were there", "INT64")
        self._whose = self._define_attribute("waited for rank", "the longest; -1 = none", "INT64")
        self._instance = self._define_attribute(
            "call", "which call of this procedure on the communicator", "INT64"
        )

    def write(self) -> int:
        """Write the events, rank by rank; return their number."""
        calls = groupby(self._trace.calls(), lambda call: call.rank)
        posted = groupby(self._trace.posted(), lambda message: message.rank)
        lines = {line.rank: line for line in self._trace.line.ranks}
        own_calls, own_posted = next(calls, None), next(posted, None)
        events = 0
        for rank in self._trace.hosts:
            streams: list[Iterator[_Event]] = []
            if own_calls and own_calls[0] == rank:
                streams += self._of_lanes([*own_calls[1]])
                own_calls = next(calls, None)
            if own_posted and own_posted[0] == rank:
                streams.append(self._of_posted([*own_posted[1]]))
                own_posted = next(posted, None)
            if rank in lines:
                streams.append(self._of_levels(counters_of_rank(lines[rank], self._trace.line)))
            for event in heapq.merge(*streams, key=lambda event: event.at):
                writer = self._archive.event_writer_from_location(self._location(rank, event.lane))
                getattr(writer, event.kind)(event.at - self._trace.first, *event.arguments)
                events += 1
        self._set_realtime()
        return events

    def _set_realtime(self) -> None:
        """Set the time of the first event: the library would take the present time."""
        first = self._archive._first_timestamp
        if first is not None:
            started = datetime.fromisoformat(self._started).timestamp()
            self._archive._realtime_timestamp = started + (first + self._trace.first) / _RESOLUTION

    def _define_ranks(self) -> None:
        machine = self._definitions.system_tree_node("machine", class_name="machine")
        nodes: dict[str, Any] = {}
        for rank, host in self._trace.hosts.items():
            if host not in nodes:
                nodes[host] = self._definitions.system_tree_node(
                    safe(host, "utf-8"), class_name="node", parent=machine
                )
            self._groups[rank] = self._definitions.location_group(
                f"rank {rank}", system_tree_parent=nodes[host]
            )
            self._location(rank, 0)

    def _location(self, rank: int, lane: int) -> Any:
        known = self._locations.get((rank, lane))
        if known is None:
            more = f", at the same time {lane + 1}" if lane else ""
            known = self._definitions.location(f"rank {rank}{more}", group=self._groups[rank])
            self._locations[rank, lane] = known
        return known

    def _define_communicators(self) -> Iterator[tuple[int, tuple[Any, dict[int, int]]]]:
        """Yield each communicator with all members in the trace: id, definition, ranks by world ranks."""
        from otf2 import GroupType, Paradigm

        order = {rank: place for place, rank in enumerate(self._trace.hosts)}
        everybody = [self._location(rank, 0) for rank in order]
        self._definitions.group(
            "MPI", group_type=GroupType.COMM_LOCATIONS, paradigm=Paradigm.MPI, members=everybody
        )
        for key, communicator in self._trace.communicators.items():
            if communicator.members and all(rank in order for rank in communicator.members):
                name = safe(quoted_name(communicator.name, communicator.user_name), "utf-8")
                group = self._definitions.group(
                    name,
                    group_type=GroupType.COMM_GROUP,
                    paradigm=Paradigm.MPI,
                    members=[order[rank] for rank in communicator.members],
                )
                places = {rank: place for place, rank in enumerate(communicator.members)}
                yield key, (self._definitions.comm(name, group=group), places)

    def _define_counters(self) -> Any:
        from otf2 import MetricMode, MetricOccurrence

        members = [
            self._definitions.metric_member(
                counter.name,
                description="mean over an interval, all calls",
                metric_mode=MetricMode.ABSOLUTE_NEXT,
                unit=counter.unit,
            )
            for counter in COUNTERS
        ]
        return self._definitions.metric_class(members, occurrence=MetricOccurrence.ASYNCHRONOUS)

    def _define_attribute(self, name: str, description: str, kind: str) -> Any:
        from otf2 import Type

        return self._definitions.attribute(name, description=description, type=getattr(Type, kind))

    def _region(self, procedure: str) -> Any:
        from otf2 import Paradigm

        known = self._regions.get(procedure)
        if known is None:
            known = self._definitions.region(
                safe(procedure, "utf-8"),
                description="a sample of its calls",
                region_role=_role(procedure),
                paradigm=Paradigm.MPI,
            )
            self._regions[procedure] = known
        return known

    def _of_lanes(self, calls: list[TracedCall]) -> list[Iterator[_Event]]:
        lanes = sorted({call.lane for call in calls})
        return [self._of_calls([call for call in calls if call.lane == lane]) for lane in lanes]

    def _of_calls(self, calls: list[TracedCall]) -> Iterator[_Event]:
        for call in calls:
            region = self._region(call.procedure)
            attributes = {}
            if call.waited is not None:
                attributes = {self._waited: call.waited, self._whose: call.whose}
            if call.instance:
                attributes[self._instance] = call.instance
            yield _Event(call.began, call.lane, "enter", (region,))
            yield from self._inside(call)
            yield _Event(call.ended, call.lane, "leave", (region, attributes))

    def _inside(self, call: TracedCall) -> Iterator[_Event]:
        if call.instance and call.communicator in self._communicators:
            communicator, places = self._communicators[call.communicator]
            root = None if call.root is None else places[call.root]
            sent = contribution(call.procedure, call.bytes, places[call.rank], len(places), root)
            about = (_operation(call.procedure), communicator, _NO_RANK if root is None else root, sent, 0)
            yield _Event(call.began, call.lane, "mpi_collective_begin", ())
            yield _Event(call.ended, call.lane, "mpi_collective_end", about)
        for message in sorted(call.known, key=lambda known: known.key):
            if self._is_whole(message):
                yield _Event(call.ended, call.lane, "mpi_recv", self._of_message(message, message.key[0]))

    def _of_posted(self, posted: list[Posted]) -> Iterator[_Event]:
        for message in posted:
            if self._is_whole(message.message):
                to = message.message.key[1]
                yield _Event(message.at, 0, "mpi_send", self._of_message(message.message, to))

    def _is_whole(self, message: TracedMessage) -> bool:
        """Return whether a message is known from its posting to its end."""
        _, _, communicator, _, _ = message.key
        received = not message.sends and message.procedure not in _PROBES
        return received and message.arrow is not None and communicator in self._communicators

    def _of_message(self, message: TracedMessage, other: int) -> tuple[Any, ...]:
        _, _, key, tag, _ = message.key
        communicator, places = self._communicators[key]
        return places[other], communicator, tag, message.bytes

    def _of_levels(self, levels: Iterator[Level]) -> Iterator[_Event]:
        for level in levels:
            yield _Event(level.at, 0, "metric", (self._counters, level.values))


def _role(procedure: str) -> Any:
    from otf2 import RegionRole

    roles = {
        RegionRole.COLL_ALL2ALL: FOR_ALL - {"MPI_Barrier"},
        RegionRole.COLL_ONE2ALL: FOR_ROOT,
        RegionRole.COLL_ALL2ONE: FOR_OTHERS,
        RegionRole.COLL_OTHER: FOR_LOWER,
        RegionRole.BARRIER: {"MPI_Barrier"},
    }
    matching = (role for role, procedures in roles.items() if procedure in procedures)
    return next(matching, RegionRole.POINT2POINT)


def _operation(procedure: str) -> Any:
    from otf2 import CollectiveOp

    return getattr(CollectiveOp, procedure.removeprefix("MPI_").upper())

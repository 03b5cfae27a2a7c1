"""A trace as JSON, in the Trace Event Format of Chrome that Perfetto's UI opens.

The format: https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU. Times are in
microseconds. A process is a node. Each rank has a thread with its sampled calls, and one where it posted the
messages that others waited for. Perfetto binds an arrow to the span that began last on its track, and drops
spans that partly overlap others, so concurrent calls are on separate tracks.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, TextIO

from rankwise.analysis.timing.time_line import Phase
from rankwise.analysis.timing.traced import Posted, Trace, TracedCall, TracedMessage
from rankwise.profile.join.members import compact_ascending
from rankwise.render.export.counters import COUNTERS, Level, counters_of_all, counters_of_rank
from rankwise.text.names import quoted_name
from rankwise.text.units import percent_text

_RUN = 1  # process for data of all ranks
_NOTES, _PHASES = range(2)  # its threads
_MESSAGE, _READY = "message", "receive posted"  # arrows


def write_perfetto(trace: Trace, about: Mapping[str, Any], file: TextIO) -> int:
    """Write the trace, an event at a time; return the number of events.

    Args:
        trace: of a profile.
        about: the description of the file.
        file: of text.

    Raises:
        OSError: it can't be written.
        ValueError: the profile is damaged.
    """
    writer = _Writer(trace, file)
    file.write('{"displayTimeUnit":"ms","otherData":')
    file.write(json.dumps(about))
    file.write(',"traceEvents":[')
    writer.names()
    writer.whole_run(about)
    writer.counters()
    for call in trace.calls():
        writer.call(call)
    writer.posted()
    file.write("\n]}\n")
    return writer.events


class _Writer:
    """Events of a trace.

    Attributes:
        events: how many have been written.
    """

    def __init__(self, trace: Trace, file: TextIO) -> None:
        self.events = 0
        self._trace = trace
        self._file = file
        self._origin = trace.first
        hosts = dict.fromkeys(trace.hosts.values())
        self._process_of_host = {host: number for number, host in enumerate(hosts, _RUN + 1)}
        # A thread is found only by its number, so all numbers of threads and processes differ; the last
        # digits are the rank.
        self._first_thread = _RUN + len(hosts) + 1
        self._tracks = 10 ** len(str(max([self._first_thread + _PHASES, *trace.hosts])))
        self._lanes: set[tuple[int, int]] = set()

    def _write(self, **event: Any) -> None:
        self._file.write(",\n" if self.events else "\n")
        self._file.write(json.dumps(event, separators=(",", ":"), allow_nan=False))
        self.events += 1

    def _at(self, nanoseconds: int) -> float:
        return _microseconds(nanoseconds - self._origin)

    def _process(self, rank: int) -> int:
        return self._process_of_host[self._trace.hosts[rank]]

    def _track(self, rank: int, lane: int) -> dict[str, int]:
        """Return the track of a rank: lane 0 is where it posted messages, from 1 on its calls."""
        track = {"pid": self._process(rank), "tid": self._tracks * (lane + 1) + rank}
        if (rank, lane) not in self._lanes:
            self._lanes.add((rank, lane))
            more = f" (at the same time, {lane})" if lane > 1 else ""
            what = f"sampled calls{more}" if lane else "posted, of sampled messages"
            self._name(track, f"rank {rank}: {what}", track["tid"] % self._tracks * 2 + (lane == 0))
        return track

    def _name(self, track: Mapping[str, int], name: str, order: int) -> None:
        self._write(ph="M", name="thread_name", **track, args={"name": name})
        self._write(ph="M", name="thread_sort_index", **track, args={"sort_index": order})

    def names(self) -> None:
        """Name the processes: all ranks, and each node."""
        ranks: dict[str, list[int]] = {}
        for rank, host in self._trace.hosts.items():
            ranks.setdefault(host, []).append(rank)
        names = {_RUN: "all ranks"}
        for host, process in self._process_of_host.items():
            which = "rank" if len(ranks[host]) == 1 else "ranks"
            names[process] = f"{host}: {which} {compact_ascending(ranks[host])}"
        for process, name in names.items():
            self._write(ph="M", name="process_name", pid=process, args={"name": name})
            self._write(ph="M", name="process_sort_index", pid=process, args={"sort_index": process})

    def whole_run(self, about: Mapping[str, Any]) -> None:
        """Write the description of the file, and the phases."""
        notes, phases = ({"pid": _RUN, "tid": self._first_thread + thread} for thread in (_NOTES, _PHASES))
        self._name(notes, "what is in this file", _NOTES)
        self._span(notes, "what is in this file", self._trace.first, self._trace.last, "about", about)
        if self._trace.line.phases:
            self._name(phases, "phases, found in the intervals of all ranks", _PHASES)
        for phase in self._trace.line.phases:
            begin, end = (round(at * 1e9) for at in (phase.begin_seconds, phase.end_seconds))
            self._span(phases, f"phase {phase.number}", begin, end, "phase", _of_phase(phase))

    def counters(self) -> None:
        """Write the counters of all ranks together, and of each."""
        line = self._trace.line
        self._counter({"pid": _RUN}, "all ranks", counters_of_all(line))
        for own in line.ranks:
            process = {"pid": self._process(own.rank)}
            self._counter(process, f"rank {own.rank}", counters_of_rank(own, line))

    def _counter(self, process: Mapping[str, int], whose: str, levels: Iterator[Level]) -> None:
        before: tuple[float | None, ...] = (None,) * len(COUNTERS)
        for level in levels:
            for counter, value, last in zip(COUNTERS, level.values, before, strict=True):
                if value != last:
                    name = f"{whose}: {counter.name}"
                    self._write(
                        ph="C", name=name, **process, ts=self._at(level.at), args={counter.unit: value}
                    )
            before = level.values

    def call(self, call: TracedCall) -> None:
        """Write a call, divided into waiting and the rest, and the ends of arrows to it."""
        track = self._track(call.rank, call.lane + 1)
        kind = "collective" if call.instance else "wait"
        self._span(track, call.procedure, call.began, call.ended, f"sampled {kind}", self._of_call(call))
        if call.waited:
            until = call.began + call.waited
            self._span(track, f"waits for rank {call.whose}", call.began, until, "waiting")
            if until < call.ended:
                self._span(track, "transfer", until, call.ended, "transfer")
        for message in call.known:
            if message.arrow is not None:
                # At its end, so that it comes after its beginning; it is bound to the span that began last.
                self._arrow("f", track, message, call.ended, bp="e")

    def posted(self) -> None:
        """Write the posting of messages, each once, and the beginnings of their arrows."""
        before = None
        for posted in self._trace.posted():
            track = self._track(posted.rank, 0)
            if (posted.rank, posted.message.key) != before:
                self._span(track, *self._instant(posted))
            before = (posted.rank, posted.message.key)
            self._arrow("s", track, posted.message, posted.at)

    def _instant(self, posted: Posted) -> tuple[str, int, int, str, dict[str, Any]]:
        source, destination, communicator, tag, _ = posted.message.key
        about = {
            "from_rank": source,
            "to_rank": destination,
            "tag": tag,
            "bytes": posted.message.bytes,
            "communicator": self._communicator(communicator),
        }
        return posted.message.other_procedure, posted.at, posted.at, "posted", about

    def _arrow(
        self, end: str, track: Mapping[str, int], message: TracedMessage, at: int, **more: str
    ) -> None:
        kind = _READY if message.sends else _MESSAGE
        self._write(ph=end, cat=kind, name=kind, id=message.arrow, **track, ts=self._at(at), **more)

    def _span(
        self,
        track: Mapping[str, int],
        name: str,
        began: int,
        ended: int,
        category: str,
        about: Mapping[str, Any] | None = None,
    ) -> None:
        self._write(
            ph="X",
            name=name,
            cat=category,
            **track,
            ts=self._at(began),
            dur=_microseconds(ended - began),
            **({"args": about} if about else {}),
        )

    def _communicator(self, key: int) -> str:
        known = self._trace.communicators.get(key)
        return quoted_name(known.name, known.user_name) if known else ""

    def _of_call(self, call: TracedCall) -> dict[str, Any]:
        about: dict[str, Any] = {"communicator": self._communicator(call.communicator)}
        if call.instance:
            about |= {"number_of_call": call.instance, "bytes": call.bytes}
        else:
            about |= {"messages": call.messages, "messages_in_sample": call.sampled}
        if call.root is not None:
            about["root_rank"] = call.root
        if call.region:
            about["region"] = call.region
        if call.waited is not None:
            about["waited_us"] = _microseconds(call.waited)
        if call.waited:
            about["waited_for_rank"] = call.whose
        if len(call.known) == 1:
            (message,) = call.known
            source, destination, _, tag, _ = message.key
            about |= {"from_rank": source, "to_rank": destination, "tag": tag, "bytes": message.bytes}
        elif call.known:
            about["bytes_of_known"] = sum(message.bytes for message in call.known)
        return about


def _microseconds(nanoseconds: int) -> float:
    return nanoseconds / 1000 if nanoseconds % 1000 else nanoseconds // 1000


def _of_phase(phase: Phase) -> dict[str, Any]:
    return {
        "percent_in_mpi": phase.percent_of_mpi,
        "least": f"{percent_text(phase.least_percent_of_mpi)} %, rank {phase.least_rank}",
        "most": f"{percent_text(phase.most_percent_of_mpi)} %, rank {phase.most_rank}",
        "bytes_sent": phase.bytes_sent,
        "bytes_received": phase.bytes_received,
        "messages": phase.messages,
        "calls": phase.calls,
    }

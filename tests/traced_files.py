"""Whether a file is one that viewers of the Trace Event Format show as it is meant: by Perfetto's rules."""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

Event = dict[str, Any]
_COMMON = {"ph", "name", "pid"}
_NEEDED = {
    "M": {"args"},
    "X": {"tid", "ts", "dur", "cat"},
    "C": {"ts", "args"},
    "s": {"tid", "ts", "id", "cat"},
    "f": {"tid", "ts", "id", "cat", "bp"},
}


class PerfettoFile:
    """A file whose events are what the format says, nested as it says, with arrows that have both ends.

    Attributes:
        events: in the order of the file.
        about: what the file tells of itself.
        names: of the processes and threads, by (process, thread); thread 0 = of the process.
    """

    def __init__(self, path: Path) -> None:
        text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        assert text.isascii()
        whole = json.loads(text, parse_constant=_no_number)
        assert whole["displayTimeUnit"] in ("ms", "ns")
        self.events: list[Event] = whole["traceEvents"]
        self.about: dict[str, Any] = whole["otherData"]
        self.names: dict[tuple[int, int], str] = {}
        self._check_events()
        self._check_nesting()
        self._check_arrows()

    def of(self, phase: str, category: str = "") -> list[Event]:
        """The events of a kind."""
        return [event for event in self.events if event["ph"] == phase and category in ("", event.get("cat"))]

    def spans(self, name: str) -> list[Event]:
        """The spans on the track of that name, in the order of the file."""
        (track,) = (track for track, known in self.names.items() if known == name)
        return [event for event in self.of("X") if (event["pid"], event["tid"]) == track]

    def counter(self, name: str) -> list[tuple[Fraction, float]]:
        """Seconds and values of a counter."""
        return [
            (seconds(event["ts"]), *event["args"].values()) for event in self.of("C") if event["name"] == name
        ]

    def arrows(self) -> Iterator[tuple[Event, Event]]:
        """The spans from and to which arrows go: those that began last on their tracks."""
        stacks: defaultdict[tuple[int, int], list[Event]] = defaultdict(list)
        from_: dict[tuple[str, str, int], Event] = {}
        for event in sorted((event for event in self.events if "tid" in event and "ts" in event), key=_when):
            stack = stacks[event["pid"], event["tid"]]
            if event["ph"] == "X":
                while stack and _is_over(stack[-1], event):
                    stack.pop()
                stack.append(event)
            key = (event["cat"], event["name"], event.get("id", 0))
            if event["ph"] == "s":
                assert key not in from_
                from_[key] = stack[-1]
            if event["ph"] == "f":
                yield from_.pop(key), stack[-1]
        assert not from_

    def _check_events(self) -> None:
        threads: set[tuple[int, int]] = set()
        for event in self.events:
            assert event.keys() >= _COMMON | _NEEDED[event["ph"]], event
            assert event.get("ts", 0) >= 0
            assert event.get("dur", 0) >= 0
            if event["ph"] == "M" and event["name"].endswith("_name"):
                key = (event["pid"], event.get("tid", 0))
                assert key not in self.names, event
                self.names[key] = event["args"]["name"]
            if event["ph"] == "C":
                assert all(isinstance(value, int | float) for value in event["args"].values())
            threads.add((event["pid"], event.get("tid", 0)))
        assert threads == self.names.keys() | {(process, 0) for process, _ in self.names}
        # Perfetto names a thread by its number alone, and takes that of its process for the main one.
        numbers = [thread for _, thread in threads if thread]
        assert len({*numbers}) == len(numbers)
        assert not {*numbers} & {process for process, _ in threads}

    def _check_nesting(self) -> None:
        stacks: defaultdict[tuple[int, int], list[Event]] = defaultdict(list)
        for event in sorted(self.of("X"), key=_when):
            stack = stacks[event["pid"], event["tid"]]
            while stack and _is_over(stack[-1], event):
                stack.pop()
            assert not stack or _end(event) <= _end(stack[-1]), (stack[-1], event)
            stack.append(event)

    def _check_arrows(self) -> None:
        ends = {
            end: [(event["cat"], event["name"], event["id"]) for event in self.of(end)] for end in ("s", "f")
        }
        assert sorted(ends["s"]) == sorted(ends["f"])
        assert len({*ends["s"]}) == len(ends["s"])
        for begin, end in self.arrows():
            assert begin["cat"] == "posted"
            assert end["cat"] in ("sampled wait", "waiting", "transfer")


def seconds(microseconds: float) -> Fraction:
    """Of a time in a file, which has whole nanoseconds."""
    return Fraction(round(microseconds * 1000), 10**9)


def _when(event: Event) -> Fraction:
    return seconds(event["ts"])


def _end(event: Event) -> Fraction:
    return seconds(event["ts"]) + seconds(event["dur"])


def _is_over(before: Event, later: Event) -> bool:
    """Whether a span has ended when another one begins; instants at the same time are inside each other."""
    both = before["dur"] == later["dur"] == 0
    return _end(before) < _when(later) or (_end(before) == _when(later) and not both)


def _no_number(text: str) -> None:
    raise AssertionError(f"{text} is no JSON")

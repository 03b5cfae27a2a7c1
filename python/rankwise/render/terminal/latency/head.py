"""The head of a measurement: what was measured, and how far to trust it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import TypeVar

from rich.text import Text

from rankwise.latency.measurement import Measurement
from rankwise.render.terminal.page import Page
from rankwise.text.names import library_name
from rankwise.text.units import byte_text, number_of, second_text

_APART = "  "
_INDENT = 2
_MODES = {
    "quiet": "one pair per node at a time",
    "loaded": "all ranks at once",
    "leaders": "one rank per node",
    "sample": "a sample of the pairs",
    "serial": "one pair at a time",
}
Value = TypeVar("Value")


def head_lines(page: Page, measurement: Measurement) -> list[Text]:
    """Return title, facts and warnings."""
    about = measurement.about
    command = shlex.join(_words(about))
    version = _told(about, "rankwise_version", "")
    tool = _told(about, "tool", f"rankwise {version}".strip())
    title = _APART.join(filter(None, (tool, command or "latency and bandwidth of all pairs")))
    mode = _told(about, "mode", "")
    seconds = about.get("seconds")
    nodes = len({rank.host for rank in measurement.ranks})
    facts = [
        f"{number_of(len(measurement.ranks), 'rank')} / {number_of(nodes, 'node')}",
        number_of(len(measurement.pairs), "pair"),
        ", ".join(byte_text(size) for size in measurement.sizes),
        f"repeats: {measurement.repeats_text()}",
        f"{mode}: {_MODES[mode]}" if mode in _MODES else mode,
        _told(about, "date", "")[:16].replace("T", " "),
        library_name(_told(about, "mpi", "")),
        f"took {second_text(seconds)}" if isinstance(seconds, int | float) else "",
    ]
    lines = [*page.wrapped(title, "bold", _INDENT), *page.joined(facts, _APART, _INDENT)]
    for warning in warnings(measurement):
        lines += page.wrapped(f"! {warning}", "yellow", _INDENT)
    return lines


def warnings(measurement: Measurement) -> list[str]:
    """Return what makes the measurement less than it should be, each with its cure."""
    about = measurement.about
    found = []
    if _told(about, "interrupted", False):
        rounds = f" after {_told(about, 'rounds_done', 0)} of {_told(about, 'rounds', 0)} rounds"
        found.append(
            f"interrupted{rounds if _told(about, 'rounds', 0) else ''}: the rest was not measured; "
            "measure again for all pairs"
        )
    expected = _told(about, "pairs_expected", 0)
    missing = expected - len(measurement.pairs)
    if missing > 0:
        found.append(f"{missing} of {number_of(expected, 'pair')} are missing: the results cover the others")
    unmeasured = int((measurement.pairs.repeats == 0).all(axis=1).sum())
    if unmeasured:
        found.append(
            f"{unmeasured} of {number_of(len(measurement.pairs), 'pair')} have no value: measure again"
        )
    if _told(about, "oversubscribed", False):
        found.append(
            "oversubscribed: a node had more ranks than processors, so times are inaccurate; start at most "
            "one rank per processor"
        )
    return found


def _words(about: Mapping[str, object]) -> list[str]:
    command = about.get("command")
    return [str(word) for word in command] if isinstance(command, list) else []


def _told(about: Mapping[str, object], key: str, default: Value) -> Value:
    """Return a value of the header, or the default if it is of another type."""
    value = about.get(key, default)
    return value if isinstance(value, type(default)) else default

"""The head of a measurement: its facts, and warnings."""

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
    version = _value(about, "rankwise_version", "")
    tool = _value(about, "tool", f"rankwise {version}".strip())
    title = _APART.join(filter(None, (tool, command or "latency and bandwidth of all pairs")))
    mode = _value(about, "mode", "")
    seconds = about.get("seconds")
    nodes = len({rank.host for rank in measurement.ranks})
    facts = [
        f"{number_of(len(measurement.ranks), 'rank')} / {number_of(nodes, 'node')}",
        number_of(len(measurement.pairs), "pair"),
        ", ".join(byte_text(size) for size in measurement.sizes),
        f"repeats: {measurement.repeats_text()}",
        f"{mode}: {_MODES[mode]}" if mode in _MODES else mode,
        _value(about, "date", "")[:16].replace("T", " "),
        library_name(_value(about, "mpi", "")),
        f"took {second_text(seconds)}" if isinstance(seconds, int | float) else "",
    ]
    lines = [*page.wrapped(title, "bold", _INDENT), *page.joined(facts, _APART, _INDENT)]
    for warning in warnings(measurement):
        lines += page.wrapped(f"! {warning}", "yellow", _INDENT)
    return lines


def warnings(measurement: Measurement) -> list[str]:
    """Return defects of the measurement, each with a remedy."""
    about = measurement.about
    defects = []
    if _value(about, "interrupted", False):
        rounds = f" after {_value(about, 'rounds_done', 0)} of {_value(about, 'rounds', 0)} rounds"
        defects.append(
            f"interrupted{rounds if _value(about, 'rounds', 0) else ''}: the rest was not measured; "
            "measure again for all pairs"
        )
    expected = _value(about, "pairs_expected", 0)
    missing = expected - len(measurement.pairs)
    if missing > 0:
        defects.append(
            f"{missing} of {number_of(expected, 'pair')} are missing: the results cover the others"
        )
    unmeasured = int((measurement.pairs.repeats == 0).all(axis=1).sum())
    if unmeasured:
        defects.append(
            f"{unmeasured} of {number_of(len(measurement.pairs), 'pair')} have no value: measure again"
        )
    if _value(about, "oversubscribed", False):
        defects.append(
            "oversubscribed: a node had more ranks than processors, so times are inaccurate; start at most "
            "one rank per processor"
        )
    return defects


def _words(about: Mapping[str, object]) -> list[str]:
    command = about.get("command")
    return [str(word) for word in command] if isinstance(command, list) else []


def _value(about: Mapping[str, object], key: str, default: Value) -> Value:
    """Return a value of the header, or the default if it is of another type."""
    value = about.get(key, default)
    return value if isinstance(value, type(default)) else default

"""Converts results to the lists and dictionaries that `--json` prints, and to JSON text."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from operator import attrgetter
from typing import Any

from rankwise.analysis.calls.totals import Totals

_PLAIN = frozenset((float, int, str, bool, type(None)))
"""The types of most values."""
_INDENT = "  "
_LINE = "\n" + _INDENT  # begins the members of the outermost object
_ROWS = 500  # are encoded at a time


def to_json(value: Any) -> Any:
    """Return `value` with every dataclass in it turned into a dictionary of its fields, in their order.

    The numbers of a `Totals` become fields of the row, so that a row is one flat object and the same number
    has the same key in every view.
    """
    if type(value) in _PLAIN:
        return value
    if is_dataclass(value) and not isinstance(value, type):
        names, values_of = _fields(type(value))
        row: dict[str, Any] = dict(zip(names, values_of(value), strict=True))
        return row if _is_flat(row.values()) else _with_members(row)
    if isinstance(value, dict):
        return {key: to_json(member) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [to_json(member) for member in value]
    return value


def _with_members(values: dict[str, Any]) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for name, member in values.items():
        if isinstance(member, Totals):
            row.update(to_json(member))
        else:
            row[name] = to_json(member)
    return row


@cache
def _fields(kind: type[Any]) -> tuple[tuple[str, ...], Callable[[Any], tuple[Any, ...]]]:
    """Return the names of the fields of a data class, and a function that returns their values."""
    names = tuple(field.name for field in fields(kind))
    if len(names) > 1:
        return names, attrgetter(*names)
    return names, lambda value: tuple(getattr(value, name) for name in names)


def _is_flat(values: Iterable[Any]) -> bool:
    return _PLAIN.issuperset(map(type, values))


def json_text(value: Any) -> Iterator[str]:
    """Return the text of `json.dumps(to_json(value), indent=2)` in pieces, several rows of a list at a time.

    With an indent, the json module encodes in Python and keeps all pieces, which took most of the time and
    memory of large answers. Without an indent, it encodes in C. So flat values are encoded without one, and
    the separators contain the line breaks.

    Args:
        value: printed value, which may contain dataclasses.
    """
    if not isinstance(value, dict) or not value:
        yield _text(to_json(value), "\n")
        return
    before = "{"
    for key, member in value.items():
        yield f"{before}{_LINE}{_key(key)}"
        if isinstance(member, list | tuple) and member:
            yield from _rows_text(member)
        else:
            yield _text(to_json(member), _LINE)
        before = ","
    yield "\n}"


def _rows_text(rows: Sequence[Any]) -> Iterator[str]:
    """Return the text of a list that is a member of the outermost object."""
    line, before = _LINE + _INDENT, "["
    for start in range(0, len(rows), _ROWS):
        encoded = [to_json(row) for row in rows[start : start + _ROWS]]
        yield before + line
        if all(row and isinstance(row, dict) and _is_flat(row.values()) for row in encoded):
            deeper = line + _INDENT
            # (JSON escapes line breaks in strings, and flat rows have no braces outside of strings.)
            text = _encoder(deeper).encode(encoded).replace(f"}},{deeper}{{", f"{line}}},{line}{{{deeper}")
            yield f"{{{deeper}{text[2:-2]}{line}}}"
        else:
            yield f",{line}".join(_text(row, line) for row in encoded)
        before = ","
    yield f"{_LINE}]"


def _text(value: Any, line: str) -> str:
    """Return the text of lists and dictionaries; `line` precedes the closing bracket."""
    if not isinstance(value, dict | list) or not value:
        return json.dumps(value)
    deeper = line + _INDENT
    if _is_flat(value.values() if isinstance(value, dict) else value):
        flat = _encoder(deeper).encode(value)
        return f"{flat[0]}{deeper}{flat[1:-1]}{line}{flat[-1]}"
    if isinstance(value, dict):
        members = (f"{_key(key)}{_text(member, deeper)}" for key, member in value.items())
        return f"{{{deeper}{f',{deeper}'.join(members)}{line}}}"
    return f"[{deeper}{f',{deeper}'.join(_text(member, deeper) for member in value)}{line}]"


def _key(key: Any) -> str:
    """Return a key as a JSON string with its colon."""
    return json.dumps({key: 0})[1:-2]


@cache
def _encoder(line: str) -> json.JSONEncoder:
    return json.JSONEncoder(separators=(f",{line}", ": "))

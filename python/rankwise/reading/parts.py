"""Which part of a run is wanted, in the words of the caller, and what can't be restricted to one."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import SupportsIndex

from rankwise.analysis.selection import Selected, Selection, select
from rankwise.errors import RankwiseError
from rankwise.latency.sizes import size_of
from rankwise.reading.arguments import names

Names = str | Iterable[str]
Ranks = str | SupportsIndex | Iterable[SupportsIndex]
Sizes = str | int | tuple[int, int]
"""As `--size` takes them, one size in bytes, or the first and the last size bin."""

MATRIX, EXPORT = "matrix", "export"
"""Requests that are no view."""

_MESSAGES = "messages are not counted by {}"
_ALL_CALLS = "of the ways to a call, only those of all its calls are known"
_PORTS = "ports of the network count all that passes them"
_WHOLE = "the algorithm of a collective is that of all its processes"
# Selections without an answer, by request.
_NOT_KNOWN = {
    **{
        (what, option): _MESSAGES.format(option)
        for what in ("pair", "collective", "node", MATRIX)
        for option in ("size", "region")
    },
    ("file", "size"): "accesses of files are not counted by size",
    ("file", "region"): "accesses of files are not counted by region",
    **{
        ("time", option): f"what ranks did when is not counted by {option}"
        for option in ("communicator", "call", "region", "size", "spans")
    },
    **{
        ("network", option): _PORTS
        for option in ("communicator", "rank", "call", "region", "node", "size", "spans")
    },
    **{
        ("path", option): _ALL_CALLS for option in ("communicator", "rank", "region", "node", "size", "spans")
    },
    ("algorithm", "region"): _MESSAGES.format("region"),
    ("algorithm", "rank"): _WHOLE,
    ("algorithm", "node"): _WHOLE,
}
_LAST_BIN = 64
_RANKS = "a rank, several, or a list such as 0-3,7"
_NETWORK = {"network_ports", "network_samples"}
_OTHER_TABLES = {
    "size": _NETWORK
    | {
        "paths",
        "messages",
        "patterns",
        "pattern_messages",
        "files",
        "file_accesses",
        "region_times",
        "intervals",
    },
    "region": _NETWORK
    | {"paths", "messages", "patterns", "pattern_messages", "files", "file_accesses", "intervals"},
    "rank": _NETWORK | {"paths", "patterns", "pattern_messages"},
    "node": _NETWORK | {"paths", "patterns", "pattern_messages"},
    "call": _NETWORK | {"region_times", "intervals"},
    "communicator": _NETWORK | {"paths", "region_times", "intervals"},
    "spans": _NETWORK | {"paths", "region_times", "intervals"},
}
"""What can't be restricted by each option, and is not exported with it."""


def selection(
    communicator: Names = "",
    rank: Ranks = "",
    call: Names = "",
    region: Names = "",
    node: Names = "",
    size: Sizes | None = None,
    spans: str | int = "",
) -> Selection:
    """Return the selection.

    Raises:
        RankwiseError: an argument has a wrong value.
    """
    try:
        sizes = _bins(size) if isinstance(size, tuple) else size if size is None else size_bins(str(size))
    except ValueError as error:
        raise RankwiseError(f"size: {error}") from None
    return Selection(
        _listed("communicator", communicator),
        str(rank) if isinstance(rank, SupportsIndex) else _listed("rank", rank, _RANKS),
        _listed("call", call),
        _listed("region", region),
        _listed("node", node),
        sizes,
        str(spans),
    )


def selected(connection: sqlite3.Connection, wanted: Selection, what: str) -> Selected | None:
    """Restrict the open profile to the selection; None if it is the whole profile.

    Args:
        connection: the profile.
        wanted: of it.
        what: a view, MATRIX or EXPORT.

    Raises:
        RankwiseError: there is no such communicator, rank, ..., or it is unknown.
    """
    given = wanted.given()
    if not given:
        return None
    asked = f"--by {what}" if what != MATRIX else "--matrix"
    for option in given:
        if why := _NOT_KNOWN.get((what, option)):
            raise RankwiseError(f"--{option} does not go with {asked}: {why}")
    return select(connection, wanted, sent_only=what == "collective")


def not_exported(wanted: Selection) -> set[str]:
    """Return the tables that are left out of an export of the part, because they can't be restricted so."""
    return {table for option in wanted.given() for table in _OTHER_TABLES[option]}


def size_bins(text: str) -> tuple[int, int]:
    """Return the first and the last size bin of a range as tables show it: `64-127`, `1K-2K`, `0`, `1M-`.

    Raises:
        ValueError: it is no range, or calls are not counted by it.
    """
    first, dash, last = text.partition("-")
    low = size_of(first)
    high = (size_of(last) if last.strip() else None) if dash else low
    begin = low.bit_length()  # the bin k holds sizes of k bits
    if not dash:
        return begin, begin
    # From 1 KiB on, tables show the end of a range as the beginning of the next one.
    end = _LAST_BIN if high is None else (high - 1 if high and not high & (high - 1) else high).bit_length()
    if (low and low & (low - 1)) or (high and high & (high - 1) and high & (high + 1)):
        raise ValueError(f"{text!r}: sizes are counted by powers of two, such as 1K-64K or 64-127")
    if end < begin:
        raise ValueError(f"{text!r} ends before it begins")
    return begin, end


def _bins(given: tuple[int, ...]) -> tuple[int, int]:
    """Return the first and the last size bin."""
    match given:
        case (int(first), int(last)) if 0 <= first <= last <= _LAST_BIN:
            return first, last
    raise ValueError(f"{given!r} is not the first and the last size bin, from 0 to {_LAST_BIN}")


def _listed(name: str, value: str | Iterable[str | SupportsIndex], takes: str = "a name, or several") -> str:
    """Return names or numbers as the command line has them."""
    listed = names(name, value, takes)
    if not listed:
        raise RankwiseError("an empty list selects nothing: remove it for all")
    return ",".join(listed)

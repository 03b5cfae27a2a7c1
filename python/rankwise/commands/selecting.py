"""Options that select a part of a profile, for the verbs that show one and write it."""

from __future__ import annotations

import argparse
import sqlite3

from rankwise.analysis.selection import Selected, Selection, select
from rankwise.errors import RankwiseError
from rankwise.latency.sizes import size_of

_MESSAGES = "messages are not counted by {}"
_WHOLE = "the algorithm of a collective is that of all its processes"
# What can't be answered, by what is asked for.
_NOT_KNOWN = {
    **{
        (what, option): _MESSAGES.format(option)
        for what in ("pair", "collective", "node", "matrix")
        for option in ("size", "region")
    },
    ("file", "size"): "accesses of files are not counted by size",
    ("file", "region"): "accesses of files are not counted by region",
    ("algorithm", "region"): _MESSAGES.format("region"),
    ("algorithm", "rank"): _WHOLE,
    ("algorithm", "node"): _WHOLE,
}
_LAST_BIN = 64
_OTHER_TABLES = {
    "size": {"messages", "patterns", "pattern_messages", "files", "file_accesses", "region_times"},
    "region": {"messages", "patterns", "pattern_messages", "files", "file_accesses"},
    "rank": {"patterns", "pattern_messages"},
    "node": {"patterns", "pattern_messages"},
    "call": {"region_times"},
    "communicator": {"region_times"},
}
"""What can't be restricted by each option, and is not exported with it."""


def add_selection(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    group = parser.add_argument_group("only a part of the run")
    group.add_argument(
        "--communicator", metavar="NAME,...", default="", help="these, their families, or what a library made"
    )
    group.add_argument(
        "--rank", metavar="LIST", default="", help="these ranks, such as 0-3,7; messages from and to them"
    )
    group.add_argument("--call", metavar="NAME,...", default="", help="these procedures: Bcast,Allreduce")
    group.add_argument(
        "--region",
        metavar="NAME,...",
        default="",
        help="calls in these regions: a name, a path a/b, or a/ for a and all nested in it",
    )
    group.add_argument("--node", metavar="NAME,...", default="", help="the ranks of these nodes")
    group.add_argument("--size", type=_sizes, metavar="FROM-TO", help="calls of these sizes: 1K-64K, 0, 1M-")


def selected(connection: sqlite3.Connection, arguments: argparse.Namespace, what: str) -> Selected | None:
    """Restrict the open profile to what the options say; None if they say nothing.

    Args:
        connection: the profile.
        arguments: of the command line.
        what: a view, `matrix` or `export`.

    Raises:
        RankwiseError: there is no such communicator, rank, ..., or it can't be told.
    """
    wanted = selection(arguments)
    given = wanted.given()
    if not given:
        return None
    asked = f"--by {what}" if what != "matrix" else "--matrix"
    for option in given:
        if why := _NOT_KNOWN.get((what, option)):
            raise RankwiseError(f"--{option} does not go with {asked}: {why}")
    return select(connection, wanted, sent_only=what == "collective")


def selection(arguments: argparse.Namespace) -> Selection:
    """Return what the options say."""
    return Selection(
        arguments.communicator,
        arguments.rank,
        arguments.call,
        arguments.region,
        arguments.node,
        arguments.size,
    )


def not_exported(arguments: argparse.Namespace) -> set[str]:
    """Return the tables that the options leave out of an export, because they can't be restricted so."""
    return {table for option in selection(arguments).given() for table in _OTHER_TABLES[option]}


def _sizes(text: str) -> tuple[int, int]:
    """Return the first and the last size bin of a range as tables show it: `64-127`, `1K-2K`, `0`, `1M-`."""
    first, dash, last = text.partition("-")
    try:
        low = size_of(first)
        high = (size_of(last) if last.strip() else None) if dash else low
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    begin = low.bit_length()  # the bin k holds sizes of k bits
    if not dash:
        return begin, begin
    # From 1 KiB on, tables show the end of a range as the beginning of the next one.
    end = _LAST_BIN if high is None else (high - 1 if high and not high & (high - 1) else high).bit_length()
    if (low and low & (low - 1)) or (high and high & (high - 1) and high & (high + 1)):
        raise argparse.ArgumentTypeError(
            f"{text!r}: sizes are counted by powers of two, such as 1K-64K or 64-127"
        )
    if end < begin:
        raise argparse.ArgumentTypeError(f"{text!r} ends before it begins")
    return begin, end

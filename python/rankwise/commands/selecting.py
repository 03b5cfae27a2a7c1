"""Options that select a part of a profile, for the verbs that show one and write it."""

from __future__ import annotations

import argparse

from rankwise.analysis.selection import Selection
from rankwise.reading.parts import selection, size_bins


def add_selection(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    group = parser.add_argument_group("only a part of the run")
    group.add_argument(
        "--communicator",
        metavar="NAME,...",
        default="",
        help="these, their families, or those created by a library",
    )
    group.add_argument(
        "--rank", metavar="LIST", default="", help="these ranks, such as 0-3,7, and messages from and to them"
    )
    group.add_argument("--call", metavar="NAME,...", default="", help="these procedures: Bcast,Allreduce")
    group.add_argument(
        "--region",
        metavar="NAME,...",
        default="",
        help="calls in these regions: a name, a path a/b, or a/ for a and all nested regions",
    )
    group.add_argument("--node", metavar="NAME,...", default="", help="the ranks of these nodes")
    group.add_argument("--size", type=_sizes, metavar="FROM-TO", help="calls of these sizes: 1K-64K, 0, 1M-")


def wanted(arguments: argparse.Namespace) -> Selection:
    """Return what the options say."""
    return selection(
        arguments.communicator,
        arguments.rank,
        arguments.call,
        arguments.region,
        arguments.node,
        arguments.size,
    )


def _sizes(text: str) -> tuple[int, int]:
    try:
        return size_bins(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None

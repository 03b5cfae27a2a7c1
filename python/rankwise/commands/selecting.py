"""Options that select a part of a profile, for the verbs that show one and write it."""

from __future__ import annotations

import argparse
from typing import Any

from rankwise.analysis.messages.kinds import BY_OPTION
from rankwise.analysis.selection import Selection
from rankwise.reading.parts import selection, size_bins


def add_selection(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    group = parser.add_argument_group("restrict to part of the run")
    group.add_argument(
        "--communicator",
        metavar="NAME,...",
        default="",
        help="communicators, families, or those created by a library",
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
    group.add_argument(
        "--node", metavar="LIST", default="", help="the ranks of these nodes: a,b or node[01-16]"
    )
    group.add_argument(
        "--size", type=_sizes, metavar="SIZE", help="calls of this size, or of a range: 0, 1K-64K, 1M-"
    )
    group.add_argument(
        "--spans",
        metavar="NODES",
        default="",
        help="communicators whose members are on so many nodes: 1, 2-4, 2-",
    )


def add_kind(group: Any, *, only_with: str = "") -> None:
    """Declare --kind.

    Args:
        group: a parser, or a group of its arguments.
        only_with: the option that it needs; '' = none.
    """
    group.add_argument(
        "--kind",
        choices=tuple(BY_OPTION),
        default=None if only_with else "all",
        help=f"{only_with and f'with {only_with}: '}messages of this kind alone; program: the program's"
        " own messages, point-to-point and one-sided (default: all)",
    )


def wanted(arguments: argparse.Namespace) -> Selection:
    """Return what the options say."""
    return selection(
        arguments.communicator,
        arguments.rank,
        arguments.call,
        arguments.region,
        _nodes(arguments.node),
        arguments.size,
        arguments.spans,
    )


def _nodes(text: str) -> str:
    """Return names of nodes, separated by commas, of a list as Slurm writes it."""
    if "[" not in text:
        return text
    from rankwise.topology.machine.hosts import hosts_of  # not above: few lists need it, and it takes time

    return ",".join(hosts_of(text))


def _sizes(text: str) -> tuple[int, int]:
    try:
        return size_bins(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None

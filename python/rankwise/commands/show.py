"""Show a profile: the summary, or one table or matrix of it.

Without options, the summary that `rankwise run` prints; -v shows more. With --by, one table, sorted
by time in MPI (pairs by bytes). Tables are cut at --limit rows, with a last row for the sum of the
others; --json is never truncated. With --matrix, the traffic between ranks or nodes. Both can be
restricted to a part of the run.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from rankwise.analysis.messages.matrix import ENDS, KINDS, MEASURES
from rankwise.commands.limits import add_json, add_limit
from rankwise.commands.printing import print_answer
from rankwise.commands.selecting import add_kind, add_selection, wanted
from rankwise.errors import RankwiseError
from rankwise.reading.answers import LIMIT, Answer
from rankwise.reading.profile import Profile
from rankwise.views.by import VIEWS
from rankwise.views.view import Detail


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command line of `rankwise show`."""
    parser.add_argument("profile", type=Path, metavar="F.rankwise", help="the profile to show")
    views = f"{', '.join(VIEWS[:-1])} or {VIEWS[-1]}"
    parser.add_argument(
        "--by",
        choices=VIEWS,
        metavar="VIEW",
        help=f"show one table instead of the summary: {views}; with --matrix: its rows, rank (default) or "
        "node",
    )
    parser.add_argument(
        "--matrix", action="store_true", help="show the traffic between ranks or nodes instead of the summary"
    )
    add_kind(parser, only_with="--matrix")
    parser.add_argument("--of", choices=MEASURES, help="with --matrix: the numbers in it (default: bytes)")
    add_json(parser)
    parser.add_argument(
        "-v",
        "--verbose",
        action="count",
        default=0,
        help="more columns and rows; for the summary, a longer one, and with -vv everything",
    )
    add_limit(parser, LIMIT, "a table")
    add_selection(parser)


def run(arguments: argparse.Namespace) -> int:
    """Show the profile; 0, or RankwiseError if it can't be read."""
    for option in ("kind", "of"):
        if getattr(arguments, option) is not None and not arguments.matrix:
            raise RankwiseError(f"--{option} goes with --matrix: add it")
    profile = Profile(arguments.profile, wanted(arguments))
    if arguments.matrix:
        kind, of = arguments.kind or KINDS[0], arguments.of or MEASURES[0]
        if arguments.by not in (None, *ENDS):
            raise RankwiseError(f"a matrix has a row for each rank or node, and none for each {arguments.by}")
        answer: Answer = profile.matrix(arguments.by or ENDS[0], kind=kind, of=of)
    elif arguments.by:
        detail = Detail.VERBOSE if arguments.verbose else Detail.BRIEF
        answer = profile.view(arguments.by, detail=Detail.ALL if arguments.json else detail)
    else:
        answer = profile.summary()
    print_answer(answer, json=arguments.json, verbose=arguments.verbose, limit=arguments.limit)
    return 0

"""Show a profile: the summary, or one table or matrix of it.

Without options, the summary that `rankwise run` prints; -v shows more. With --by, one table, sorted
by time in MPI (pairs by bytes). Tables are cut at --limit rows, with a last row for the sum of the
others; --json is never cut. With --matrix, the traffic between ranks or nodes. Both can be
restricted to a part of the run.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from rankwise.analysis.messages.matrix import ENDS, KINDS, MEASURES
from rankwise.commands.limits import add_limit
from rankwise.commands.selecting import add_selection, wanted
from rankwise.errors import RankwiseError
from rankwise.reading.answers import LIMIT, Answer
from rankwise.reading.profile import Profile
from rankwise.views.by import VIEWS
from rankwise.views.view import Detail


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command line of `rankwise show`."""
    parser.add_argument("profile", type=Path, metavar="F.rankwise", help="the profile to show")
    shown = parser.add_mutually_exclusive_group()
    views = f"{', '.join(VIEWS[:-1])} or {VIEWS[-1]}"
    shown.add_argument(
        "--by", choices=VIEWS, metavar="VIEW", help=f"show one table instead of the summary: {views}"
    )
    shown.add_argument(
        "--matrix", choices=ENDS, help="show the traffic between ranks or nodes instead of the summary"
    )
    parser.add_argument("--kind", choices=KINDS, help="with --matrix: only these messages (default: all)")
    parser.add_argument("--of", choices=MEASURES, help="with --matrix: the numbers in it (default: bytes)")
    parser.add_argument(
        "--only",
        metavar="CALL,...",
        help="with --matrix: only messages of these calls, such as Bcast,Allreduce",
    )
    parser.add_argument(
        "--json", action="store_true", help="as JSON, with everything and the same keys in every view"
    )
    parser.add_argument(
        "-v",
        "--verbose",
        action="count",
        default=0,
        help="more columns and rows; of the summary a longer one, and with -vv everything",
    )
    add_limit(parser, LIMIT, "a table")
    add_selection(parser)


def run(arguments: argparse.Namespace) -> int:
    """Show the profile; 0, or RankwiseError if it can't be read."""
    for option in ("kind", "of", "only"):
        if getattr(arguments, option) is not None and not arguments.matrix:
            raise RankwiseError(f"--{option} goes with --matrix: add `--matrix rank` or `--matrix node`")
    profile = Profile(arguments.profile, wanted(arguments))
    if arguments.matrix:
        only = arguments.only.split(",") if arguments.only else []
        kind, of = arguments.kind or KINDS[0], arguments.of or MEASURES[0]
        answer: Answer = profile.matrix(arguments.matrix, kind=kind, of=of, only=only)
    elif arguments.by:
        detail = Detail.VERBOSE if arguments.verbose else Detail.BRIEF
        answer = profile.view(arguments.by, detail=Detail.ALL if arguments.json else detail)
    else:
        answer = profile.summary()
    if arguments.json:
        sys.stdout.writelines(answer.json_text())
        sys.stdout.write("\n")
    else:
        answer.show(sys.stdout, verbose=arguments.verbose, limit=arguments.limit)
    return 0

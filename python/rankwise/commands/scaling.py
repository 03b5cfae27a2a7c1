"""Show how a program scales: POP's efficiencies, what stops scaling, and times with more ranks.

    rankwise scaling DIR
    rankwise scaling n2.rankwise n4.rankwise n8.rankwise n16.rankwise --at 1024

Give profiles of one program with at least two numbers of ranks. Several runs with the same number separate
scaling from noise; models and predictions need four numbers.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from rankwise.commands.limits import add_json, add_limit, positive_count
from rankwise.commands.page_of_runs import add_page, check_page, write_page
from rankwise.commands.printing import print_answer

_DEFAULT_LIMIT = 8
# As in rankwise.runs.scaling_figures, which takes time to load.
_BY = ("communicator", "call", "region", "site")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command line of `rankwise scaling`."""
    parser.add_argument(
        "profiles",
        type=Path,
        nargs="+",
        metavar="F.rankwise|DIR",
        help="profiles, and directories of profiles",
    )
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument(
        "--strong", action="store_true", help="the same problem for any number of ranks (default: found)"
    )
    kind.add_argument("--weak", action="store_true", help="the same problem for each rank (default: found)")
    parser.add_argument(
        "--reference-ranks",
        type=positive_count,
        metavar="RANKS",
        help="compare with these runs (default: the fewest ranks)",
    )
    parser.add_argument(
        "--program", metavar="NAME", default="", help="only of this program; * and ? as in a shell"
    )
    parser.add_argument(
        "--by",
        choices=_BY,
        default=_BY[0],
        metavar="KEY",
        help=f"rows: {', '.join(_BY)} (default: %(default)s)",
    )
    parser.add_argument(
        "--at", type=positive_count, metavar="RANKS", help="predict the times with this number of ranks"
    )
    parser.add_argument(
        "--parameter", metavar="TAG", default="", help="a tag with numbers, the second parameter of models"
    )
    add_page(parser)
    add_json(parser)
    parser.add_argument("-v", "--verbose", action="store_true", help="more tables and columns")
    add_limit(parser, _DEFAULT_LIMIT, "a table")


def run(arguments: argparse.Namespace) -> int:
    """Show it; 0, 1 if a profile could not be read, or RankwiseError if the runs can't be compared."""
    from rankwise.reading.scaling import scaling

    check_page(arguments.output, force=arguments.force)
    answer = scaling(
        arguments.profiles,
        kind="strong" if arguments.strong else "weak" if arguments.weak else None,
        reference=arguments.reference_ranks,
        program=arguments.program,
        parameter=arguments.parameter,
        by=arguments.by,
        at=arguments.at,
    )
    write_page(arguments.output, answer)
    print_answer(answer, json=arguments.json, verbose=arguments.verbose, limit=arguments.limit)
    return int(bool(answer.unreadable))

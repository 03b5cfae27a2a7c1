"""List runs: a line for each profile, with its job, program, time, efficiency and limit.

  rankwise list DIR
  rankwise list DIR --program lmp --since 2026-11-01 --sort wall
  rankwise list DIR -o index.html

Directories are searched for *.rankwise. The page that -o writes links the reports that `rankwise run
--report` and `rankwise report` have put beside the profiles.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from rankwise.commands.configurations import tags_of
from rankwise.commands.limits import add_json, add_limit, date_text, positive_count
from rankwise.commands.page_of_runs import add_page, check_page, write_page
from rankwise.commands.printing import print_answer
from rankwise.reading.runs import open_many
from rankwise.runs.choice import SORTS


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command line of `rankwise list`."""
    parser.add_argument(
        "profiles",
        type=Path,
        nargs="+",
        metavar="F.rankwise|DIR",
        help="profiles, and directories of profiles",
    )
    parser.add_argument(
        "--program", metavar="NAME", default="", help="only of this program; * and ? as in a shell"
    )
    parser.add_argument(
        "--ranks", type=positive_count, metavar="N", default=0, help="only with this number of ranks"
    )
    parser.add_argument(
        "--since",
        type=date_text,
        metavar="DATE",
        help="only from this date on, UTC: 2026-11, 2026-11-20T12:00",
    )
    parser.add_argument(
        "--tag",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="only with this tag; may be given several times",
    )
    parser.add_argument(
        "--sort",
        choices=tuple(SORTS),
        default="started",
        metavar="KEY",
        help=f"order of the lines: {', '.join(SORTS)} (default: %(default)s)",
    )
    add_page(parser, "a page to filter and to sort")
    add_json(parser)
    parser.add_argument("-v", "--verbose", action="store_true", help="more columns, such as the verdict")
    add_limit(parser, 0, "the list")


def run(arguments: argparse.Namespace) -> int:
    """List the runs; 0, 1 if a profile could not be read, or RankwiseError if none could."""
    check_page(arguments.output, force=arguments.force)
    runs = open_many(
        arguments.profiles,
        program=arguments.program,
        ranks=arguments.ranks,
        since=arguments.since or "",
        tags=tags_of(arguments.tag),
        sort=arguments.sort,
    )
    write_page(arguments.output, runs)
    print_answer(runs, json=arguments.json, verbose=arguments.verbose, limit=arguments.limit)
    return int(bool(runs.unreadable))

"""Compare runs: what became slower or faster, what explains it, and what is noise.

Give two profiles, or several per side to separate changes from noise:

    rankwise diff BEFORE.rankwise AFTER.rankwise
    rankwise diff B1.rankwise B2.rankwise B3.rankwise -- A1.rankwise A2.rankwise A3.rankwise

With --fail-above the exit status is 1 if the job became worse by more than this, for CI.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from rankwise.commands.limits import add_json, add_limit, percentage
from rankwise.commands.sides import sides

# As in rankwise.comparison.figures, which takes time to load.
METRICS = ("wall", "mpi", "other", "init_finalize", "mpi_percent", "calls", "bytes_sent", "messages")
_DEFAULT_LIMIT = 6


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command line of `rankwise diff`."""
    parser.add_argument(
        "profiles",
        type=Path,
        nargs="+",
        metavar="F.rankwise",
        help="before and after; with several per side: those before, `--`, those after",
    )
    parser.add_argument(
        "--fail-above",
        type=percentage,
        metavar="PERCENT",
        help="exit with 1 if the metric became worse by more than this: 5%%, or 5",
    )
    parser.add_argument(
        "--metric",
        choices=METRICS,
        default=METRICS[0],
        metavar="METRIC",
        help=f"for --fail-above: {', '.join(METRICS)} (default: %(default)s)",
    )
    add_json(parser)
    parser.add_argument("-v", "--verbose", action="store_true", help="more tables and columns")
    add_limit(parser, _DEFAULT_LIMIT, "a table")


def run(arguments: argparse.Namespace) -> int:
    """Compare; 0, 1 if the job became worse by more than it may, or RankwiseError if a file can't be read."""
    from rankwise.reading.difference import diff

    before, after = sides("diff", arguments.profiles, arguments.other_side)
    found = diff(before, after, fail_above=arguments.fail_above, metric=arguments.metric)
    if arguments.json:
        sys.stdout.writelines(found.json_text())
        sys.stdout.write("\n")
    else:
        found.show(sys.stdout, verbose=arguments.verbose, limit=arguments.limit)
    return int(found.failed)

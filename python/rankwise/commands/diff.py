"""Compare runs: what became slower or faster, what explains it, and what is noise.

Give two profiles, or several per side to separate changes from noise:

    rankwise diff BEFORE.rankwise AFTER.rankwise
    rankwise diff B1.rankwise B2.rankwise B3.rankwise -- A1.rankwise A2.rankwise A3.rankwise

Three sides or more are compared with the first, or with the side that --reference names:

    rankwise diff --names ring,bruck,pairwise r*.rankwise -- b*.rankwise -- p*.rankwise

With --fail-above the exit status is 1 if the job became worse by more than this, for CI, and --output writes
what pipelines show.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from rankwise.commands.limits import add_json, add_limit, percentage
from rankwise.commands.printing import print_answer
from rankwise.commands.sides import add_profiles_of_sides, are_several, named_sides, sides
from rankwise.errors import RankwiseError
from rankwise.whole_files import appearing

# As in rankwise.comparison.figures, which takes time to load.
METRICS = ("wall", "mpi", "other", "init_finalize", "mpi_percent", "calls", "bytes_sent", "messages")
_DEFAULT_LIMIT = 6


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command line of `rankwise diff`."""
    add_profiles_of_sides(parser)
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
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="for a pipeline, by the ending: a summary in Markdown (.md), JUnit (.xml), Code Quality (.json),"
        " a badge (.svg); with three sides or more a page (.html); may be given several times, and replaces"
        " the file",
    )
    add_json(parser)
    parser.add_argument("-v", "--verbose", action="store_true", help="more tables and columns")
    add_limit(parser, _DEFAULT_LIMIT, "a table")


def run(arguments: argparse.Namespace) -> int:
    """Compare; 0, 1 if the job became worse by more than it may, or RankwiseError if a file can't be read."""
    if are_several(arguments):
        return _run_several(arguments)
    from rankwise.reading.difference import diff

    before, after = sides("diff", arguments.profiles, arguments.other_side)
    comparison = diff(before, after, fail_above=arguments.fail_above, metric=arguments.metric)
    for path in arguments.output:
        text = comparison.for_pipeline(path)
        with appearing(path, option="--output") as (new,):
            new.write_text(text, encoding="utf-8")
    print_answer(comparison, json=arguments.json, verbose=arguments.verbose, limit=arguments.limit)
    return int(comparison.failed)


def _run_several(arguments: argparse.Namespace) -> int:
    from rankwise.reading.difference import diff_sides

    if arguments.fail_above is not None:
        raise RankwiseError("--fail-above goes with two sides: leave it out")
    for path in arguments.output:
        if path.suffix != ".html":
            raise RankwiseError(f"--output {path}: of three sides or more there is a page only: FILE.html")
    several = diff_sides(named_sides("diff", arguments), reference=arguments.reference or "")
    for path in arguments.output:
        with appearing(path, option="--output") as (new,):
            new.write_bytes(several.html_page(path.parent))
    print_answer(several, json=arguments.json, verbose=arguments.verbose, limit=arguments.limit)
    return 0

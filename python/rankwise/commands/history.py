"""Show how the run time of a job develops: since which commit or day it is slower, and what explains it.

  rankwise history DIR
  rankwise history DIR --program app --tag size=large --by day
  rankwise history DIR --fail-above 5% -o summary.md

Only runs of one configuration are compared: program, arguments, MPI library, ranks, nodes and tags. The
configuration with the most runs is shown. A change is reported only if it is no noise.
With --fail-above the exit status is 1 if the newest change is to the worse by more than this, for CI.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from rankwise.commands.configurations import add_configuration, tags_of
from rankwise.commands.limits import add_json, add_limit, percentage
from rankwise.commands.printing import print_answer
from rankwise.whole_files import appearing

# As in rankwise.runs.history, which takes time to load.
BY = ("commit", "day", "run")
_DEFAULT_LIMIT = 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command line of `rankwise history`."""
    add_configuration(parser)
    parser.add_argument(
        "--by",
        choices=BY,
        help="runs that are taken together: of a commit or of a day; run: none"
        " (default: commit if the runs have several, else run)",
    )
    parser.add_argument(
        "--fail-above",
        type=percentage,
        metavar="PERCENT",
        help="exit with 1 if the newest change made the wall time longer by more than this: 5%%, or 5",
    )
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="for a pipeline, by the ending: a summary in Markdown (.md), JUnit (.xml), Code Quality (.json),"
        " a badge (.svg); or a page with charts (.html); may be given several times, and replaces the file",
    )
    add_json(parser)
    parser.add_argument("-v", "--verbose", action="store_true", help="more columns")
    add_limit(parser, _DEFAULT_LIMIT, "a table")


def run(arguments: argparse.Namespace) -> int:
    """Show it; 0, 1 if the job became slower by more than it may, or RankwiseError if no run is left."""
    from rankwise.reading.history import history

    answer = history(
        arguments.profiles,
        by=arguments.by or "",
        fail_above=arguments.fail_above,
        program=arguments.program,
        ranks=arguments.ranks,
        nodes=arguments.node_count,
        library=arguments.library,
        tags=tags_of(arguments.tag),
    )
    for path in arguments.output:
        is_page = path.suffix == ".html"
        content = answer.html_page(path.parent) if is_page else answer.for_pipeline(path).encode()
        with appearing(path, option="--output") as (new,):
            new.write_bytes(content)
    print_answer(answer, json=arguments.json, verbose=arguments.verbose, limit=arguments.limit)
    return int(answer.failed)

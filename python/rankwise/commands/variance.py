"""Show what goes with the run time of repeated runs: why the same job takes longer on some days.

  rankwise variance DIR
  rankwise variance DIR -o variance.html
  rankwise variance RUN*.rankwise --plot figure.svg

Only runs of one configuration are compared: program, arguments, MPI library, ranks, nodes and tags. The
configuration with the most runs is shown. Communicators, calls, regions, ranks, hosts,
processors and network counters are candidates. --plot draws the run time over the best one, or over --of.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from rankwise import extras
from rankwise.commands.configurations import add_configuration, tags_of
from rankwise.commands.limits import add_json, add_limit
from rankwise.commands.page_of_runs import add_page, check_page, write_page
from rankwise.commands.pictures import add_picture_size, picture_kind
from rankwise.commands.printing import print_answer
from rankwise.errors import RankwiseError
from rankwise.whole_files import appearing, refuse_existing

_DEFAULT_LIMIT = 12
_SHAPE = 0.62  # of the height to the width
_LEAST_HEIGHT = 2.2  # inches


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command line of `rankwise variance`."""
    add_configuration(parser)
    parser.add_argument(
        "--plot",
        type=Path,
        metavar="FILE",
        help="draw the run time over the best candidate; its kind follows from the ending: .pdf, .svg, .png",
    )
    parser.add_argument(
        "--of",
        default="",
        metavar="NAME",
        help="with --plot: the candidate, as in the table: W_s2, 'Allreduce on W_s2'",
    )
    add_picture_size(parser)
    add_page(parser, replaced="this page, and the picture of --plot")
    add_json(parser)
    parser.add_argument("-v", "--verbose", action="store_true", help="all candidates, and the profiles")
    add_limit(parser, _DEFAULT_LIMIT, "a table")


def run(arguments: argparse.Namespace) -> int:
    """Show it; 0, or RankwiseError if no run is left, or the picture cannot be written."""
    from rankwise.reading.variance import variance

    check_page(arguments.output, force=arguments.force)
    picture: Path | None = arguments.plot
    kind = ""
    if picture:
        kind = picture_kind(picture)
        extras.check("matplotlib")
        refuse_existing(picture, force=arguments.force)
    elif arguments.of:
        raise RankwiseError("--of goes with --plot")
    answer = variance(
        arguments.profiles,
        program=arguments.program,
        ranks=arguments.ranks,
        nodes=arguments.node_count,
        library=arguments.library,
        tags=tags_of(arguments.tag),
    )
    if picture:
        from rankwise.render.figures.plots.paper import paper_figure

        width: float = arguments.width
        height = max(_SHAPE * width, min(width, _LEAST_HEIGHT))
        content = paper_figure(
            lambda axes: answer.plot(arguments.of, ax=axes), width, height, kind, arguments.dpi
        )
        with appearing(picture, option="--plot") as [unfinished]:
            unfinished.write_bytes(content)
    write_page(arguments.output, answer)
    print_answer(answer, json=arguments.json, verbose=arguments.verbose, limit=arguments.limit)
    return 0

"""Show a measurement: its levels, their costs, and outliers.

Takes Rankwise's own files, logs of mmpi and output of mpiGraph. Without options, the summary. With --by, one
table; with --matrix, a heat map.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from pathlib import Path
from types import ModuleType

from rankwise.commands.latency.statistics import add_statistic
from rankwise.commands.limits import add_json, add_limit
from rankwise.commands.sizes import message_size
from rankwise.errors import RankwiseError

VIEWS = ("level", "pair", "node", "rank")
_DEFAULT_LIMIT = 30


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command line of `rankwise latency show`."""
    parser.add_argument("file", type=Path, metavar="F.json", help="the measurement to show")
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument(
        "--by", choices=VIEWS, metavar="VIEW", help="show one table: level, pair, node or rank"
    )
    shown.add_argument(
        "--matrix", action="store_true", help="show a heat map of all pairs in place of the summary"
    )
    add_statistic(parser, "with --matrix: ", "the least disturbed latency that is in the file")
    parser.add_argument(
        "--size",
        type=message_size,
        metavar="SIZE",
        help="with --by and --matrix: message size, such as 64 or 1M (default: the smallest one measured; "
        "for the bandwidth the largest)",
    )
    add_json(parser)
    add_limit(parser, _DEFAULT_LIMIT, "a table")


def run(arguments: argparse.Namespace) -> int:
    """Show the measurement; 0, or RankwiseError if it can't be read."""
    _check(arguments)
    if arguments.matrix:
        _print_matrix(arguments)
    elif arguments.json:
        _print_json(arguments)
    else:
        _print(arguments)
    return 0


def _check(arguments: argparse.Namespace) -> None:
    if arguments.size is not None and not (arguments.by or arguments.matrix):
        raise RankwiseError("--size goes with --by or --matrix: the summary shows all sizes")
    if arguments.statistic is not None and not arguments.matrix:
        raise RankwiseError("--statistic goes with --matrix: add it")


def _print_matrix(arguments: argparse.Namespace) -> None:
    from rankwise.render.figures.heatmap.view import default_size, view
    from rankwise.render.terminal.heatmap import heatmap_lines
    from rankwise.render.terminal.page import Page
    from rankwise.topology.hierarchy.distances import best_statistic
    from rankwise.topology.pairs.relative import values
    from rankwise.views.latency.as_json import json_text
    from rankwise.views.latency.found import found_in
    from rankwise.views.latency.matrix import data

    measured = found_in(arguments.file)
    chosen = values(measured.measurement, arguments.size)
    latency = best_statistic(measured.measurement)
    default = "bandwidth" if chosen.what == "bandwidth" else latency
    statistic = arguments.statistic or default
    size = default_size(measured.measurement, statistic) if arguments.size is None else arguments.size
    if arguments.json:
        view(measured.measurement, measured.hierarchy, statistic, size)  # complains of what is not there
        sys.stdout.write(f"{json_text(data(measured, statistic, size))}\n")
        return
    page = Page(sys.stdout)
    page.write(*heatmap_lines(page, measured.measurement, measured.hierarchy, statistic, size))


def _print_json(arguments: argparse.Namespace) -> None:
    from rankwise.render.terminal.latency import summary
    from rankwise.views.latency.as_json import json_text
    from rankwise.views.latency.found import found_in

    measured = found_in(arguments.file)
    shown = _view(arguments.by).data(measured, arguments.size) if arguments.by else summary.data(measured)
    sys.stdout.write(f"{json_text(shown)}\n")


def _print(arguments: argparse.Namespace) -> None:
    from rankwise.render.terminal.latency.summary import summary_lines
    from rankwise.render.terminal.page import Page
    from rankwise.render.terminal.view import show_table
    from rankwise.views.latency.found import found_in
    from rankwise.views.view import Detail

    measured = found_in(arguments.file)
    page = Page(sys.stdout)
    if arguments.by:
        table = _view(arguments.by).table(measured, arguments.size, arguments.limit)
        show_table(page, table, Detail.BRIEF, arguments.limit)
    else:
        page.write(*summary_lines(page, measured, arguments.limit))


def _view(name: str) -> ModuleType:
    return importlib.import_module(f"rankwise.views.latency.{name}")

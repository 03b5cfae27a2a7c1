"""Draw a measurement as a heat map.

All pairs of ranks, ordered by switch, node and socket as the measurement shows them, with a
histogram of each level, the nodes side by side, and the outliers. SVG, PDF and PNG are drawings;
HTML is one zoomable page that works offline. If there are more pairs than cells, a cell shows the
worst of its pairs.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from rankwise.commands.latency.statistics import add_statistic
from rankwise.commands.sizes import message_size
from rankwise.errors import RankwiseError
from rankwise.whole_files import appearing, refuse_existing

_DRAWINGS = ("svg", "pdf", "png")
_PAGES = ("html", "htm")
_ORDERS = ("machine", "rank")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "measurement", type=Path, metavar="F.json", help="what to draw; logs of mmpi and mpiGraph, too"
    )
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="FILE",
        required=True,
        help="the picture; its kind follows from the ending: .svg, .pdf, .png or .html",
    )
    add_statistic(parser, "", "median, or what there is")
    parser.add_argument(
        "--size",
        type=message_size,
        metavar="SIZE",
        help="of the messages, such as 64 or 1M (default: the smallest; for the bandwidth the largest)",
    )
    parser.add_argument(
        "--order",
        choices=_ORDERS,
        default=_ORDERS[0],
        help="of the ranks: by the structure of the machine, or as in MPI_COMM_WORLD (default: %(default)s)",
    )
    parser.add_argument(
        "--surface", action="store_true", help="a three-dimensional surface instead of the heat map"
    )
    parser.add_argument("--force", action="store_true", help="replace the picture if it exists")


def run(arguments: argparse.Namespace) -> int:
    """Draw; 0, or RankwiseError if the measurement can't be read or drawn, or the picture not written."""
    output: Path = arguments.output
    kind = output.suffix.lower().removeprefix(".")
    if kind not in _DRAWINGS + _PAGES:
        endings = ", ".join(f".{known}" for known in (*_DRAWINGS, _PAGES[0]))
        raise RankwiseError(f"{output}: give it one of the endings {endings}")
    refuse_existing(output, force=arguments.force)
    content = _drawn(arguments, kind)
    with appearing(output) as [unfinished]:
        unfinished.write_bytes(content)
    return 0


def _drawn(arguments: argparse.Namespace, kind: str) -> bytes:
    """Return the content of the picture."""
    from rankwise.latency.formats.detect import read
    from rankwise.render.figures.heatmap.picture import picture
    from rankwise.render.figures.heatmap.view import default_size, default_statistic, view
    from rankwise.render.page.latency.page import latency_page
    from rankwise.topology.hierarchy.find import find_hierarchy

    measurement = read(arguments.measurement)
    statistic = arguments.statistic or default_statistic(measurement, arguments.size)
    size = default_size(measurement, statistic) if arguments.size is None else arguments.size
    view(measurement, None, statistic, size)  # complains before anything takes long
    shown = view(measurement, find_hierarchy(measurement), statistic, size, arguments.order)
    if kind in _PAGES:
        return latency_page(shown, surface=arguments.surface)
    return picture(shown, kind, surface=arguments.surface)

"""Draw a profile as a figure for a paper or a talk, without a browser.

  rankwise plot F.rankwise --what matrix -o traffic.pdf
  rankwise plot F.rankwise --what sizes --width 88mm -o sizes.svg

matrix: traffic between ranks; communicators: the time, bytes or calls on each, by
call; communicator-sizes: how many have how many processes; sizes: the time of calls by
the size of their data; balance: where the time of each rank went; timeline: activity of the ranks
over time; network: bytes at the network ports of the nodes over time, and the messages of the ranks.
Font sizes do not depend on the width: 88mm is one column of most papers, 180mm are two.
PDF and SVG keep text as text. The output is reproducible to the byte.
"""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from rankwise import extras
from rankwise.analysis.messages.matrix import ENDS, KINDS, MEASURES
from rankwise.commands.pictures import add_picture_size, picture_kind
from rankwise.commands.selecting import add_kind, add_selection, wanted
from rankwise.errors import RankwiseError
from rankwise.whole_files import appearing, refuse_existing

if TYPE_CHECKING:
    from collections.abc import Callable

    from rankwise.reading.profile import Profile

# Of the height to the width; communicators are as high as their bars.
_SHAPES = {
    "matrix": 0.82,
    "communicators": None,
    "communicator-sizes": 0.5,
    "sizes": 0.5,
    "balance": 0.45,
    "timeline": 0.5,
    "network": 0.5,
}
_WITH_MEASURE = ("matrix", "communicators", "timeline")
_LEAST_HEIGHT = 2.2  # inches


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command line of `rankwise plot`."""
    parser.add_argument("profile", type=Path, metavar="F.rankwise", help="the profile to draw")
    parser.add_argument("--what", choices=_SHAPES, required=True, help="what is drawn")
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="FILE",
        required=True,
        help="the picture; its kind follows from the ending: .pdf, .svg or .png",
    )
    parser.add_argument(
        "--by", choices=ENDS, help="with matrix: messages between ranks or nodes (default: rank)"
    )
    add_kind(parser, only_with="matrix")
    parser.add_argument(
        "--of",
        metavar="MEASURE",
        help="with matrix: bytes (default) or messages; with communicators: time (default), bytes or calls; "
        "with timeline: mpi, the share of the time (default), or bytes_sent, bytes_received, messages or "
        "calls per second",
    )
    add_picture_size(parser)
    parser.add_argument("--force", action="store_true", help="replace the picture if it exists")
    add_selection(parser)


def run(arguments: argparse.Namespace) -> int:
    """Draw; 0, or RankwiseError if the profile can't be read or drawn, or the picture not written."""
    from rankwise.reading.profile import Profile

    output: Path = arguments.output
    kind = picture_kind(output)
    what: str = arguments.what
    for option in ("by", "kind"):
        if getattr(arguments, option) is not None and what != "matrix":
            raise RankwiseError(f"--{option} goes with --what matrix")
    if arguments.of is not None and what not in _WITH_MEASURE:
        raise RankwiseError(f"--of goes with --what {', '.join(_WITH_MEASURE)}")
    extras.check("matplotlib")
    refuse_existing(output, force=arguments.force)
    profile = Profile(arguments.profile, wanted(arguments))

    from rankwise.render.figures.plots.paper import paper_figure

    width: float = arguments.width
    shape = _SHAPES[what]
    height = None if shape is None else max(shape * width, min(width, _LEAST_HEIGHT))
    content = paper_figure(_drawing(profile, _Drawn.asked(arguments)), width, height, kind, arguments.dpi)
    with appearing(output) as [unfinished]:
        unfinished.write_bytes(content)
    return 0


class _Drawn(NamedTuple):
    """The quantity to draw; None = the picture's own choice."""

    what: str
    of: str | None
    by: str
    kind: str

    @classmethod
    def asked(cls, arguments: argparse.Namespace) -> _Drawn:
        return cls(arguments.what, arguments.of, arguments.by or ENDS[0], arguments.kind or KINDS[0])


def _drawing(profile: Profile, drawn: _Drawn) -> Callable[[Any], object]:
    """Return what draws on the axes that it is given."""
    of = {} if drawn.of is None else {"of": drawn.of}
    draw = getattr(profile.plot, drawn.what.replace("-", "_"))
    if drawn.what == "matrix":
        if drawn.of not in (None, *MEASURES):
            raise RankwiseError(f"--of {drawn.of}: a matrix is of {' or '.join(MEASURES)}")
        draw = partial(draw, drawn.by, kind=drawn.kind)
    return lambda axes: draw(ax=axes, **of)

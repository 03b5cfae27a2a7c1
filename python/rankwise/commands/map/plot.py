"""`rankwise map --plot`: the placement as a drawing."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from rankwise import extras
from rankwise.errors import RankwiseError
from rankwise.whole_files import appearing, refuse_existing

if TYPE_CHECKING:
    from rankwise.analysis.messages.traffic import RunTraffic
    from rankwise.placement.mapping import Mapping

_KINDS = ("svg", "pdf", "png")


def add_argument(parser: argparse.ArgumentParser) -> None:
    """Declare the option."""
    parser.add_argument(
        "--plot", type=Path, metavar="FILE", help="draw who sends to whom before and after: .svg, .pdf, .png"
    )


def check(arguments: argparse.Namespace) -> None:
    """Refuse, before anything is computed, what can't be drawn; RankwiseError."""
    if arguments.plot is None:
        return
    if _kind(arguments.plot) not in _KINDS:
        raise RankwiseError(
            f"{arguments.plot}: give it one of the endings {', '.join(f'.{kind}' for kind in _KINDS)}"
        )
    extras.check("matplotlib")
    refuse_existing(arguments.plot, force=arguments.force, option="--plot")


def write(path: Path, mapping: Mapping, run: RunTraffic) -> None:
    """Draw; RankwiseError if the file can't be written."""
    from rankwise.render.figures.placement.picture import placement_picture

    content = placement_picture(mapping, run, _kind(path))
    with appearing(path, option="--plot") as [unfinished]:
        unfinished.write_bytes(content)


def _kind(path: Path) -> str:
    return path.suffix.lower().removeprefix(".")

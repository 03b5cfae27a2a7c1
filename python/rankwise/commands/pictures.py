"""Options of commands that draw figures for print: their size, and their kind by the ending of the name."""

from __future__ import annotations

import argparse
import math
from pathlib import Path

from rankwise.errors import RankwiseError

_ENDINGS = ("pdf", "svg", "png")
_MM = 25.4  # an inch
_LEAST, _MOST = 40.0, 1000.0  # mm
_DOTS = 300


def add_picture_size(parser: argparse.ArgumentParser) -> None:
    """Declare --width, in inches afterwards, and --dpi."""
    parser.add_argument(
        "--width",
        type=_width,
        default=_width("180mm"),
        metavar="WIDTH",
        help="of the picture, such as 88mm or 3.5in (default: 180mm)",
    )
    parser.add_argument(
        "--dpi", type=_dots, default=_DOTS, metavar="N", help="for PNG: dots per inch (default: %(default)s)"
    )


def picture_kind(output: Path) -> str:
    """Return the kind of a picture: its ending.

    Raises:
        RankwiseError: it has another ending.
    """
    kind = output.suffix.lower().removeprefix(".")
    if kind not in _ENDINGS:
        endings = ", ".join(f".{known}" for known in _ENDINGS)
        raise RankwiseError(
            f"{output}: give it one of the endings {endings}; `rankwise report` writes a page"
        )
    return kind


def _width(text: str) -> float:
    """Return a width in inches, of `88mm` or `3.5in`, for argparse."""
    unit = {"mm": _MM, "in": 1.0}.get(text[-2:], 0.0)
    try:
        inches = float(text[:-2]) / unit if unit else math.nan
    except ValueError:
        inches = math.nan
    if not _LEAST <= inches * _MM <= _MOST:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a width from {_LEAST:g}mm to {_MOST:g}mm, such as 88mm or 3.5in"
        )
    return inches


def _dots(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or not 30 <= int(text) <= 2400:
        raise argparse.ArgumentTypeError(f"{text!r}: give dots per inch from 30 to 2400")
    return int(text)

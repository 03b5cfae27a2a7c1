"""Numbers in options: rows of a table that are shown, and percentages."""

from __future__ import annotations

import argparse
import math


def add_limit(parser: argparse.ArgumentParser, default: int, of: str) -> None:
    """Declare --limit.

    Args:
        parser: of the command.
        default: number of rows.
        of: what they are rows of, for the help.
    """
    parser.add_argument(
        "--limit",
        type=_row_limit,
        default=default,
        metavar="N",
        help=f"rows of {of}, 0 = all (default: %(default)s)",
    )


def _row_limit(text: str) -> int:
    """Return a number of rows."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of rows; 0 shows all")
    return int(text)


def percentage(text: str) -> float:
    """Return a share in percent, of `5` or `5%`, for argparse."""
    try:
        share = float(text.removesuffix("%"))
    except ValueError:
        share = -1.0
    if not 0 <= share < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not a percentage such as 5")
    return share

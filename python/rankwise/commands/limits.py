"""Options that many verbs have: --limit, --seed, --json, percentages, and numbers of ranks."""

from __future__ import annotations

import argparse
import math
import re
from typing import Any

_DATE = re.compile(r"\d{4}(-\d\d(-\d\d([T ]\d\d(:\d\d(:\d\d)?)?)?)?)?")


def add_limit(parser: Any, default: int, of: str) -> None:
    """Declare --limit.

    Args:
        parser: of the command, or a group of its options.
        default: number of rows.
        of: what the rows show, for the help.
    """
    parser.add_argument(
        "--limit",
        type=_row_limit,
        default=default,
        metavar="N",
        help=f"rows of {of}, 0 = all (default: %(default)s)",
    )


def add_seed(parser: argparse.ArgumentParser, of: str, default: int | None = 1) -> None:
    """Declare --seed.

    Args:
        parser: of the command.
        of: what the random numbers are for, for the help.
        default: if nothing is said; None = another one each time.
    """
    parser.add_argument(
        "--seed",
        type=_seed,
        default=default,
        metavar="N",
        help=f"seed of the random numbers for {of} (default: {'any' if default is None else default})",
    )


def add_json(parser: Any) -> None:
    """Declare --json."""
    parser.add_argument("--json", action="store_true", help="as JSON, with everything; never truncated")


def _seed(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or int(text[:20]) >= 1 << 64 or len(text) > 20:
        raise argparse.ArgumentTypeError(f"{text[:20]!r} is not a whole number from 0 to 2^64 - 1")
    return int(text)


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


def positive_count(text: str) -> int:
    """Return a number from 1 on, for argparse."""
    if not text.isascii() or not text.isdecimal() or int(text[:9]) == 0 or len(text) > 8:
        raise argparse.ArgumentTypeError(f"{text[:20]!r} is not a number from 1 on")
    return int(text)


def date_text(text: str) -> str:
    """Return a date, with or without a time, for argparse."""
    if not _DATE.fullmatch(text):
        raise argparse.ArgumentTypeError(
            f"{text[:40]!r} is not a date such as 2026-11-20 or 2026-11-20T12:00"
        )
    return text.replace(" ", "T")

"""The options of commands that run the user's program again and again, and compare."""

from __future__ import annotations

import argparse
import math
from pathlib import Path

from rankwise.commands.durations import duration

RESOLVE, CONFIDENCE = 3.0, 95.0


def add_arguments(parser: argparse.ArgumentParser, confidence_of: str) -> None:
    """Declare them.

    Args:
        parser: of the command.
        confidence_of: what the confidence is for, in its help.
    """
    parser.add_argument(
        "--check",
        metavar="CMD",
        help="compare the output of each run with the first: CMD FIRST THIS; settings that fail it are "
        "rejected",
    )
    parser.add_argument(
        "--pairs",
        type=count,
        metavar="N",
        help="pairs of runs for each proof (default: as many as are needed; without --budget at most 20)",
    )
    parser.add_argument(
        "--resolve",
        type=percent,
        default=RESOLVE,
        metavar="PERCENT",
        help=f"gain to look for; the risk of missing twice as much is at most 10 %% (default: {RESOLVE:g})",
    )
    parser.add_argument(
        "--confidence",
        type=percent,
        default=CONFIDENCE,
        metavar="PERCENT",
        help=f"{confidence_of} (default: {CONFIDENCE:g})",
    )
    parser.add_argument(
        "--run-limit",
        type=duration,
        metavar="TIME",
        help="for each run of the program (default: ten times the longest so far, plus a minute)",
    )
    parser.add_argument(
        "--keep",
        type=Path,
        metavar="DIR",
        help="keep profiles and output of all runs in this new directory, which every node must see",
    )
    parser.add_argument("--seed", type=int, default=0, help="for the order of runs (default: 0)")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def count(text: str) -> int:
    """Return a number of things; ArgumentTypeError if it is none."""
    if not text.isascii() or not text.isdecimal() or not 1 <= int(text) <= 10_000:
        raise argparse.ArgumentTypeError(f"{text}: give a whole number from 1 to 10000")
    return int(text)


def percent(text: str) -> float:
    """Return a share in percent; ArgumentTypeError if it is none."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value < 100:
        raise argparse.ArgumentTypeError(f"{text}: give a number above 0 and below 100")
    return value

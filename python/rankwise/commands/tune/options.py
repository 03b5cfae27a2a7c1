"""The options of `rankwise tune`, and which of them go together."""

from __future__ import annotations

import argparse
import math
from pathlib import Path

from rankwise.commands.durations import duration
from rankwise.errors import RankwiseError

RESOLVE, CONFIDENCE, CELLS = 3.0, 95.0, 8

_APPLIES = {"collectives", "parameters", "recheck"}
_ONLY = {
    "apply": _APPLIES,
    "force": _APPLIES,
    "bitwise": {"collectives"},
    "check": {"collectives", "parameters"},
    "cells": {"collectives"},
    "pairs": {"collectives", "parameters"},
    "run_limit": {"collectives", "parameters"},
    "keep": {"collectives", "parameters"},
    "sizes": {"guidelines"},
}
"""Options that say something in these modes alone."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare them."""
    parser.add_argument(
        "--apply",
        type=Path,
        metavar="FILE",
        help="write the settings here if they are proven to gain, such as app.tuned.json",
    )
    parser.add_argument(
        "--force", action="store_true", default=None, help="replace FILE, and what is beside it"
    )
    parser.add_argument(
        "--budget", type=duration, metavar="TIME", help="for everything, such as 20min (default: no limit)"
    )
    parser.add_argument(
        "--bitwise",
        action="store_true",
        default=None,
        help="leave alone what could change results in their last digits",
    )
    parser.add_argument(
        "--check",
        metavar="CMD",
        help="compare the output of each run with that of the first one: CMD FIRST THIS; settings with"
        " which it fails are out",
    )
    parser.add_argument(
        "--parameters",
        nargs="?",
        const="",
        metavar="LIST",
        help="try parameters of the whole program: those that the profile suggests, or a list of your own",
    )
    parser.add_argument(
        "--guidelines", action="store_true", help="look where the library's defaults are needlessly slow"
    )
    parser.add_argument("--sizes", metavar="LIST", help="of --guidelines, in bytes (default: 8,1K,32K,256K)")
    parser.add_argument(
        "--cells", type=count, metavar="N", help=f"race at most so many cells (default: {CELLS})"
    )
    parser.add_argument(
        "--pairs",
        type=count,
        metavar="N",
        help="of runs for the proof (default: as many as are needed, at most 20)",
    )
    parser.add_argument(
        "--resolve",
        type=percent,
        metavar="PERCENT",
        help=f"change of the time that is not to be missed (default: {RESOLVE:g})",
    )
    parser.add_argument(
        "--confidence", type=percent, metavar="PERCENT", help=f"of intervals (default: {CONFIDENCE:g})"
    )
    parser.add_argument(
        "--run-limit",
        type=duration,
        metavar="TIME",
        help="for each run of the program (default: ten times the longest so far, and a minute)",
    )
    parser.add_argument(
        "--keep",
        type=Path,
        metavar="DIR",
        help="keep profiles and output of all runs in this new directory",
    )
    parser.add_argument(
        "--mpicc", metavar="PATH", help="the compiler of the program's MPI library, for the probe"
    )
    parser.add_argument(
        "--probe-dir",
        type=Path,
        metavar="DIR",
        help="where the compiled probe is kept: every node must see it",
    )
    parser.add_argument("--seed", type=int, default=0, help="of the order of runs (default: 0)")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def check(arguments: argparse.Namespace, mode: str) -> None:
    """Refuse options that say nothing in a mode.

    Raises:
        RankwiseError: there is one.
    """
    for name, modes in _ONLY.items():
        if getattr(arguments, name) is not None and mode not in modes:
            raise RankwiseError(f"--{name.replace('_', '-')} has no meaning with {mode}: leave it out")


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

"""The options of `rankwise map --verify`."""

from __future__ import annotations

import argparse
import math
from functools import partial
from pathlib import Path

from rankwise.errors import RankwiseError

_OWN = ("pairs", "resolve", "confidence", "time_limit", "run_limit", "keep")
RESOLVE, CONFIDENCE = 5.0, 95.0  # percent


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the verification."""
    group = parser.add_argument_group("verification, with the job after `--`")
    group.add_argument(
        "--verify",
        action="store_true",
        help="run the job as given and with the placement found, and report the gain; with -o the files "
        "are written if there is a gain",
    )
    group.add_argument(
        "--pairs",
        type=partial(_number, least=1, whole=True),
        metavar="N",
        help="pairs of runs (default: as many as are needed, at most 20)",
    )
    group.add_argument(
        "--resolve",
        type=_percent,
        metavar="PERCENT",
        help=f"smallest change of the time to resolve (default: {RESOLVE:g})",
    )
    group.add_argument(
        "--confidence",
        type=_percent,
        metavar="PERCENT",
        help=f"of the interval (default: {CONFIDENCE:g})",
    )
    group.add_argument("--time-limit", type=_number, metavar="SECONDS", help="for all runs together")
    group.add_argument(
        "--run-limit",
        type=_number,
        metavar="SECONDS",
        help="for each run (default: ten times the first one, and a minute)",
    )
    group.add_argument(
        "--keep",
        type=Path,
        metavar="DIR",
        help="keep profiles and output of the runs in this new directory, which every node must see",
    )


def is_wanted(arguments: argparse.Namespace, *, predict: bool) -> bool:
    """Tell whether the job is to be run; RankwiseError where options contradict that."""
    if arguments.verify:
        if predict:
            raise RankwiseError("--predict and --shape place ranks without running them: remove --verify")
        return True
    if arguments.command:
        raise RankwiseError("a command needs --verify: add it, or remove the command")
    for name in _OWN:
        if getattr(arguments, name) is not None:
            raise RankwiseError(f"--{name.replace('_', '-')} goes with --verify: add it")
    return False


def _number(text: str, least: float = 0.1, *, whole: bool = False) -> float:
    try:
        number = int(text) if whole else float(text)
    except ValueError:
        number = -1
    if not least <= number < math.inf:
        kind = f"whole number from {least:g}" if whole else "number of seconds"
        raise argparse.ArgumentTypeError(f"{text!r} is not a {kind}")
    return number


def _percent(text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 < share < 100:
        raise argparse.ArgumentTypeError(f"{text!r} is not a percentage between 0 and 100")
    return share

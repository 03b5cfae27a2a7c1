"""The options of commands that run the user's program, or a probe, again and again, and compare."""

from __future__ import annotations

import argparse
from pathlib import Path

from rankwise.commands.durations import duration
from rankwise.commands.limits import percentage

RESOLVE, CONFIDENCE = 3.0, 95.0


def add_runs(parser: argparse.ArgumentParser) -> None:
    """Declare the options for runs of the program."""
    parser.add_argument(
        "--pairs",
        type=count,
        metavar="N",
        help="pairs of runs for each proof (default: as many as are needed; without --budget at most 20)",
    )
    add_resolve(
        parser, "smallest gain of interest; the risk of missing a gain twice as large is at most 10 %%"
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


def add_resolve(parser: argparse.ArgumentParser, gain: str) -> None:
    """Declare --resolve.

    Args:
        parser: of the command.
        gain: what the share is, in the help.
    """
    parser.add_argument(
        "--resolve",
        type=_percent,
        default=RESOLVE,
        metavar="PERCENT",
        help=f"{gain} (default: {RESOLVE:g})",
    )


def add_confidence(parser: argparse.ArgumentParser, of: str) -> None:
    """Declare --confidence.

    Args:
        parser: of the command.
        of: the quantity with the interval, for the help.
    """
    parser.add_argument(
        "--confidence",
        type=_percent,
        default=CONFIDENCE,
        metavar="PERCENT",
        help=f"{of} (default: {CONFIDENCE:g})",
    )


def add_check(parser: argparse.ArgumentParser) -> None:
    """Declare --check, for commands that change how the program computes."""
    parser.add_argument(
        "--check",
        metavar="CMD",
        help="compare the output of each run with the first: CMD FIRST THIS; settings that fail it are "
        "rejected",
    )


def add_budget(parser: argparse.ArgumentParser, seconds: float | None = None) -> None:
    """Declare --budget.

    Args:
        parser: of the command.
        seconds: that it may take if nothing is said; None = as long as it needs.
    """
    default = "no limit" if seconds is None else f"{seconds / 60:.0f}min"
    parser.add_argument(
        "--budget",
        type=duration,
        default=seconds,
        metavar="TIME",
        help=f"for everything, such as 90s, 20min or 1.5h (default: {default})",
    )


def count(text: str) -> int:
    """Return a number of things; ArgumentTypeError if it is none."""
    if not text.isascii() or not text.isdecimal() or not 1 <= int(text) <= 10_000:
        raise argparse.ArgumentTypeError(f"{text}: give a whole number from 1 to 10000")
    return int(text)


def _percent(text: str) -> float:
    """Return a share in percent, above 0 and below 100."""
    value = percentage(text)
    if not 0 < value < 100:
        raise argparse.ArgumentTypeError(f"{text}: give a number above 0 and below 100")
    return value

"""Options of `rankwise map` and its sub-verbs for the search and its output."""

from __future__ import annotations

import argparse
from pathlib import Path

from rankwise.commands.limits import add_json, add_seed, percentage
from rankwise.commands.selecting import add_kind
from rankwise.errors import RankwiseError
from rankwise.placement.options import EFFORTS, EXTRA_PERCENT, LAUNCHERS, OBJECTIVES


def add_profile(parser: argparse.ArgumentParser) -> None:
    """Declare the profile."""
    parser.add_argument("profile", type=Path, metavar="F.rankwise", help="the profile of the run")


def add_machine(parser: argparse.ArgumentParser) -> None:
    """Declare the machine of the run, and which of its slots ranks can move to."""
    parser.add_argument(
        "--machine",
        type=Path,
        metavar="machine.json",
        help="the machine (default: the nodes of the run, without further levels)",
    )
    parser.add_argument(
        "--all-slots",
        action="store_true",
        help="ranks can move to any slot of the machine (default: to those of the job)",
    )


def add_search(parser: argparse.ArgumentParser, seed_of: str) -> None:
    """Declare how a placement is looked for.

    Args:
        parser: of the verb.
        seed_of: what the random numbers are for.
    """
    parser.add_argument(
        "--objective",
        choices=OBJECTIVES,
        default="hops",
        help="what to minimise: bytes x levels or hops, time by measured costs, the load of the most loaded"
        " link, or hops and this load (default: %(default)s)",
    )
    parser.add_argument(
        "--extra",
        type=percentage,
        metavar="PERCENT",
        help="with --objective both: byte hops that may be added for a lower load of the most loaded link"
        f" (default: {EXTRA_PERCENT:g})",
    )
    add_kind(parser)
    parser.add_argument(
        "--effort",
        type=int,
        choices=EFFORTS,
        default=1,
        help="effort of the search; 0: one pass (default: %(default)s)",
    )
    add_seed(parser, seed_of)


def add_files(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the output: files and formats."""
    parser.add_argument(
        "-o", "--output", type=Path, metavar="DIR", help="write files for the run's launcher there"
    )
    parser.add_argument(
        "--launcher",
        choices=(*LAUNCHERS, "all"),
        help="with -o: write files for this launcher, or for all (default: that of the run, or all if"
        " unknown)",
    )
    parser.add_argument("--force", action="store_true", help="replace files that exist")
    add_json(parser)


def check_files(arguments: argparse.Namespace) -> None:
    """Refuse options for files that are not asked for; RankwiseError."""
    if arguments.output is None and arguments.launcher is not None:
        raise RankwiseError("--launcher is for the files of -o: name a directory, or leave it out")


def extra(arguments: argparse.Namespace) -> float:
    """Return the percentage of byte hops that the objective may add; RankwiseError if it can't add any."""
    if arguments.extra is None:
        return EXTRA_PERCENT
    if arguments.objective != "both":
        raise RankwiseError("--extra is for --objective both: add this, or leave --extra out")
    percent: float = arguments.extra
    return percent


def nodes(arguments: argparse.Namespace) -> str:
    """Return which slots ranks can move to, one of placement.options.NODES."""
    return "all" if arguments.all_slots else "job"

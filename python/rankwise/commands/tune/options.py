"""The options that several of `rankwise tune` and its sub-verbs have."""

from __future__ import annotations

import argparse
from pathlib import Path

from rankwise.errors import RankwiseError

CELLS = 8
"""That are raced if nothing is said."""


def add_profile(parser: argparse.ArgumentParser) -> None:
    """Declare the profile, the file that a sub-verb begins with."""
    parser.add_argument("file", type=Path, metavar="F.rankwise", help="the profile of the program")


def add_output(parser: argparse.ArgumentParser, when: str, example: str = "app.tuned.json") -> None:
    """Declare -o and --force.

    Args:
        parser: of the command.
        when: the settings are written.
        example: a name of the file.
    """
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="FILE",
        help=f"write the settings here {when}, such as {example}",
    )
    parser.add_argument("--force", action="store_true", help="replace FILE, and the files beside it")


def add_bitwise(parser: argparse.ArgumentParser) -> None:
    """Declare --bitwise."""
    parser.add_argument(
        "--bitwise",
        action="store_true",
        help="exclude settings that could change results in their last digits",
    )


def check_command(arguments: argparse.Namespace, example: str) -> None:
    """Refuse a command line without a command; RankwiseError.

    Args:
        arguments: of the command line.
        example: of one that has a command.
    """
    if not arguments.command:
        raise RankwiseError(f"no command: put it after `--`, as in: {example}")

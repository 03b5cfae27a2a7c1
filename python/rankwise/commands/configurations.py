"""Options that choose the runs of one configuration among many profiles."""

from __future__ import annotations

import argparse
from pathlib import Path

from rankwise.commands.limits import positive_count
from rankwise.errors import RankwiseError


def add_configuration(parser: argparse.ArgumentParser) -> None:
    """Declare the profiles, and the options that choose a configuration."""
    parser.add_argument(
        "profiles",
        type=Path,
        nargs="+",
        metavar="F.rankwise|DIR",
        help="profiles, and directories of profiles",
    )
    parser.add_argument(
        "--program",
        metavar="NAME",
        default="",
        help="only this program, by its name or its name and arguments; * and ? as in a shell",
    )
    parser.add_argument(
        "--ranks", type=positive_count, metavar="N", default=0, help="only runs with this number of ranks"
    )
    parser.add_argument(
        "--node-count", type=positive_count, metavar="N", default=0, help="only runs on this number of nodes"
    )
    parser.add_argument(
        "--library",
        metavar="NAME",
        default="",
        help="only this MPI library: the beginning of its name and version",
    )
    parser.add_argument(
        "--tag",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="only runs with this tag; may be given several times",
    )


def tags_of(words: list[str]) -> dict[str, str]:
    """Return the values of --tag by name.

    Raises:
        RankwiseError: one has no name or no value.
    """
    tags = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name:
            raise RankwiseError(f"--tag {word}: give NAME=VALUE, as at `rankwise run --tag`")
        tags[name] = value
    return tags

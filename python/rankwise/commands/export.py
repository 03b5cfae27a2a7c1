"""Write the tables of a profile as CSV, JSON or Parquet files.

One file for each table, DIR/calls.csv and so on, with the columns that docs/profile-format.md
explains. calls and messages also have the names of their communicators, procedures and regions.
In CSV an empty field is a missing value; a JSON file is a list of objects. For a part of the
run, all tables that can be restricted to it are written.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from rankwise.commands.messages import say
from rankwise.commands.selecting import add_selection, wanted

FORMATS = ("csv", "json", "parquet")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command line of `rankwise export`."""
    parser.add_argument("profile", type=Path, metavar="F.rankwise", help="the profile to read")
    parser.add_argument("--to", choices=FORMATS, required=True, help="kind of the files")
    parser.add_argument(
        "-o", "--output", type=Path, metavar="DIR", required=True, help="made if it does not exist"
    )
    parser.add_argument("--force", action="store_true", help="replace files that exist")
    add_selection(parser)


def run(arguments: argparse.Namespace) -> int:
    """Write the files; 0, or RankwiseError if the profile can't be read or a file can't be written."""
    from rankwise.reading.profile import Profile

    profile = Profile(arguments.profile, wanted(arguments))
    left_out = profile.export(arguments.output, arguments.to, force=arguments.force)
    if left_out:
        say(f"not written, because they can't be restricted so: {', '.join(left_out)}")
    return 0

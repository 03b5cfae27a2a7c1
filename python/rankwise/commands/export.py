"""Write the tables of a profile as CSV, JSON or Parquet files.

One file for each table, DIR/calls.csv and so on, with the columns that docs/profile-format.md
explains. calls and messages have the names of their communicators, procedures and regions
beside the numbers. In CSV an empty field is a missing value; a JSON file is a list of objects.
Of a part of the run, all tables that can be restricted to it.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from rankwise import extras
from rankwise.analysis.export_tables import ExportTable
from rankwise.commands.messages import say
from rankwise.commands.selecting import add_selection, not_exported, selected
from rankwise.errors import RankwiseError
from rankwise.whole_files import appearing

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
    from rankwise.analysis.export_tables import export_tables
    from rankwise.analysis.opened import opened_profile
    from rankwise.report.exporting import WRITERS

    if arguments.to == "parquet":
        extras.check("pyarrow")
    write = WRITERS[arguments.to]
    with opened_profile(arguments.profile) as connection:
        selected(connection, arguments, "export")
        tables, left_out = export_tables(connection), not_exported(arguments)
        targets = [
            (table, arguments.output / f"{table.name}.{arguments.to}")
            for table in tables
            if table.name not in left_out
        ]
        try:
            _check(targets, arguments.force)
            arguments.output.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            message = (
                f"cannot write to {arguments.output}: {error.strerror}; choose another directory with -o"
            )
            raise RankwiseError(message) from error
        for table, target in targets:
            with appearing(target) as (unfinished,):
                write(table, connection, unfinished)
    if left_out:
        say(f"not written, because they can't be restricted so: {', '.join(sorted(left_out))}")
    return 0


def _check(targets: list[tuple[ExportTable, Path]], force: bool) -> None:
    existing = [target for _, target in targets if target.exists()]
    if existing and not force:
        raise RankwiseError(f"{existing[0]} exists; --force replaces it")

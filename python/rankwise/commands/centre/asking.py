"""The options of questions about all runs of a centre, and how the answers are printed."""

from __future__ import annotations

import argparse
import csv
import io
import sys
from pathlib import Path

from rankwise.commands.limits import add_json, add_limit, date_text
from rankwise.commands.printing import print_answer
from rankwise.reading.centre import ROWS, CentreAnswer, open_centre

# As in rankwise.centre.engines, which takes time to load.
_ENGINES = ("duckdb", "spark")
_OPTIONS = ("since", "until", "user", "program", "cluster", "account", "partition")


def add_store(parser: argparse.ArgumentParser) -> None:
    """Declare the store, and the engine over it."""
    parser.add_argument(
        "store", type=Path, metavar="STORE", help="folder that `rankwise centre ingest` filled"
    )
    parser.add_argument(
        "--engine",
        choices=_ENGINES,
        default="duckdb",
        help="what reads the store: DuckDB in this process, or the Spark that PySpark finds"
        " (default: %(default)s)",
    )


def add_since(parser: argparse.ArgumentParser) -> None:
    """Declare --since."""
    parser.add_argument(
        "--since",
        type=date_text,
        metavar="DATE",
        help="only runs from this date on, UTC: 2026-11",
    )


def add_question(parser: argparse.ArgumentParser, *, limit: bool = True, user: bool = True) -> None:
    """Declare the command line of a question.

    Args:
        parser: of the sub-verb.
        limit: whether it has --limit.
        user: whether it has --user.
    """
    add_store(parser)
    add_since(parser)
    parser.add_argument(
        "--until",
        type=date_text,
        metavar="DATE",
        help="only runs until the end of this date: 2026-11, 2026-11-20",
    )
    if user:
        parser.add_argument("--user", metavar="NAME", default="", help="only runs of this user")
    parser.add_argument("--program", metavar="NAME", default="", help="only runs of this program")
    parser.add_argument("--cluster", metavar="NAME", default="", help="only runs on this cluster")
    parser.add_argument(
        "--account", metavar="NAME", default="", help="only runs in jobs of this account, by the accounting"
    )
    parser.add_argument(
        "--partition",
        metavar="NAME",
        default="",
        help="only runs in jobs in this partition, by the accounting",
    )
    if limit:
        add_limit(parser, ROWS, "a table")
    add_formats(parser)
    parser.add_argument("-v", "--verbose", action="store_true", help="more columns, such as the profile")


def add_formats(parser: argparse.ArgumentParser) -> None:
    """Declare --json and --csv."""
    formats = parser.add_mutually_exclusive_group()
    add_json(formats)
    formats.add_argument("--csv", action="store_true", help="the main table as CSV, with all columns")


def ask(arguments: argparse.Namespace, question: str) -> int:
    """Print the answer to a question; 0, or RankwiseError if the store can't be read.

    Args:
        arguments: of the command line.
        question: name of a method of `Centre`.
    """
    options = {name: getattr(arguments, name) for name in _OPTIONS if getattr(arguments, name)}
    rows = {"rows": arguments.limit} if hasattr(arguments, "limit") else {}
    with open_centre(arguments.store, engine=arguments.engine) as centre:
        answer: CentreAnswer = getattr(centre, question)(**options, **rows)
    write(answer, as_json=arguments.json, as_csv=arguments.csv, verbose=arguments.verbose)
    return 0


def write(
    answer: CentreAnswer, *, as_json: bool, as_csv: bool, verbose: bool = False, limit: int = 0
) -> None:
    """Print an answer on stdout.

    Args:
        answer: to print.
        as_json: as JSON.
        as_csv: its main table as CSV.
        verbose: with more columns.
        limit: rows of a table, 0 for all.
    """
    if as_csv:
        rows = answer.rows()
        text = io.StringIO()
        writer = csv.DictWriter(text, rows.columns)
        writer.writeheader()
        writer.writerows(rows)
        sys.stdout.write(text.getvalue())
    else:
        print_answer(answer, json=as_json, verbose=verbose, limit=limit)

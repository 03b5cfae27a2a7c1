"""Show a profile: the summary, or one table or matrix of it.

Without --by, the summary that `rankwise run` prints. With --by, one table, sorted by time in
MPI (pairs by bytes). Tables are cut at --limit rows, with a last row for the sums of the
others; --json is never cut. With --matrix, who sends how much to whom. Both may be of a part of
the run.
"""

from __future__ import annotations

import argparse
import sqlite3
import sys
from pathlib import Path

from rankwise.analysis.matrix import ENDS, KINDS, MEASURES, Matrix, matrix
from rankwise.commands.limits import add_limit
from rankwise.commands.selecting import add_selection, selected, selection
from rankwise.errors import RankwiseError
from rankwise.report.views import VIEWS, view

_DEFAULT_LIMIT = 30


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command line of `rankwise show`."""
    parser.add_argument("profile", type=Path, metavar="F.rankwise", help="the profile to show")
    shown = parser.add_mutually_exclusive_group()
    views = f"{', '.join(VIEWS[:-1])} or {VIEWS[-1]}"
    shown.add_argument(
        "--by", choices=VIEWS, metavar="VIEW", help=f"show one table in place of the summary: {views}"
    )
    shown.add_argument("--matrix", choices=ENDS, help="show who sends to whom in place of the summary")
    parser.add_argument("--kind", choices=KINDS, help="with --matrix: of these messages alone (default: all)")
    parser.add_argument("--of", choices=MEASURES, help="with --matrix: the numbers in it (default: bytes)")
    parser.add_argument(
        "--only",
        metavar="CALL,...",
        help="with --matrix: messages of these calls alone, such as Bcast,Allreduce",
    )
    parser.add_argument(
        "--json", action="store_true", help="as JSON, with everything and the same keys in every view"
    )
    parser.add_argument("-v", "--verbose", action="store_true", help="more columns and rows")
    add_limit(parser, _DEFAULT_LIMIT, "a table")
    add_selection(parser)


def run(arguments: argparse.Namespace) -> int:
    """Show the profile; 0, or RankwiseError if it can't be read."""
    for option in ("kind", "of", "only"):
        if getattr(arguments, option) is not None and not arguments.matrix:
            raise RankwiseError(f"--{option} goes with --matrix: add `--matrix rank` or `--matrix node`")
    if (given := selection(arguments).given()) and not (arguments.by or arguments.matrix):
        raise RankwiseError(f"--{given[0]} goes with --by or --matrix: the summary is of the whole run")
    if arguments.json:
        _print_json(arguments)
    elif arguments.by or arguments.matrix:
        _print_part(arguments)
    else:
        from rankwise.report.terminal.summary import print_summary

        print_summary(arguments.profile, file=sys.stdout, verbose=arguments.verbose)
    return 0


def _what(arguments: argparse.Namespace) -> str:
    return "matrix" if arguments.matrix else str(arguments.by)


def _matrix(connection: sqlite3.Connection, arguments: argparse.Namespace) -> Matrix:
    only = arguments.only.split(",") if arguments.only else []
    return matrix(connection, arguments.matrix, arguments.kind or KINDS[0], only)


def _print_json(arguments: argparse.Namespace) -> None:
    import json

    from rankwise.analysis.opened import opened_profile
    from rankwise.analysis.overview import trust
    from rankwise.analysis.summary import summary
    from rankwise.analysis.to_json import to_json
    from rankwise.report.view import Detail

    with opened_profile(arguments.profile) as connection:
        found: object
        if arguments.matrix or arguments.by:
            trusted: dict[str, object] = {"trust": trust(connection)}
            if part := selected(connection, arguments, _what(arguments)):
                trusted |= {"selected": part}
            if arguments.matrix:
                found = {**trusted, "matrix": _matrix(connection, arguments)}
            else:
                found = {**trusted, **view(arguments.by, connection, Detail.ALL).data}
        else:
            found = summary(connection)
        text = json.dumps(to_json(found), indent=2)
    sys.stdout.write(f"{text}\n")


def _print_part(arguments: argparse.Namespace) -> None:
    from dataclasses import replace

    from rich.text import Text

    from rankwise.analysis.opened import opened_profile
    from rankwise.analysis.overview import trust
    from rankwise.report.empty import NOTHING_SELECTED
    from rankwise.report.terminal.matrix import matrix_lines
    from rankwise.report.terminal.page import Page
    from rankwise.report.terminal.view import show_view
    from rankwise.report.trust_lines import partial_line, selected_line
    from rankwise.report.view import Detail

    detail = Detail.VERBOSE if arguments.verbose else Detail.BRIEF
    with opened_profile(arguments.profile) as connection:
        trusted = trust(connection)
        part = selected(connection, arguments, _what(arguments))
        page = Page(sys.stdout)
        found = _matrix(connection, arguments) if arguments.matrix else None
        shown = None if found else view(arguments.by, connection, detail)
        if not trusted.complete:
            page.write(*page.wrapped(partial_line(trusted), "bold red", indent=2), Text())
        if part:
            page.write(*page.wrapped(selected_line(part), "bold", indent=2), Text())
        if found:
            page.write(*matrix_lines(page, found, arguments.of or MEASURES[0]))
        if shown:
            if part:  # the sentences in place of empty tables are on the whole program
                tables = [replace(table, empty=NOTHING_SELECTED) for table in shown.tables]
                shown = replace(shown, tables=tables)
            show_view(page, shown, detail, arguments.limit)

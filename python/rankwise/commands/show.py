"""Show a profile: the summary, or one table of it.

Without --by, the summary that `rankwise run` prints. With --by, one table, sorted by time in
MPI (pairs by bytes). Tables are cut at --limit rows, with a last row for the sums of the
others; --json is never cut.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from pathlib import Path
from types import ModuleType

VIEWS = ("communicator", "call", "size", "pair", "rank", "node", "region", "file")
_DEFAULT_LIMIT = 30


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command line of `rankwise show`."""
    parser.add_argument("profile", type=Path, metavar="F.rankwise", help="the profile to show")
    parser.add_argument("--by", choices=VIEWS, help="show one table in place of the summary")
    parser.add_argument(
        "--json", action="store_true", help="as JSON, with everything and the same keys in every view"
    )
    parser.add_argument("-v", "--verbose", action="store_true", help="more columns and rows")
    parser.add_argument(
        "--limit",
        type=_limit,
        default=_DEFAULT_LIMIT,
        metavar="N",
        help="rows of a table, 0 for all (default: %(default)s)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Show the profile; 0, or RankwiseError if it can't be read."""
    if arguments.json:
        _print_json(arguments.profile, arguments.by)
    elif arguments.by:
        _print_view(arguments.profile, arguments.by, arguments.verbose, arguments.limit)
    else:
        from rankwise.report.summary import print_summary

        print_summary(arguments.profile, file=sys.stdout, verbose=arguments.verbose)
    return 0


def _view(name: str) -> ModuleType:
    return importlib.import_module(f"rankwise.report.views.{name}")


def _print_json(path: Path, by: str | None) -> None:
    import json

    from rankwise.analysis.opened import opened_profile
    from rankwise.analysis.overview import trust
    from rankwise.analysis.plain import plain
    from rankwise.analysis.summary import summary

    with opened_profile(path) as connection:
        found = plain(
            {"trust": trust(connection)} | _view(by).data(connection) if by else summary(connection)
        )
        text = json.dumps(found, indent=2)
    sys.stdout.write(f"{text}\n")


def _print_view(path: Path, by: str, verbose: bool, limit: int) -> None:
    from rich.text import Text

    from rankwise.analysis.opened import opened_profile
    from rankwise.analysis.overview import trust
    from rankwise.report.page import Page
    from rankwise.report.section import show_section
    from rankwise.report.trust_lines import partial_line

    with opened_profile(path) as connection:
        trusted = trust(connection)
        sections = _view(by).sections(connection, verbose, limit)
        page = Page(sys.stdout)
        if not trusted.complete:
            page.write(*page.wrapped(partial_line(trusted), "bold red", indent=2), Text())
        for number, section in enumerate(sections):
            if number:
                page.write(Text())
            show_section(page, section, limit)


def _limit(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is no number of rows; 0 shows all")
    return int(text)

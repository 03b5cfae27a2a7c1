"""The option --output of verbs that show many runs: the answer as a page, too."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Protocol

from rankwise.errors import RankwiseError
from rankwise.whole_files import appearing, refuse_existing


class Paged(Protocol):
    """An answer that can be a page."""

    def html_page(self, directory: Path) -> bytes:
        """Return the page as UTF-8; links are relative to its directory."""


def add_page(
    parser: argparse.ArgumentParser, content: str = "a page with charts", replaced: str = "this page"
) -> None:
    """Declare --output and --force.

    Args:
        parser: of the verb.
        content: of the page.
        replaced: what --force replaces.
    """
    parser.add_argument("-o", "--output", type=Path, metavar="FILE.html", help=f"write {content}, too")
    parser.add_argument("--force", action="store_true", help=f"replace {replaced}")


def check_page(output: Path | None, *, force: bool) -> None:
    """Refuse a page that can't be written, before anything takes time.

    Raises:
        RankwiseError: it exists, or has another ending.
    """
    if output is None:
        return
    if output.suffix != ".html":
        raise RankwiseError(f"--output {output}: it is written as a page: give a name that ends in .html")
    refuse_existing(output, force=force)


def write_page(output: Path | None, answer: Paged) -> None:
    """Write the page, if one is wanted."""
    if output is not None:
        with appearing(output, option="--output") as (new,):
            new.write_bytes(answer.html_page(output.parent))

"""The pages themselves: the output of web/, with data."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rankwise.render.page.container import Container
from rankwise.text.safe import safe

_TEMPLATES = Path(__file__).parent
_FORMAT = 2  # of the data of a report


def html_page(title: str, packed: str, template: str = "report.html", plain: str = "") -> bytes:
    """Return the page as UTF-8.

    Args:
        title: of the window.
        packed: its data, as Container.packed returns it.
        template: file name of the page.
        plain: HTML for browsers that run no scripts, in templates with a place for it.
    """
    parts = {"title": html_text(title), "data": packed, "plain": plain}
    return filled(template, parts)


def filled(template: str, parts: Mapping[str, str]) -> bytes:
    """Return a page as UTF-8.

    Args:
        template: file name of the page, which has `<!--NAME-->` where a part goes.
        parts: their HTML, by name.
    """
    # Split, not replaced, so that no inserted text is taken for the name of another part.
    pieces = re.split(r"<!--(\w+)-->", (_TEMPLATES / template).read_text(encoding="utf-8"))
    whole = "".join(parts[piece] if place % 2 else piece for place, piece in enumerate(pieces))
    return whole.encode("utf-8")


def html_text(text: str) -> str:
    """Return a foreign text as HTML that only shows it."""
    return html.escape(safe(text, "utf-8"))


def report_page(
    title: str,
    runs: Sequence[dict[str, Any]],
    container: Container,
    comparison: dict[str, Any] | None = None,
    sides: dict[str, Any] | None = None,
) -> bytes:
    """Return a report: one file with the pages of some runs.

    Args:
        title: of the window.
        runs: as web/src/contract.ts declares them.
        container: with their numbers.
        comparison: of two sides of these runs, declared there too; None = no comparison.
        sides: the same of any number of sides.
    """
    whole: dict[str, Any] = {"format": _FORMAT, "title": safe(title, "utf-8"), "runs": runs}
    if comparison is not None:
        whole["comparison"] = comparison
    if sides is not None:
        whole["sides"] = sides
    return html_page(title, container.packed(whole))

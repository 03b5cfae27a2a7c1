"""The pages themselves: what web/ is built to, with data put in."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rankwise.render.page.container import Container
from rankwise.text.safe import safe

_TEMPLATES = Path(__file__).parent
_FORMAT = 2  # of the data of a report


def html_page(title: str, packed: str, template: str = "report.html") -> bytes:
    """Return the page as UTF-8.

    Args:
        title: of the window.
        packed: what it shows, as Container.packed returns it.
        template: which of the pages it is.
    """
    parts = {"title": html.escape(safe(title, "utf-8")), "data": packed}
    # Split, not replaced: nothing that is put in can be taken for the name of another part.
    pieces = re.split(r"<!--(title|data)-->", (_TEMPLATES / template).read_text(encoding="utf-8"))
    whole = "".join(parts[piece] if place % 2 else piece for place, piece in enumerate(pieces))
    return whole.encode("utf-8")


def report_page(
    title: str,
    runs: Sequence[dict[str, Any]],
    container: Container,
    comparison: dict[str, Any] | None = None,
) -> bytes:
    """Return a report: one file, with runs that pages tell of.

    Args:
        title: of the window.
        runs: as web/src/contract.ts declares them.
        container: with their numbers.
        comparison: of two sides of these runs, likewise; None = there is none.
    """
    whole: dict[str, Any] = {"format": _FORMAT, "title": safe(title, "utf-8"), "runs": runs}
    if comparison is not None:
        whole["comparison"] = comparison
    return html_page(title, container.packed(whole))

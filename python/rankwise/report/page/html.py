"""The page itself: what web/ is built to, with data put in."""

from __future__ import annotations

import html
import re
from pathlib import Path

from rankwise.report.safe import safe

_TEMPLATE = Path(__file__).with_name("report.html")


def html_page(title: str, packed: str) -> bytes:
    """Return the page as UTF-8.

    Args:
        title: of the window.
        packed: what it shows, as Container.packed returns it.
    """
    parts = {"title": html.escape(safe(title, "utf-8")), "data": packed}
    # Split, not replaced: nothing that is put in can be taken for the name of another part.
    pieces = re.split(r"<!--(title|data)-->", _TEMPLATE.read_text(encoding="utf-8"))
    whole = "".join(parts[piece] if place % 2 else piece for place, piece in enumerate(pieces))
    return whole.encode("utf-8")

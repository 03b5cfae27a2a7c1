"""The pages themselves: what web/ is built to, with data put in."""

from __future__ import annotations

import html
import re
from pathlib import Path

from rankwise.text.safe import safe

_TEMPLATES = Path(__file__).parent


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

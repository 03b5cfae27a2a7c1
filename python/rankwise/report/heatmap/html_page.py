"""A measurement as one self-contained page to zoom into: nothing is fetched from anywhere."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path

from rankwise.report.heatmap.html_page_data import page_data
from rankwise.report.heatmap.style import shown
from rankwise.report.heatmap.view import View

_FILES = Path(__file__).with_name("web")


def html_page(view: View, *, surface: bool = False) -> bytes:
    """Return the page as UTF-8.

    Args:
        view: what it begins with; the other statistics and sizes of the measurement are in it, too.
        surface: whether it begins with the surface in three dimensions, not with the heat map.
    """
    from plotly.offline import get_plotlyjs

    data = page_data(view, surface=surface)
    parts = {
        "title": html.escape(shown(str(data["title"]), 120)),
        "style": _text("page.css"),
        "plotly": get_plotlyjs(),
        "data": script_safe(json.dumps(data, separators=(",", ":"), allow_nan=False)),
        "script": _text("page.js"),
    }
    # Split, not replaced: nothing that is put in can be taken for the name of another part.
    pieces = re.split(r"<!--(\w+)-->", _text("page.html"))
    whole = "".join(parts[piece] if place % 2 else piece for place, piece in enumerate(pieces))
    return whole.encode("utf-8")


def script_safe(text: str) -> str:
    """Return JSON that can stand in a script element: no name of a host can end it, or begin a comment."""
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _text(name: str) -> str:
    return (_FILES / name).read_text(encoding="utf-8")

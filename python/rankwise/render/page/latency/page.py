"""A measurement as a self-contained page to zoom into; it fetches nothing."""

from __future__ import annotations

from rankwise.render.figures.heatmap.style import shown
from rankwise.render.figures.heatmap.view import View
from rankwise.render.page.container import Container
from rankwise.render.page.html import html_page
from rankwise.render.page.latency.data import page_data

_LONGEST_TITLE = 120


def latency_page(view: View, *, surface: bool = False) -> bytes:
    """Return the page as UTF-8.

    Args:
        view: the first one; the page also has the other statistics and sizes.
        surface: whether it shows the surface in three dimensions first, not the heat map.
    """
    container = Container()
    data = page_data(view, container, surface=surface)
    title = shown(str(data["title"]), _LONGEST_TITLE)
    return html_page(title, container.packed(data), template="latency.html")

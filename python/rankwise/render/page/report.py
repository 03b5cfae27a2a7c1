"""A report: one file, with runs that pages tell of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rankwise.render.page.container import Container
from rankwise.render.page.html import html_page
from rankwise.text.safe import safe

_FORMAT = 2


def report_page(
    title: str,
    runs: Sequence[dict[str, Any]],
    container: Container,
    comparison: dict[str, Any] | None = None,
) -> bytes:
    """Return the file.

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

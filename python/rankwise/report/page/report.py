"""A report: the pages of one file, and what stands above them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rankwise.report.page.container import Container
from rankwise.report.page.html import html_page
from rankwise.report.safe import safe

_FORMAT = 1
_MOST_WARNINGS = 8


class Report:
    """Pages, as they are added.

    Args:
        title: of the window, and above all pages.
        lead: what is said below it, a sentence.
        about: what was run, as phrases.
    """

    def __init__(self, title: str, lead: str, about: Iterable[str]) -> None:
        self.container = Container()
        """For the numbers of pages."""
        self._title = title
        self._lead = lead
        self._about = list(about)
        self._warnings: list[str] = []
        self._pages: dict[str, Any] = {}

    def add(self, name: str, data: dict[str, Any], about: Iterable[str], warnings: Iterable[str]) -> None:
        """Add a page.

        Args:
            name: of the page in web/src/contract.ts.
            data: as it is declared there.
            about: more phrases on what is shown.
            warnings: what to beware of, as phrases.
        """
        self._pages[name] = data
        self._about += about
        self._warnings += warnings

    def html(self) -> bytes:
        """Return the file."""
        more = len(self._warnings) - _MOST_WARNINGS
        warnings = self._warnings[:_MOST_WARNINGS] + ([f"and {more} more"] if more > 0 else [])
        whole = {
            "format": _FORMAT,
            "title": safe(self._title, "utf-8"),
            "lead": safe(self._lead, "utf-8"),
            "about": [safe(phrase, "utf-8") for phrase in self._about if phrase],
            "warnings": [safe(phrase, "utf-8") for phrase in warnings],
            **self._pages,
        }
        return html_page(self._title, self.container.packed(whole))

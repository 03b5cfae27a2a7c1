"""A browser to look at pages with: Chromium without a window, by Playwright."""

from __future__ import annotations

import csv
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

_NAMES = ("chromium", "chromium-browser", "google-chrome")

# Windows that no test looks at now, by how they were opened: the next test need not open one.
_windows: dict[str, list[Any]] = {}


@contextmanager
def browser() -> Iterator[Any]:
    """Start one; skips where there is none."""
    playwright = pytest.importorskip("playwright.sync_api", reason="needs Playwright: requirements-dev.txt")
    program = next(filter(None, map(shutil.which, _NAMES)), None)
    if program is None:
        pytest.skip("needs Chromium: apt-get install chromium")
    with playwright.sync_playwright() as started:
        # (As root it starts without a sandbox only.)
        chromium = started.chromium.launch(executable_path=program, args=["--no-sandbox"])
        try:
            yield chromium
        finally:
            _windows.clear()
            chromium.close()


class Tab:
    """A page that is looked at, loaded anew; whatever it complains of is kept."""

    def __init__(self, browser: Any, path: Path, width: int = 1280, address: str = "", **how: Any) -> None:
        self.complaints: list[str] = []
        self._downloads: list[Any] = []
        self._saved = 0
        self._kept = _windows.setdefault(repr(sorted(how.items())), [])
        self.page = self._kept.pop() if self._kept else browser.new_page(**how)
        self.page.set_default_timeout(60_000)
        self.page.set_viewport_size({"width": width, "height": 900})
        self._listeners = {
            "console": lambda message: self.complaints.append(message.text),
            "pageerror": lambda error: self.complaints.append(str(error)),
            "request": self._request,
            "download": lambda file: self._downloads.append(file),
        }
        for event, listener in self._listeners.items():
            self.page.on(event, listener)
        self.page.goto(path.as_uri() + (f"#{address}" if address else ""))

    def _request(self, request: Any) -> None:
        if not request.url.startswith(("file:", "data:", "blob:")):
            self.complaints.append(f"asks for {request.url}")

    def click(self, selector: str) -> None:
        """Click the first element that is meant."""
        self.page.locator(selector).first.click()

    def saved(self, selector: str, folder: Path, count: int = 1) -> list[Path]:
        """Click a button, and return the files that it saves, `count` of them."""
        # Chromium ignores every download of a page after the tenth within a second.
        self._saved += count
        if self._saved > 10:
            self.page.wait_for_timeout(1_100)
            self._saved = count
        self._downloads.clear()
        with self.page.expect_download():
            self.click(selector)
        while len(self._downloads) < count:
            self.page.wait_for_timeout(20)
        paths = []
        for file in self._downloads:
            paths.append(folder / file.suggested_filename)
            file.save_as(paths[-1])
        return paths

    def rows(self, selector: str, folder: Path) -> list[dict[str, str]]:
        """Click a button that saves a table, and read it."""
        [path] = self.saved(selector, folder)
        with path.open(encoding="utf-8", newline="") as lines:
            return list(csv.DictReader(lines))

    def names_of_pages(self) -> list[str]:
        """Of a report: the names that its addresses take."""
        tabs = self.page.locator("[role=tab]")
        tabs.first.wait_for()
        return [tab.get_attribute("id").removeprefix("tab-") for tab in tabs.all()]

    def to(self, address: str) -> None:
        """Go to another place of the same report, which is not loaded anew."""
        self.page.evaluate("address => { window.location.hash = address }", address)
        self.drawn()

    def drawn(self) -> None:
        """Wait until what was done is seen: until the next picture but one."""
        self.page.evaluate(
            "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
        )

    def close(self) -> None:
        """Leave it, with nothing of it in its window; nothing may have gone wrong."""
        for event, listener in self._listeners.items():
            self.page.remove_listener(event, listener)
        self.page.emulate_media(media="null")
        self.page.mouse.move(0, 0)
        self.page.goto("about:blank")
        self._kept.append(self.page)
        assert self.complaints == []

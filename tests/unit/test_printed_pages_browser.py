"""Pages on paper, and pictures of them, in a real browser: nothing is cut off, nothing is there to press."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import communicators_made
import pytest
from browsers import Tab

from rankwise.__main__ import main

# A4 between margins of 11 mm, in pixels of 1/96 inch.
PAPER = (210 - 2 * 11) / 25.4 * 96
PAGES = ("communicators", "calls", "sites", "balance")
WIDE = ".scroll, .scroll-x, .heat-scroll, .tree-scroll"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    profile = communicators_made.write_kinds(tmp_path_factory.mktemp("paper") / "kinds.rankwise")
    assert main(["report", str(profile)]) == 0
    return profile.with_suffix(".html")


def opened(browser: Any, report: Path, name: str, **how: Any) -> Tab:
    tab = Tab(browser, report, address=f"page={name}", **how)
    tab.page.wait_for_selector(f".sheet.{name} h2")
    return tab


def before_print(tab: Tab) -> None:
    tab.page.evaluate("window.dispatchEvent(new Event('beforeprint'))")


@pytest.mark.parametrize("name", PAGES)
def test_all_of_it_is_as_wide_as_paper(browser: Any, report: Path, name: str) -> None:
    tab = opened(browser, report, name, color_scheme="dark")
    screen = tab.page.locator("main").bounding_box()["width"]
    before_print(tab)
    assert tab.page.locator("main").bounding_box()["width"] == pytest.approx(PAPER, abs=1)
    assert tab.page.evaluate("document.documentElement.dataset.theme") == "light"
    right = tab.page.locator("main").bounding_box()["x"] + PAPER + 1
    for wide in tab.page.locator(WIDE).all():
        box = wide.locator(":scope > *").first.bounding_box()
        assert box is None or box["x"] + box["width"] <= right
    for canvas in tab.page.locator(".sheet canvas").all():
        box = canvas.bounding_box()
        assert box is None or box["width"] <= PAPER
    tab.page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert tab.page.locator("main").bounding_box()["width"] == screen
    assert tab.page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert tab.page.evaluate("[...document.querySelectorAll('[style*=zoom]')].length") == 0
    assert not tab.complaints
    tab.close()


@pytest.mark.parametrize("name", PAGES)
def test_nothing_on_paper_tells_of_pointers(browser: Any, report: Path, name: str) -> None:
    tab = opened(browser, report, name)
    tab.page.emulate_media(media="print")
    for selector in (".tools", ".choice", ".list", ".hint", ".use", "main input"):
        for element in tab.page.locator(selector).all():
            assert not element.is_visible(), selector
    words = tab.page.inner_text("main")
    assert "Ctrl" not in words
    assert "click" not in words.lower()
    head, paper = tab.page.locator("h1").bounding_box(), tab.page.locator("main").bounding_box()
    assert head["x"] == pytest.approx(paper["x"], abs=1)
    # The name of the page stands below the title, whole.
    assert tab.page.locator("[role=tab][aria-selected=true]").bounding_box()["x"] >= paper["x"]
    tab.close()


def test_pictures_are_twice_as_fine_as_the_screen(browser: Any, report: Path, tmp_path: Path) -> None:
    tab = opened(browser, report, "balance")
    drawn = tab.page.locator("#balance-times canvas").bounding_box()
    [path] = tab.saved("#balance-times-image", tmp_path)
    width, height = struct.unpack(">II", path.read_bytes()[16:24])
    assert width >= 2 * drawn["width"]
    assert height >= 2 * drawn["height"]
    # And the screen's is as it was.
    assert tab.page.evaluate("document.querySelector('#balance-times canvas').width") == round(drawn["width"])
    tab.close()

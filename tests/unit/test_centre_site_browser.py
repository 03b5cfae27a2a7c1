"""Pages about all runs of a centre in a browser: in narrow and wide windows, both looks, for everybody."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("duckdb")

from centre_made import planted_month

from rankwise.__main__ import main

AXE = Path(__file__).parents[2] / "web/node_modules/axe-core/axe.min.js"
PAGES = ("index.html", "programs.html", "hosts.html", "trends.html", "program-*.html", "job-*.html")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("centre")
    for month in ("2026-09", "2026-10"):
        planted_month(folder / "store", month=month)
    assert main(["centre", "site", str(folder / "store"), "-o", str(folder / "site")]) == 0
    return folder / "site"


def address(site: Path, name: str) -> str:
    return min(site.glob(name)).as_uri()


@pytest.mark.parametrize("width", [360, 1280, 2560])
def test_nothing_is_wider_than_the_window(browser: Any, site: Path, width: int) -> None:
    page = browser.new_page(viewport={"width": width, "height": 800})
    for name in PAGES:
        page.goto(address(site, name))
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name


@pytest.mark.parametrize("look", ["light", "dark"])
def test_everybody_can_use_them(browser: Any, site: Path, look: str) -> None:
    if not AXE.is_file():
        pytest.skip("needs axe-core: npm ci in web/")
    page = browser.new_page(viewport={"width": 1280, "height": 800}, color_scheme=look)
    for name in PAGES:
        page.goto(address(site, name))
        # (Evaluated, not put in as a script: the page runs no others.)
        page.evaluate(AXE.read_text(encoding="utf-8"))
        violations = page.evaluate("axe.run().then(found => found.violations)")
        assert [(found["id"], [node["html"] for node in found["nodes"]]) for found in violations] == [], name


def test_the_looks_differ(browser: Any, site: Path) -> None:
    grounds = set()
    for look in ("light", "dark"):
        page = browser.new_page(color_scheme=look)
        page.goto(address(site, "index.html"))
        grounds.add(page.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert len(grounds) == 2


def test_tables_are_complete_without_javascript_and_sorted_with_it(browser: Any, site: Path) -> None:
    names = "section:has(h2:text-is('Programs')) tbody th"
    plain = browser.new_context(java_script_enabled=False).new_page()
    plain.goto(address(site, "programs.html"))
    shown = plain.locator(names).all_inner_texts()
    assert shown[0] == "vasp"
    assert len(shown) == 13
    assert plain.locator("thead button").count() == 0

    page = browser.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(address(site, "programs.html"))
    assert page.locator(names).all_inner_texts() == shown
    page.click("th button:text-is('program')")
    assert page.locator(names).all_inner_texts() == sorted(shown, key=str.casefold)
    page.click("th button:text-is('node hours')")
    hours = page.locator("section:has(h2:text-is('Programs')) tbody td:nth-child(2)").all_inner_texts()
    numbers = [float(text.replace(",", "")) for text in hours]
    assert numbers == sorted(numbers, reverse=True)
    assert page.locator("th[aria-sort='descending']").inner_text().startswith("node hours")
    assert not errors

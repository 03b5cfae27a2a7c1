"""The pages Overview and Appendix in a real browser: what they show is what is known of the run."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path
from typing import Any

import overview_profiles
import profiles
import pytest
from browsers import Tab

from golden import assert_facts
from rankwise.__main__ import main


@pytest.fixture(scope="module")
def late(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return report(overview_profiles.late_rank(tmp_path_factory.mktemp("late") / "a.rankwise"))


def report(profile: Path) -> Path:
    assert main(["report", str(profile)]) == 0
    return profile.with_suffix(".html")


def opened(browser: Any, page: Path, address: str = "page=overview", **how: Any) -> Tab:
    tab = Tab(browser, page, **how)
    tab.page.evaluate("address => { window.location.hash = address }", address)
    tab.page.wait_for_selector(".sheet .card")
    return tab


def test_what_is_shown(browser: Any, late: Path) -> None:
    tab = opened(browser, late)
    text = tab.page.inner_text
    assert_facts(text("#verdict h2"), "waiting: 30.0 % .. rank 3 .. all")
    assert "Allreduce 8-15 B" in text("#verdict .culprit")
    assert "complete" in text("#trust")
    assert "4/4 ranks" in text("#trust")
    assert tab.page.locator("#time tbody tr").all_inner_texts() == [
        "compute, other\t50.0 %\t5.00 s",
        "waiting\t30.0 %\t3.00 s",
        "transfer\t20.0 %\t2.00 s",
    ]
    widths = tab.page.locator("#time .stacked .part").evaluate_all(
        "all => all.map(one => one.getBoundingClientRect().width)"
    )
    assert [width / sum(widths) for width in widths] == pytest.approx([0.5, 0.3, 0.2], abs=0.01)
    assert [" ".join(line.split()) for line in tab.page.locator("#efficiency .factor").all_inner_texts()][
        :3
    ] == ["parallel efficiency 0.50", "load balance 0.62", "communication 0.80"]
    assert "rank 3" in text("#late .factor")
    assert "12.0 s, 100.0 %" in text("#late .factor")
    assert "up to 30.0 %" in text("#findings .finding >> nth=0")
    tab.close()


def test_it_is_on_one_screen(browser: Any, late: Path) -> None:
    tab = opened(browser, late)
    assert tab.page.evaluate("document.querySelector('.overview').getBoundingClientRect().bottom") <= 900
    tab.close()


def test_everything_leads_on(browser: Any, late: Path) -> None:
    tab = opened(browser, late)
    tab.click("#verdict .culprit button")
    assert "page=calls&communicator=W&procedure=Allreduce&sizeFrom=8-15+B" in tab.page.url
    for selector, address in (
        ("#late .factor button", "page=balance&ranks=3"),
        ("#top-communicators tr.pick", "page=communicators&communicator=W"),
        ("#top-calls tr.pick", "page=calls&procedure=Allreduce"),
    ):
        tab.page.evaluate("window.location.hash = 'page=overview'")
        tab.click(selector)
        assert tab.page.url.endswith(address)
    tab.close()


def test_filters_are_told_to_change_nothing(browser: Any, late: Path) -> None:
    tab = opened(browser, late, "page=overview&procedure=Allreduce")
    assert tab.page.inner_text(".notice")
    tab.close()


def test_findings_tell_why_and_are_copied(browser: Any, late: Path) -> None:
    tab = opened(browser, late)
    tab.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    why = tab.page.locator("#findings .why").first
    assert not why.is_visible()
    tab.click("#findings button:has-text('why')")
    assert "late-ranks (rankwise explain late-ranks)" in why.inner_text()
    tab.click("#findings .command button:has-text('copy')")
    tab.page.wait_for_selector("#findings button:has-text('copied')")
    copied = tab.page.evaluate("navigator.clipboard.readText()")
    assert copied == tab.page.inner_text("#findings code >> nth=0")
    assert copied.endswith("a.rankwise --by waiting")
    tab.close()


def test_data_and_images(browser: Any, late: Path, tmp_path: Path) -> None:
    tab = opened(browser, late)
    rows = tab.rows("#time-data", tmp_path)
    assert [float(row["% of the run"]) for row in rows[:3]] == pytest.approx([50, 30, 20])
    rows = tab.rows("#efficiency-data", tmp_path)
    assert [float(row["value"]) for row in rows[:3]] == pytest.approx([0.5, 0.625, 0.8])
    for figure in ("time", "efficiency"):
        [path] = tab.saved(f"#{figure}-image", tmp_path)
        words = [node.text or "" for node in ElementTree.parse(path).iter("{http://www.w3.org/2000/svg}text")]
        assert len(words) > 3
    assert tab.rows("#top-calls-data", tmp_path)[0]["call"] == "Allreduce"
    tab.close()


def test_definitions_on_demand(browser: Any, late: Path) -> None:
    tab = opened(browser, late)
    assert not tab.page.locator("#efficiency dl").is_visible()
    tab.click("#efficiency summary")
    defined = tab.page.locator("#efficiency .factor").nth(1).get_attribute("title")
    assert defined
    assert defined.splitlines()[0] in tab.page.inner_text("#efficiency dl")
    tab.close()


@pytest.mark.parametrize(
    "write",
    [overview_profiles.late_rank, profiles.write_partial, profiles.write_hostile, profiles.write_empty],
)
def test_it_is_on_one_sheet_of_paper(browser: Any, tmp_path: Path, write: Callable[[Path], Path]) -> None:
    tab = opened(browser, report(write(tmp_path / "a.rankwise")), color_scheme="dark")
    printed = tab.page.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) == 1
    # What is printed is light, and after it the page is as it was.
    assert tab.page.evaluate("document.documentElement.dataset.theme") == "dark"
    tab.page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert tab.page.evaluate("document.documentElement.dataset.theme") == "light"
    tab.page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert tab.page.evaluate("document.documentElement.dataset.theme") == "dark"
    tab.close()


def test_filters_are_on_paper(browser: Any, late: Path) -> None:
    tab = opened(browser, late, "page=calls&procedure=Allreduce")
    tab.page.emulate_media(media="print")
    assert tab.page.locator("nav .chip").is_visible()
    assert not tab.page.locator(".search").is_visible()
    assert tab.page.locator("[role=tab]:visible").all_inner_texts() == ["Calls and sizes"]
    tab.close()


def test_the_appendix(browser: Any, late: Path, tmp_path: Path) -> None:
    tab = opened(browser, late, "page=appendix")
    assert tab.page.locator("#metrics table").count() == 0
    tab.click("#metrics summary")
    tab.page.wait_for_selector("#metrics table")
    tab.page.fill("#metrics input", "distributed")
    rows = tab.page.locator("#metrics tbody tr").all_inner_texts()
    assert 0 < len(rows) < 4
    assert rows[0].startswith("load-balance\t0.62\t")
    tab.page.fill("#metrics input", "no such word")
    assert "no such word" in tab.page.inner_text("#metrics .empty")
    values = {row["metric"]: row["of this run"] for row in tab.rows("#metrics-0-data", tmp_path)}
    assert values["waiting"] == "12.0 s"
    tab.close()
    tab = opened(browser, late, "page=appendix&open=verdicts")
    assert_facts(tab.page.inner_text("#verdicts"), "50 % .. MPI")
    tab.close()


def test_hostile_names_are_words(browser: Any, tmp_path: Path) -> None:
    page = report(profiles.write_hostile(tmp_path / "a.rankwise"))
    for address in ("page=overview", "page=appendix&open=environment", "page=appendix&open=coverage"):
        tab = opened(browser, page, address)
        assert tab.page.locator(".sheet script, .sheet img").count() == 0
        assert not re.search(r"[\x00-\x08\x0e-\x1f\u202e]", tab.page.inner_text("main"))
        tab.close()


@pytest.mark.parametrize("width", [360, 1280, 2560])
def test_nothing_hangs_out(browser: Any, tmp_path: Path, width: int) -> None:
    tab = opened(browser, report(profiles.write_partial(tmp_path / "a.rankwise")), width=width)
    nothing_is_outside(tab, width)
    tab.to("page=appendix&open=rules")
    tab.page.wait_for_selector(".sheet.appendix .card")
    nothing_is_outside(tab, width)
    tab.close()


def nothing_is_outside(tab: Tab, width: int) -> None:
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= width
    outside = tab.page.evaluate(
        """() => [...document.querySelectorAll('.card')].flatMap(card => {
          const end = card.getBoundingClientRect().right + 0.5;
          return [...card.querySelectorAll('*')].filter(one => one.getBoundingClientRect().right > end
            && !one.closest('.scroll-x')).map(one => one.tagName + ' ' + one.textContent);
        })"""
    )
    assert outside == []

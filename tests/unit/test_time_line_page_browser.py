"""The network ports on the page Time line in a real browser. All numbers are known."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from browsers import Tab
from test_network_rates import made_with_samples
from test_sites_page_browser import report

from golden import Golden


def opened(browser: Any, folder: Path, *changes: str, **how: Any) -> Tab:
    run = made_with_samples()
    for change in changes:
        run.connection.execute(change)
    tab = Tab(browser, report(run.write(folder / "a.rankwise")), address="page=time-line", **how)
    tab.page.wait_for_selector("#time-line canvas, .empty")
    return tab


BLOCKED = (
    "UPDATE network_ports SET wait_ticks = 500 WHERE id = 1",
    "UPDATE network_samples SET wait_ticks = 500 WHERE port = 1",
)


@pytest.mark.parametrize(("changes", "blocked"), [((), ["", ""]), (BLOCKED, ["", "73"])])
def test_bytes_and_blocked_time_of_the_ports(
    browser: Any, tmp_path: Path, changes: tuple[str, ...], blocked: list[str], golden: Golden
) -> None:
    """Node a sends 600 bytes and headers in the second interval of 4 s; 500 of 683 ticks were waits."""
    tab = opened(browser, tmp_path, *changes)
    rows = tab.rows("#network-line-data", tmp_path)
    assert [(row["node"], float(row["from_seconds"])) for row in rows] == [("a", 0.0), ("a", 4.0)]
    assert [float(row["sent_bytes_per_second"]) for row in rows] == [0.0, 150.0]
    assert [row["percent_blocked"] for row in rows] == blocked
    title = tab.page.inner_text("#network-line h2")
    golden.says(title, "a .. 150 B/s .. 4.00 s to 8.00 s")
    assert ("blocked" in title) == bool(changes)
    tab.close()


def test_a_click_selects_the_node(browser: Any, tmp_path: Path) -> None:
    tab = opened(browser, tmp_path)
    box = tab.page.locator("#network-line canvas").bounding_box()
    # The cells are between the margins above and below.
    tab.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] - 30)
    assert "node=a" in tab.page.url
    tab.to("page=time-line&node=b")
    assert tab.page.locator("#network-line .empty").is_visible()
    assert not tab.page.locator("#network-line canvas").is_visible()
    tab.close()


def test_without_counters_there_is_no_picture_of_ports(browser: Any, tmp_path: Path) -> None:
    tab = opened(browser, tmp_path, "DELETE FROM network_samples", "DELETE FROM network_ports")
    assert tab.page.locator("#time-line").count() == 1
    assert tab.page.locator("#network-line").count() == 0
    tab.close()

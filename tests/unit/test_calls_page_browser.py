"""The page Calls and sizes in a real browser: cells are sums of calls, and choose what they stand for."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import communicators_made
import profiles
import pytest
from browsers import Tab

from golden import assert_facts
from rankwise.__main__ import main


@pytest.fixture(scope="module")
def heat(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return report(profiles.write_profile(tmp_path_factory.mktemp("heat") / "heat.rankwise"))


@pytest.fixture(scope="module")
def kinds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return report(communicators_made.write_kinds(tmp_path_factory.mktemp("kinds") / "kinds.rankwise"))


def report(profile: Path) -> Path:
    assert main(["report", str(profile)]) == 0
    return profile.with_suffix(".html")


def opened(browser: Any, page: Path, address: str = "", **how: Any) -> Tab:
    tab = Tab(browser, page, **how)
    tab.page.wait_for_selector("[role=tab]")
    tab.page.goto(f"{page.as_uri()}#page=calls{address}")
    tab.page.wait_for_selector("#calls h2")
    return tab


def table(tab: Tab) -> dict[str, list[str]]:
    """The cells of each row, by its head."""
    rows = {}
    for row in tab.page.locator("table.heat tr").all():
        first, *rest = [" ".join(text.split()) for text in row.locator("th, td").all_inner_texts()]
        rows[first] = rest
    return rows


def test_cells_are_sums_of_calls(browser: Any, heat: Path) -> None:
    tab = opened(browser, heat)
    assert table(tab) == {
        "size → call ↓": ["all", "0 B", "4-7 B", "8-15 B", "1-2 KiB", "64-128 KiB"],
        "Allreduce": ["2.50 s", "", "", "2.50 s", "", ""],
        "Alltoallv": ["1.60 s", "", "", "", "", "1.60 s"],
        "Waitall": ["800 ms", "800 ms", "", "", "", ""],
        "Irecv": ["200 ms", "", "", "", "200 ms", ""],
        "Isend": ["200 ms", "", "", "", "200 ms", ""],
        "Bcast": ["60.0 ms", "20.0 ms", "40.0 ms", "", "", ""],
        "all": ["5.36 s", "820 ms", "40.0 ms", "2.50 s", "400 ms", "1.60 s"],
    }
    title = tab.page.inner_text("#calls h2")
    assert_facts(title, "Allreduce .. 46.6 % .. MPI .. 8-15 B")
    apart = tab.page.inner_text("#calls .apart")
    assert "Finalize 160 ms in 4 calls, Init 400 ms in 4 calls" in apart
    tab.close()


def test_each_measure(browser: Any, heat: Path) -> None:
    tab = opened(browser, heat)
    addresses = set()
    for measure, cell in (
        ("calls", "40"),
        ("bytes sent", "2.50 MiB"),
        ("bytes received", ""),
        ("bandwidth", "1.56 MiB/s"),
        ("time per call", "40.0 ms"),
    ):
        tab.page.get_by_role("button", name=measure, exact=True).click()
        assert table(tab)["Alltoallv"][5] == cell
        addresses.add(re.search("measure=([^&]+)", tab.page.url)[1])
    assert len(addresses) == 5
    tab.close()


def test_bandwidth_counts_both_ways(browser: Any, heat: Path) -> None:
    tab = opened(browser, heat, "&measure=bandwidth")
    cells = table(tab)
    assert cells["Isend"][4] == cells["Irecv"][4] == "3.91 MiB/s"  # 4 x 204,800 B in 0.2 s
    assert cells["all"][4] == "3.91 MiB/s"
    # Isend and Irecv are as fast as each other.
    assert "of 1-2 KiB most: 3.91 MiB/s" in tab.page.inner_text("#calls h2")
    tab.close()


def test_cells_and_heads_choose(browser: Any, heat: Path) -> None:
    tab = opened(browser, heat)
    tab.click("[data-key='cell Isend 1-2 KiB']")
    assert re.search(r"procedure=Isend&sizeFrom=1-2\+KiB&sizeTo=1-2\+KiB$", tab.page.url)
    assert tab.page.get_attribute("[data-key='cell Isend 1-2 KiB']", "aria-selected") == "true"
    assert table(tab)["all"][0] == "5.36 s"  # the others stay, to be chosen
    tab.click("#tab-communicators")
    assert tab.page.locator("table.tree tr:not(.faint)").count() == 2  # the head, and W_a1
    tab.click("#tab-calls")
    tab.click("[data-key='cell Isend 1-2 KiB']")
    assert "procedure=" not in tab.page.url
    tab.click("[data-key='call Bcast']")
    assert tab.page.url.endswith("procedure=Bcast")
    tab.click("[data-key='size 4-7 B']")
    assert re.search(r"procedure=Bcast&sizeFrom=4-7\+B&sizeTo=4-7\+B$", tab.page.url)
    tab.close()


def test_keys_go_from_cell_to_cell(browser: Any, heat: Path) -> None:
    tab = opened(browser, heat)
    tab.page.locator("table.heat [tabindex='0']").focus()
    for key in ("ArrowDown", "ArrowUp", "Home", *["ArrowRight"] * 4):
        tab.page.keyboard.press(key)
    assert tab.page.get_attribute(":focus", "data-key") == "cell Allreduce 8-15 B"
    tab.page.keyboard.press("Enter")
    assert "procedure=Allreduce&sizeFrom=8-15+B" in tab.page.url
    assert tab.page.get_attribute(":focus", "data-key") == "cell Allreduce 8-15 B"
    tab.close()


def test_other_filters_hold(browser: Any, heat: Path) -> None:
    tab = opened(browser, heat, "&communicator=W_a1_u2")
    assert list(table(tab)) == ["size → call ↓", "Bcast", "all"]
    assert table(tab)["all"][0] == "60.0 ms"
    tab.page.goto(f"{heat.as_uri()}#page=calls&communicator=no+such")
    tab.page.wait_for_selector("#calls .empty")
    tab.close()


def test_text_can_be_read_on_every_cell(browser: Any, heat: Path) -> None:
    for scheme in ("light", "dark"):
        tab = opened(browser, heat, color_scheme=scheme)
        contrasts = tab.page.evaluate(
            """() => [...document.querySelectorAll('table.heat td')].filter((cell) => cell.textContent)
            .map((cell) => {
            const light = (text) => {
              const parts = text.match(/[0-9.]+/g).slice(0, 3).map((part) => {
                const share = part / 255;
                return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
              });
              return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
            };
            const style = getComputedStyle(cell);
            const paper = getComputedStyle(document.querySelector('#calls')).backgroundColor;
            const under = style.backgroundColor === 'rgba(0, 0, 0, 0)' ? paper : style.backgroundColor;
            const [one, other] = [light(style.color), light(under)].sort((a, b) => b - a);
            return (one + 0.05) / (other + 0.05);
          })"""
        )
        assert len(contrasts) > 10
        assert min(contrasts) >= 4.5
        tab.close()


def test_data_of_the_table(browser: Any, heat: Path, tmp_path: Path) -> None:
    tab = opened(browser, heat)
    rows = {(row["call"], row["size"]): row for row in tab.rows("#calls-data", tmp_path)}
    assert len(rows) == 7
    sent = rows["Isend", "1-2 KiB"]
    assert (sent["calls"], sent["bytes_sent"], sent["bytes_received"]) == ("800", "819200", "0")
    assert float(sent["seconds"]) == pytest.approx(0.2)
    assert float(sent["bytes_per_second"]) == pytest.approx(819_200 / 0.2)
    assert float(sent["seconds_per_call"]) == pytest.approx(0.2 / 800)
    tab.close()


def test_histogram_of_sizes(browser: Any, heat: Path, tmp_path: Path) -> None:
    tab = opened(browser, heat)
    # 10 x 4-7 B, 400 x 8-15 B, 1600 x 1-2 KiB, 40 x 64-128 KiB, and 410 calls without data.
    title = tab.page.inner_text("#sizes h2")
    assert_facts(title, "97.6 % .. 8 B .. 2 KiB .. 99.9 % .. 1 KiB .. 128 KiB")
    assert_facts(tab.page.inner_text("#sizes .caption"), "410")
    rows = {row["size"]: row for row in tab.rows("#sizes-data", tmp_path)}
    assert float(rows["1-2 KiB"]["share_of_calls"]) == pytest.approx(1600 / 2050)
    assert float(rows["64-128 KiB"]["share_of_bytes"]) == pytest.approx(
        2_621_440 / (2_621_440 + 819_200 + 3200 + 40)
    )
    assert rows["0 B"]["share_of_calls"] == ""
    [picture] = tab.saved("#sizes-image", tmp_path)
    texts = [text.text for text in ElementTree.parse(picture).iter("{http://www.w3.org/2000/svg}text")]
    assert {title, "64-128 KiB", "78.0 %"} <= {*texts}
    tab.click("#sizes g.line[data-key='bar 1-2 KiB']")
    assert "sizeFrom=1-2+KiB&sizeTo=1-2+KiB" in tab.page.url
    tab.page.focus("#sizes g.line[data-key='bar 8-15 B']")
    tab.page.keyboard.press("Enter")
    assert "sizeFrom=8-15+B&sizeTo=8-15+B" in tab.page.url
    assert tab.page.get_attribute("#sizes g.line[data-key='bar 8-15 B']", "aria-pressed") == "true"
    tab.close()


def test_calls_that_never_returned_are_told(browser: Any, kinds: Path) -> None:
    tab = opened(browser, kinds)
    assert "1 call never returned: Barrier 1" in tab.page.inner_text("#calls")
    assert table(tab)["all"][0] == "4.50 s+"
    tab.close()


def test_the_table_scrolls_on_a_narrow_screen(browser: Any, heat: Path) -> None:
    tab = opened(browser, heat, width=360)
    assert tab.page.evaluate("document.documentElement.scrollWidth") == 360
    assert tab.page.evaluate("(e => e.scrollWidth > e.clientWidth)(document.querySelector('.heat-scroll'))")
    tab.page.evaluate("document.querySelector('.heat-scroll').scrollLeft = 200")
    box = tab.page.locator("table.heat tbody th").first.bounding_box()
    assert box is not None
    assert box["x"] >= 0
    tab.close()


def test_a_shadow_is_where_there_is_more(browser: Any, heat: Path) -> None:
    def sides(tab: Tab, left: int) -> tuple[bool, bool]:
        tab.page.evaluate(f"document.querySelector('.heat-scroll').scrollLeft = {left}")
        tab.drawn()
        shown = tab.page.get_attribute("#calls .edged", "class").split()
        return "more-left" in shown, "more-right" in shown

    tab = opened(browser, heat, width=360)
    assert [sides(tab, left) for left in (0, 40, 5000)] == [(False, True), (True, True), (True, False)]
    tab.close()
    tab = opened(browser, heat)
    assert sides(tab, 0) == (False, False)
    tab.close()

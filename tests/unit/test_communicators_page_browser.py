"""The page Communicators in a real browser: the truth on each, and what choosing one does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import communicators_made
import pytest
from browsers import Tab

from golden import assert_facts
from rankwise.__main__ import main

W, ROWS, INTER = "line W", "line W_s1", "line W_i1"


@pytest.fixture(scope="module")
def kinds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    profile = communicators_made.write_kinds(tmp_path_factory.mktemp("kinds") / "kinds.rankwise")
    assert main(["report", str(profile)]) == 0
    return profile.with_suffix(".html")


@pytest.fixture
def tab(browser: Any, kinds: Path) -> Iterator[Tab]:
    open_tab = opened(browser, kinds)
    yield open_tab
    open_tab.close()


def opened(browser: Any, page: Path, address: str = "", **how: Any) -> Tab:
    tab = Tab(browser, page, **how)
    tab.page.wait_for_selector("[role=tab]")
    tab.page.goto(f"{page.as_uri()}#page=communicators{address}")
    tab.page.wait_for_selector("table.tree")
    return tab


def line(tab: Tab, key: str) -> list[str]:
    """The texts of a line."""
    cells = tab.page.locator(f"table.tree tr[data-key='{key}'] td")
    return [text.strip() for text in cells.all_inner_texts()]


def keys(tab: Tab) -> list[str]:
    lines = tab.page.locator("table.tree tbody tr").all()
    return [str(row.get_attribute("data-key")) for row in lines]


def test_lines_tell_what_is_known(tab: Tab) -> None:
    assert keys(tab) == [
        W,
        ROWS,
        "line each W_s1",
        INTER,
        "line W_s1_d1",
        "line W_f1",
        "line W_w1",
        "line (several)",
    ]
    name, size, made, _, calls, sent, seconds, share, top, members = line(tab, ROWS)
    assert name == '▾W_s1 "row"'
    assert (size, made, members) == ("2 x 4", "Comm_split app.c:7", "0-3 | 4-7")
    assert (calls, sent, seconds, share, top) == ("8", "200 B", "1.00 s", "22.2", "Bcast 64-127 B")
    assert line(tab, W)[6] == "2.00 s+"  # a call on it never returned
    assert line(tab, INTER)[1] == "1 x 1+7"
    assert line(tab, INTER)[-1] == "0 + 1-7"
    assert_facts(tab.page.inner_text("#communicators h2"), "W .. 44.4 % .. MPI")
    assert_facts(tab.page.inner_text("#communicators .caption"), "(several): ")


def test_the_tree_is_walked_through_with_keys(tab: Tab) -> None:
    level = "table.tree tr:focus"
    tab.page.locator("table.tree tr[tabindex='0']").focus()
    for key, expected in (
        ("ArrowDown", ROWS),
        ("ArrowDown", "line each W_s1"),
        ("ArrowRight", "line each W_s1"),
        ("ArrowRight", "line W_s1.0"),
        ("ArrowLeft", "line each W_s1"),
        ("ArrowLeft", "line each W_s1"),
        ("ArrowLeft", ROWS),
        ("End", "line (several)"),
        ("Home", W),
    ):
        tab.page.keyboard.press(key)
        assert tab.page.get_attribute(level, "data-key") == expected
    assert tab.page.get_attribute(level, "aria-expanded") == "true"
    assert tab.page.get_attribute(level, "aria-level") == "1"
    tab.page.keyboard.press("ArrowLeft")
    assert keys(tab) == [W, "line (several)"]
    tab.page.keyboard.press("Enter")
    assert tab.page.url.endswith("communicator=W")


def test_a_chosen_one_is_marked_and_holds_for_all_pages(tab: Tab) -> None:
    tab.click(f"table.tree tr[data-key='{INTER}']")
    assert tab.page.get_attribute("table.tree tr.now", "data-key") == INTER
    assert line(tab, W)[6] == "2.00 s+"  # the others stay
    facts = tab.page.inner_text("#chosen-communicator")
    assert "W_s1.0 + W_s1.4" in facts
    assert "not freed" in facts
    tab.click("#chosen-communicator summary")
    tab.page.get_by_text("0 + 1, 2, 3, 4, 5, 6, 7").wait_for()
    tab.click("#tab-calls")
    assert tab.page.inner_text("table.heat tfoot td:last-child") == "1.00 s"
    tab.click("#tab-communicators")
    tab.click(f"table.tree tr[data-key='{INTER}']")
    assert "communicator=" not in tab.page.url
    assert tab.page.is_hidden("#chosen-communicator")


def test_other_filters_leave_out_what_they_do_not_choose(browser: Any, kinds: Path) -> None:
    tab = opened(browser, kinds, "&ranks=4-7")
    assert line(tab, W)[6] == "1.00 s+"
    assert line(tab, INTER)[6] == "-"
    assert_facts(tab.page.inner_text("#communicators h2"), "66.7 % .. MPI")
    tab.close()


def test_a_family_opens_and_is_found(tab: Tab) -> None:
    tab.page.fill(".find", "app.c")
    assert keys(tab) == [W, ROWS, "line each W_s1", "line W_s1.0", "line W_s1.4"]
    assert line(tab, "line W_s1.4")[1] == "1 x 4"
    tab.page.fill(".find", "no such thing")
    assert tab.page.inner_text("#communicators .empty")
    tab.page.fill(".find", "")
    assert len(keys(tab)) == 8


def test_ranks_and_communicators(tab: Tab, tmp_path: Path) -> None:
    assert "Each rank is in 6 communicators" in tab.page.inner_text("#lanes h2")
    rows = {(row["communicator"], row["rank"]): row for row in tab.rows("#lanes-data", tmp_path)}
    assert rows["W_s1", "3"]["member_of"] == "1"
    assert float(rows["W_s1", "3"]["seconds"]) == 0.125
    assert float(rows["W_s1", "3"]["share_of_time_in_mpi"]) == pytest.approx(0.125 / 0.375)
    assert float(rows["W_i1", "0"]["share_of_time_in_mpi"]) == pytest.approx(1 / 1.625)
    assert ("W_i1", "7") in rows
    tab.page.focus("#lanes canvas")
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "ArrowRight"):
        tab.page.keyboard.press(key)
    spoken = tab.page.inner_text("#lanes [aria-live]")
    assert 'W_s1 "row"' in spoken
    assert "rank 2 on a, in 1 of 2" in spoken
    tab.page.keyboard.press("Enter")
    assert tab.page.url.endswith("communicator=W_s1")
    tab.page.get_by_role("button", name="each communicator").click()
    each = {row["communicator"] for row in tab.rows("#lanes-data", tmp_path)}
    assert {"W_s1.0", "W_s1.4"} < each
    [picture] = tab.saved("#lanes-image", tmp_path)
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_the_data_has_each_communicator(tab: Tab, tmp_path: Path) -> None:
    rows = {row["communicator"]: row for row in tab.rows("#communicators-data", tmp_path)}
    assert len(rows) == 9  # without (none) and (other), which have nothing
    first = rows["W_s1.0"]
    assert (first["parent"], first["made_by"], first["made_at"]) == ("W", "Comm_split", "app.c:7")
    assert (first["created_seconds"], first["freed_seconds"], first["members"]) == ("1", "5", "0-3")
    assert rows["W_s1.0_d1"]["freed_seconds"] == ""
    assert (rows["W"]["never_returned"], float(rows["W"]["seconds"])) == ("1", 2)
    assert rows["W_f1"]["type"] == "file"
    assert sum(float(row["seconds"]) for row in rows.values()) == communicators_made.TOTAL


def test_names_do_no_harm(browser: Any, kinds: Path) -> None:
    tab = opened(browser, kinds, "&communicator=W_f1")
    assert "<script>" in tab.page.inner_text("#chosen-communicator")
    assert tab.page.evaluate("window.harmed") is None
    tab.close()


def test_many_communicators_are_families(browser: Any, tmp_path: Path) -> None:
    profile = communicators_made.write_many(tmp_path / "many.rankwise")
    assert main(["report", str(profile)]) == 0
    tab = opened(browser, profile.with_suffix(".html"))
    assert keys(tab) == [W, ROWS, "line W_d1"]
    assert line(tab, ROWS)[1] == "550 x 2"
    assert_facts(tab.page.inner_text("#lanes h2"), "3")
    tab.click(f"table.tree tr[data-key='{ROWS}']")
    assert "and 542 more" in tab.page.inner_text("#chosen-communicator .members")
    tab.close()


def test_it_fits_a_narrow_screen(browser: Any, kinds: Path) -> None:
    tab = opened(browser, kinds, "&communicator=W_s1", width=360)
    assert tab.page.evaluate("document.documentElement.scrollWidth") == 360
    tab.close()

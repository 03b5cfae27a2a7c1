"""The pages Balance and Time line in a real browser: what they show is what is known of the run."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import profiles
import pytest
from browsers import Tab
from made_profile import Made
from phased_run import INTERVALS, Run
from test_balance_of_report import caused_in_both, waiting_run

from golden import assert_facts
from rankwise.__main__ import main

HOSTILE = "<script>window.harmed=1</script><img src=x onerror=window.harmed=1>\"'`&\u202e\x1b[31m"


def opened(browser: Any, profile: Path, address: str, **how: Any) -> Tab:
    """A report, at an address of its own."""
    path = profile.with_suffix(".html")
    if not path.exists():
        assert main(["report", str(profile)]) == 0
    tab = Tab(browser, path, **how)
    to(tab, address)
    return tab


def to(tab: Tab, address: str) -> None:
    """Go to another place of the report."""
    tab.page.evaluate("address => { window.location.hash = address }", address)
    tab.page.wait_for_selector(".sheet .card, .sheet .empty")


def title(tab: Tab, figure: str) -> str:
    text: str = tab.page.inner_text(f"#{figure}-title")
    return text


def numbers(rows: list[dict[str, str]], column: str) -> list[float]:
    return [float(row[column]) for row in rows]


def test_bars_are_the_time_of_each_rank(browser: Any, tmp_path: Path) -> None:
    tab = opened(browser, profiles.write_profile(tmp_path / "a.rankwise"), "page=balance")
    rows = tab.rows("#balance-times-data", tmp_path)
    assert [row["host"] for row in rows] == list(profiles.HOSTS)
    # Nothing is known of arrivals: all of MPI is the rest of it, and what is left of the run is computing.
    assert numbers(rows, "rest_seconds") == pytest.approx(profiles.MPI_SECONDS)
    left = [profiles.RUN_SECONDS - seconds for seconds in profiles.MPI_SECONDS]
    assert numbers(rows, "computing_seconds") == pytest.approx(left)
    assert_facts(title(tab, "balance-times"), "3 .. nodeb .. MPI .. 1.71 s .. 1.28")
    assert "arrivals" in tab.page.inner_text("#balance-waits .empty")
    assert tab.page.locator("#balance-ranks tbody tr").count() == 4
    assert tab.page.inner_text("#balance-ranks tfoot").split() == [
        *("mean", "9.86", "s", "1.34", "s", "13.6", "%", "841", "KiB", "200", "KiB"),
        *("max/mean", "1.00", "1.28", "1.00", "1.00"),
    ]
    tab.close()


def test_filters_leave_the_calls_that_are_chosen(browser: Any, tmp_path: Path) -> None:
    profile = profiles.write_profile(tmp_path / "a.rankwise")
    tab = opened(browser, profile, "page=balance&procedure=Allreduce")
    rows = tab.rows("#balance-times-data", tmp_path)
    assert numbers(rows, "rest_seconds") == pytest.approx([0.25, 0.5, 0.75, 1.0])
    assert numbers(rows, "computing_seconds") == [0.0] * 4
    assert_facts(title(tab, "balance-times"), "3 .. nodeb .. 1.00 s")
    to(tab, "page=balance&region=solve")
    assert "region" in tab.page.inner_text("#balance-times .caption")
    tab.click("#balance-nodes tbody tr:nth-child(2)")
    assert "node=nodeb" in tab.page.url
    rows = tab.rows("#balance-times-data", tmp_path)
    assert [row["rank"] for row in rows] == ["2", "3"]
    tab.close()


def test_a_rank_is_chosen_by_the_keys_and_in_the_table(browser: Any, tmp_path: Path) -> None:
    tab = opened(browser, profiles.write_profile(tmp_path / "a.rankwise"), "page=balance")
    canvas = tab.page.locator("#balance-times canvas")
    canvas.focus()
    for _ in range(3):
        tab.page.keyboard.press("ArrowRight")
    said = tab.page.inner_text("#balance-times .unseen")
    assert said.startswith("rank 2 (nodeb)")
    assert "in MPI 1.46 s, 14.8 % of its run" in said
    tab.page.keyboard.press("Enter")
    assert "ranks=2" in tab.page.url
    assert tab.page.locator("#balance-ranks tbody tr").count() == 1
    tab.click("#balance-ranks tbody tr")
    assert "ranks=" not in tab.page.url
    tab.page.get_by_role("button", name="sent", exact=True).click()
    assert "ranks-order=sent+down" in tab.page.url
    assert tab.page.inner_text("#balance-ranks tbody tr td") in ("0", "1")
    tab.page.select_option("#balance-times select", label="node")
    assert "bars-by=node" in tab.page.url
    tab.close()


def test_waits_are_caused_by_who_is_late(browser: Any, tmp_path: Path) -> None:
    tab = opened(browser, waiting_run().write(tmp_path / "a.rankwise"), "page=balance")
    rows = {int(row["rank"]): row for row in tab.rows("#balance-waits-data", tmp_path)}
    assert float(rows[3]["caused_seconds"]) == pytest.approx(2.7)
    assert float(rows[3]["messages_caused_seconds"]) == pytest.approx(0.2)
    assert [float(rows[rank]["waited_seconds"]) for rank in range(4)] == pytest.approx([0.9, 0.9, 0.9, 0.0])
    bars = tab.rows("#balance-times-data", tmp_path)
    assert numbers(bars, "collectives_seconds") == pytest.approx([0.9, 0.9, 0.9, 0.0])
    assert numbers(bars, "messages_seconds") == pytest.approx([0.0, 0.2, 0.0, 0.0])
    to(tab, "page=balance&procedure=Recv")
    bars = tab.rows("#balance-times-data", tmp_path)
    assert numbers(bars, "collectives_seconds") == [0.0] * 4
    assert numbers(bars, "messages_seconds") == pytest.approx([0.0, 0.2, 0.0, 0.0])
    assert "covers all calls" in tab.page.inner_text("#balance-waits .caption")
    for figure in ("balance-times", "balance-waits"):
        [picture] = tab.saved(f"#{figure}-image", tmp_path)
        assert picture.read_bytes().startswith(b"\x89PNG")
    tab.close()


def test_with_42_percent_of_all_waiting_a_rank_stands_out_on_no_page(browser: Any, tmp_path: Path) -> None:
    tab = opened(browser, caused_in_both().write(tmp_path / "a.rankwise"), "page=balance")
    rows = tab.rows("#balance-waits-data", tmp_path)
    assert numbers(rows, "root_cause_seconds") == pytest.approx([6.0, 0.0, 4.0, 4.0])
    assert sum(numbers(rows, "root_cause_of_all_waiting")) == pytest.approx(1.0)
    of_waits = title(tab, "balance-waits")
    assert "rank 0" not in of_waits
    to(tab, "page=overview")
    tab.page.wait_for_selector("#late-title")
    assert of_waits.lower().endswith(title(tab, "late").lower())
    tab.close()


def test_a_program_without_calls_is_told_in_plain_words(browser: Any, tmp_path: Path) -> None:
    run = Made(1)
    run.insert("time_axis", begin=0.3349, width=0.0008, intervals=1)
    run.insert("time_lines", rank=0, begin=0.33502, end=0.33543)
    tab = opened(browser, run.write(tmp_path / "a.rankwise"), "page=time-line")
    nothing = "No MPI call between MPI_Init and MPI_Finalize"
    assert title(tab, "time-line") == f"{nothing}, from 335.0 ms to 335.4 ms"
    to(tab, "page=balance")
    tab.page.wait_for_selector("#balance-times")
    assert title(tab, "balance-times") == nothing
    assert title(tab, "balance-ranks") == "1 rank, without an MPI call between MPI_Init and MPI_Finalize"
    to(tab, "page=overview")
    tab.page.wait_for_selector("#top-communicators")
    assert title(tab, "top-communicators") == "No communicator was used"
    to(tab, "page=communicators")
    tab.page.get_by_text("No rank spends").wait_for()
    tab.close()


def phased(folder: Path) -> Path:
    run = Run()
    run.all_intervals()
    return run.write(folder / "a.rankwise")


def test_time_line_shows_what_was_when(browser: Any, tmp_path: Path) -> None:
    tab = opened(browser, phased(tmp_path), "page=time-line")
    assert title(tab, "time-line") == (
        "2 phases; most time in MPI is in phase 2: 91.0 % in MPI from 2.00 s to 4.00 s, 50.0 % of the run"
    )
    rows = tab.rows("#time-line-data", tmp_path)
    assert len(rows) == 4 * INTERVALS
    assert numbers(rows, "percent_of_mpi") == pytest.approx(([1.0] * 20 + [91.0] * 20) * 4)
    assert tab.page.locator("#phases tbody tr").count() == 2
    tab.page.get_by_role("button", name="sent", exact=True).click()
    assert "time-of=sent" in tab.page.url
    rows = tab.rows("#time-line-data", tmp_path)
    assert numbers(rows, "sent_per_second") == pytest.approx(([10.0] * 20 + [10_000.0] * 20) * 4)
    [picture] = tab.saved("#time-line-image", tmp_path)
    assert picture.read_bytes().startswith(b"\x89PNG")
    tab.close()


def test_time_line_has_the_ranks_that_are_chosen(browser: Any, tmp_path: Path) -> None:
    tab = opened(browser, phased(tmp_path), "page=time-line&ranks=1-2&procedure=Send")
    assert {row["ranks"] for row in tab.rows("#time-line-data", tmp_path)} == {"1", "2"}
    assert tab.page.inner_text(".notice")
    tab.page.locator("#time-line canvas").focus()
    for _ in range(2):
        tab.page.keyboard.press("ArrowDown")
    said = tab.page.inner_text("#time-line .unseen")
    assert_facts(said, "2 .. node .. 0 s .. 100 ms .. 1 .. MPI 1.0 %")
    tab.page.keyboard.press("Enter")
    assert "ranks=2&" in f"{tab.page.url}&"
    tab.close()


def test_of_many_ranks_each_pixel_has_the_mean_and_the_most(browser: Any, tmp_path: Path) -> None:
    ranks = 2000
    run = Made(ranks)
    for rank in range(ranks):
        run.call(rank, "MPI_Barrier", 1.0 if rank != 777 else 0.25)
    tab = opened(browser, run.write(tmp_path / "a.rankwise"), "page=balance")
    assert_facts(title(tab, "balance-times"), "777 .. node .. 8 %")
    assert_facts(tab.page.inner_text("#balance-times .caption"), "2,000")
    assert len(tab.rows("#balance-times-data", tmp_path)) == ranks
    # Where it shares a pixel with others the pointer finds the one that stands out.
    box = tab.page.locator("#balance-times canvas").bounding_box()
    tab.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 100)
    names = set()
    for pixel in range(round(0.36 * box["width"]), round(0.42 * box["width"])):
        tab.page.mouse.move(box["x"] + pixel, box["y"] + 100)
        names.add(tab.page.inner_text("#tip strong"))
    assert "rank 777 (node)" in names
    tab.page.locator("#balance-times canvas").focus()
    tab.page.keyboard.press("End")
    assert tab.page.inner_text("#balance-times .unseen").startswith("rank 1999 (node)")
    assert tab.page.locator("#balance-ranks tbody tr").count() == 16
    tab.page.get_by_role("button", name="show 1,984 more").click()
    assert tab.page.locator("#balance-ranks tbody tr").count() == ranks
    tab.close()


@pytest.mark.parametrize("width", [360, 2560])
def test_hostile_names_change_nothing_and_nothing_is_too_wide(
    browser: Any, tmp_path: Path, width: int
) -> None:
    path = profiles.write_partial(tmp_path / "a.rankwise")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE ranks SET host = ? WHERE rank > 1", (HOSTILE,))
        connection.execute("UPDATE communicators SET name = ? WHERE id = 3", (HOSTILE,))
    tab = opened(browser, path, "page=balance", width=width)
    assert "<script>" in tab.page.inner_text("#balance-nodes tbody")
    assert "inside Allreduce on <script>" in tab.page.inner_text("#balance-ranks tbody")
    for page in ("balance", "time-line"):
        to(tab, f"page={page}")
        assert tab.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        assert tab.page.evaluate("window.harmed") is None
    tab.close()


def test_empty_pages_say_why(browser: Any, tmp_path: Path) -> None:
    tab = opened(browser, profiles.write_empty(tmp_path / "a.rankwise"), "page=balance")
    assert "before MPI_Init" in tab.page.inner_text(".sheet .empty")
    to(tab, "page=time-line")
    assert "MPI_Init" in tab.page.inner_text(".sheet.time-line .empty")
    tab.close()

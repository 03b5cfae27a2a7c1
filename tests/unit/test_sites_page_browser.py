"""The page Call sites in a real browser: the numbers of `rankwise show`, and what choices do."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from assembled import made
from browsers import Tab
from made_profile import Made
from paths_made import made_paths
from synthetic import call, loaded_object, small_world

from golden import assert_facts
from rankwise.__main__ import main
from rankwise.profile.collect.layout import CONSTANTS

FIRST = CONSTANTS["FIRST_SITE"]
HOSTILE = "<script>window.harmed=1</script><img src=x onerror=window.harmed=1>\"'`&\u202e\x1b[31m"
PROGRAM = "/home/me/solver"


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    """A program and a library, each with two places; one rank takes longer, and some calls have no place."""
    processes = small_world()
    for number, process in enumerate(processes):
        process.objects = [
            loaded_object(PROGRAM.encode(), kind=1),
            loaded_object(b"/usr/lib/libsums.so.3"),
        ]
        process.sites = [
            {"offset": 16, "object": 0},
            {"offset": 48, "object": 1},
            {"offset": 80, "object": 0},
        ]
        process.calls[0] += [
            call("MPI_Scan", calls=2, seconds=0.25, site=FIRST),
            call("MPI_Scan", calls=3, seconds=2.0 + number, site=FIRST + 1),
            call("MPI_Barrier", calls=4, seconds=0.125, site=FIRST + 1),
            call("MPI_Barrier", calls=5, seconds=0.5, site=FIRST + 2),
            call("MPI_Scan", calls=7, seconds=0.75),
        ]
    return made(tmp_path, processes).path


def report(profile: Path) -> Path:
    output = profile.with_suffix(".html")
    assert main(["report", str(profile), "-o", str(output), "--force"]) == 0
    return output


def opened(browser: Any, profile: Path, address: str = "", **how: Any) -> Tab:
    path = report(profile)
    tab = Tab(browser, path, address=f"page=sites{address}", **how)
    tab.page.wait_for_selector("#places table, .empty")
    return tab


def shown(capsys: pytest.CaptureFixture[str], profile: Path, what: str, *words: str) -> list[dict[str, Any]]:
    capsys.readouterr()
    assert main(["show", str(profile), "--by", what, "--json", *words]) == 0
    rows = json.loads(capsys.readouterr().out)["sites" if what == "site" else "libraries"]
    assert isinstance(rows, list)
    return rows


def agree(csv_rows: list[dict[str, str]], wanted: list[dict[str, Any]], *keys: str) -> None:
    """Rows of a CSV file are those of `--json`, by what they are called."""
    by_name = {tuple(row[key] for key in keys): row for row in csv_rows}
    assert len(by_name) == len(csv_rows) == len(wanted)
    for row in wanted:
        names = {
            "site": row.get("site") or "not known",
            "call": row["procedure"].removeprefix("MPI_"),
            "caller": (row["library"] or "(not known)") + " (program)" * row["is_program"],
        }
        cells = by_name[tuple(names[key] for key in keys)]
        assert int(cells["calls"]) == row["calls"]
        assert int(cells["sent_bytes"]) == row["bytes_sent"]
        assert int(cells["received_bytes"]) == row["bytes_received"]
        assert float(cells["seconds"]) == pytest.approx(row["seconds"], rel=1e-6)
        assert int(cells["ranks"]) == row["ranks"]
        spread = row["over_ranks"]
        assert float(cells["imbalance"]) == pytest.approx(spread["maximum"] / spread["average"], rel=1e-6)


def test_numbers_are_those_of_show(
    browser: Any, profile: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tab = opened(browser, profile)
    cases: tuple[tuple[str, tuple[str, ...]], ...] = (
        ("", ()),
        ("&procedure=Scan", ("--call", "Scan")),
        ("&ranks=1-2", ("--rank", "1-2")),
        ("&communicator=W", ("--communicator", "W")),
    )
    for address, words in cases:
        tab.to(f"page=sites{address}")
        agree(tab.rows("#places-data", tmp_path), shown(capsys, profile, "site", *words), "site", "call")
        agree(tab.rows("#libraries-data", tmp_path), shown(capsys, profile, "library", *words), "caller")
    tab.close()


def test_title_is_that_of_show(browser: Any, profile: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tab = opened(browser, profile)
    [first, *_] = shown(capsys, profile, "site")
    share = f"{first['percent_of_mpi']:.1f} %"
    assert_facts(tab.page.inner_text("#places h2"), f"Scan .. libsums.so.3+0x30 .. {share} .. MPI")
    assert_facts(tab.page.inner_text("#libraries h2"), "libsums")
    tab.close()


def test_a_choice_restricts_the_report_to_a_place(browser: Any, profile: Path, tmp_path: Path) -> None:
    tab = opened(browser, profile)
    page = tab.page
    rows = page.locator("#places tbody tr").count()
    page.locator("#places tbody tr", has_text="libsums.so.3+0x30").first.click()
    assert "site=libsums.so.3%2B0x30" in page.url
    # The others are still there to be chosen; both procedures of the place are marked.
    assert page.locator("#places tbody tr").count() == rows
    assert page.locator("#places tbody tr.now").count() == 2
    assert page.inner_text(".chips").startswith("call site libsums.so.3+0x30")
    # 2 + 3 + 4 + 5 s of Scan and 4 x 0.125 s of Barrier.
    split = tab.rows("#split-data", tmp_path)
    by_rank = {row["of"]: float(row["seconds"]) for row in split if row["by"] == "rank"}
    assert by_rank == pytest.approx({str(rank): 2.125 + rank for rank in range(4)})
    assert page.inner_text("#split h2").startswith("libsums.so.3+0x30: 14.5 s, ")
    of_all = page.inner_text("#places h2")
    page.evaluate("window.location.hash += '&ranks=0'")
    page.locator("#places h2").filter(has_not_text=of_all).wait_for()
    page.evaluate("window.location.hash = window.location.hash.replace('&ranks=0', '')")
    page.locator("#places h2").filter(has_text=of_all).wait_for()
    # Another page follows.
    page.click("#tab-calls")
    page.wait_for_selector("#calls table, .sheet.calls table")
    text = page.inner_text("#stage")
    assert "Scan" in text
    assert "Allreduce" not in text
    page.click("#tab-sites")
    page.locator("#places tbody tr.now").first.click()
    assert "site=" not in page.url
    tab.close()


def test_the_split_restricts_further(browser: Any, profile: Path) -> None:
    tab = opened(browser, profile, "&site=" + quote("solver+0x10", safe=""))
    page = tab.page
    assert page.inner_text("#split h2").startswith("solver+0x10: 1.00 s, ")
    page.locator("#split svg .pick").nth(2).click()
    assert "ranks=2" in page.url
    assert page.inner_text("#split h2").startswith("solver+0x10: 250 ms, ")
    tab.close()


def test_find_and_order(browser: Any, profile: Path) -> None:
    tab = opened(browser, profile)
    page = tab.page
    page.fill("#places input", "SUMS")
    assert page.locator("#places tbody tr").count() == 2
    assert "2 rows of " in page.inner_text("#places .hint")
    page.fill("#places input", "no such place")
    assert page.inner_text("#places .empty")
    page.fill("#places input", "")
    page.click("#places th button:has-text('calls')")
    calls = [int(text) for text in page.locator("#places tbody td:nth-child(4)").all_inner_texts()]
    assert calls == sorted(calls, reverse=True)
    assert "order=calls+down" in page.url
    page.locator("#libraries tbody tr", has_text="libsums").click()
    assert page.locator("#places tbody tr").count() == 2
    tab.close()


@pytest.mark.parametrize("width", [360, 1280, 2560])
def test_names_stay_in_their_boxes_and_all_fits(browser: Any, profile: Path, width: int) -> None:
    tab = opened(browser, profile, width=width)
    ends = tab.page.evaluate(
        """[...document.querySelectorAll("#libraries .icicle g")]
          .filter((box) => box.querySelector("text"))
          .map((box) => ["text", "rect"].map((kind) => box.querySelector(kind).getBoundingClientRect()))
          .map(([text, rect]) => [text.right, rect.right])"""
    )
    assert ends
    assert all(text <= box for text, box in ends)
    assert tab.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    tab.close()


def test_the_picture_can_be_kept(browser: Any, profile: Path, tmp_path: Path) -> None:
    tab = opened(browser, profile)
    [path] = tab.saved("#libraries-image", tmp_path)
    text = path.read_text(encoding="utf-8")
    assert path.suffix == ".svg"
    for name in ("libsums", "solver (program)"):
        assert name in text
    assert "var(" not in text
    tab.page.locator("#libraries svg .pick").first.click()
    assert "site=libsums" in tab.page.url
    tab.close()


@pytest.fixture
def with_paths(tmp_path: Path) -> Path:
    return made_paths().write(tmp_path / "paths.rankwise")


def lines_of_tree(tab: Tab) -> list[str]:
    """Of each line its level and name: `2 solve`."""
    lines: list[str] = tab.page.eval_on_selector_all(
        "#who-calls [role=treegrid] tbody tr",
        "lines => lines.map(line => line.ariaLevel + ' ' + line.querySelector('.place span').textContent)",
    )
    return lines


OPEN_AT_FIRST = ["1 Allreduce at libways.so.1+0x99", "2 gather", "3 solve", "4 main", "3 norm", "3 output"]


def test_keys_open_and_close_the_tree_of_callers(browser: Any, with_paths: Path) -> None:
    tab = opened(browser, with_paths)
    page = tab.page
    assert lines_of_tree(tab) == OPEN_AT_FIRST
    assert_facts(page.inner_text("#who-calls h2"), "Allreduce .. 100.0 % .. 60.0 ± 8.5 % .. solve")
    page.locator("#who-calls tbody tr").first.focus()
    page.keyboard.press("End")
    assert page.evaluate("document.activeElement.ariaExpanded") == "false"
    page.keyboard.press("ArrowRight")
    assert lines_of_tree(tab) == [*OPEN_AT_FIRST, "4 main"]
    page.keyboard.press("ArrowRight")
    assert page.evaluate("[document.activeElement.ariaLevel, document.activeElement.ariaExpanded]") == [
        "4",
        None,
    ]
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    assert lines_of_tree(tab) == OPEN_AT_FIRST
    page.keyboard.press("Home")
    page.keyboard.press("Enter")
    assert "site=libways.so.1%2B0x99" in page.url
    assert page.evaluate("document.activeElement.ariaSelected") == "true"
    tab.click("#who-calls button:has-text('close all')")
    assert lines_of_tree(tab) == OPEN_AT_FIRST[:1]
    tab.click("#who-calls button:has-text('open all')")
    assert len(lines_of_tree(tab)) == 8
    tab.close()


def test_callers_are_those_of_show(
    browser: Any, with_paths: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tab = opened(browser, with_paths)
    by_path = {row["path"]: row for row in tab.rows("#who-calls-data", tmp_path)}
    assert main(["show", str(with_paths), "--by", "path", "--json"]) == 0
    paths = json.loads(capsys.readouterr().out)["paths"]
    assert len(paths) == 3
    for row in paths:
        functions = [row["function"], *(frame["function"] for frame in row["frames"])]
        for end in range(2, len(functions) + 1):
            assert " < ".join(functions[:end]) in by_path
        cells = by_path[" < ".join(functions)]
        assert cells["caller_place"] == row["frames"][-1]["name"]
        for name in ("seconds", "calls", "percent_of_mpi"):
            assert float(cells[name]) == pytest.approx(row[name], rel=1e-6)
        for end, number in {"": "percent", "_low": "low", "_high": "high"}.items():
            assert float(cells[f"percent_of_place{end}"]) == pytest.approx(row["share_of_time"][number])
            assert float(cells[f"percent_of_calls{end}"]) == pytest.approx(row["share_of_calls"][number])
    assert {row["level"] for row in by_path.values()} == set("0123")
    tab.close()


def test_callers_follow_the_filters_that_they_are_known_by(browser: Any, with_paths: Path) -> None:
    tab = opened(browser, with_paths, "&ranks=0")
    page = tab.page
    assert "rank" in page.inner_text(".notice")
    assert lines_of_tree(tab) == OPEN_AT_FIRST
    assert page.inner_text("#who-calls h2").count("whole run") == 1
    tab.to("page=sites&procedure=Allreduce")
    assert not page.is_visible(".notice")
    assert lines_of_tree(tab) == OPEN_AT_FIRST
    tab.close()


@pytest.mark.parametrize("width", [360, 1400])
def test_the_tree_of_callers_fits(browser: Any, with_paths: Path, width: int) -> None:
    tab = opened(browser, with_paths, width=width)
    tab.click("#who-calls button:has-text('open all')")
    assert tab.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    # The share of the place, the third column, is seen without moving the table.
    right, edge = tab.page.evaluate(
        """["tbody tr:nth-child(2) td:nth-child(3)", ".scroll-x"]
          .map((part) => document.querySelector(`#who-calls ${part}`).getBoundingClientRect().right)"""
    )
    assert right <= edge
    tab.close()


def test_without_paths_it_says_why(browser: Any, profile: Path) -> None:
    tab = opened(browser, profile)
    assert "--no-paths" in tab.page.inner_text("#who-calls .empty")
    assert tab.page.locator("#who-calls button").count() == 0
    tab.close()


def test_without_places_it_says_why(browser: Any, tmp_path: Path) -> None:
    run = Made()
    run.call(0, "MPI_Barrier", 0.5)
    tab = opened(browser, run.write(tmp_path / "none.rankwise"))
    assert "--no-sites" in tab.page.inner_text(".empty")
    tab.close()


def test_hostile_names_are_text(browser: Any, tmp_path: Path) -> None:
    run = Made()
    run.insert("objects", id=1, path=f"/bin/{HOSTILE}")
    run.insert("sites", id=1, object=1, offset=5, function=HOSTILE, file=f"/src/{HOSTILE}", line=3)
    run.call(0, "MPI_Barrier", 0.5)
    run.connection.execute("UPDATE call_places SET site = 1")
    tab = opened(browser, run.write(tmp_path / "hostile.rankwise"))
    page = tab.page
    page.locator("#places tbody tr").first.click()
    assert "<script>window.harmed" in page.inner_text("#places tbody")
    assert page.evaluate("window.harmed") is None
    assert page.locator("main script, main img").count() == 0
    assert not re.search("[\u202e\x1b]", page.inner_text("body"))
    tab.close()

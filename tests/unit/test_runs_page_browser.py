"""The page of many runs in a browser: its finding, charts and tables, in narrow windows and both looks."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

from rankwise.render.page.runs import runs_page
from rankwise.views.runs.chart import Axis, Chart, Point, Series
from rankwise.views.view import COUNT, NAME, SECONDS, Column, Table, View, label

AXE = Path(__file__).parents[2] / "web/node_modules/axe-core/axe.min.js"
HOSTILE = "<script>document.title = 'mine'</script>"


CALLS = [("W", "Bcast"), ("W", "Allreduce"), ('W_s1 "row"', "Alltoall")]


def page_of_charts(profile: Path) -> bytes:
    """A page with charts of the run, of nothing, and of calls; it links a report in the same directory."""
    runs = [(2, 4.0), (4, 2.5), (8, 1.75)]
    table: Table = Table(
        [
            label("what", lambda _: HOSTILE, "name"),
            Column("ranks", lambda row: row[0], COUNT, "number of them"),
            Column("wall", lambda row: row[1], SECONDS, "of the run"),
        ],
        runs,
        "nothing",
        title="By ranks",
    )
    calls: Table = Table(
        [
            label("communicator", lambda row: row[0], "name", choice=True),
            label("call", lambda row: row[1], "name", choice=True),
            Column("profile", lambda _: HOSTILE, NAME, "file", file=lambda _: str(profile)),
        ],
        CALLS,
        "nothing",
        title="Calls",
    )
    points = [Point(float(x), y, 0.9 * y, 1.1 * y, f"{x} ranks: {y:g} s") for x, y in runs]
    ideal = [Point(float(x), 8.0 / x) for x, _ in runs]
    charts = [
        Chart(
            name="wall",
            title=HOSTILE,
            caption="How it scales",
            x=Axis("ranks", logarithmic=True, labels=[(float(x), str(x)) for x, _ in runs]),
            y=Axis("wall time", "s"),
            series=[Series("measured", points), Series(HOSTILE, ideal, "dashed")],
        ),
        Chart(
            name="empty",
            title="Nothing",
            caption="",
            x=Axis("commit", labels=[(0.0, "a")]),
            y=Axis("wall time", "s"),
            series=[],
        ),
        Chart(
            name="calls",
            title="Time of calls",
            caption="",
            x=Axis("ranks"),
            y=Axis("time", "s", from_zero=False),
            series=[
                Series(call, points, about={"communicator": communicator, "call": call})
                for communicator, call in CALLS
            ],
        ),
    ]
    view = View("It scales", [table, calls], {})
    lines = ["app  2 ranks", "A fact."]
    return runs_page("A job", view, charts, lines, [f"left out: {HOSTILE}"], directory=profile.parent)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("runs") / "runs.html"
    profile = path.with_name("a #1%.rankwise")
    profile.with_suffix(".html").write_text("report")
    path.write_bytes(page_of_charts(profile))
    return path


def test_what_the_page_shows(browser: Any, written: Path, tmp_path: Path) -> None:
    page = browser.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(written.as_uri())
    page.wait_for_selector("#wall svg")
    assert page.title() == "A job"
    text = page.inner_text("main")
    for part in ("It scales.", "app, 2 ranks", "A fact.", f"left out: {HOSTILE}", "By ranks"):
        assert part in text
    assert page.locator("#wall circle").count() == 3
    assert page.locator("#wall path").count() == 2
    assert page.locator("#wall circle title").first.text_content() == "2 ranks: 4 s"
    assert page.locator("#empty svg").count() == 1
    with page.expect_download() as download:
        page.click("#wall-data")
    saved = tmp_path / "wall.csv"
    download.value.save_as(saved)
    with saved.open(newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0][:3] == ["series", "ranks", "wall time, s"]
    assert [float(row[2]) for row in rows[1:4]] == [4.0, 2.5, 1.75]
    assert not errors


def test_rows_are_sorted_by_a_column(browser: Any, written: Path) -> None:
    page = browser.new_page()
    page.goto(written.as_uri())
    page.click("th button:has-text('wall')")
    assert page.locator("#table-0 tbody tr td:nth-child(2)").all_inner_texts() == ["2", "4", "8"]
    page.click("th button:has-text('wall')")
    assert page.locator("#table-0 tbody tr td:nth-child(2)").all_inner_texts() == ["8", "4", "2"]


def test_filters_choose_rows_and_lines_and_are_in_the_address(browser: Any, written: Path) -> None:
    page = browser.new_page()
    page.goto(written.as_uri())
    calls = page.locator("#table-1 tbody tr td:nth-child(2)")

    def lines() -> list[str]:
        return page.locator("#calls svg title").evaluate_all(
            "found => [...new Set(found.map(one => one.parentElement.getAttribute('fill')))]"
        )

    colours = lines()
    assert len(colours) == len(CALLS)
    page.get_by_label("communicator").select_option(label="W")
    assert calls.all_inner_texts() == ["Bcast", "Allreduce"]
    assert "2 of 3 rows" in page.inner_text("#table-1 .caption")
    assert lines() == colours[:2]
    assert page.locator("#table-0 tbody tr").count() == 3
    page.get_by_label("find in the tables").fill("ALL")
    assert calls.all_inner_texts() == ["Allreduce"]
    assert lines() == [colours[1]]
    other = browser.new_page()
    other.goto(page.url)
    assert other.locator("#table-1 tbody tr td:nth-child(2)").all_inner_texts() == ["Allreduce"]
    other.click("text=show all")
    assert other.locator("#table-1 tbody tr").count() == len(CALLS)
    assert "#" not in other.url


def test_profiles_open_their_reports(browser: Any, written: Path) -> None:
    page = browser.new_page()
    page.goto(written.as_uri())
    page.locator("#table-1 tbody a").first.click()
    page.wait_for_selector("text=report")
    assert page.inner_text("body") == "report"


def test_without_scripts_there_are_the_tables(browser: Any, written: Path) -> None:
    page = browser.new_page(java_script_enabled=False)
    page.goto(written.as_uri())
    assert page.inner_text("h1") == "A job"
    assert page.locator("tbody tr").count() == 3 + len(CALLS)
    assert page.locator("tbody a").count() == len(CALLS)
    assert HOSTILE in page.inner_text("main")


@pytest.mark.parametrize("width", [360, 1200, 2560])
@pytest.mark.parametrize("look", ["light", "dark"])
def test_nothing_is_wider_than_the_window(browser: Any, written: Path, width: int, look: str) -> None:
    page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=look)
    page.goto(written.as_uri())
    page.wait_for_selector("#wall svg")
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("look", ["light", "dark"])
def test_everybody_can_use_it(browser: Any, written: Path, look: str) -> None:
    if not AXE.is_file():
        pytest.skip("needs axe-core: npm ci in web/")
    page = browser.new_page(viewport={"width": 1200, "height": 800}, color_scheme=look)
    page.goto(written.as_uri())
    page.wait_for_selector("#wall svg")
    # (Evaluated, not put in as a script: the page runs no others.)
    page.evaluate(AXE.read_text(encoding="utf-8"))
    violations = page.evaluate("axe.run().then(found => found.violations)")
    assert [(found["id"], [node["html"] for node in found["nodes"]]) for found in violations] == []

"""A report of several profiles: what changed from one side to the other, as `rankwise diff` tells it."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import network_jobs
import profiles
import pytest
from browsers import Tab
from test_diff import written

from golden import Golden
from rankwise.__main__ import main
from rankwise.render.page.contents.run import both_sides, run_names


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Three runs before, and three after, in which Allreduce takes twice the time."""
    place = tmp_path_factory.mktemp("made")
    before = [written(place / f"b{run}.rankwise", 1 + run / 100) for run in range(3)]
    return before + [written(place / f"a{run}.rankwise", 2 + run / 100) for run in range(3)]


@pytest.fixture
def sides(made: list[Path], tmp_path: Path) -> list[Path]:
    return [Path(shutil.copy(path, tmp_path)) for path in made]


def words(paths: list[Path]) -> list[str]:
    names = list(map(str, paths))
    return [*names[:3], "--", *names[3:]]


def test_two_profiles_are_compared(sides: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(sides[0]), str(sides[3])]) == 0
    page = network_jobs.data((sides[0].parent / "b0-a0.html").read_bytes())
    assert [run["name"] for run in page["runs"]] == ["b0", "a0"]
    assert main(["diff", str(sides[0]), str(sides[3]), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    comparison = page["comparison"]
    assert comparison["finding"] == answer["title"]
    assert comparison["wall"] == answer["run"][0]["value"]["change"] > 0
    rows = [(row["procedure"], row["change"], row["low"]) for row in comparison["changes"]]
    assert rows == [
        (row["procedure"].removeprefix("MPI_"), row["seconds"]["change"], None)
        for row in answer["communicator_calls"]
    ]
    assert rows[0][0] == "Allreduce"


def test_of_several_a_side_the_noise_is_told(sides: list[Path]) -> None:
    output = sides[0].parent / "c.html"
    assert main(["report", "-o", str(output), *words(sides)]) == 0
    page = network_jobs.data(output.read_bytes())
    assert [run["name"] for run in page["runs"]] == ["b0", "b1", "b2", "a0", "a1", "a2"]
    first = page["comparison"]["changes"][0]
    assert 0 < first["low"] <= first["change"] <= first["high"]
    assert first["verdict"] == "worse"


def test_one_profile_has_no_comparison(sides: list[Path]) -> None:
    assert main(["report", str(sides[0])]) == 0
    assert "comparison" not in network_jobs.data(sides[0].with_suffix(".html").read_bytes())


def test_three_sides_are_compared_as_by_diff(sides: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    given = ["--names", "old,new,newest", *map(str, sides[:2]), "--", str(sides[3]), "--", str(sides[4])]
    assert main(["report", *given]) == 0
    page = network_jobs.data((sides[0].parent / "old-new-newest.html").read_bytes())
    assert [run["name"] for run in page["runs"]] == ["b0", "b1", "a0", "a1"]
    assert "comparison" not in page
    assert main(["diff", "--json", *given]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert list(answer["sides"]) == ["old", "new", "newest"]
    tables = {table["title"]: table for table in page["sides"]["tables"]}
    walls = [row[-1][1] for row in tables["Profiles"]["rows"]]
    (wall,) = (row for row in answer["run"] if row["key"] == ["wall"])
    assert walls[2:] == [wall["values"]["new"]["value"], wall["values"]["newest"]["value"]]
    calls = next(table for title, table in tables.items() if title.startswith("By communicator and call"))
    assert len(calls["rows"]) == len(answer["communicator_calls"])


def test_the_pages_of_each_side_are_reached(browser: Any, sides: list[Path], tmp_path: Path) -> None:
    output = tmp_path / "c.html"
    given = [str(sides[0]), "--", str(sides[1]), "--", str(sides[3])]
    assert main(["report", "-o", str(output), "--reference", "b1", *given]) == 0
    tab = Tab(browser, output)
    page = tab.page
    assert page.inner_text("h1") == "b0 / b1 / a0"
    assert page.title() == "Comparison · b0 / b1 / a0"
    page.locator(".card", has_text="Profiles").locator("tbody tr", has_text="a0").locator("a").click()
    page.wait_for_selector("#tab-overview[aria-selected=true]")
    assert "run=a0" in page.url
    assert page.get_by_label("profile").evaluate("of => of.selectedOptions[0].text") == "a0"
    # Filters of the report choose rows of the comparison.
    tab.to("page=comparison&procedure=Allreduce&ranks=0")
    table = page.locator(".card", has=page.locator("h2", has_text="By communicator and call"))
    assert set(table.locator("tbody tr td:nth-child(2)").all_inner_texts()) == {"Allreduce"}
    assert page.is_visible(".notice")
    tab.close()


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["b0", "b1", "b2"], "A1"),
        (["b0", "--"], "`--`"),
        (["b0", "b0", "--", "a0"], ""),
        (["b0", "missing"], "missing.rankwise"),
        (["--reference", "x", "b0", "--", "a0"], "x"),
        (["b0", "--", "b1", "--", "missing"], "missing.rankwise"),
    ],
)
def test_what_can_not_be_compared(
    sides: list[Path], capsys: pytest.CaptureFixture[str], given: list[str], told: str, golden: Golden
) -> None:
    place = sides[0].parent
    there = set(place.iterdir())
    names = [str(place / f"{name}.rankwise") if name[0] in "bam" else name for name in given]
    status = main(["report", *names])
    assert status == 2
    err = capsys.readouterr().err
    golden.says(err, told)
    assert err.count("\n") == 1
    assert set(place.iterdir()) == there


def test_names_tell_runs_apart(tmp_path: Path) -> None:
    paths = [tmp_path / where / "f.rankwise" for where in ("old/x", "new/x", "new/y")]
    assert [name for _, name in run_names(paths)] == ["old/x/f", "new/x/f", "new/y/f"]
    assert [name for _, name in run_names(paths[:1])] == ["f"]
    assert [name for _, name in run_names([paths[0], paths[0]])] == ["f", "f"]


def test_sides_have_names() -> None:
    assert both_sides(["a"], ["b"]) == "a → b"
    assert both_sides(["a", "a"], ["a"]) == "a"
    assert both_sides(["a1", "a2", "a3"], ["b1", "b2"]) == "a1 and 2 more → b1 and 1 more"


@pytest.fixture
def commands(sides: list[Path]) -> Path:
    """A report of two runs of other commands."""
    pair = [sides[0], sides[3]]
    for path, size in zip(pair, ("2000", "6000"), strict=True):
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("UPDATE run SET command = ?", (json.dumps(["./mine", size]),))
    assert main(["report", *map(str, pair)]) == 0
    return pair[0].parent / "b0-a0.html"


def test_titles_are_of_what_is_shown(browser: Any, commands: Path) -> None:
    tab = Tab(browser, commands)
    assert tab.page.inner_text("h1") == "./mine 2000 → ./mine 6000"
    assert tab.page.title() == "Comparison · b0 → a0"
    tab.click("#tab-overview")
    assert tab.page.inner_text("h1") == "./mine 2000"
    tab.page.get_by_label("profile").select_option("a0")
    assert tab.page.inner_text("h1") == "./mine 6000"
    # The other profile was a step, too.
    tab.page.go_back()
    tab.page.wait_for_selector("h1:text-is('./mine 2000')")
    tab.close()


@pytest.mark.parametrize("width", [360, 1280, 2560])
def test_the_verdict_has_the_width_of_the_page(browser: Any, commands: Path, width: int) -> None:
    tab = Tab(browser, commands, width=width)
    card = tab.page.locator(".comparison .finding").bounding_box()
    text = tab.page.locator(".comparison .finding h2").bounding_box()
    assert 10 <= text["x"] - card["x"] <= 20
    assert text["width"] >= card["width"] - 40
    tab.close()


def test_tables_of_changes_say_what_changed_most(browser: Any, commands: Path) -> None:
    tab = Tab(browser, commands)
    titles = tab.page.locator("[id^=difference-] h2").all_inner_texts()
    data = network_jobs.data(commands.read_bytes())["comparison"]
    first = data["changes"][0]
    assert titles[0].startswith("The run: wall +")
    assert titles[1].startswith("Findings: ")
    assert titles[2].startswith("Where the time in MPI went: not known +")
    assert titles[3].startswith("Efficiency: ")
    assert titles[4].startswith(f"By communicator and call: {first['procedure']} on {first['label']} +")
    assert all(": " in title and title.endswith(" a rank") for title in titles[4:])
    tab.close()


def test_a_change_leads_to_the_calls(browser: Any, sides: list[Path], tmp_path: Path) -> None:
    output = tmp_path / "c.html"
    assert main(["report", "-o", str(output), *words(sides)]) == 0
    tab = Tab(browser, output)
    page = tab.page
    assert "Slower" in page.locator(".finding h2").inner_text()
    rows = tab.rows("#changes-data", tmp_path)
    data = network_jobs.data(output.read_bytes())["comparison"]["changes"]
    assert [(row["call"], float(row["change, s"])) for row in rows] == [
        (row["procedure"], pytest.approx(row["change"])) for row in data
    ]
    [picture] = tab.saved("#changes-image", tmp_path)
    assert "Allreduce" in picture.read_text()
    page.locator("#changes svg g.bin", has_text="Allreduce").first.click()
    assert "page=calls" in page.url
    assert "procedure=Allreduce" in page.url
    assert page.locator("#tab-calls").get_attribute("aria-selected") == "true"
    # The other runs can be looked at in the same way.
    page.get_by_label("profile").select_option("a2")
    assert "run=a2" in page.url
    tab.close()


def test_files_of_tables_have_numbers(
    browser: Any, sides: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "c.html"
    assert main(["report", "-o", str(output), *words(sides)]) == 0
    capsys.readouterr()
    assert main(["diff", "--json", *words(sides)]) == 0
    answer = json.loads(capsys.readouterr().out)
    tab = Tab(browser, output)
    run = {row["figure"]: row for row in tab.rows("#difference-0-data", tmp_path)}
    wall = answer["run"][0]["value"]
    assert run["wall"]["unit"] == "s"
    for column in ("before", "after", "change", "low", "high"):
        assert float(run["wall"][column]) == pytest.approx(wall[column])
    assert run["sent"]["unit"] == "B"
    waited = {row["figure"]: row for row in tab.rows("#difference-2-data", tmp_path)}
    for part in answer["time_in_mpi"]:
        for side in ("before", "after", "change"):
            assert float(waited[part["name"]][f"{side} at most, s"]) == pytest.approx(part[side]["high"])
    findings = tab.rows("#difference-1-data", tmp_path)
    assert [row["state"] for row in findings] == [finding["state"] for finding in answer["findings"]]
    rows = tab.rows("#difference-4-data", tmp_path)
    assert [(row["communicator"], row["call"]) for row in rows] == [
        (row["communicator"], row["procedure"].removeprefix("MPI_")) for row in answer["communicator_calls"]
    ]
    first = answer["communicator_calls"][0]
    for column in ("before", "after", "change", "low", "high"):
        assert float(rows[0][f"{column}, s"]) == pytest.approx(first["seconds"][column])
    assert float(rows[0]["sent after, B"]) == first["bytes_sent"]["after"]
    [file] = tab.saved("#difference-4-data", tmp_path)
    assert file.name == "by-communicator-and-call.csv"
    tab.close()


def test_names_of_files_are_harmless(browser: Any, tmp_path: Path) -> None:
    paths = [tmp_path / f"{name}.rankwise" for name in ("<img src=x onerror=alert(1)>", "b")]
    for path in paths:
        profiles.write_hostile(path)
    output = tmp_path / "c.html"
    assert main(["report", "-o", str(output), *map(str, paths)]) == 0
    tab = Tab(browser, output)
    assert tab.page.locator("img").count() == 0
    tab.close()

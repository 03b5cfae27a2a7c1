"""`rankwise list`: the runs of a directory, each as its own summary has it."""

from __future__ import annotations

import errno
import json
import os
import re
import sqlite3
from contextlib import closing
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import profiles
import pytest
from made_profile import Made

import rankwise
from golden import assert_facts
from rankwise.__main__ import main
from rankwise.diagnosis.kept import keep_diagnosis
from rankwise.errors import RankwiseError
from rankwise.reading.profile import open_profile
from rankwise.runs.choice import SORTS
from rankwise.runs.headline import headlines


def write(
    path: Path, ranks: int = 4, day: int = 1, program: str = "app", wall: float = 10.0, **tags: str
) -> Path:
    """Write the profile of a run whose ranks are in MPI for a tenth of it, by rank."""
    made = Made(ranks, hosts=[f"n{rank // 2}" for rank in range(ranks)])
    made.connection.execute(
        "UPDATE run SET wall = ?, started = ?, programs = ?",
        (wall, f"2026-11-{day:02}T10:00:00+00:00", json.dumps([[f"/opt/{program}", "-n", str(ranks)]])),
    )
    made.connection.execute("UPDATE ranks SET mpi = run * (rank + 1) / 10")
    for name, value in tags.items():
        made.insert("tags", name=name, value=value)
    path.parent.mkdir(parents=True, exist_ok=True)
    return made.write(path)


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    write(tmp_path / "a.rankwise", day=3, size="8")
    write(tmp_path / "deep" / "er" / "b.rankwise", ranks=8, day=1, wall=30.0, size="16")
    write(tmp_path / "deep" / "c.rankwise", day=2, program="ocean", size="8")
    (tmp_path / "deep" / "notes.txt").write_text("no profile")
    (tmp_path / "deep" / "d.rankwise-run").mkdir()
    return tmp_path


def names(directory: Path, **options: object) -> list[str]:
    return [Path(run.file).stem for run in rankwise.open_many(directory, **options).runs]  # type: ignore[arg-type]


def test_a_directory_is_searched_and_sorted_by_date(directory: Path) -> None:
    assert names(directory) == ["b", "c", "a"]
    both = [directory / "a.rankwise", directory, directory / "deep" / ".." / "a.rankwise"]
    assert names(both) == ["b", "c", "a"]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"program": "app"}, ["b", "a"]),
        ({"program": "oc*"}, ["c"]),
        ({"ranks": 8}, ["b"]),
        ({"since": "2026-11-02"}, ["c", "a"]),
        ({"since": "2026-11-03T10"}, ["a"]),
        ({"tags": {"size": "8"}}, ["c", "a"]),
        ({"tags": {"size": "8", "other": "1"}}, []),
        ({"sort": "wall"}, ["b", "a", "c"]),
        ({"sort": "ranks"}, ["c", "a", "b"]),
        ({"sort": "program"}, ["a", "b", "c"]),
        ({"sort": "efficiency"}, ["b", "a", "c"]),
    ],
)
def test_what_is_wanted_and_its_order(
    directory: Path, options: dict[str, object], expected: list[str]
) -> None:
    assert names(directory, **options) == expected  # equal ones in the order of their files


def test_every_order_can_be_asked_for(directory: Path) -> None:
    for sort in SORTS:
        assert len(names(directory, sort=sort)) == 3
    with pytest.raises(RankwiseError):
        names(directory, sort="x")


def test_each_figure_is_as_in_the_summary(tmp_path: Path) -> None:
    paths = [
        profiles.write_partial(tmp_path / "partial.rankwise"),
        write(tmp_path / "a.rankwise", ranks=6, size="8"),
    ]
    for path, headline in zip(paths, headlines(paths).runs, strict=True):
        summary = open_profile(path).summary().data
        run, efficiency = summary["run"], summary["efficiency"]
        assert headline.ranks == run["ranks"]
        assert headline.nodes == run["nodes"]
        assert headline.tags == run["tags"]
        assert headline.complete is summary["trust"]["complete"]
        assert headline.wall_seconds == summary["times"]["wall_seconds"]
        assert headline.mpi_percent_of_run == pytest.approx(summary["times"]["mpi_percent_of_run"])
        assert headline.parallel_efficiency == pytest.approx(efficiency["parallel"])


def test_the_conclusion_is_the_one_that_is_kept(tmp_path: Path) -> None:
    made = Made(2)
    made.connection.execute("UPDATE ranks SET mpi = run / 2")
    path = made.write(tmp_path / "none.rankwise")
    (none,) = headlines([path]).runs
    assert (none.limit, none.verdict, none.by_older_rules) == ("", "", False)
    keep_diagnosis(made.connection)
    path = made.write(tmp_path / "kept.rankwise")
    (kept,) = headlines([path]).runs
    assert kept.verdict == open_profile(path).summary().data["diagnosis"]["verdict"]
    assert not kept.by_older_rules
    made.connection.execute("UPDATE diagnosis SET rules = '0.0.1/1'")
    (older,) = headlines([made.write(tmp_path / "older.rankwise")]).runs
    assert older.by_older_rules
    assert older.verdict == kept.verdict
    made.connection.execute("UPDATE diagnosis SET content = '{'")
    (damaged,) = headlines([made.write(tmp_path / "damaged.rankwise")]).runs
    assert damaged.verdict == ""


def test_the_columns_are_those_that_differ(directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", str(directory)]) == 0
    heads = capsys.readouterr().out
    assert re.search(r"\bsize\b", heads)
    assert not re.search(r"\buser\b|[^%f] MPI\b", heads)
    assert main(["list", str(directory / "a.rankwise")]) == 0
    assert not re.search(r"\bsize\b|\barguments\b", capsys.readouterr().out)


def test_unreadable_files_are_named_and_the_others_listed(
    directory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = (directory / "a.rankwise").read_bytes()
    (directory / "cut.rankwise").write_bytes(content[:9000])
    (directory / "text.rankwise").write_text("text")
    assert main(["list", str(directory), "--json"]) == 1
    listed = json.loads(capsys.readouterr().out)
    assert len(listed["runs"]) == 3
    assert {Path(file["file"]).stem for file in listed["unreadable"]} == {"cut", "text"}
    assert main(["list", str(directory)]) == 1
    assert capsys.readouterr().out.count("left out: ") == 2


@pytest.mark.parametrize("closed", [1, 5])
def test_unreadable_directories_are_named_in_one_line(
    tmp_path: Path, closed: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By all verbs that search directories. Run directories hold no profiles, so they are not searched."""
    monkeypatch.setenv("COLUMNS", "500")
    for ranks in (2, 4):
        write(tmp_path / f"{ranks}.rankwise", ranks=ranks, day=ranks)
    folders = [tmp_path / f"closed{number}" for number in range(closed)]
    running = tmp_path / "u0.17.rankwise-run"
    for folder in (*folders, running):
        write(folder / "hidden.rankwise")
    walk = os.scandir

    def scandir(path: str) -> Any:
        if Path(path) in (*folders, running):
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return walk(path)

    monkeypatch.setattr(os, "scandir", scandir)
    for verb, status in (("list", 1), ("scaling", 1), ("variance", 0), ("history", 0)):
        assert main([verb, str(tmp_path), *(["--strong"] if verb == "scaling" else [])]) == status
        out, err = capsys.readouterr()
        assert err == ""
        (line,) = [line for line in out.splitlines() if str(folders[0]) in line]
        assert str(running) not in out
        assert_facts(
            line, "! .. 5 .. closed0 .. closed1 .. closed2 .. 2 more" if closed > 1 else "! .. closed0"
        )
    assert main(["list", str(tmp_path), "--json"]) == 1
    unreadable = json.loads(capsys.readouterr().out)["unreadable"]
    assert [file["file"] for file in unreadable] == [str(folder) for folder in folders]
    for path in tmp_path.glob("*.rankwise"):
        path.unlink()
    assert main(["list", str(tmp_path)]) == 2
    assert str(folders[0]) in capsys.readouterr().err


def test_a_directory_whose_files_cannot_be_looked_at(
    directory: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the right to search it, its names can be read, but nothing else."""
    look = os.stat

    def stat(path: Any, *words: Any, **more: Any) -> os.stat_result:
        if "deep/er/" in str(path):
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return look(path, *words, **more)

    monkeypatch.setattr(os, "stat", stat)
    assert main(["list", str(directory)]) == 1
    assert f" {directory / 'deep' / 'er'} " in capsys.readouterr().out.replace("\n", " ")
    assert main(["list", str(directory / "deep" / "er" / "b.rankwise")]) == 2
    assert capsys.readouterr().err.startswith("rankwise: ")


@pytest.mark.parametrize(
    "words",
    [
        ["missing"],
        ["empty"],
        ["text.rankwise"],
        [".", "--since", "yesterday"],
        [".", "--ranks", "0"],
        [".", "--tag", "size"],
        [".", "-o", "list.txt"],
        [".", "-o", "there.html"],
        [".", "--sort", "colour"],
    ],
)
def test_what_is_refused(
    directory: Path, words: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (directory / "empty").mkdir()
    (directory / "there.html").write_text("mine")
    (directory / "text.rankwise").write_text("text")
    monkeypatch.chdir(directory)
    assert main(["list", *words]) == 2
    error = capsys.readouterr().err
    assert error.startswith("rankwise: ")
    assert error.count("\n") == 1
    assert (directory / "there.html").read_text() == "mine"


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE run SET started = zeroblob(20)",
        "UPDATE run SET wall = 'long'",
        "UPDATE run SET ranks_expected = 99999999999",
        "UPDATE run SET programs = '[[], 5, [7]]'",
        "ALTER TABLE tags RENAME COLUMN value TO content",
        "UPDATE ranks SET run = 'long'",
    ],
)
def test_a_damaged_profile_is_left_out(
    directory: Path, statement: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(directory / "damaged.rankwise")
    with closing(sqlite3.connect(path)) as profile, profile:
        profile.execute(statement)
    assert main(["list", str(directory), "--json"]) == 1
    listed = json.loads(capsys.readouterr().out)
    assert [Path(file["file"]).stem for file in listed["unreadable"]] == ["damaged"]
    assert len(listed["runs"]) == 3
    assert main(["list", str(directory)]) == 1
    assert capsys.readouterr().err == ""


class _Links(HTMLParser):
    """What a browser shows that runs no scripts."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag not in ("script", "img")
        self.links += [value or "" for name, value in attrs if name == "href"]

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_page_links_the_reports(directory: Path) -> None:
    hostile = write(directory / "x" / 'e&"<script>.rankwise', program="<script>alert(1)<!--plain-->")
    hostile.with_suffix(".html").write_text("report")
    (directory / "a.html").write_text("report")
    page = directory / "pages" / "index.html"
    page.parent.mkdir()
    assert main(["list", str(directory), "-o", str(page)]) == 0
    read = _Links()
    (plain,) = re.findall("<noscript>(.*?)</noscript>", page.read_text(), re.DOTALL)
    assert "<script" not in plain
    read.feed(plain)
    assert "<script>alert(1)<!--plain-->" in read.text
    assert len(read.links) == 2
    assert "../a.html" in read.links
    assert main(["list", str(directory), "-o", str(page)]) == 2
    assert main(["list", str(directory), "-o", str(page), "--force"]) == 0


def test_many_are_read_by_several_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "0.rankwise")
    for number in range(1, 230):
        os.link(path, tmp_path / f"{number}.rankwise")
    (tmp_path / "cut.rankwise").write_bytes(path.read_bytes()[:5000])
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    paths = sorted(tmp_path.iterdir())
    read = headlines(paths)
    assert [run.file for run in read.runs] == [str(path) for path in paths if path.stem != "cut"]
    assert [file.path for file in read.unreadable] == [tmp_path / "cut.rankwise"]

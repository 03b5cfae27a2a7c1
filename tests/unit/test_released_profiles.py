"""Profiles of every release open in this version: tests/references/releases has one of each."""

from __future__ import annotations

import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

from rankwise.__main__ import main
from rankwise.commands.show import VIEWS
from rankwise.profile.store.database import SCHEMA_VERSION
from rankwise.version import __version__

RELEASES = Path(__file__).parents[1] / "references" / "releases"
KEPT = sorted(RELEASES.glob("*.sql"), key=lambda path: [int(part) for part in path.stem.split(".")])
COMMANDS = [
    *(["show", "--by", view] for view in VIEWS),
    ["show"],
    ["show", "--matrix"],
    ["show", "--json"],
    ["explain"],
]


def made_again(kept: Path, path: Path) -> Path:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(kept.read_text(encoding="utf-8"))
    return path


@pytest.fixture(params=KEPT, ids=lambda path: path.stem)
def profile(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return made_again(request.param, tmp_path / "kept.rankwise")


@pytest.mark.parametrize("words", COMMANDS, ids="-".join)
def test_opens(profile: Path, words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    verb, *options = words
    assert main([verb, str(profile), *options]) == 0, capsys.readouterr().err
    assert capsys.readouterr().out


def test_report_and_tables(profile: Path, tmp_path: Path) -> None:
    assert main(["report", str(profile), "-o", str(tmp_path / "report.html")]) == 0
    assert main(["export", str(profile), "--format", "csv", "-o", str(tmp_path / "tables")]) == 0
    assert (tmp_path / "tables" / "calls.csv").stat().st_size > 0


def test_compares_with_itself(profile: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = tmp_path / "other.rankwise"
    with closing(sqlite3.connect(profile)) as connection:
        connection.execute("UPDATE run SET job = 'another'")
        connection.commit()
        other.write_bytes(profile.read_bytes())
        connection.execute("UPDATE run SET job = 'this'")
        connection.commit()
    assert main(["diff", "--fail-above", "0", str(profile), str(other)]) == 0, capsys.readouterr().err


def test_there_is_one_of_this_schema() -> None:
    """Whoever raises the version of the schema has to keep a profile: the next release is to read it."""
    versions = []
    for kept in KEPT:
        with closing(sqlite3.connect(":memory:")) as connection:
            connection.executescript(kept.read_text(encoding="utf-8"))
            versions.append(connection.execute("PRAGMA user_version").fetchone()[0])
    assert KEPT[0].stem == "0.1.0"
    assert versions == sorted(versions)
    assert versions[-1] <= SCHEMA_VERSION
    assert versions[-1] < SCHEMA_VERSION or KEPT[-1].stem == __version__


def test_keeps_what_is_in_it(profile: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(RELEASES)
    import keep

    again = made_again(keep.keep(profile, tmp_path), tmp_path / "again.rankwise")
    with closing(sqlite3.connect(profile)) as first, closing(sqlite3.connect(again)) as other:
        assert list(other.iterdump()) == list(first.iterdump())
    sys.modules.pop("keep")

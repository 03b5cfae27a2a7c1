"""Opening profiles: every way that a file can be none, each with its cure."""

from __future__ import annotations

import os
import re
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest
from synthetic import small_world, write_world

import rankwise
from golden import Golden
from rankwise.errors import RankwiseError
from rankwise.profile.assemble import assemble
from rankwise.profile.store.database import (
    ADDED,
    APPLICATION_ID,
    SCHEMA_VERSION,
    new_profile,
    open_profile,
)


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    write_world(tmp_path / "run", small_world(2))
    return assemble(tmp_path / "run", tmp_path / "a?b#c%.rankwise", exit_status=0).path


def test_a_profile_is_opened_read_only(profile: Path) -> None:
    with closing(open_profile(profile)) as connection:
        assert connection.execute("SELECT ranks_seen FROM run").fetchall() == [(2,)]
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            connection.execute("DELETE FROM run")


def test_what_is_not_there_or_no_file(tmp_path: Path, golden: Golden) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(RankwiseError, match="is not found: check the path"):
        open_profile(tmp_path / "nothing")
    with pytest.raises(RankwiseError, match="is a directory: `rankwise recover"):
        open_profile(tmp_path)
    with pytest.raises(RankwiseError) as error:
        open_profile(tmp_path / "pipe")
    golden.says(error.value)


@pytest.mark.parametrize("content", [b"RANKWISE" + bytes(2000), b"hello\n", b"\x7fELF" + bytes(500)])
def test_foreign_files(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "foreign"
    path.write_bytes(content)
    with pytest.raises(RankwiseError, match="is not a Rankwise profile: give a file"):
        open_profile(path)


def test_foreign_databases(tmp_path: Path, golden: Golden) -> None:
    path = tmp_path / "foreign.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE run (x)")
    with pytest.raises(RankwiseError) as error:
        open_profile(path)
    golden.says(error.value, "Rankwise")


def test_profiles_cut_short_anywhere(profile: Path, tmp_path: Path, golden: Golden) -> None:
    content = profile.read_bytes()
    cut = tmp_path / "cut.rankwise"
    for length in [0, 7, 16, 99, 100, *range(101, len(content), 997), len(content) - 1]:
        cut.write_bytes(content[:length])
        with pytest.raises(RankwiseError) as error:
            open_profile(cut)
        golden.says(error.value)


def test_damaged_profiles(profile: Path, golden: Golden) -> None:
    content = bytearray(profile.read_bytes())
    content[100:4096] = bytes(3996)  # the table of tables
    profile.write_bytes(content)
    with pytest.raises(RankwiseError) as error:
        open_profile(profile)
    golden.says(error.value)


def test_profiles_without_a_run(tmp_path: Path, golden: Golden) -> None:
    path = tmp_path / "empty.rankwise"
    with new_profile(path):
        pass
    with pytest.raises(RankwiseError) as error:
        open_profile(path)
    golden.says(error.value)


@pytest.mark.parametrize(
    ("version", "message"),
    [(SCHEMA_VERSION + 1, f"{SCHEMA_VERSION + 1} .. {SCHEMA_VERSION}"), (0, f"0 .. {SCHEMA_VERSION}")],
)
def test_profiles_of_another_version(profile: Path, version: int, message: str, golden: Golden) -> None:
    with closing(sqlite3.connect(profile)) as connection:
        connection.execute(f"PRAGMA user_version = {version}")
    with pytest.raises(RankwiseError) as error:
        open_profile(profile)
    golden.says(error.value, message)


def test_tables_that_an_older_version_does_not_have_are_empty(profile: Path) -> None:
    with closing(sqlite3.connect(profile)) as connection:
        for table in ADDED:
            connection.execute(f"DROP TABLE {table}")
        connection.commit()
        with pytest.raises(RankwiseError):
            open_profile(profile)
        connection.execute("PRAGMA user_version = 1")
    with closing(open_profile(profile)) as connection:
        for table in ADDED:
            assert connection.execute(f"SELECT * FROM {table}").fetchall() == []
    with closing(sqlite3.connect(profile)) as connection:
        connection.execute("CREATE TABLE network_ports (host TEXT)")
        connection.commit()
    with pytest.raises(RankwiseError):
        open_profile(profile)


def test_a_profile_says_what_it_is(profile: Path) -> None:
    with closing(sqlite3.connect(profile)) as connection:
        assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
        assert connection.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)


def test_a_new_profile_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "new.rankwise"
    path.write_text("the one before")
    with pytest.raises(ZeroDivisionError), new_profile(path) as connection:
        connection.execute("INSERT INTO warnings VALUES (1, 'text')")
        assert path.read_text() == "the one before"
        raise ZeroDivisionError
    assert [file.name for file in tmp_path.iterdir()] == ["new.rankwise"]
    assert path.read_text() == "the one before"
    with new_profile(path) as connection:
        connection.execute("INSERT INTO warnings VALUES (1, 'text')")
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT * FROM warnings").fetchall() == [(1, "text")]
    assert [file.name for file in tmp_path.iterdir()] == ["new.rankwise"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_full_disk_is_told(tmp_path: Path) -> None:
    with pytest.raises(RankwiseError, match="disk is full: choose another place") as caught:  # noqa: SIM117
        with new_profile(tmp_path / "new.rankwise") as connection:
            connection.execute("PRAGMA max_page_count = 30")
            connection.execute("INSERT INTO warnings VALUES (1, zeroblob(1000000))")
    assert caught.value.exit_status == 1
    assert list(tmp_path.iterdir()) == []


NEWER_SQL = re.compile(
    r"ON CONFLICT DO UPDATE|\bRETURNING\b|\bUPDATE \w+ SET [^\"]* FROM |\bFILTER \(|\bIIF\("
    r"|\bNULLS (FIRST|LAST)\b|->>|\bMATERIALIZED\b|\bGENERATED ALWAYS\b|\b(RIGHT|FULL) JOIN\b"
    r"|IS NOT DISTINCT FROM|\bUNIXEPOCH\("
)
"""What SQLite knows since 3.28 or later: Red Hat Enterprise Linux 8 has 3.26, and 9 has 3.34."""


def test_no_sql_that_clusters_do_not_have() -> None:
    package = Path(rankwise.__file__).parent
    files = [path for ending in ("py", "sql") for path in package.rglob(f"*.{ending}")]
    assert files
    newer = [f"{path}: {match[0]}" for path in files for match in NEWER_SQL.finditer(path.read_text())]
    assert newer == []

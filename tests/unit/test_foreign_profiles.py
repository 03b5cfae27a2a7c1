"""Profiles from strangers: whatever is in the file, `show` says one line or shows it, and ends."""

from __future__ import annotations

import random
import signal
import sqlite3
import struct
from contextlib import closing
from itertools import cycle, pairwise
from pathlib import Path

import profiles
import pytest
from assembled import made
from synthetic import small_world

from exhaustive import repeated
from golden import Golden
from rankwise.__main__ import main
from rankwise.analysis.messages.matrix import ENDS
from rankwise.analysis.opened import opened_profile
from rankwise.commands.show import VIEWS
from rankwise.errors import RankwiseError
from rankwise.profile.store import database


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return made(tmp_path, small_world()).path


WRITES = ("report", "export")
VERBS = (*WRITES, "diff", "map", "explain")


def shows_or_complains(capsys: pytest.CaptureFixture[str], path: Path, *words: str) -> bool:
    """Whether it was shown or written; if not, there was one clear line."""
    verb, *rest = words if words[:1] and words[0] in VERBS else ("show", *words)
    files = [str(path)] * (2 if verb == "diff" else 1)
    target = ["-o", str(path.with_name(f"out.{rest[-1] if rest else 'html'}")), "--force"]
    status = main([verb, *files, *rest, *(target if verb in WRITES else [])])
    out, err = capsys.readouterr()
    assert all(line.isascii() and line.isprintable() for line in out.splitlines())
    if status == 0:
        assert err == "" or verb in WRITES  # these say what they have written
        return True
    assert status == 2
    assert err.count("\n") == 1
    assert err.startswith("rankwise: ")
    assert err.rstrip("\n").isprintable()
    return False


def change(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        for statement in statements:
            connection.execute(statement)
        connection.commit()


ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"


@pytest.mark.parametrize(
    "statements",
    [
        ["DROP VIEW calls", f"CREATE VIEW calls AS {ENDLESS} SELECT call_counts.* FROM n, call_counts"],
        ["ALTER TABLE run RENAME TO old", f"CREATE VIEW run AS {ENDLESS} SELECT old.* FROM n, old"],
        ["DROP TABLE warnings"],
        ["ALTER TABLE ranks ADD COLUMN more TEXT"],
        ["ALTER TABLE messages RENAME COLUMN bytes TO octets"],
        [
            "DROP TABLE warnings",
            "CREATE TABLE warnings (id INTEGER PRIMARY KEY, text AS (zeroblob(1000000000)))",
        ],
        ["UPDATE sqlite_master SET rootpage = 1 WHERE name = 'call_counts'"],
        ["UPDATE sqlite_master SET rootpage = 1000000 WHERE name = 'call_counts'"],
        ["DROP VIEW calls", "CREATE TABLE calls AS SELECT * FROM call_counts"],
        ["UPDATE sqlite_master SET sql = replace(sql, 'min_ns / 1e9', 'max_ns / 1e9') WHERE name = 'calls'"],
        ["UPDATE sqlite_master SET sql = sql || ' ORDER BY 9' WHERE name = 'calls'"],
        [
            "ALTER TABLE rank_sums RENAME TO old",
            f"CREATE VIEW rank_sums AS {ENDLESS} SELECT old.* FROM n, old",
        ],
    ],
    ids=[
        "view",
        "view run",
        "dropped",
        "column more",
        "column renamed",
        "generated",
        "root 1",
        "root far off",
        "calls no view",
        "other view",
        "longer view",
        "view of sums",
    ],
)
def test_other_tables(path: Path, capsys: pytest.CaptureFixture[str], statements: list[str]) -> None:
    change(path, *statements)
    assert not shows_or_complains(capsys, path)


def test_what_else_is_in_the_file_does_nothing(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change(
        path,
        f"CREATE VIEW more AS {ENDLESS} SELECT * FROM n",
        "CREATE TRIGGER changes AFTER INSERT ON warnings BEGIN DELETE FROM run; END",
        "CREATE TABLE mine (x)",
    )
    before = path.read_bytes()
    assert shows_or_complains(capsys, path)
    assert path.read_bytes() == before


def columns(path: Path) -> list[tuple[str, str]]:
    with closing(sqlite3.connect(path)) as connection:
        tables = [
            name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        ]
        return [
            (table, column)
            for table in tables
            for (column,) in connection.execute("SELECT name FROM pragma_table_info(?)", (table,))
        ]


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE run SET ranks_expected = 2000000000", "2000000000"),
        ("UPDATE run SET ranks_expected = -1", "-1"),
        ("UPDATE run SET ranks_expected = 'many'", "'many'"),
        ("UPDATE run SET wall = 9e999", "run"),
        ("UPDATE ranks SET mpi = -9e999 WHERE rank = 1", "ranks"),
        ("UPDATE ranks SET clock_offset = 1e300 WHERE rank = 1", "ranks"),
        ("UPDATE region_times SET seconds = 9e999", "region_times"),
        ("UPDATE family_sums SET seconds = 9e999", "family_sums"),
        ("UPDATE communicators SET freed = 'late'", "communicators"),
    ],
)
@pytest.mark.parametrize("verb", ["show", "report"])
def test_numbers_that_no_run_has_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], golden: Golden, verb: str, statement: str, said: str
) -> None:
    """Infinite times, and a world for which 14.9 GiB would be needed."""
    path = profiles.write_inside(tmp_path / "x.rankwise")
    change(path, statement)
    assert main([verb, str(path), *(["-o", str(tmp_path / "x.html")] if verb == "report" else [])]) == 2
    golden.says(capsys.readouterr().err.replace(str(tmp_path), "/DIR"), said)
    assert not (tmp_path / "x.html").exists()


VALUES = ("'\x1b[2J[red]<b>'", "X'ff00'", "9223372036854775807", "2000000000", "-9e999", "1e29", "''", "-1")


def all_ways() -> cycle[list[str]]:
    return cycle(
        [
            [],
            ["--json"],
            ["-v"],
            *(["--by", view, "-v"] for view in VIEWS),
            *(["--matrix", "--by", ends] for ends in ENDS),
            ["diff", "-v"],
            ["diff", "--json"],
            ["report"],
            *(["export", "--format", to] for to in ("csv", "perfetto")),
            ["map"],
            ["explain"],
        ]
    )


@pytest.mark.parametrize(
    "each", [False, pytest.param(True, marks=pytest.mark.exhaustive)], ids=["one value", "each value"]
)
def test_every_column_with_what_it_should_not_hold(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], *, each: bool
) -> None:
    path, ways, shown = tmp_path / "x.rankwise", all_ways(), 0
    inside = profiles.write_inside(tmp_path / "inside")
    with closing(sqlite3.connect(inside)) as connection:  # sums of these values would overflow
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            connection.execute(f"DROP TRIGGER {name}")
    small = made(tmp_path, small_world(2)).path
    originals = dict.fromkeys(columns(small), small.read_bytes())
    originals |= dict.fromkeys(columns(inside), inside.read_bytes())
    for place, ((table, column), original) in enumerate(originals.items()):
        for value in VALUES if each else VALUES[place % len(VALUES) :][:1]:
            path.write_bytes(original)
            # Where only one row may have the value, it is the first.
            try:
                change(path, f"UPDATE OR IGNORE {table} SET {column} = {value}")
            except sqlite3.IntegrityError:  # the column's own type forbids it
                continue
            shown += shows_or_complains(capsys, path, *next(ways))
    assert shown > (len(columns(small)) if each else len(columns(small)) / 2)


@repeated(150, 400)
def test_flipped_bits(tmp_path: Path, capsys: pytest.CaptureFixture[str], times: int) -> None:
    generator = random.Random(3)
    original = profiles.write_inside(tmp_path / "original").read_bytes()
    used = [place for place, byte in enumerate(original) if byte]  # most of a small database is empty
    path, ways = tmp_path / "x.rankwise", all_ways()
    for _ in range(times):
        data = bytearray(original)
        for _ in range(generator.choice((1, 3, 30))):
            data[generator.choice(used)] ^= 1 << generator.randrange(8)
        path.write_bytes(data)
        shows_or_complains(capsys, path, *next(ways))


def test_a_table_that_holds_itself_many_times_over(
    path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "_STEPS", database._STEPS // 10)  # it is their end that counts
    # A tree of pages, each of which names the next one 300 times: 300^8 rows in some 40 kB.
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("INSERT INTO warnings (text) VALUES ('one')")
        connection.commit()
        [(root,)] = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'warnings'")
        [(page_bytes,)] = connection.execute("PRAGMA page_size")
    data = bytearray(path.read_bytes())
    pages = len(data) // page_bytes
    leaf = bytes(data[(root - 1) * page_bytes : root * page_bytes])
    chain = [root, *range(pages + 1, pages + 9)]
    data += bytes(8 * page_bytes)
    for page, child in pairwise(chain):
        cells = 300
        start = page_bytes - 5 * cells
        whole = struct.pack(">BHHHBI", 5, 0, cells, start, 0, child)
        whole += struct.pack(f">{cells}H", *range(start, page_bytes, 5))
        whole = whole.ljust(start, b"\0") + struct.pack(">IB", child, 1) * cells
        data[(page - 1) * page_bytes : page * page_bytes] = whole
    data[(chain[-1] - 1) * page_bytes : chain[-1] * page_bytes] = leaf
    data[28:32] = struct.pack(">I", pages + 8)
    path.write_bytes(data)
    with closing(sqlite3.connect(path)) as connection:  # it is as endless as it should be
        rows = connection.execute("SELECT text FROM warnings")
        assert [next(rows) for _ in range(100_000)] == [("one",)] * 100_000
    assert not shows_or_complains(capsys, path, "--json")


def test_a_signal_is_no_damage(path: Path) -> None:
    """As Ctrl-C in a long query, in which Python runs its handler within SQLite."""

    def stop(_signum: int, _frame: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGPROF, stop)
    try:
        with pytest.raises(RankwiseError) as refused, opened_profile(path) as connection:
            signal.setitimer(signal.ITIMER_PROF, 0.05)
            connection.execute(
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT MAX(i) FROM n"
            ).fetchone()
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
    assert str(refused.value) == f"interrupted while reading {path}"
    assert refused.value.exit_status == 130

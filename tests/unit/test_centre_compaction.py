"""Past months become one file a table, old months go, and no interruption loses anything."""

from __future__ import annotations

import errno
import itertools
import multiprocessing
import os
import shutil
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyarrow")

from centre_made import GROUPS, empty_store, month_of, write
from pyarrow import parquet

from rankwise.__main__ import main
from rankwise.centre import compaction, replacing
from rankwise.centre.asked import Asked
from rankwise.centre.compaction import compact
from rankwise.centre.engines import opened
from rankwise.centre.engines.engine import Engine
from rankwise.centre.ingest import add_accounting
from rankwise.centre.questions import waste
from rankwise.centre.schema import ACCOUNTING, FINDINGS, OF_RUNS, RUNS, TABLES, Table
from rankwise.centre.store import Store
from rankwise.centre.values import checked
from rankwise.errors import RankwiseError

NOW = datetime(2026, 11, 28)
PAST = ("2026-09", "2026-10")
THIS_MONTH = "2026-11"
BATCHES = 4


class KilledError(BaseException):
    """The process ends here: nothing may clean up."""


def many_files(path: Path, months: tuple[str, ...] = (*PAST, THIS_MONTH), batches: int = BATCHES) -> Store:
    empty_store(path)
    for month in months:
        rows = month_of(month, GROUPS[-3:])
        batch_of = {row["run"]: place % batches for place, row in enumerate(rows[RUNS])}
        for batch in range(batches):
            part: dict[Table, list[dict[str, Any]]] = {
                table: [row for row in rows[table] if batch_of[row["run"]] == batch] for table in OF_RUNS
            }
            part[ACCOUNTING] = rows[ACCOUNTING][batch::batches]
            write(path, part, month, f"{batch:016x}")
    return Store(path)


@pytest.fixture
def copies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Store]:
    """Returns a new copy of a small store each time: a past month of three tables, two files each."""
    first = many_files(tmp_path / "first", PAST[:1], 2)
    for table in set(TABLES) - {RUNS, FINDINGS, ACCOUNTING}:
        shutil.rmtree(first.path / table.name)
    monkeypatch.setattr(os, "fsync", lambda _: None)  # no power failure is tested here
    numbers = itertools.count()

    def copy() -> Store:
        return Store(Path(shutil.copytree(first.path, tmp_path / str(next(numbers)))))

    return copy


def content(store: Store) -> dict[tuple[str, str], Counter[tuple[Any, ...]]]:
    """All rows, each with how often it is there."""
    all_rows: dict[tuple[str, str], Counter[tuple[Any, ...]]] = {}
    for table in TABLES:
        for month in store.months(table):
            read = store.read(table, month, [column.name for column in table.columns])
            columns = [column.to_pylist() for column in read.columns]
            all_rows[table.name, month] = Counter(zip(*columns, strict=True))
    return all_rows


def files(store: Store) -> dict[tuple[str, str], int]:
    return {
        (table.name, month): len(store.files(table, month))
        for table in TABLES
        for month in store.months(table)
    }


def counted_rows(store: Store) -> dict[str, int]:
    """The rows that count."""
    return {
        table.name: sum(parquet.ParquetFile(path).metadata.num_rows for path in of_table)
        for table, of_table in store.counted_files().items()
    }


def left_hidden(store: Store) -> list[Path]:
    return [path for path in store.path.rglob(".*") if path.name != ".lock"]


def test_past_months_have_one_file_a_table_with_the_same_rows(tmp_path: Path) -> None:
    store = many_files(tmp_path)
    before = content(store)
    done = compact(store, NOW)
    assert done.merged == list(PAST)
    assert done.removed == []
    assert content(store) == before
    counts = files(store)
    assert all(count == 1 for (_, month), count in counts.items() if month in PAST)
    assert all(count == BATCHES for (_, month), count in counts.items() if month == THIS_MONTH)
    assert (done.files_before, done.files_after) == (3 * 8 * BATCHES, 2 * 8 + 8 * BATCHES)
    assert left_hidden(store) == []


def test_a_second_time_there_is_nothing_to_merge(tmp_path: Path) -> None:
    store = many_files(tmp_path)
    compact(store, NOW)
    names = sorted(store.path.rglob("*.parquet"))
    assert compact(store, NOW).merged == []
    assert sorted(store.path.rglob("*.parquet")) == names


def test_groups_of_rows_are_large_though_files_were_small(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pyarrow import parquet

    monkeypatch.setattr(compaction, "_ROWS", 5)
    store = many_files(tmp_path, PAST[:1], 16)
    compact(store, NOW)
    (path,) = store.files(RUNS, PAST[0])
    shape = parquet.ParquetFile(path).metadata
    groups = [shape.row_group(place).num_rows for place in range(shape.num_row_groups)]
    assert groups == [5, 5, 5, 1]  # of one row in each file


STEPS = ("_rename", "_exchange", "_unlink", "_rmdir")
"""All that changes names while months are replaced."""


def stop_before(monkeypatch: pytest.MonkeyPatch, at: int, error: Callable[[], BaseException]) -> None:
    """Raise before a step; the first is 0."""
    numbers = itertools.count()

    def stopping(real: Callable[..., Any]) -> Callable[..., Any]:
        def step(*paths: Path) -> Any:
            if next(numbers) == at:
                raise error()
            return real(*paths)

        return step

    for name in STEPS:
        monkeypatch.setattr(replacing, name, stopping(getattr(replacing, name)))


@pytest.mark.parametrize("can_exchange", [True, False], ids=["exchange", "two renames"])
@pytest.mark.parametrize("fault", ["killed", "disk"])
def test_whichever_step_is_interrupted_the_next_writer_puts_it_in_order(
    copies: Callable[[], Store], monkeypatch: pytest.MonkeyPatch, can_exchange: bool, fault: str
) -> None:
    if not can_exchange:
        monkeypatch.setattr(replacing, "exchange", _no_exchange)
    before = content(copies())
    for at in itertools.count():
        store = copies()
        with monkeypatch.context() as patched:
            stop_before(patched, at, KilledError if fault == "killed" else lambda: OSError(errno.EIO, "disk"))
            try:
                compact(store, NOW)
                break
            except (KilledError, RankwiseError):
                pass
        _lock(store)
        assert content(store) == before, f"stopped before step {at}"
        assert left_hidden(store) == [], f"stopped before step {at}"
        compact(store, NOW)
        assert content(store) == before
        assert set(files(store).values()) == {1}
    assert at > 3 * 4  # of each table a rename, an exchange, two files and a folder removed


@pytest.mark.parametrize("can_exchange", [True, False], ids=["exchange", "two renames"])
def test_a_recovery_that_is_killed_is_recovered_too(
    copies: Callable[[], Store], monkeypatch: pytest.MonkeyPatch, can_exchange: bool
) -> None:
    if not can_exchange:
        monkeypatch.setattr(replacing, "exchange", _no_exchange)
    before = content(copies())
    for at, again in itertools.product(range(7), range(9)):
        store = copies()
        for step, work in ((at, lambda: compact(store, NOW)), (again, lambda: _lock(store))):  # noqa: B023
            with monkeypatch.context() as patched, suppress(KilledError):
                stop_before(patched, step, KilledError)
                work()
        _lock(store)
        assert content(store) == before, f"killed before step {at}, then {again}"
        assert left_hidden(store) == []


def test_readers_have_each_run_once_after_each_step(
    copies: Callable[[], Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder that can be exchanged is never missing, and never there twice."""
    store = copies()
    before, counted = content(store), counted_rows(store)
    seen: list[str] = []

    def watched(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def step(*paths: Path) -> Any:
            done = real(*paths)
            seen.append(name)
            assert content(store) == before
            assert counted_rows(store) == counted
            return done

        return step

    for name in STEPS:
        monkeypatch.setattr(replacing, name, watched(name, getattr(replacing, name)))
    compact(store, NOW)
    assert set(seen) == set(STEPS)


@pytest.mark.parametrize("table", [RUNS, FINDINGS])
def test_tables_that_are_listed_before_and_after_a_compaction_are_listed_again(
    copies: Callable[[], Store], monkeypatch: pytest.MonkeyPatch, table: Table
) -> None:
    store = copies()
    counted = counted_rows(store)
    real = Store.files
    compacted: list[object] = []

    def files(self: Store, of: Table, month: str) -> list[Path]:
        if of is table and not compacted:
            compacted.append(None)
            compact(store, NOW)
        return real(self, of, month)

    monkeypatch.setattr(Store, "files", files)
    assert counted_rows(store) == counted
    assert compacted


def test_a_store_that_changes_all_the_time_is_said(
    copies: Callable[[], Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    names = itertools.count()
    monkeypatch.setattr("rankwise.centre.store.new_files_of", lambda *_: {str(next(names))})
    with pytest.raises(RankwiseError, match="try again"):
        copies().counted_files()


def test_without_exchange_readers_are_told_to_try_again(
    copies: Callable[[], Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replacing, "exchange", _no_exchange)
    store = copies()
    before = content(store)
    real = replacing._rename
    gaps: list[str] = []
    there = (RUNS, FINDINGS, ACCOUNTING)

    def rename(path: Path, to: Path) -> None:
        real(path, to)
        for table in there:
            months, missing = replacing.months_of(store.path / table.name)
            assert months + missing == [PAST[0]]
            if missing:
                gaps.append(table.name)
                with pytest.raises(RankwiseError, match=f"{PAST[0]} of {store.path} is being replaced"):
                    store.months(table)

    monkeypatch.setattr(replacing, "_rename", rename)
    compact(store, NOW)
    assert sorted(gaps) == sorted(table.name for table in there)
    assert content(store) == before


def test_files_that_vanish_while_they_are_read_are_looked_up_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = many_files(tmp_path, PAST[:1], 2)
    before = content(store)
    listed = store.files(RUNS, PAST[0])
    compact(store, NOW)
    real = Store.files
    answers = [listed]
    monkeypatch.setattr(Store, "files", lambda *of: answers.pop() if answers else real(*of))
    columns = [column.name for column in RUNS.columns]
    assert len(store.read(RUNS, PAST[0], columns)) == sum(before["runs", PAST[0]].values())
    assert not answers
    monkeypatch.setattr(Store, "files", lambda *_: listed)
    with pytest.raises(RankwiseError, match="try again"):
        store.read(RUNS, PAST[0], columns)


def test_questions_see_each_run_once_or_have_to_be_asked_again(copies: Callable[[], Store]) -> None:
    pytest.importorskip("duckdb")
    store = copies()
    runs = sum(content(store)["runs", PAST[0]].values())
    with opened("duckdb", store) as engine:
        compact(store, NOW)
        with pytest.raises(RankwiseError, match="ask again"):
            totals(engine)
    with opened("duckdb", store) as engine:
        assert totals(engine) == runs


def totals(engine: Engine) -> int:
    """Return the number of runs."""
    count: int = waste(engine, Asked(), 1).scope.totals["runs"]
    return count


def test_a_full_disk_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = many_files(tmp_path)
    before = content(store)
    names = sorted(store.path.rglob("*"))
    real = os.fsync
    calls = 0

    def fsync(descriptor: int) -> None:
        nonlocal calls
        calls += 1
        if calls == 5:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    with pytest.raises(RankwiseError, match=os.strerror(errno.ENOSPC)):
        compact(store, NOW)
    assert content(store) == before
    assert [path for path in sorted(store.path.rglob("*")) if path.name != ".lock"] == names


def test_a_damaged_file_is_named_and_nothing_changes(tmp_path: Path) -> None:
    store = many_files(tmp_path, PAST[:1])
    damaged = store.files(RUNS, PAST[0])[1]
    data = damaged.read_bytes()
    damaged.write_bytes(data[: len(data) // 2])
    names = sorted(store.path.rglob("*"))
    with pytest.raises(RankwiseError, match=f"{damaged.name} is damaged"):
        compact(store, NOW)
    assert [path for path in sorted(store.path.rglob("*")) if path.name != ".lock"] == names


def test_others_may_read_the_new_files_if_they_could_read_the_old(tmp_path: Path) -> None:
    store = many_files(tmp_path, PAST[:1])
    folder = store.path / "runs" / f"month={PAST[0]}"
    folder.chmod(0o2750)
    compact(store, NOW)
    assert folder.stat().st_mode & 0o7777 == 0o2750


def test_old_months_go_and_do_not_come_back(tmp_path: Path) -> None:
    store = many_files(tmp_path, ("2026-07", "2026-08", *PAST, THIS_MONTH))
    kept = {key: rows for key, rows in content(store).items() if key[1] >= PAST[0]}
    old = store.read(ACCOUNTING, "2026-08", [column.name for column in ACCOUNTING.columns])
    done = compact(store, NOW, keep=2)
    assert done.removed == ["2026-07", "2026-08"]
    assert content(store) == kept
    assert left_hidden(store) == []
    assert add_accounting(store, [tuple(row.values()) for row in old.to_pylist()]) == 0
    assert content(store) == kept
    assert Store(store.path).first_month == "2026-09"


def test_a_wrong_clock_does_not_remove_everything(tmp_path: Path) -> None:
    store = many_files(tmp_path)
    before = content(store)
    with pytest.raises(RankwiseError, match="check the clock"):
        compact(store, datetime(2099, 1, 1), keep=12)
    assert content(store) == before
    assert store.first_month == ""


def test_a_removal_that_is_killed_is_completed(
    copies: Callable[[], Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    for at in itertools.count():
        store = copies()
        kept = {
            (table.name, "2026-10"): rows for table in (RUNS, FINDINGS) if (rows := _copied(store, table))
        }
        with monkeypatch.context() as patched:
            stop_before(patched, at, KilledError)
            try:
                compact(store, NOW, keep=1)
                break
            except KilledError:
                pass
        compact(store, NOW, keep=1)
        assert content(store) == kept
        assert left_hidden(store) == []
    assert at > 3 * 4


def _copied(store: Store, table: Table) -> Counter[tuple[Any, ...]]:
    """Make October of September; return its rows."""
    folder = store.path / table.name
    shutil.copytree(folder / f"month={PAST[0]}", folder / f"month={PAST[1]}")
    return content(store)[table.name, PAST[1]]


def test_two_ingests_during_a_compaction_lose_nothing(tmp_path: Path) -> None:
    store = many_files(tmp_path)
    before = sum(content(store)["accounting", PAST[1]].values())
    processes = [
        *(_CONTEXT.Process(target=_ingest, args=(tmp_path, name)) for name in ("a", "b")),
        _CONTEXT.Process(target=_compact, args=(tmp_path,)),
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
        assert process.exitcode == 0
    after = content(store)["accounting", PAST[1]]
    assert sum(after.values()) == before + 2 * _ADDED
    assert max(after.values()) == 1
    assert left_hidden(store) == []


_ADDED = 10
_CONTEXT = multiprocessing.get_context("fork")


def _ingest(path: Path, name: str) -> None:
    at = datetime(2026, 10, 5)
    for number in range(_ADDED):
        row = {"cluster": name, "job": str(number), "user": name, "started": at, "ended": at, "nodes": 1}
        add_accounting(Store(path), [checked(ACCOUNTING, row)])


def _compact(path: Path) -> None:
    for _ in range(5):
        compact(Store(path), NOW)


def test_what_the_command_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    many_files(tmp_path, ("2020-01", "2020-02"), 2)
    assert main(["centre", "compact", str(tmp_path)]) == 0
    assert capsys.readouterr().out == "merged: 2020-01, 2020-02; 32 files before, 16 now\n"
    assert main(["centre", "compact", str(tmp_path)]) == 0
    assert capsys.readouterr().out == "nothing to merge; 16 files before, 16 now\n"
    assert main(["centre", "compact", str(tmp_path), "--keep-months", "3"]) == 2
    assert "check the clock" in capsys.readouterr().err


def _lock(store: Store) -> None:
    with store.locked():
        pass


def _no_exchange(_one: Path, _other: Path) -> bool:
    return False

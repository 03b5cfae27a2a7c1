"""`rankwise centre ingest`: each run is in the store exactly once, as its own profile has it."""

from __future__ import annotations

import errno
import json
import os
import shutil
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyarrow")

from centre_rows import rows_of
from made_profile import Made
from many_runs import Truth, write_run
from profiles import write_hostile, write_profile

import rankwise
from golden import Golden
from rankwise.__main__ import main
from rankwise.centre.ingest import ingest
from rankwise.centre.schema import OF_RUNS, RUNS, TABLES, Shows
from rankwise.centre.store import Store
from rankwise.centre.values import identity
from rankwise.centre.waste import KIND_OF_RULE
from rankwise.diagnosis.kept import keep_diagnosis
from rankwise.errors import RankwiseError
from rankwise.findings.registry import RULES

AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to another user")
FULL = os.strerror(errno.ENOSPC)
CALLS = {("W", "MPI_Allreduce"): 3.0, ("W_s1", "MPI_Bcast"): 1.0}


@pytest.fixture(scope="module")
def originals(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("originals")
    for number in range(12):
        folder = path / ("a" if number % 2 else "b/deep")
        folder.mkdir(parents=True, exist_ok=True)
        write_run(folder / f"{number}.rankwise", Truth(CALLS, day=number * 4))
    return path


@pytest.fixture
def profiles(originals: Path, tmp_path: Path) -> Path:
    """Twelve runs in two months, in two directories."""
    return shutil.copytree(originals, tmp_path / "profiles")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.made(tmp_path / "store")


def run_numbers(store: Store) -> list[int]:
    return [row["run"] for row in rows_of(store, "runs")]


def test_a_run_is_as_its_profile_has_it(tmp_path: Path, store: Store) -> None:
    outside = [4.0, 4.0, 4.0, 4.0, 5.0, 5.0]  # by rank, two ranks a host
    hosts = ["n1", "n1", "n2", "n2", "n3", "n3"]
    path = write_run(
        tmp_path / "r.rankwise",
        Truth(CALLS, outside=outside, hosts=hosts, commit="abc", program=("/opt/vasp", "-k", "4")),
    )
    with closing(sqlite3.connect(path)) as profile, profile:
        profile.execute(
            "UPDATE run SET job = '4711', directory = '/home/anna', launcher = 'srun', exit_status = 0"
        )
        profile.execute("INSERT INTO kernels VALUES ('n1', '6.1.0'), ('n2', '5.15.0'), ('n3', '6.1.0')")
        keep_diagnosis(profile)
    ingest(store, [path], cluster="alps")
    with rankwise.open(path) as opened:
        diagnosis = opened.explain().diagnosis
    (run,) = rows_of(store, "runs")
    expected = {
        "cluster": "alps",
        "job": "4711",
        "program": "vasp",
        "arguments": "-k 4",
        "directory": "/home/anna",
        "profile": str(path),
        "launcher": "srun",
        "mpi_library": "Open MPI 5.0.9",
        "kernel": "5.15.0 + 6.1.0",
        "ranks": 6,
        "nodes": 3,
        "wall_seconds": 9.0,
        "node_hours": 3 * 9.0 / 3600,
        "exit_status": 0,
        "complete": True,
        "run_seconds": 6 * 9.0,
        "mpi_seconds": 6 * 4.0 + 4 * 1.0,
        "limit": diagnosis.limit,
        "verdict": diagnosis.verdict,
        "parallel_efficiency": diagnosis.account.efficiency and diagnosis.account.efficiency.parallel,
    }
    assert {name: run[name] for name in expected} == pytest.approx(expected)
    assert f"{run['started']:%Y-%m-%dT%H:%M}" == "2026-10-01T02:00"
    slower = {row["host"]: row["slower_percent"] for row in rows_of(store, "hosts")}
    assert slower == pytest.approx({"n1": (4 / 4.5 - 1) * 100, "n2": (4 / 4.5 - 1) * 100, "n3": 25.0})
    calls = {(row["family"], row["procedure"]): row["seconds"] for row in rows_of(store, "calls")}
    assert calls == pytest.approx({("W", "MPI_Allreduce"): 6 * 3.0 + 4.0, ("W_s1", "MPI_Bcast"): 6 * 1.0})
    families = {row["family"]: row["seconds"] for row in rows_of(store, "families")}
    assert families == pytest.approx({"W": 22.0, "W_s1": 6.0})
    assert {row["name"]: row["value"] for row in rows_of(store, "tags")} == {
        "commit": "abc",
        "branch": "main",
    }


def test_findings_are_those_of_explain(tmp_path: Path, store: Store) -> None:
    path = tmp_path / "r.rankwise"
    made = Made(4, cpus="0-1")
    made.connection.execute("UPDATE ranks SET user = 5.0")
    made.connection.execute("UPDATE run SET started = '2026-11-21T10:00:00+00:00'")
    made.insert("node_use", host="node", processors=2, busy=20.0, seconds=10.0)
    for rank in range(4):
        made.insert(
            "places", rank=rank, seen="0-1", looks=9, moves=0, cpus_stop="0-1", tasks=1, run_queue_wait=5.0
        )
    made.write(path)
    with closing(sqlite3.connect(path)) as profile, profile:
        keep_diagnosis(profile)
    with rankwise.open(path) as opened:
        explained = [entry.finding for entry in opened.explain().diagnosis.findings.found]
    assert explained
    ingest(store, [path])
    kept = rows_of(store, "findings")
    assert [row["rule"] for row in kept] == [finding.rule for finding in explained]
    for row, finding in zip(kept, explained, strict=True):
        assert row["waste"] == KIND_OF_RULE[finding.rule]
        assert row["title"] == finding.title
        assert row["confidence"] == finding.confidence
        assert row["node_hours"] == pytest.approx(
            min(finding.saved_seconds / 4 / 3600, 10.0 / 3600)  # of one node, for 10 s
        )
    (run,) = rows_of(store, "runs")
    sure = [row for row in kept if row["confidence"] == "high"]
    assert run["waste_node_hours"] == max((row["node_hours"] for row in sure), default=0.0)


def test_every_rule_is_of_a_kind() -> None:
    assert set(KIND_OF_RULE) == {rule.id for rule in RULES}


def test_sums_are_the_same_with_fewer_rows(tmp_path: Path, store: Store) -> None:
    procedures = ["MPI_Send", "MPI_Recv", "MPI_Bcast", "MPI_Reduce", "MPI_Allreduce"]
    calls = {(f"W_s{n}", name): 1.0 + n for n in range(30) for name in procedures}
    ingest(store, [write_run(tmp_path / "r.rankwise", Truth(calls))])
    for table, most in (("calls", 41), ("families", 21)):
        rows = rows_of(store, table)
        assert len(rows) == most
        assert sum(row["seconds"] for row in rows) == pytest.approx(2 * sum(calls.values()))
    assert rows_of(store, "calls")[-1]["procedure"] == "(other)"


def test_each_run_once(profiles: Path, store: Store, tmp_path: Path) -> None:
    first = ingest(store, [profiles])
    assert (first.runs, first.known) == (12, 0)
    again = ingest(store, [profiles, profiles / "a"])
    assert (again.runs, again.known) == (0, 12)
    copies = tmp_path / "copies"
    copies.mkdir()
    for path in (profiles / "a").iterdir():
        (copies / f"copy of {path.name}").write_bytes(path.read_bytes())
    copied = ingest(store, [copies])
    assert (copied.runs, copied.known) == (0, 6)
    assert len(set(run_numbers(store))) == len(run_numbers(store)) == 12
    assert store.months(RUNS) == ["2026-10", "2026-11"]


def test_known_files_are_not_opened(profiles: Path, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    ingest(store, [profiles])

    def refuse(*_: object) -> None:
        raise AssertionError("a known file was opened")

    # (The files are of today, whenever that is. Their runs started in 2026-10 and 2026-11.)
    monkeypatch.setattr("rankwise.centre.ingest._MONTHS_BEFORE", 12 * 50)
    monkeypatch.setattr("rankwise.centre.ingest.run_rows", refuse)
    assert ingest(store, [profiles]).known == 12


def test_several_ingests_at_once(profiles: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    command = [
        sys.executable,
        "-m",
        "rankwise",
        "centre",
        "ingest",
        str(profiles),
        "--into",
        str(store),
        "--json",
    ]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    said = [json.loads(process.communicate(timeout=120)[0]) for process in started]
    assert [process.returncode for process in started] == [0, 0, 0]
    assert sum(one["runs"] for one in said) == 12
    assert len(set(run_numbers(Store(store)))) == len(run_numbers(Store(store))) == 12


@AS_ROOT
def test_the_owner_is_part_of_a_run(tmp_path: Path, store: Store) -> None:
    """Else somebody could keep a run of another user out, by a profile with the same facts."""
    mine = write_run(tmp_path / "mine.rankwise", Truth(CALLS))
    forged = tmp_path / "forged.rankwise"
    forged.write_bytes(mine.read_bytes())
    os.chown(forged, 12345, 12345)
    assert ingest(store, [forged, mine]).runs == 2
    assert sorted(row["user"] for row in rows_of(store, "runs"))[0] == "12345"


def wreck(path: Path, how: str) -> None:
    if how == "cut":
        path.write_bytes(path.read_bytes()[:5000])
    elif how == "empty":
        path.write_bytes(b"")
    elif how == "other":
        path.write_text("not a profile")
    else:
        with closing(sqlite3.connect(path)) as profile, profile:
            profile.execute("PRAGMA ignore_check_constraints = 1")
            profile.execute(how)


@pytest.mark.parametrize(
    "how",
    [
        "cut",
        "empty",
        "other",
        "UPDATE run SET started = 'yesterday'",
        "UPDATE run SET started = '9999-12-31T23:59:59+00:00'",
        "UPDATE run SET started = '../../../etc-10-01T00:00:00'",
        "UPDATE run SET wall = 1e20",
        "UPDATE run SET wall = -1.0",
        "UPDATE run SET job = x'00ff'",
        "UPDATE run SET mpi_library = x'07'",
        "UPDATE run SET ranks_expected = 1 << 40",
        "UPDATE run SET programs = '{'",
        "UPDATE ranks SET host = x'ff'",
        "UPDATE ranks SET mpi = 'much'",
    ],
)
def test_a_wrecked_profile_is_named_and_left_out(
    profiles: Path, tmp_path: Path, how: str, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = profiles / "a" / "1.rankwise"
    wreck(bad, how)
    status = main(["centre", "ingest", str(profiles), "--into", str(tmp_path / "store")])
    said = capsys.readouterr()
    assert status == 1
    assert "11 runs added" in said.out
    assert "Traceback" not in said.err
    (line,) = said.err.splitlines()
    assert str(bad) in line
    assert len(run_numbers(Store(tmp_path / "store"))) == 11


@pytest.mark.parametrize(
    "content",
    [
        '{"limit": 7}',
        "[]",
        "null",
        '{"limit": "x", "verdict": "y", "account": {"efficiency": {"parallel": "all"}}}',
        '{"limit": "x", "verdict": "y", "findings": {"found": [{"finding": {"saved_seconds": 1e999}}]}}',
    ],
)
def test_a_crafted_diagnosis_harms_only_its_own_run(profiles: Path, store: Store, content: str) -> None:
    with closing(sqlite3.connect(profiles / "a" / "1.rankwise")) as profile, profile:
        profile.execute("INSERT INTO diagnosis (rules, content) VALUES ('x', ?)", (content,))
    done = ingest(store, [profiles])
    assert done.runs + len(done.damaged) == 12
    assert done.runs >= 11


def test_hostile_names_are_kept_as_they_are(tmp_path: Path, store: Store) -> None:
    path = write_hostile(tmp_path / "'; DROP TABLE runs; --.rankwise")
    with closing(sqlite3.connect(path)) as profile, profile:
        profile.execute("UPDATE run SET job = ?", ("../../x" + "j" * 5000,))
    ingest(store, [path])
    (run,) = rows_of(store, "runs")
    assert run["job"].startswith("../../xjjj")
    assert len(run["job"]) == 1000
    folders = {file.parent.name for file in store.path.rglob("*.parquet")}
    assert folders == {f"month={run['started']:%Y-%m}"}


@pytest.mark.parametrize("failing", range(8))
def test_an_interrupted_batch_adds_nothing(
    profiles: Path, store: Store, monkeypatch: pytest.MonkeyPatch, failing: int
) -> None:
    """A full disk at any of the files, and no chance to tidy up."""
    ingest(store, [profiles / "a"])
    before = {path: path.read_bytes() for path in store.path.rglob("*.parquet")}
    real, calls = Path.replace, iter(range(100))

    def replace(source: Path, target: Path) -> Path:
        if next(calls) == failing:
            raise OSError(errno.ENOSPC, FULL)
        return real(source, target)

    monkeypatch.setattr(Path, "replace", replace)
    monkeypatch.setattr(Path, "unlink", refuse_to_unlink)
    with pytest.raises(RankwiseError, match=FULL):
        ingest(store, [profiles])
    monkeypatch.undo()
    assert {path: path.read_bytes() for path in before} == before
    known = set(run_numbers(store))
    done = ingest(store, [profiles])
    assert done.runs == 12 - len(known)
    assert len(set(run_numbers(store))) == len(run_numbers(store)) == 12
    details = {row["run"] for row in rows_of(store, "hosts")}
    assert details == set(run_numbers(store))
    assert len(rows_of(store, "hosts")) == 24
    assert not list(store.path.rglob(".unfinished*"))


def refuse_to_unlink(path: Path, *, missing_ok: bool = False) -> None:  # noqa: ARG001
    raise OSError(errno.EROFS, "the machine is gone")


def test_a_full_disk_is_one_line(
    profiles: Path, store: Store, monkeypatch: pytest.MonkeyPatch, golden: Golden
) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, FULL)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(RankwiseError) as refused:
        ingest(store, [profiles])
    golden.says(refused.value, FULL)
    assert not list(store.path.rglob("*.parquet*"))


def texts(store: Store, shows: Shows) -> set[Any]:
    return {
        row[column.name]
        for table in TABLES
        for row in rows_of(store, table.name)
        for column in table.columns
        if column.shows is shows
    }


def test_private_leaves_out_what_users_run(profiles: Path, tmp_path: Path) -> None:
    for name, options in (("open", []), ("private", ["--private"])):
        assert main(["centre", "ingest", str(profiles), "--into", str(tmp_path / name), *options]) == 0
    assert "in.nml" in texts(Store(tmp_path / "open"), Shows.WORK)
    assert texts(Store(tmp_path / "private"), Shows.WORK) == {None}
    everything = b"".join(path.read_bytes() for path in (tmp_path / "private").rglob("*.parquet"))
    assert b"in.nml" not in everything
    assert str(profiles).encode() not in everything


def test_pseudonyms(profiles: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    keys = [tmp_path / "key1", tmp_path / "key2"]
    for number, key in enumerate(keys):
        key.write_text(f"a secret of this centre {number}")
        key.chmod(0o600)
    names = []
    for number, key in enumerate([keys[0], keys[0], keys[1]]):
        path = tmp_path / f"store{number}"
        assert main(["centre", "ingest", str(profiles), "--into", str(path), "--pseudonyms", str(key)]) == 0
        (name,) = texts(Store(path), Shows.USER)
        names.append(name)
    assert names[0] == names[1] != names[2]
    assert all(name.startswith("u-") for name in names)
    capsys.readouterr()
    for content, mode, complaint in (
        ("short", 0o600, "5 bytes"),
        ("a secret of this centre", 0o644, "chmod 600"),
    ):
        keys[0].write_text(content)
        keys[0].chmod(mode)
        command = [
            "centre",
            "ingest",
            str(profiles),
            "--into",
            str(tmp_path / "new"),
            "--pseudonyms",
            str(keys[0]),
        ]
        assert main(command) == 2
        assert complaint in capsys.readouterr().err
        assert not (tmp_path / "new").exists()


def test_numbers_for_columns_show_no_hidden_value(profiles: Path, tmp_path: Path) -> None:
    """They are made of what the store has: else a guess could be compared with them."""
    key = tmp_path / "key"
    key.write_text("a secret of this centre")
    key.chmod(0o600)
    store = tmp_path / "store"
    command = ["centre", "ingest", str(profiles), "--into", str(store), "--private", "--pseudonyms", str(key)]
    assert main(command) == 0
    opened = Store(store)
    columns = ["job", "user", "job_of_user", "configuration"]
    rows = [row for month in opened.months(RUNS) for row in opened.read(RUNS, month, columns).to_pylist()]
    assert rows
    for row in rows:
        assert row["configuration"] is None
        assert row["job_of_user"] == identity(row["job"], row["user"])


def test_only_the_owner_can_read_a_store(profiles: Path, tmp_path: Path) -> None:
    assert main(["centre", "ingest", str(profiles), "--into", str(tmp_path / "store")]) == 0
    assert stat.S_IMODE((tmp_path / "store").stat().st_mode) == 0o700


def spoilt(spoil: Callable[[Path], object]) -> Callable[[Path], Path]:
    def make(tmp_path: Path) -> Path:
        path = tmp_path / "store"
        Store.made(path)
        spoil(path)
        return path

    return make


def other_folder(tmp_path: Path) -> Path:
    path = tmp_path / "thesis"
    path.mkdir()
    (path / "chapter1.tex").write_text("It was a dark night")
    return path


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (other_folder, "has something else"),
        (lambda tmp_path: write_profile(tmp_path / "file"), "is no folder"),
        (spoilt(lambda path: (path / "rankwise-centre.json").write_text("{")), "damaged"),
        (spoilt(lambda path: (path / "rankwise-centre.json").write_text('{"version": 99}')), "version 99"),
        (lambda _: Path("/proc/store"), "/proc/store can't"),
    ],
)
def test_what_is_no_store_is_refused(
    profiles: Path,
    tmp_path: Path,
    make: Callable[[Path], Path],
    complaint: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = make(tmp_path)
    before = sorted(path.iterdir()) if path.is_dir() else []
    assert main(["centre", "ingest", str(profiles), "--into", str(path)]) != 0
    said = capsys.readouterr().err
    assert complaint in said
    assert len(said.splitlines()) == 1
    assert (sorted(path.iterdir()) if path.is_dir() else []) == before


def test_a_damaged_file_of_the_store_is_named(profiles: Path, store: Store) -> None:
    ingest(store, [profiles])
    (file, *_) = sorted((store.path / "runs").rglob("*.parquet"))
    file.write_bytes(file.read_bytes()[:100])
    with pytest.raises(RankwiseError, match=f"{file.name} is damaged"):
        ingest(store, [profiles])


def test_nothing_to_add(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = str(tmp_path / "store")
    assert main(["centre", "ingest", "--into", store]) == 2
    assert main(["centre", "ingest", str(tmp_path / "no"), "--into", store]) == 2
    (tmp_path / "empty").mkdir()
    assert main(["centre", "ingest", str(tmp_path / "empty"), "--into", store]) == 0
    assert "0 runs added" in capsys.readouterr().out


def test_every_table_has_a_number_of_its_run() -> None:
    for table in OF_RUNS:
        assert table.columns[0].name == "run"
    names = [(table.name, column.name) for table in TABLES for column in table.columns]
    assert len(names) == len(set(names))

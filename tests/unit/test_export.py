from __future__ import annotations

import csv
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import profiles
import pytest

from rankwise.__main__ import main

ALL_CALLS = profiles.MPI_TOTAL + profiles.INIT_FINALIZE_TOTAL  # seconds
TABLES = {
    "run",
    "ranks",
    "communicators",
    "regions",
    "region_times",
    "procedures",
    "calls",
    "messages",
    "files",
    "patterns",
    "pattern_messages",
    "waits",
    "wait_messages",
    "open_messages",
    "arrivals",
    "starts",
    "neighbours",
    "collective_traits",
    "time_axis",
    "time_lines",
    "intervals",
    "node_shapes",
    "shape_processors",
    "shape_devices",
    "kernels",
    "launcher_ranks",
    "adapters",
    "rail_choices",
    "network_ports",
    "network_samples",
    "tags",
    "places",
    "tasks",
    "node_use",
    "system_counters",
    "absent_counters",
    "objects",
    "sites",
    "frames",
    "paths",
    "file_accesses",
    "dropped",
    "warnings",
}


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    return profiles.write_partial(tmp_path / "a.rankwise")


def export(profile: Path, to: str, *more: str) -> Path:
    directory = profile.parent / "out" / to
    assert main(["export", str(profile), "--format", to, "-o", str(directory), *more]) == 0
    assert {file.name for file in directory.iterdir()} == {f"{table}.{to}" for table in TABLES}
    return directory


def test_csv(profile: Path) -> None:
    directory = export(profile, "csv")
    with (directory / "calls.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 32
    row = next(row for row in rows if row["procedure_name"] == "MPI_Isend" and row["rank"] == "2")
    assert (row["communicator_name"], row["region_name"], row["size_low"], row["size_high"]) == (
        "W_a1",
        "solve",
        "1024",
        "2047",
    )
    assert (row["calls"], row["bytes_sent"], float(row["seconds"])) == ("200", "204800", 0.05)
    with (directory / "messages.csv").open(newline="") as file:
        assert {row["procedure_name"] for row in csv.DictReader(file)} == {"MPI_Isend"}
    with (directory / "ranks.csv").open(newline="") as file:
        assert [row["inside"] for row in csv.DictReader(file)] == ["", "", "MPI_Allreduce", ""]


def test_json(profile: Path) -> None:
    directory = export(profile, "json")
    run = json.loads((directory / "run.json").read_text())
    assert run[0]["command"] == profiles.COMMAND
    assert run[0]["not_covered"][0] == "MPI_Put"
    communicators = json.loads((directory / "communicators.json").read_text())
    assert communicators[profiles.CART]["dims"] == [2, 2]
    assert communicators[profiles.WORLD]["parent"] is None
    ranks = json.loads((directory / "ranks.json").read_text())
    assert [(row["mpi"], row["init_finalize"]) for row in ranks[:2]] == [(0.97, 0.14), (1.22, 0.14)]
    calls = json.loads((directory / "calls.json").read_text())
    assert sum(row["seconds"] for row in calls) == pytest.approx(ALL_CALLS)


def test_what_is_not_known_is_null(tmp_path: Path) -> None:
    profile = profiles.write_profile(tmp_path / "a.rankwise")
    with closing(sqlite3.connect(profile)) as connection, connection:
        connection.execute("UPDATE run SET not_covered = 'null'")
    directory = export(profile, "json")
    assert json.loads((directory / "run.json").read_text())[0]["not_covered"] is None


def test_an_empty_table_is_an_empty_list(tmp_path: Path) -> None:
    directory = export(profiles.write_profile(tmp_path / "a.rankwise"), "json")
    assert json.loads((directory / "dropped.json").read_text()) == []


def test_parquet(profile: Path) -> None:
    from pyarrow import parquet

    directory = export(profile, "parquet")
    calls = parquet.read_table(directory / "calls.parquet")
    assert calls.num_rows == 32
    assert [
        str(calls.schema.field(name).type) for name in ("calls", "seconds", "procedure_name", "size_low")
    ] == [
        "int64",
        "double",
        "string",
        "int64",
    ]
    assert sum(calls.column("seconds").to_pylist()) == pytest.approx(ALL_CALLS)
    assert parquet.read_table(directory / "warnings.parquet").num_rows == 2


@pytest.mark.parametrize("to", ["csv", "json", "parquet"])
def test_bin_other_has_no_sizes(profile: Path, to: str) -> None:
    with sqlite3.connect(profile) as connection:
        connection.execute("UPDATE calls SET size_bin = 127 WHERE procedure = 2")
    directory = export(profile, to)
    if to == "json":
        calls = json.loads((directory / "calls.json").read_text())
        assert {row["size_low"] for row in calls if row["procedure"] == 2} == {None}


def test_hostile_names_stay_as_they_are(tmp_path: Path) -> None:
    directory = export(profiles.write_hostile(tmp_path / "a.rankwise"), "json")
    communicators = json.loads((directory / "communicators.json").read_text())
    assert communicators[profiles.WORLD]["user_name"] == "\x1b[2J\x1b]0;owned\x07"


def test_existing_files_need_force(profile: Path, capsys: pytest.CaptureFixture[str]) -> None:
    directory = export(profile, "csv")
    (directory / "run.csv").write_text("mine")
    assert main(["export", str(profile), "--format", "csv", "-o", str(directory)]) == 2
    assert "--force" in capsys.readouterr().err
    assert (directory / "run.csv").read_text() == "mine"
    export(profile, "csv", "--force")
    assert (directory / "run.csv").read_text().startswith("rankwise_version,")


def test_unwritable_directories_are_one_line(profile: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for target in (profile, profile / "below", Path("/proc/rankwise")):
        assert main(["export", str(profile), "--format", "json", "-o", str(target)]) == 2
        err = capsys.readouterr().err
        assert err.startswith(f"rankwise: cannot write to {target}: ")
        assert err.count("\n") == 1

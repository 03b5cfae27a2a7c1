"""What all pages of a report have in common: axes and calls as the profile has them, whatever it is like."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import made_profile
import network_jobs
import numpy as np
import profiles
import pytest

from rankwise.analysis.opened import opened_profile
from rankwise.render.page.container import Container
from rankwise.render.page.contents import axes as axes_module
from rankwise.render.page.contents.packed_tables import tables_data
from rankwise.render.page.contents.parts import cells as cells_module
from rankwise.render.page.contents.run import run_data, run_title
from rankwise.render.page.contents.subject import subject
from rankwise.render.page.html import report_page
from rankwise.views import by as views
from rankwise.views.view import Detail

SUMS = {"calls": "calls", "sent": "bytes_sent", "received": "bytes_received", "seconds": "seconds"}
HOSTILE = "\x1b]0;owned\x07<script>\u202e\n"


def run_of(path: Path) -> dict[str, Any]:
    """The run, as a browser gets it."""
    container = Container()
    with opened_profile(path) as connection:
        of = subject(path, connection, container)
        page = report_page(run_title(of), [run_data(of, "run")], container)
    run: dict[str, Any] = network_jobs.data(page)["runs"][0]
    return run


def by(run: dict[str, Any], axis: str, names: list[str], what: str) -> dict[str, float]:
    """Sums of the cells by the names of an axis; those of 0 are left out."""
    totals = np.bincount(run["cells"][axis].astype(int), run["cells"][what], len(names))
    sums: dict[str, float] = {}
    for name, value in zip(names, totals.tolist(), strict=True):
        if value:
            sums[name] = sums.get(name, 0.0) + value
    return sums


def in_sql(path: Path, query: str) -> dict[str, float]:
    with opened_profile(path) as connection:
        return {name: value for name, value in connection.execute(query) if value}


WRITERS: list[Callable[[Path], Path]] = [
    profiles.write_profile,
    profiles.write_inside,
    profiles.write_partial,
    profiles.write_large,
]


@pytest.mark.parametrize("write", WRITERS, ids=["plain", "inside", "partial", "large"])
def test_sums_by_each_axis_are_those_of_the_profile(tmp_path: Path, write: Callable[[Path], Path]) -> None:
    path = write(tmp_path / "run.rankwise")
    run = run_of(path)
    axes = run["axes"]
    assert run["cells"]["together"] == 1
    for what, column in SUMS.items():
        sums = f"SELECT {{}}, SUM({column}) FROM calls {{}} GROUP BY 1"
        procedures = in_sql(path, sums.format("substr(name, 5)", "JOIN procedures ON id = procedure"))
        assert by(run, "procedure", axes["procedures"]["name"], what) == pytest.approx(procedures)
        communicators = in_sql(path, sums.format("name", "JOIN communicators ON id = communicator"))
        assert by(run, "communicator", axes["communicators"]["name"], what) == pytest.approx(communicators)
        families = in_sql(path, sums.format("family", "JOIN communicators ON id = communicator"))
        assert by(run, "communicator", axes["communicators"]["family"], what) == pytest.approx(families)
        ranks = in_sql(path, sums.format("CAST(rank AS TEXT)", ""))
        assert by(run, "rank", [str(rank) for rank in range(axes["ranks"])], what) == pytest.approx(ranks)
        hosts = in_sql(path, sums.format("host", "JOIN ranks USING (rank)"))
        run["cells"]["host"] = axes["hostOf"][run["cells"]["rank"]]
        assert by(run, "host", axes["hosts"], what) == pytest.approx(hosts)
        sizes = in_sql(path, sums.format("CAST(size_bin AS TEXT)", ""))
        assert sorted(by(run, "size", axes["sizes"], what).values()) == pytest.approx(sorted(sizes.values()))
        regions = in_sql(
            path, sums.format("CASE region WHEN 0 THEN 'outside of regions' ELSE 'solve' END", "")
        )
        assert by(run, "region", axes["regions"]["name"], what) == pytest.approx(regions)


def test_axes_of_the_known_run(tmp_path: Path) -> None:
    axes = run_of(profiles.write_profile(tmp_path / "run.rankwise"))["axes"]
    assert axes["ranks"] == 4
    assert axes["hosts"] == ["nodea", "nodeb"]
    assert axes["hostOf"].tolist() == [0, 0, 1, 1]
    assert axes["sizes"] == ["0 B", "4-7 B", "8-15 B", "1-2 KiB", "64-128 KiB"]
    assert axes["regions"]["name"] == ["outside of regions", "solve"]
    assert axes["regions"]["parent"].tolist() == [-1, 0]
    named = dict(zip(axes["procedures"]["name"], axes["procedures"]["apart"].tolist(), strict=True))
    assert {name for name, apart in named.items() if apart} == {"Init", "Finalize"}
    communicators = axes["communicators"]
    assert communicators["each"] is True
    place = communicators["name"].index
    assert communicators["label"][place("W_a1")] == 'W_a1 "grid"'
    assert communicators["parent"][place("W_a1_u1.0")] == place("W_a1")
    assert communicators["family"][place("W_a1_u1.2")] == "W_a1_u1"
    assert communicators["parent"][place("W")] == -1


def test_many_communicators_are_families(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = profiles.write_profile(tmp_path / "run.rankwise")
    monkeypatch.setattr(axes_module, "_MOST_COMMUNICATORS", 8)
    run = run_of(path)
    communicators = run["axes"]["communicators"]
    assert communicators["each"] is False
    assert communicators["name"] == communicators["family"]
    expected = {"(none)": 0.56, "W": 2.5, "W_a1": 1.2, "W_a1_u1": 1.6, "W_a1_u2": 0.06}
    assert by(run, "communicator", communicators["name"], "seconds") == pytest.approx(expected)
    place = communicators["name"].index
    assert communicators["parent"][place("W_a1_u1")] == place("W_a1")
    # One fewer, and each is told apart.
    monkeypatch.setattr(axes_module, "_MOST_COMMUNICATORS", 9)
    assert run_of(path)["axes"]["communicators"]["each"] is True


def test_more_than_a_thousand_communicators(tmp_path: Path) -> None:
    path = profiles.write_profile(tmp_path / "run.rankwise")
    with closing(sqlite3.connect(path)) as connection, connection:
        profiles.add_communicators(connection, {f"W_s1.{number}": "0-3" for number in range(1000)})
    run = run_of(path)
    assert run["axes"]["communicators"]["each"] is False
    assert run["axes"]["communicators"]["name"].count("W_s1") == 1
    assert run["cells"]["seconds"].sum() == pytest.approx(profiles.MPI_TOTAL + profiles.INIT_FINALIZE_TOTAL)


def test_many_rows_are_of_several_ranks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = profiles.write_profile(tmp_path / "run.rankwise")
    whole = run_of(path)
    rows = len(whole["cells"]["rank"])
    monkeypatch.setattr(cells_module, "_MOST_ROWS", rows - 1)
    halved = run_of(path)
    assert halved["cells"]["together"] == 2
    names = ["ranks 0, 1", "ranks 2, 3"]
    allreduce = halved["axes"]["procedures"]["name"].index("Allreduce")
    chosen = halved["cells"]["procedure"] == allreduce
    halved["cells"]["of"] = np.where(chosen, halved["cells"]["seconds"], 0)
    assert by(halved, "rank", names, "of") == pytest.approx({"ranks 0, 1": 0.75, "ranks 2, 3": 1.75})
    # As few as there can be: nothing is lost, and it ends.
    monkeypatch.setattr(cells_module, "_MOST_ROWS", 1)
    merged = run_of(path)
    assert set(merged["cells"]["rank"].tolist()) == {0}
    for what in SUMS:
        assert merged["cells"][what].sum() == pytest.approx(whole["cells"][what].sum())


def test_times_that_do_not_pack_are_of_several_ranks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = profiles.write_profile(tmp_path / "run.rankwise")
    whole = run_of(path)
    assert whole["cells"]["together"] == 1
    monkeypatch.setattr(cells_module, "_MOST_EXACT", 0)
    rounded = run_of(path)
    assert rounded["cells"]["together"] == 1
    assert rounded["cells"]["seconds"] == pytest.approx(whole["cells"]["seconds"], rel=2**-16)
    assert set(np.modf(np.ldexp(np.frexp(rounded["cells"]["seconds"])[0], 16))[0]) == {0.0}
    monkeypatch.setattr(cells_module, "_MOST_PACKED", 1)
    merged = run_of(path)
    assert set(merged["cells"]["rank"].tolist()) == {0}
    assert merged["cells"]["seconds"].sum() == pytest.approx(whole["cells"]["seconds"].sum(), rel=2**-16)


def test_ranks_that_left_nothing_are_on_no_host(tmp_path: Path) -> None:
    path = profiles.write_profile(tmp_path / "run.rankwise")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM ranks WHERE rank = 2")
        connection.execute("DELETE FROM calls WHERE rank = 2")
        connection.execute("UPDATE run SET ranks_expected = 6")
    axes = run_of(path)["axes"]
    assert axes["ranks"] == 6
    assert axes["hosts"] == ["nodea", "nodeb"]
    assert axes["hostOf"].tolist() == [0, 0, 2, 1, 2, 2]


def test_a_run_without_any_call(tmp_path: Path) -> None:
    run = run_of(profiles.write_empty(tmp_path / "run.rankwise"))
    assert run["axes"]["sizes"] == []
    assert all(len(run["cells"][name]) == 0 for name in run["cells"] if name != "together")
    assert any("MPI_Init" in warning for warning in run["warnings"])


def test_calls_are_told_apart_by_their_site(tmp_path: Path) -> None:
    made = made_profile.Made(ranks=2)
    for rank in range(2):
        made.call(rank, "MPI_Barrier", 0.5 + rank)
    run = run_of(made.write(tmp_path / "made.rankwise"))
    assert run["axes"]["sites"][0] == "not known"
    assert by(run, "site", run["axes"]["sites"], "seconds") == pytest.approx({"not known": 2.0})


def test_names_of_others_are_harmless(tmp_path: Path) -> None:
    path = profiles.write_hostile(tmp_path / "run.rankwise")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE ranks SET host = ? WHERE rank = 0", (HOSTILE,))
    run = run_of(path)

    def texts(value: Any) -> list[str]:
        if isinstance(value, str):
            return [value]
        children = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
        return [text for child in children for text in texts(child)]

    strings = texts(run)
    # Line feeds are in tables of several lines, and in nothing that has a name.
    assert not [
        text for text in strings if any(ord(letter) < 32 or letter in "\x7f\x9b\u202e" for letter in text)
    ]
    assert "\\x1b]0;owned\\x07<script>\\u202e\\n" in run["axes"]["hosts"]


def test_regions_are_in_regions(tmp_path: Path) -> None:
    made = made_profile.Made(ranks=1)
    made.region(1, "solve", {0: (5.0, 2.0)})
    made.region(2, "solve/exchange", {0: (3.0, 3.0)}, parent=1)
    made.call(0, "MPI_Barrier", 0.5, region=2)
    axes = run_of(made.write(tmp_path / "run.rankwise"))["axes"]
    assert axes["regions"]["name"] == ["outside of regions", "solve", "solve/exchange"]
    assert axes["regions"]["parent"].tolist() == [-1, -1, 1]


def test_tables_are_those_of_the_terminal(tmp_path: Path) -> None:
    with opened_profile(profiles.write_profile(tmp_path / "run.rankwise")) as connection:
        view = views.view("call", connection, Detail.BRIEF)
        [table, *_] = tables_data(view, Detail.BRIEF)
    names = [column["name"] for column in table["columns"]]
    first = dict(zip(names, table["rows"][0], strict=True))
    assert first["call"] == ["Allreduce", "Allreduce"]
    assert first["time (sum)"] == ["2.50 s", pytest.approx(2.5)]
    assert first["calls"] == ["400", 400]
    [total, *apart] = [dict(zip(names, row, strict=True)) for row in table["sums"]]
    assert total["time (sum)"] == ["5.36 s", pytest.approx(profiles.MPI_TOTAL)]
    assert [row["call"][0] for row in apart] == ["Init", "Finalize"]
    assert all(len(row) == len(names) for row in [*table["rows"], *table["sums"]])

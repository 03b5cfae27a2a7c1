"""`rankwise diff`: what is planted is found, noise is none, and what is exact is said exactly."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import profiles
import pytest

import rankwise
from golden import Golden, assert_facts
from rankwise.__main__ import main
from rankwise.analysis.opened import opened_profile
from rankwise.comparison.change import Change, counted, timed
from rankwise.comparison.compare import compare
from rankwise.comparison.figures import figures
from rankwise.views.comparison.sentences import interval_text


def written(
    path: Path, factor: float = 1.0, *, calls: int = 0, sent: int = 0, more: Sequence[str] = ()
) -> Path:
    """Write the run of tests/unit/profiles.py with times in Allreduce and wall times changed.

    Args:
        path: to write to.
        factor: of the time in Allreduce; what it takes more, the wall time does, too.
        calls: of Allreduce that rank 0 makes more.
        sent: bytes that they send.
        more: SQL that changes the profile.
    """
    profiles.write_profile(path)
    connection = sqlite3.connect(path)
    connection.execute("UPDATE calls SET seconds = seconds * ? WHERE procedure = 2", (factor,))
    connection.execute(
        "UPDATE calls SET calls = calls + ?, bytes_sent = bytes_sent + ? WHERE procedure = 2 AND rank = 0",
        (calls, sent),
    )
    longer = "(SELECT SUM(seconds) * (1 - 1 / ?1) FROM calls WHERE procedure = 2 AND calls.rank = ranks.rank)"
    connection.execute(f"UPDATE ranks SET mpi = mpi + {longer}, wall = wall + {longer}", (factor,))
    connection.execute(f"UPDATE ranks SET run = run + {longer}", (factor,))
    connection.execute("UPDATE run SET wall = (SELECT MAX(wall) FROM ranks)")
    for statement in more:
        connection.execute(statement)
    connection.commit()
    connection.close()
    return path


def compared(capsys: pytest.CaptureFixture[str], *words: object, status: int = 0) -> str:
    assert main(["diff", *map(str, words)]) == status
    out, err = capsys.readouterr()
    assert err == ""
    return out


def rows(comparison: dict[str, Any], kind: str, *keys: str) -> dict[tuple[str, ...], Any]:
    return {tuple(row[key] for key in keys): row for row in comparison[kind]}


def test_a_change_that_is_planted(tmp_path: Path) -> None:
    """Allreduce takes (rank + 1) x 0.25 s a rank; twice that is 0.625 s more, and rank 3 needs 1 s more."""
    before, after = written(tmp_path / "a"), written(tmp_path / "b", 2.0, calls=12, sent=96)
    comparison = rankwise.diff(before, after).data
    figures = rows(comparison, "run", "name")
    wall = figures["wall",]["value"]
    assert (wall["before"], wall["after"], wall["change"], wall["percent"]) == pytest.approx((10, 11, 1, 10))
    assert wall["verdict"] == "unknown"  # one run each
    assert figures["mpi",]["value"]["change"] == pytest.approx(0.625)
    assert figures["other",]["value"]["change"] == pytest.approx(0)
    assert figures["calls",]["value"]["change"] == 12
    assert figures["bytes_sent",]["value"]["change"] == 96
    assert figures["messages",]["value"]["verdict"] == "same"
    for kind, key in (
        ("communicator_calls", ("W", "MPI_Allreduce", "")),
        ("communicators", ("W", "", "")),
        ("calls", ("", "MPI_Allreduce", "")),
        ("regions", ("", "", "solve")),
    ):
        each = rows(comparison, kind, "communicator", "procedure", "region")
        row = comparison[kind][0]  # it changed most
        assert row is each[key]
        assert row["seconds"]["change"] == pytest.approx(0.625)
        assert (row["calls"]["change"], row["bytes_sent"]["change"]) == (12, 96)
        assert (row["calls"]["verdict"], row["only"]) == ("more", "")
        assert row["percent_of_wall_change"] == pytest.approx(62.5)
        for other in each.keys() - {key}:
            assert each[other]["seconds"]["change"] == pytest.approx(0)
            assert each[other]["calls"]["verdict"] == each[other]["bytes_sent"]["verdict"] == "same"
    assert comparison["communicator_calls"][0]["seconds"]["before"] == pytest.approx(0.625)


def test_the_first_screen(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, golden: Golden
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(tmp_path)
    written(Path("a.rankwise"))
    written(Path("b.rankwise"), 2.0, calls=12, sent=96)
    lines = compared(capsys, "a.rankwise", "b.rankwise", "--limit", "2").splitlines()
    assert max(map(len, lines)) <= 80
    golden.says("\n".join(lines), "W .. Allreduce .. 625 ms .. 1.25 s .. +625 ms .. +100 .. +12 .. +96 B")
    assert_facts("\n".join(lines), "--limit 0")


def test_noise_is_no_change(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = [written(tmp_path / f"a{n}", factor) for n, factor in enumerate((1.0, 1.02, 0.98))]
    after = [written(tmp_path / f"b{n}", factor) for n, factor in enumerate((1.01, 1.0, 0.99))]
    comparison = rankwise.diff(before, after)
    wall = comparison.found.figure("wall").value
    assert wall.verdict == "same"
    assert wall.low is not None
    assert wall.high is not None
    assert wall.low < 0 < wall.high
    assert comparison.title.startswith("The same: wall 10.0 s to 10.0 s")
    assert comparison.data["run"][5]["value"]["exact"]
    text = compared(capsys, *before, "--", *after)
    assert "the Mann-Whitney test" in " ".join(text.split())
    assert "and 2 more" in text


def test_several_runs_tell_worse_from_noise(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], golden: Golden
) -> None:
    before = [written(tmp_path / f"a{n}", factor) for n, factor in enumerate((1.0, 1.02, 0.98))]
    after = [written(tmp_path / f"b{n}", factor, calls=4) for n, factor in enumerate((2.01, 2.0, 1.99))]
    worse = rankwise.diff(before, after)
    assert worse.found.figure("wall").value.verdict == "worse"
    assert worse.title.startswith("Slower: wall 10.0 s to 11.0 s (+10.0 %), noise +9.")
    golden.says(worse.title, "+625 ms .. Allreduce .. W")
    row = worse.found.rows["communicator_calls"][0]
    assert (row.procedure, row.seconds.verdict, row.calls.verdict) == ("MPI_Allreduce", "worse", "more")
    better = rankwise.diff(after, before)
    assert better.found.figure("wall").value.verdict == "better"
    assert better.title.startswith("Faster: ")
    text = compared(capsys, *before, "--", *after)
    assert ["W", "Allreduce", "625", "ms", "1.25", "s", "+625", "ms", "worse", "+4"] in map(
        str.split, text.splitlines()
    )
    verbose = compared(capsys, "-v", *before, "--", *after)
    assert "By call" in verbose
    assert "noise, %" in verbose


def test_two_runs_are_too_few(tmp_path: Path, capsys: pytest.CaptureFixture[str], golden: Golden) -> None:
    runs = [written(tmp_path / f"{n}", 1 + n) for n in range(4)]
    text = " ".join(compared(capsys, *runs[:2], "--", *runs[2:]).split())
    golden.says(text[text.index("the run") :])
    comparison = rankwise.diff(runs[:2], runs[2:]).data
    assert {figure["value"]["verdict"] for figure in comparison["run"] if figure["name"] == "wall"} == {
        "unknown"
    }


def test_the_same_file_twice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path / "a")
    assert "The same: wall 10.0 s to 10.0 s (0 %)." in compared(capsys, path, path)
    comparison = rankwise.diff(path, path).data
    verdicts = [figure["value"]["verdict"] for figure in comparison["run"]]
    verdicts += [
        row[what]["verdict"]
        for kind in ("communicator_calls", "communicators", "calls", "regions")
        for row in comparison[kind]
        for what in ("seconds", "calls", "bytes_sent")
    ]
    assert set(verdicts) == {"same"}


@pytest.mark.parametrize(
    ("words", "status", "line"),
    [
        (["--fail-above", "5%"], 1, "FAILED: wall +10.0 %, more than 5 %"),
        (["--fail-above", "10"], 0, "passed: wall +10.0 %, not more than 10 %"),
        (
            ["--fail-above", "40%", "--metric", "mpi"],
            1,
            "FAILED: in MPI +46.6 %, more than 40 %",
        ),
        (["--fail-above", "0", "--metric", "calls"], 1, "FAILED: calls +0.5 %, more than 0 %"),
        (["--fail-above", "0", "--metric", "messages"], 0, "passed: messages 0 %, not more than 0 %"),
        (["--fail-above", "0", "--metric", "other"], 0, "passed: compute, other 0 %, not more than 0 %"),
        ([], 0, ""),
    ],
)
def test_the_gate(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], status: int, line: str
) -> None:
    # (The longest rank's wall time is that of rank 3, which the profile has as 9.99... + 1.)
    before, after = (
        written(tmp_path / "a"),
        written(tmp_path / "b", 1.999 if "10" in words else 2.0, calls=12),
    )
    text = compared(capsys, before, after, *words, status=status)
    assert not line or text.splitlines()[-1] == line
    comparison = json.loads(compared(capsys, before, after, *words, "--json", status=status))
    assert comparison["failed"] == bool(status)


def test_the_gate_leaves_noise_alone(tmp_path: Path) -> None:
    """The median is 20 % more, but the runs overlap."""
    before = [written(tmp_path / f"a{n}", factor) for n, factor in enumerate((1.0, 1.5, 4.0))]
    after = [written(tmp_path / f"b{n}", factor) for n, factor in enumerate((1.1, 4.1, 4.2))]
    comparison = rankwise.diff(before, after, fail_above=5)
    assert comparison.found.figure("wall").value.percent > 5
    assert comparison.found.figure("wall").value.verdict == "unknown"
    assert not comparison.failed
    assert_facts(comparison.text(), "passed: wall + .. 5 % .. noise")
    assert rankwise.diff(before[:1], after[1:2], fail_above=5).failed  # nobody knows of noise


def test_what_is_on_one_side_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = written(tmp_path / "a")
    after = written(
        tmp_path / "b",
        more=[
            "DELETE FROM calls WHERE procedure = 7",
            "UPDATE communicators SET name = 'W_d1', family = 'W_d1' WHERE name = 'W_a1'",
            "UPDATE communicators SET user_name = '' WHERE name = 'W_d1'",
        ],
    )
    comparison = rankwise.diff(before, after).data
    only = {(row["communicator"], row["procedure"]): row["only"] for row in comparison["communicator_calls"]}
    assert only["W_a1_u2", "MPI_Bcast"] == "before"
    assert only["W_a1", "MPI_Isend"] == "before"
    assert only["W_d1", "MPI_Isend"] == "after"
    assert only["W", "MPI_Allreduce"] == ""
    text = " ".join(compared(capsys, before, after).split())
    assert 'Only before: on W_a1 "grid", W_a1_u2; calls of Bcast. Only after: on W_d1.' in text


def test_the_programs_own_names_find_what_has_another_name(tmp_path: Path) -> None:
    before = written(tmp_path / "a")
    renamed = "UPDATE communicators SET name = 'W_a2', family = 'W_a2' WHERE name = 'W_a1'"
    after = written(tmp_path / "b", more=[renamed])
    comparison = rankwise.diff(before, after)
    assert comparison.found.renamed == {"W_a2": "W_a1"}
    assert not any(row.only for rows in comparison.found.rows.values() for row in rows)
    assert_facts(comparison.text(), "W_a2 .. W_a1")


def test_a_library_that_one_side_does_not_tell(tmp_path: Path) -> None:
    path = written(tmp_path / "a")
    with opened_profile(path) as connection:
        before = figures(connection, path)
    amounts = {
        kind: {
            (key[0].replace("W_a1_u2", "libgrid: W_a1_u2"), *key[1:]): amount for key, amount in of.items()
        }
        for kind, of in before.amounts.items()
    }
    comparison = compare([before], [replace(before, amounts=amounts)])
    assert comparison.renamed == {"libgrid: W_a1_u2": "W_a1_u2"}
    assert not any(row.only for rows in comparison.rows.values() for row in rows)


def test_sides_that_are_hard_to_compare(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    before = written(Path("a"))
    after = written(
        Path("b"),
        more=[
            "UPDATE run SET ranks_expected = 8, mpi_library = 'MPICH Version: 4.0.2', executable = './ice'",
            "INSERT INTO dropped VALUES (1, 'call_rows', 5)",
        ],
    )
    partial = profiles.write_partial(Path("p"))
    lines = compared(capsys, before, after).splitlines()
    assert "! other ranks: 4 before, 8 after" in lines
    assert "! other MPI library: Open MPI 4.1.4 before, MPICH 4.0.2 after" in lines
    assert "! other program: /home/user/heat before, ./ice after" in lines
    assert any(re.match(rf"! {re.escape(str(after))} lacks 5\b", line) for line in lines)
    kernels = [
        written(Path(f"on-{release}"), more=[f"INSERT INTO kernels VALUES ('nodea', '{release}')"])
        for release in ("5.15.0", "6.1.0")
    ]
    assert "! other kernel: 5.15.0 before, 6.1.0 after" in compared(capsys, *kernels)
    assert "kernel" not in compared(capsys, before, kernels[0])  # one is unknown
    scripts = [
        written(Path(name), more=[f"""UPDATE run SET programs = '[["python3", "{name}.py", "-x"]]'"""])
        for name in ("ocean", "ice")
    ]
    assert "! other program: ocean.py before, ice.py after" in compared(capsys, *scripts)
    text = compared(capsys, before, partial)
    assert f"! {partial} is partial: rank 2 (nodeb) ended inside MPI_Allreduce on W" in text


def test_times_are_means_over_the_ranks(tmp_path: Path) -> None:
    """A run of two ranks that spend as much each is no faster."""
    before = written(tmp_path / "a", more=["UPDATE calls SET seconds = 0.5 WHERE procedure = 2"])
    halves = [f"DELETE FROM {table} WHERE rank >= 2" for table in ("calls", "ranks")]
    after = written(tmp_path / "b", more=["UPDATE calls SET seconds = 0.5 WHERE procedure = 2", *halves])
    row = next(
        row for row in rankwise.diff(before, after).found.rows["calls"] if row.procedure == "MPI_Allreduce"
    )
    assert row.seconds.change == 0
    assert row.calls.change == -200


@pytest.mark.parametrize(
    "write", [profiles.write_empty, profiles.write_hostile, profiles.write_large, profiles.write_with_files]
)
def test_any_profile_can_be_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, write: Any
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(tmp_path)
    other, path = written(Path("a")), write(Path("b"))
    for words in ((other, path), (path, other), (path, path), ("-v", "--limit", "0", path, other)):
        text = compared(capsys, *words)
        assert text.isascii()
        assert max(map(len, text.splitlines())) <= 80
        assert json.loads(compared(capsys, *words, "--json"))["run"]
    assert "<table>" in rankwise.diff(other, path)._repr_html_()
    assert len(rankwise.diff(other, path).to_pandas("run")) == 8


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["a"], ""),
        (["a", "a", "a"], ""),
        (["a", "--"], "`--`"),
        (["a", "--", "a", "--json"], "--json .. `--`"),
        (["a", "nothing"], ""),
        (["a", "a", "--fail-above", "much"], "'much' is not a percentage such as 5"),
        (["a", "a", "--metric", "nothing"], "invalid choice: 'nothing'"),
    ],
)
def test_bad_input(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
    line: str,
    golden: Golden,
) -> None:
    monkeypatch.chdir(tmp_path)
    written(Path("a"))
    assert main(["diff", *words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    golden.says(err, line)
    assert err.count("\n") == 1


def test_errors_of_the_function(tmp_path: Path, golden: Golden) -> None:
    path = written(tmp_path / "a")
    with pytest.raises(rankwise.RankwiseError) as error:
        rankwise.diff(path, path, metric="time")
    golden.says(error.value, "'time'")
    with pytest.raises(rankwise.RankwiseError) as error:
        rankwise.diff(path, [])
    golden.says(error.value)


def test_a_run_is_on_a_side_once(tmp_path: Path) -> None:
    path, other = written(tmp_path / "a"), written(tmp_path / "b", 2.0)
    copy = Path(shutil.copy(path, tmp_path / "copy"))
    (tmp_path / "link").symlink_to(path)
    for again in (path, copy, tmp_path / "link"):
        with pytest.raises(rankwise.RankwiseError, match=rf"^{again} .*\bsame\b.* {path}: "):
            rankwise.diff([path, other, again], other)
        with pytest.raises(rankwise.RankwiseError, match=rf"^{again} .*\bsame\b.* {path}: "):
            rankwise.diff(other, [path, again])
        rankwise.diff(path, again)


def values(change: Change) -> tuple[float, float, float, float | None, str, bool]:
    return change.before, change.after, change.change, change.percent, change.verdict, change.exact


def test_nothing_falls_by_more_than_all_of_it() -> None:
    change = timed([1.0, 1.1, 9.0], [0.9, 1.0, 1.2])
    assert (change.low, change.high) == (-1.1, pytest.approx(0.2))
    assert interval_text(change) == "-100 to +18.2"
    assert timed([0.0, 0.0, 3.0], [0.0, 0.0, 0.0]).low == 0


def test_changes() -> None:
    assert values(counted([8], [20])) == (8, 20, 12, 150, "more", True)
    assert values(counted([8, 8], [8])) == (8, 8, 0, 0, "same", True)
    assert values(counted([0], [3])) == (0, 3, 3, None, "more", True)
    assert values(counted([4], [0])) == (4, 0, -4, -100, "less", True)
    assert values(counted([8, 9], [20, 20])) == (
        8.5,
        20,
        11.5,
        pytest.approx(135.3, abs=0.1),
        "unknown",
        False,
    )
    assert counted([8, 9, 10], [20, 21, 22]).verdict == "more"
    assert timed([1.0], [1.0]).verdict == "same"
    assert timed([1.0], [1.1]).verdict == "unknown"
    assert timed([1.0, 1.1, 1.2], [2.0, 2.1, 2.2]).verdict == "worse"
    assert timed([2.0, 2.1, 2.2], [1.0, 1.1, 1.2]).verdict == "better"
    assert timed([1.0, 1.1, 1.2], [1.0, 1.1, 2.2]).verdict == "unknown"
    assert timed([1.0, 1.01, 1.02], [1.0, 1.01, 1.02]).verdict == "same"


def test_medians_that_do_not_add_up_are_explained(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], golden: Golden
) -> None:
    """Afterwards Allreduce takes three times as long in two of three runs, Alltoallv in another two."""
    before = [written(tmp_path / f"b{run}", 1 + run / 1000) for run in range(3)]
    slower = (
        "UPDATE ranks SET mpi = mpi + 2 * (SELECT TOTAL(seconds) FROM calls"
        " WHERE procedure = {0} AND calls.rank = ranks.rank)",
        "UPDATE calls SET seconds = 3 * seconds WHERE procedure = {0}",
    )
    after = [
        written(
            tmp_path / f"a{run}",
            1 + run / 1000,
            more=[statement.format(procedure) for procedure in longer for statement in slower],
        )
        for run, longer in enumerate([(2,), (6,), (2, 6)])
    ]
    text = " ".join(compared(capsys, *before, "--", *after).split())
    comparison = rankwise.diff(before, after).data
    total = sum(row["seconds"]["change"] for row in comparison["communicator_calls"])
    whole = rows(comparison, "run", "name")["mpi",]["value"]["change"]
    # 2 x 0.625 s + 2 x 0.4 s, and the median of 1.25 s, 0.8 s and 2.05 s.
    assert (total, whole) == pytest.approx((2.05, 1.25), abs=0.01)
    golden.says(text[text.index("Medians ") :], "+2.05 s .. +1.25 s")
    # Of a run each they add up.
    assert "Medians" not in compared(capsys, before[0], after[2])

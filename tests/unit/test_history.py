"""`rankwise history`: planted changes are found at their place with their cause, and noise is no change."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

import numpy as np
import pytest
from many_runs import Truth, commit_of, write_run, write_runs

import rankwise
from golden import Golden, assert_complaint, assert_facts
from rankwise.__main__ import main
from rankwise.reading.history import HistoryAnswer
from rankwise.views.runs.history_charts import charts

NOISE = 0.03
CHANGED = 25
CAUSE = ("W_s2", "MPI_Allreduce")


def truths(
    commits: int, more: Sequence[float] = (), *, seed: int = 1, each: int = 1, tagged: bool = True
) -> list[Truth]:
    """A run of 10 s for each commit, in noise; each call and the program have their own.

    Args:
        commits: number of them.
        more: seconds in `CAUSE` of some commits, the newest last.
        seed: of the noise.
        each: runs of a commit.
        tagged: the runs know their commit.
    """
    random = np.random.default_rng(seed)
    extra = [0.0] * (commits - len(more)) + [*more]
    made = []
    for number in range(commits):
        for again in range(each):
            calls = {
                CAUSE: 2.0 * random.normal(1, NOISE) + extra[number],
                ("W", "MPI_Bcast"): 1.0 * random.normal(1, NOISE),
                ("W_a1", "MPI_Alltoall"): 0.5 * random.normal(1, NOISE),
            }
            commit = commit_of(number) if tagged else ""
            outside = 6.5 * random.normal(1, NOISE)
            made.append(Truth(calls, outside=outside, day=number + again / 100, commit=commit))
    return made


@pytest.fixture(scope="module")
def slower(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """From commit 25 of 40 on, runs take 8 % longer."""
    return write_runs(tmp_path_factory.mktemp("h") / "slower", truths(40, [0.8] * (40 - CHANGED)))


@pytest.fixture(scope="module")
def equal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_runs(tmp_path_factory.mktemp("h") / "equal", truths(20))


@pytest.fixture(scope="module")
def of_slower(slower: Path) -> HistoryAnswer:
    return history(slower)


def history(profiles: Path | Sequence[Path], **more: Any) -> HistoryAnswer:
    return rankwise.history(profiles, **more)


def said(capsys: pytest.CaptureFixture[str], *words: object, status: int = 0) -> str:
    assert main(["history", *map(str, words)]) == status
    out, err = capsys.readouterr()
    assert err == ""
    return out


def test_a_change_that_is_planted(of_slower: HistoryAnswer, golden: Golden) -> None:
    found = of_slower.found
    (change,) = found.changes
    assert (change.before, change.after) == (CHANGED - 1, CHANGED)
    assert found.points[change.after].commit == commit_of(CHANGED)
    assert change.wall.percent == pytest.approx(8, abs=2)
    assert change.wall.low is not None
    assert change.wall.high is not None
    assert change.wall.low < 0.8 < change.wall.high
    (cause,) = change.causes
    assert (cause.communicator, cause.procedure) == CAUSE
    assert cause.seconds.change == pytest.approx(0.8, abs=0.05)
    assert change.explained_percent > 80
    golden.says(of_slower.title, f"Slower since {commit_of(CHANGED)[:10]} (2026-10-26) .. Allreduce on W_s2")


def test_no_change(equal: Path, golden: Golden) -> None:
    answer = history(equal)
    assert answer.found.changes == []
    assert answer.found.is_known
    golden.says(answer.title, "No change .. 20 commits")


@pytest.mark.parametrize("commits", [1, 2, 9])
def test_too_few_commits(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], golden: Golden, commits: int
) -> None:
    """As large as the last step may be: among so few, it is no proof."""
    runs = write_runs(tmp_path / "runs", truths(commits, [5.0], each=2))
    answer = history(runs)
    assert (answer.found.changes, answer.found.is_known) == ([], False)
    if commits > 1:  # runs of one commit are points by themselves
        golden.says(answer.title, f"Too few commits .. {commits} .. 10")
    text = said(capsys, runs, "--fail-above", "5")
    assert_facts(text, "passed: too few")


def test_runs_of_a_commit_are_taken_together(tmp_path: Path) -> None:
    runs = write_runs(tmp_path / "runs", truths(12, [2.0] * 6, each=2))
    found = history(runs).found
    assert [len(point.profiles) for point in found.points] == [2] * 12
    assert [change.after for change in found.changes] == [6]
    assert len(history(runs, by="run").found.points) == 24
    assert len(history(runs, by="day").found.points) == 12


def test_runs_without_commits(tmp_path: Path) -> None:
    runs = write_runs(tmp_path / "runs", truths(12, [2.0] * 6, tagged=False))
    found = history(runs).found
    assert (found.by, [change.after for change in found.changes]) == ("run", [6])
    assert history(runs, by="commit").found.changes[0].after == 6


def test_time_outside_of_mpi_on_a_host(tmp_path: Path) -> None:
    random = np.random.default_rng(5)
    runs = [
        Truth(
            {("W", "MPI_Allreduce"): 1.0},
            outside=[*random.normal(5, 0.05, 3), random.normal(5, 0.05) + (number >= 12)],
            day=number,
            hosts=("n1", "n2", "n3", "n4"),
        )
        for number in range(24)
    ]
    (change,) = history(write_runs(tmp_path / "runs", runs)).found.changes
    assert change.after == 12
    late, waiting = change.causes
    assert (late.apart, late.hosts) == ("outside MPI", ["n4"])
    assert waiting.procedure == "MPI_Allreduce"  # by three of four ranks
    assert waiting.percent_of_change / late.percent_of_change == pytest.approx(3, rel=0.2)


def test_hosts_that_are_new(tmp_path: Path, golden: Golden) -> None:
    random = np.random.default_rng(6)
    runs = [
        Truth(
            {("W", "MPI_Allreduce"): 1.0},
            outside=random.normal(5 + (number >= 12), 0.05),
            day=number,
            hosts=("n1", "n9" if number >= 12 else "n2"),
        )
        for number in range(24)
    ]
    answer = history(write_runs(tmp_path / "runs", runs))
    (change,) = answer.found.changes
    assert change.new_hosts == ["n9"]
    golden.says(answer.title, "outside MPI explains .. n9")


@pytest.mark.parametrize("known", [True, False])
def test_another_kernel(known: bool, tmp_path: Path, golden: Golden) -> None:
    random = np.random.default_rng(6)
    runs = []
    for number in range(24):
        after = number >= 12
        kernel = "6.1.0" if after else "5.15.0"
        is_known = known or number != 3
        runs.append(
            Truth(
                {("W", "MPI_Allreduce"): 1.0},
                outside=random.normal(5 + after, 0.05),
                day=number,
                more=[f"INSERT INTO kernels VALUES ('n1', '{kernel}')"] if is_known else [],
            )
        )
    answer = history(write_runs(tmp_path / "runs", runs))
    (change,) = answer.found.changes
    assert change.kernels_before == (["5.15.0"] if known else [])
    assert change.kernels_after == (["6.1.0"] if known else [])
    golden.says(answer.title, "outside MPI explains")


@pytest.mark.parametrize("by", ["run", "day", ""])
def test_a_change_within_a_commit(tmp_path: Path, golden: Golden, by: str) -> None:
    """Earlier runs of this commit were as fast as before: the commit is not the reason."""
    random = np.random.default_rng(21)
    runs = [
        Truth(
            {CAUSE: 2.0 * random.normal(1, NOISE) + (3.0 if day >= 12 else 0.0)},
            day=day,
            commit=commit_of(0 if day < 8 else 1),
        )
        for day in range(20)
    ]
    answer = history(write_runs(tmp_path / "runs", runs), by=by)
    if not by:  # two commits are too few
        golden.says(answer.title, "2 .. 10")
        return
    (change,) = answer.found.changes
    assert change.after == 12
    golden.says(answer.title, f"2026-10-13 .. {commit_of(1)[:10]}")


@pytest.mark.parametrize("lacked", [True, False])
def test_a_change_of_the_machine(tmp_path: Path, golden: Golden, lacked: bool) -> None:
    """Since some commit, ranks lack processors: the sentence says that it may not be the commit."""
    random = np.random.default_rng(22)
    runs = []
    for day in range(20):
        more = 3.0 if day >= 12 else 0.0
        waited = 0.1 * random.uniform() + (more if lacked else 0.0)
        calls = {CAUSE: 2.0 * random.normal(1, NOISE) + more}
        runs.append(Truth(calls, day=day, commit=commit_of(day), waited=waited))
    answer = history(write_runs(tmp_path / "runs", runs))
    (change,) = answer.found.changes
    assert (change.without_processor is not None) == lacked
    if change.without_processor:
        assert change.without_processor.change == pytest.approx(3.0, abs=0.2)
        golden.says(answer.title, f"{commit_of(12)[:10]} (2026-10-13) .. Allreduce on W_s2")


def test_a_change_that_nothing_explains(tmp_path: Path) -> None:
    """The run takes longer before and after all that is recorded."""
    random = np.random.default_rng(7)
    runs = [
        Truth(
            {("W", "MPI_Allreduce"): random.normal(1, 0.01)},
            outside=5.0,
            day=number,
            more=[f"UPDATE run SET wall = {random.normal(10 + (number >= 12), 0.1)}"],
        )
        for number in range(24)
    ]
    (change,) = history(write_runs(tmp_path / "runs", runs)).found.changes
    assert (change.causes, change.explained_percent) == ([], 0)


def test_the_gate(slower: Path, capsys: pytest.CaptureFixture[str], golden: Golden) -> None:
    golden.says(said(capsys, slower, "--fail-above", "5%", status=1).splitlines()[-1], "FAILED: wall +9.1 %")
    golden.says(said(capsys, slower, "--fail-above", "10").splitlines()[-1], "passed: wall +9.1 %")


def test_what_became_faster_fails_no_gate(tmp_path: Path) -> None:
    runs = write_runs(tmp_path / "runs", truths(20, [-1.0] * 10))
    answer = history(runs, fail_above=0)
    assert (len(answer.found.changes), answer.failed) == (1, False)
    assert answer.title.startswith("Faster since ")


def test_files_for_pipelines(
    slower: Path, equal: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [tmp_path / f"s{ending}" for ending in (".md", ".xml", ".json", ".svg")]
    options = [word for file in files for word in ("-o", file)]
    said(capsys, slower, "--fail-above", "5", *options, status=1)
    markdown, junit, quality, badge = (file.read_text(encoding="utf-8") for file in files)
    assert markdown.startswith("### Rankwise: FAILED\n")
    assert any(line.startswith(f"| {commit_of(CHANGED)[:10]}") for line in markdown.splitlines())
    (case,) = Xml.fromstring(junit).findall("testcase")
    assert case.find("failure") is not None
    (issue,) = json.loads(quality)
    assert issue["check_name"] == "rankwise/fail-above"
    assert "#c62828" in badge
    said(capsys, equal, "--fail-above", "5", *options)
    markdown, junit, quality, badge = (file.read_text(encoding="utf-8") for file in files)
    assert markdown.startswith("### Rankwise: passed\n")
    assert json.loads(quality) == []
    assert "no change" in badge


def test_the_page(slower: Path, of_slower: HistoryAnswer, tmp_path: Path) -> None:
    answer = of_slower
    run_time, calls = charts(answer.found)
    assert len(run_time.series) == len(answer.found.changes) + 1
    dots = [dot for series in run_time.series for dot in series.points]
    assert [dot.y for dot in dots] == [point.wall_seconds for point in answer.found.points]
    assert all(len(series.points) == len(answer.found.points) for series in calls.series)
    page = tmp_path / "page.html"
    assert main(["history", str(slower), "-o", str(page)]) == 0
    assert page.read_bytes().startswith(b"<!doctype html>")


def test_several_configurations(tmp_path: Path, capsys: pytest.CaptureFixture[str], golden: Golden) -> None:
    """The largest is shown, and each other one has options that choose it."""
    kinds: list[tuple[int, dict[str, Any]]] = [
        (5, {}),
        (3, {"hosts": ("n1", "n2", "n3", "n4")}),
        (2, {"program": ("./app", "large.nml")}),
        (1, {"tags": {"size": "large"}}),
    ]
    runs = [
        Truth({("W", "MPI_Allreduce"): 1.0 + number / 100}, day=day + number, **more)
        for day, (count, more) in enumerate(kinds)
        for number in range(count)
    ]
    directory = write_runs(tmp_path / "runs", runs)
    found = history(directory).found
    assert len(found.points) == 5
    assert [group.runs for group in found.chosen.others] == [3, 2, 1]
    for group in found.chosen.others:
        words = " ".join(group.options).replace("'", "").split(" ", 1)
        assert words[0] in ("--ranks", "--program", "--tag")
        data = json.loads(said(capsys, directory, "--json", *words))
        assert (len(data["points"]), data["others"]) == (group.runs, [])
    golden.says(said(capsys, directory).splitlines()[1], "6 runs of 3 other configurations")


def test_no_run_is_left(tmp_path: Path, capsys: pytest.CaptureFixture[str], golden: Golden) -> None:
    directory = write_runs(tmp_path / "runs", truths(2))
    for words in (("--program", "other"), ("--ranks", "3"), ("--tag", "a=b"), ("--library", "MPICH")):
        assert main(["history", str(directory), *words]) == 2
        err = capsys.readouterr().err
        assert_complaint(err, "app in.nml on 2 ranks (2 runs)")
    golden.says(err)


def test_damaged_and_repeated_files_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    directory = write_runs(tmp_path / "runs", truths(11))
    one = sorted(directory.iterdir())[0]
    (directory / "b.rankwise").write_bytes(b"no profile")
    (directory / "c.rankwise").write_bytes(one.read_bytes()[:5000])
    (directory / "d.rankwise").write_bytes(one.read_bytes())
    answer = history(directory)
    assert len(answer.found.points) == 11
    data = answer.data
    assert sorted(Path(each["path"]).name for each in data["unreadable"]) == ["b.rankwise", "c.rankwise"]
    assert len(data["repeated"]) == 1
    text = said(capsys, directory)
    assert_facts(text, "1 file")
    assert_facts(text, "2 files")


def test_nothing_can_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "b.rankwise").write_bytes(b"no profile")
    assert main(["history", str(tmp_path)]) == 2
    assert_complaint(capsys.readouterr().err, "b.rankwise")


def test_runs_that_did_not_end_are_left_out(tmp_path: Path) -> None:
    made = truths(12)
    short = Truth({CAUSE: 0.1}, day=20, commit=commit_of(20), more=["UPDATE run SET partial = 1"])
    found = history(write_runs(tmp_path / "runs", [*made, short])).found
    assert (len(found.points), len(found.chosen.partial)) == (12, 1)


def test_only_runs_that_did_not_end(tmp_path: Path) -> None:
    run = write_run(tmp_path / "a.rankwise", Truth({CAUSE: 0.1}, more=["UPDATE run SET partial = 1"]))
    answer = history(run)
    assert answer.found.points == []
    assert "Too few" in answer.text()
    assert history(run, fail_above=1).for_pipeline("s.md")


def test_the_order_is_the_time_of_the_start(of_slower: HistoryAnswer) -> None:
    """Names of files have no order here."""
    points = of_slower.found.points
    assert [point.started for point in points] == sorted(point.started for point in points)
    assert [point.commit for point in points] == [commit_of(number) for number in range(40)]


def test_json_has_everything(
    slower: Path, of_slower: HistoryAnswer, capsys: pytest.CaptureFixture[str]
) -> None:
    data = json.loads(said(capsys, slower, "--json", "--limit", "2"))
    assert len(data["points"]) == 40
    assert data["changes"][0]["after"] == CHANGED
    assert data["configuration"]["program"] == "app"
    assert of_slower.rows("points").to_dict()["wall_seconds"][0] == data["points"][0]["wall_seconds"]


@pytest.mark.parametrize("words", [["--by", "week"], ["--ranks", "0"], ["--tag", "x"], ["-o", "s.pdf"]])
def test_what_is_refused(
    equal: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    words: list[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["history", str(equal), *words]) == 2
    assert_complaint(capsys.readouterr().err)
    assert not [*tmp_path.iterdir()]


def test_notebooks(slower: Path, of_slower: HistoryAnswer) -> None:
    answer = of_slower
    assert "Allreduce on W_s2" in answer._repr_html_()
    assert repr(answer).startswith("<history: Slower since")
    with pytest.raises(rankwise.RankwiseError, match="week"):
        history(slower, by="week")

"""`rankwise variance`: a planted cause is named among many candidates, and nothing if nothing is planted."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from many_runs import Truth, write_runs

import rankwise
from golden import Golden, assert_complaint, assert_facts
from rankwise.__main__ import main
from rankwise.reading.variance import VarianceAnswer
from rankwise.runs.variance import CALL_ON, HOST, NO_PROCESSOR, OUTSIDE, PROCESSORS
from rankwise.views.runs.variance_charts import charts

PROCEDURES = ("MPI_Allreduce", "MPI_Bcast", "MPI_Alltoall", "MPI_Barrier")
CAUSE = ("W_s2", "MPI_Alltoall")
FOUR = ("n1", "n2", "n3", "n4")


def truths(runs: int, planted: bool, *, seed: int = 1, **more: Any) -> list[Truth]:
    """Runs with 60 calls on communicators, which all vary; if planted, one takes up to 30 s longer."""
    random = np.random.default_rng(seed)
    made = []
    for day in range(runs):
        calls = {
            (f"W_s{number}", procedure): random.uniform(0, 4)
            for number in range(15)
            for procedure in PROCEDURES
        }
        if planted:
            calls[CAUSE] += random.uniform(0, 30)
        others = sum(seconds for call, seconds in calls.items() if call != CAUSE)
        outside = random.normal(200, 0.5) - others
        made.append(Truth(calls, outside=outside, day=day, **more))
    return made


@pytest.fixture(scope="module")
def varying(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_runs(tmp_path_factory.mktemp("v") / "runs", truths(20, planted=True))


@pytest.fixture(scope="module")
def noisy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What varies is recorded nowhere."""
    random = np.random.default_rng(3)
    runs = [
        Truth(
            {(f"W_s{number}", "MPI_Bcast"): random.uniform(1, 4) for number in range(20)},
            day=day,
            more=[f"UPDATE run SET wall = {random.uniform(100, 120)}"],
        )
        for day in range(20)
    ]
    return write_runs(tmp_path_factory.mktemp("v") / "runs", runs)


def variance(profiles: Path | Sequence[Path], **more: Any) -> VarianceAnswer:
    return rankwise.variance(profiles, **more)


def said(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    assert main(["variance", *map(str, words)]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def test_a_call_among_sixty(varying: Path, golden: Golden) -> None:
    answer = variance(varying)
    found = answer.found
    assert len(found.relations) >= 60
    assert found.main
    assert (found.main.kind, found.main.communicator, found.main.name) == (CALL_ON, *CAUSE)
    assert found.main.correlation > 0.95
    assert found.main.low is not None
    assert found.main.high is not None
    assert 0.8 < found.main.low < found.main.correlation < found.main.high < 1
    assert 0.8 * found.spread_seconds < found.main.explained_seconds <= found.spread_seconds
    golden.says(answer.title, "Alltoall on W_s2 .. candidates; it explains")


def test_nothing_is_recorded_of_what_varies(noisy: Path, golden: Golden) -> None:
    answer = variance(noisy)
    assert answer.found.main is None
    assert not any(one.is_sure for one in answer.found.relations)
    golden.says(answer.title, "20 runs .. 21 candidates")


def test_how_often_something_is_named_by_chance() -> None:
    """Of runs whose time goes with nothing, no more than the stated share names a candidate."""
    from rankwise.runs.correlation import rank_correlations
    from rankwise.runs.significance import LEVEL, corrected

    random = np.random.default_rng(4)
    trials = 200
    named = 0
    for _ in range(trials):
        _, chances = rank_correlations(random.normal(size=10), random.normal(size=(20, 10)))
        named += min(corrected(chances.tolist())) <= LEVEL
    assert named <= LEVEL * trials + 3 * np.sqrt(trials * LEVEL * (1 - LEVEL))


@pytest.mark.parametrize("runs", [1, 2, 5])
def test_too_few_runs(tmp_path: Path, golden: Golden, runs: int) -> None:
    answer = variance(write_runs(tmp_path / "runs", truths(runs, planted=True)))
    assert answer.found.main is None
    assert not answer.found.is_known
    if runs == 5:
        golden.says(answer.title, "5 .. 7")


def test_equal_runs(tmp_path: Path, golden: Golden) -> None:
    runs = [Truth({CAUSE: 1.0}, day=day) for day in range(8)]
    answer = variance(write_runs(tmp_path / "runs", runs))
    golden.says(answer.title)


def on_hosts(runs: int, slow: float, *, seed: int = 5) -> list[Truth]:
    """Ranks that compute about 10 s; those on n3 longer, by up to as many seconds."""
    random = np.random.default_rng(seed)
    return [
        Truth(
            {("W", "MPI_Allreduce"): 1.0},
            outside=[*random.normal(10, 0.05, 2), random.normal(10, 0.05) + random.uniform(0.5, slow), 10.0],
            day=day,
            hosts=FOUR,
        )
        for day in range(runs)
    ]


def test_a_host(tmp_path: Path, golden: Golden) -> None:
    answer = variance(write_runs(tmp_path / "runs", on_hosts(12, 5.0)))
    found = answer.found
    assert found.main
    assert (found.main.kind, found.main.name) == (HOST, "n3")
    (slow,) = found.slow_hosts
    assert (slow.host, slow.slow_runs, slow.runs, slow.has_same_ranks) == ("n3", 12, 12, True)
    golden.says(answer.title, "n3")


def test_hosts_that_change_their_ranks(tmp_path: Path) -> None:
    """The host is slow wherever its rank is; its order among the hosts of a run says nothing."""
    random = np.random.default_rng(6)
    runs = []
    for day in range(12):
        hosts = [*random.permutation([f"n{number}" for number in range(6)])[:4]]
        hosts = hosts if "n3" in hosts else ["n3", *hosts[1:]]
        outside = [random.normal(10, 0.1) + (host == "n3") for host in hosts]
        runs.append(Truth({("W", "MPI_Allreduce"): 1.0}, outside=outside, day=day, hosts=hosts))
    (slow,) = variance(write_runs(tmp_path / "runs", runs)).found.slow_hosts
    assert (slow.host, slow.has_same_ranks) == ("n3", False)
    assert slow.percent == pytest.approx(10, abs=3)


def test_all_ranks_compute_longer(tmp_path: Path) -> None:
    random = np.random.default_rng(7)
    runs = [
        Truth({("W", "MPI_Allreduce"): 1.0}, outside=random.uniform(10, 20), day=day, hosts=FOUR)
        for day in range(12)
    ]
    found = variance(write_runs(tmp_path / "runs", runs)).found
    assert found.main
    assert (found.main.kind, found.slow_hosts) == (OUTSIDE, [])
    assert found.main.explained_seconds == pytest.approx(found.spread_seconds, rel=0.01)


def with_rivals(share: float, runs: int = 14, *, seed: int = 11) -> list[Truth]:
    """Runs whose time goes with two calls: one takes up to 10 s, the other this share of it."""
    random = np.random.default_rng(seed)
    return [
        Truth(
            {
                ("W_s1", "MPI_Bcast"): 1.0 + 10 * part + random.normal(0, 0.2),
                ("W_s2", "MPI_Reduce"): 1.0 + 10 * share * part + random.normal(0, 0.2),
            },
            outside=20.0,
            day=day,
        )
        for day, part in enumerate(random.uniform(0, 1, runs))
    ]


@pytest.mark.parametrize("share", [1.0, 0.97, 0.3])
def test_candidates_that_explain_about_as_much(tmp_path: Path, golden: Golden, share: float) -> None:
    """Both are named, unless one surely explains less."""
    answer = variance(write_runs(tmp_path / "runs", with_rivals(share)))
    found = answer.found
    assert found.main
    assert found.main.explained_low <= found.main.explained_seconds <= found.main.explained_high
    both = {found.main.name, *(one.name for one in found.rivals)}
    assert both == ({"MPI_Bcast", "MPI_Reduce"} if share > 0.5 else {"MPI_Bcast"})
    golden.says(answer.title, "on W_s" if share > 0.5 else "Bcast on W_s1")


@pytest.mark.parametrize("others", [1, 3])
def test_several_rivals(tmp_path: Path, golden: Golden, others: int) -> None:
    random = np.random.default_rng(12)
    runs = [
        Truth(
            {
                (f"W_s{number}", procedure): 1.0 + 10 * part + random.normal(0, 0.1)
                for number, procedure in enumerate(("MPI_Reduce", *PROCEDURES)[: others + 2])
            },
            outside=20.0,
            day=day,
        )
        for day, part in enumerate(random.uniform(0, 1, 14))
    ]
    answer = variance(write_runs(tmp_path / "runs", runs))
    assert len(answer.found.rivals) == others + 1
    golden.says(answer.title, "1 other" if others == 1 else f"{others} others")


@pytest.mark.parametrize("reported", [True, False])
def test_time_without_a_processor(tmp_path: Path, reported: bool) -> None:
    """Ranks that have no processor take longer outside MPI and in it: neither is the reason."""
    random = np.random.default_rng(13)
    runs = []
    for day, away in enumerate(random.uniform(0, 10, 14)):
        calls = {("W", "MPI_Allreduce"): 1.0 + away / 2 + random.normal(0, 0.05)}
        outside = 10 + away / 2 + random.normal(0, 0.05)
        runs.append(Truth(calls, outside=outside, day=day, waited=away if reported else None))
    found = variance(write_runs(tmp_path / "runs", runs)).found
    assert found.main
    assert found.main.kind == (NO_PROCESSOR if reported else OUTSIDE)
    if reported:
        assert found.main.is_time
        assert found.main.explained_seconds == pytest.approx(found.spread_seconds, rel=0.1)
        assert found.others == []


def test_a_counter_of_the_processors(tmp_path: Path) -> None:
    """Context switches go with computing, which takes longer."""
    random = np.random.default_rng(8)
    runs = []
    for day in range(12):
        more = random.uniform(0, 10)
        switches = [
            f"INSERT INTO system_counters (rank, region, involuntary_switches, scaled)"
            f" VALUES ({rank}, 0, {round(1000 * more + random.uniform(0, 100))}, 0)"
            for rank in range(4)
        ]
        runs.append(
            Truth({("W", "MPI_Allreduce"): 1.0}, outside=10 + more, day=day, hosts=FOUR, more=switches)
        )
    answer = variance(write_runs(tmp_path / "runs", runs))
    assert [one.name for one in answer.found.others if one.kind == PROCESSORS] == [
        "involuntary context switches"
    ]
    assert_facts(answer.title, "involuntary context switches")


def test_a_counter_of_the_network(tmp_path: Path) -> None:
    random = np.random.default_rng(9)
    runs = []
    for day in range(12):
        more = random.uniform(0, 10)
        port = (
            "INSERT INTO network_ports (id, host, device, kind, begin, end, wait_ticks)"
            f" VALUES (1, 'n1', 'mlx5_0', 'infiniband', 0, 1, {round(1e6 * more)})"
        )
        runs.append(Truth({("W", "MPI_Alltoall"): 5.0 + more}, day=day, hosts=FOUR, more=[port]))
    found = variance(write_runs(tmp_path / "runs", runs)).found
    assert found.main
    assert found.main.name == "MPI_Alltoall"
    assert [one.name for one in found.others] == ["waits of ports"]


def test_damage_behind_the_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs = [Truth({CAUSE: 1.0}, more=["UPDATE ranks SET run = 'x'"])]
    assert main(["variance", str(write_runs(tmp_path / "runs", runs))]) == 2
    assert_complaint(capsys.readouterr().err, "damaged")


def test_options_choose_a_configuration(varying: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert len(json.loads(said(capsys, varying, "--program", "ap?", "--json"))["runs"]) == 20
    assert main(["variance", str(varying), "--node-count", "9"]) == 2
    assert_complaint(capsys.readouterr().err, "app in.nml on 2 ranks (20 runs)")


def test_json_has_all_candidates(varying: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = json.loads(said(capsys, varying, "--json", "--limit", "1"))
    assert len(data["relations"]) >= 60
    assert {len(row["values"]) for row in data["relations"]} == {20}
    assert data["main"] == data["relations"][0] or data["main"] in data["relations"]
    text = said(capsys, varying, "-v", "--limit", "0")
    assert text.count(" on W_s") >= 50


def test_a_picture(varying: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib")
    picture = tmp_path / "f.svg"
    said(capsys, varying, "--plot", picture)
    svg = picture.read_text(encoding="utf-8")
    words = " ".join(re.findall(r">([^<]+)</t(?:ext|span)>", svg))
    assert_facts(words, "Alltoall on W_s2 .. Alltoall on W_s2")
    assert main(["variance", str(varying), "--plot", str(picture)]) == 2
    assert_complaint(capsys.readouterr().err, "--force")
    said(capsys, varying, "--plot", picture, "--force", "--of", "Bcast on W_s3")
    assert svg != picture.read_text(encoding="utf-8")
    for words_given in (["--of", "x"], ["--plot", "f.gif"], ["--plot", str(picture), "--force", "--of", "x"]):
        assert main(["variance", str(varying), *words_given]) == 2
        assert_complaint(capsys.readouterr().err)


def test_a_page(varying: Path, tmp_path: Path) -> None:
    answer = variance(varying)
    over, by_date = charts(answer.found)
    assert answer.found.main
    assert sorted(answer.found.main.values) == [point.x for point in over.series[0].points]
    walls = [run.wall_seconds for run in sorted(answer.found.runs, key=lambda run: run.started)]
    assert [point.y for point in by_date.series[0].points] == walls
    page = tmp_path / "page.html"
    assert main(["variance", str(varying), "-o", str(page)]) == 0
    written = page.read_bytes()
    assert main(["variance", str(varying), "-o", str(page)]) == 2
    assert main(["variance", str(varying), "-o", str(tmp_path / "page.txt")]) == 2
    assert page.read_bytes() == written


def test_a_dot_for_each_run(varying: Path) -> None:
    pytest.importorskip("matplotlib")
    answer = variance(varying)
    (dots,) = answer.plot().collections
    points = np.asarray(dots.get_offsets())
    assert answer.found.main
    assert points[:, 0] == pytest.approx(answer.found.main.values)
    assert points[:, 1] == pytest.approx([run.wall_seconds for run in answer.found.runs])


def test_nothing_to_draw(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    answer = variance(write_runs(tmp_path / "runs", [Truth({CAUSE: 1.0})]))
    with pytest.raises(rankwise.RankwiseError, match="nothing to draw"):
        answer.plot()


def test_notebooks(varying: Path) -> None:
    answer = variance(varying)
    assert "Alltoall on W_s2" in answer._repr_html_()
    assert repr(answer).startswith("<variance: Run time goes with")

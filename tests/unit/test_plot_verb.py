"""`rankwise plot`: figures of the width that is asked for, with texts inside; what it refuses."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from made_profile import Made

from golden import Golden
from rankwise.__main__ import main
from rankwise.analysis.timing.time_line import Interval, Phase, RankLine, TimeLine
from rankwise.profile.store.database import SUMS, calculate_sums
from rankwise.reading.profile import Profile
from rankwise.render.figures.plots.time_line import draw_time_line
from rankwise.text.units import bin_text

pytest.importorskip("matplotlib")

WHAT = ("matrix", "communicators", "communicator-sizes", "sizes", "balance", "timeline")


def made(ranks: int) -> Made:
    """Made calls of each rank; with a message from each to the next one."""
    profile = Made(ranks, [f"node{rank // 4}" for rank in range(ranks)])
    for rank in range(ranks):
        profile.call(rank, "MPI_Allreduce", 0.5 + rank / ranks, calls=10)
        if ranks > 1:
            profile.message(rank, (rank + 1) % ranks, 1000 * (rank + 1))
    calculate_sums(profile.connection)
    for table in SUMS:
        profile.connection.execute(f"INSERT INTO main.{table} SELECT * FROM temp.{table}")
    return profile


@pytest.fixture(scope="module")
def profile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(8).write(tmp_path_factory.mktemp("made") / "run.rankwise")


def plot(profile: Path, output: Path, *more: str) -> int:
    return main(["plot", str(profile), "-o", str(output), *more])


def texts(svg: str) -> str:
    """All texts of a drawing in a line: a title may be broken."""
    return " ".join(re.findall(r">([^<]+)</t(?:ext|span)>", svg))


def drawn(profile: Path, output: Path, *more: str) -> bytes:
    assert plot(profile, output, *more) == 0
    return output.read_bytes()


@pytest.mark.each_value
@pytest.mark.parametrize("what", WHAT)
@pytest.mark.parametrize("ending", ["pdf", "svg", "png"])
def test_the_same_profile_gives_the_same_bytes(profile: Path, tmp_path: Path, what: str, ending: str) -> None:
    content, other = (
        drawn(profile, tmp_path / f"{name}.{ending}", "--what", what, "--width", "88mm", "--dpi", "100")
        for name in "ab"
    )
    assert content == other
    if ending == "png":
        assert int.from_bytes(content[16:20], "big") == pytest.approx(88 / 25.4 * 100, abs=1)
    elif ending == "pdf":
        [box] = re.findall(rb"/MediaBox \[ 0 0 ([0-9.]+) ", content)
        assert float(box) == pytest.approx(88 / 25.4 * 72, abs=0.01)
        assert b"/Type3" not in content
        assert b"/CreationDate" not in content


def test_texts_of_svg_are_texts(profile: Path, tmp_path: Path) -> None:
    content = drawn(profile, tmp_path / "a.svg", "--what", "matrix", "--width", "3.5in").decode()
    assert 'width="252pt"' in content
    assert ">from rank</text>" in content
    # 1000 (1 + 2 + ... + 8) bytes, 8000 of them from the last to the first.
    assert "35.2 KiB between 8 ranks; most: rank 7 to rank 0, 7.81 KiB (22.2 %)" in texts(content)
    nodes = drawn(
        profile, tmp_path / "b.svg", "--what", "matrix", "--by", "node", "--of", "messages"
    ).decode()
    assert ">from node</text>" in nodes
    assert ">node1</text>" in nodes


@pytest.mark.each_value
@pytest.mark.parametrize("ranks", [1, 4096])
@pytest.mark.parametrize("what", WHAT)
def test_few_ranks_and_many(tmp_path: Path, what: str, ranks: int) -> None:
    profile = made(ranks).write(tmp_path / "run.rankwise")
    content = drawn(profile, tmp_path / "a.svg", "--what", what).decode()
    titles = {
        "matrix": "between 4096 ranks" if ranks > 1 else "No messages were recorded",
        "communicators": "W takes 100.0 % of the time in MPI",
        "communicator-sizes": f"1 of 1 communicator has {ranks} member",
        "sizes": "Calls without data take 100.0 % of the time in MPI",
        "balance": f"Rank {ranks - 1} (node{(ranks - 1) // 4}) spends the most time in MPI",
        "timeline": "No time line was recorded",
    }
    assert titles[what] in texts(content)


@pytest.mark.parametrize("what", WHAT)
def test_an_empty_profile_says_what_is_missing(tmp_path: Path, what: str) -> None:
    profile = Made(1).write(tmp_path / "run.rankwise")
    content = drawn(profile, tmp_path / "a.svg", "--what", what).decode()
    titles = {
        "matrix": "No messages were recorded",
        "communicators": "No MPI call was recorded",
        "communicator-sizes": "1 of 1 communicator has 1 member",
        "sizes": "No MPI call was recorded",
        "balance": "No MPI call between MPI_Init and MPI_Finalize",
        "timeline": "No time line was recorded",
    }
    assert titles[what] in texts(content)


def test_communicators_by_time_bytes_and_calls(tmp_path: Path) -> None:
    """Each measure has another communicator in front."""
    profile = Made(4)
    for key, (seconds, sent, calls) in enumerate(((6.0, 10, 1), (3.0, 800, 2), (1.0, 190, 7)), start=4):
        profile.communicator(key, f"W_s{key}", family=f"W_s{key}", size=2)
        profile.call(0, "MPI_Bcast", seconds, calls=calls, communicator=key, sent=sent)
    path = profile.write(tmp_path / "a.rankwise")
    for of, title in (
        ("time", "W_s4 takes 60.0 % of the time in MPI"),
        ("bytes", "W_s5 has 80.0 % of the bytes sent"),
        ("calls", "W_s6 has 70.0 % of the calls"),
    ):
        content = drawn(path, tmp_path / f"{of}.svg", "--what", "communicators", "--of", of).decode()
        assert title in texts(content)
    content = drawn(path, tmp_path / "n.svg", "--what", "communicator-sizes").decode()
    assert "3 of 4 communicators have 2 members" in texts(content)


def test_a_balanced_run_is_said_to_be_balanced(tmp_path: Path) -> None:
    profile = Made(4)
    for rank in range(4):
        profile.call(rank, "MPI_Allreduce", 1.0 + 0.01 * (rank == 2))
    content = drawn(profile.write(tmp_path / "a.rankwise"), tmp_path / "a.svg", "--what", "balance").decode()
    assert "The time in MPI is balanced: 1.00 s a rank, at most 1.01 times the mean" in texts(content)


def test_the_largest_size_has_its_name_on_narrow_figures(tmp_path: Path) -> None:
    profile = Made(1)
    for size_bin in range(1, 32):
        profile.call(0, "MPI_Bcast", 10.0 if size_bin == 22 else 1.0, size_bin=size_bin)
    path = profile.write(tmp_path / "a.rankwise")
    for width in ("40mm", "60mm", "88mm"):
        content = drawn(path, tmp_path / f"{width}.svg", "--what", "sizes", "--width", width).decode()
        assert f">{bin_text(22)}</text>" in content


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--what", "matrix", "-o", "a.gif"], ""),
        (["--what", "sizes", "-o", "a.svg", "--by", "node"], "--by goes with --what matrix"),
        (["--what", "balance", "-o", "a.svg", "--of", "bytes"], "--of goes with"),
        (["--what", "matrix", "-o", "a.svg", "--of", "calls"], ""),
        (["--what", "timeline", "-o", "a.svg", "--of", "bytes"], ""),
        (["--what", "sizes", "-o", "a.svg", "--width", "88"], "40mm .. 1000mm"),
        (["--what", "sizes", "-o", "a.svg", "--width", "nanmm"], "40mm .. 1000mm"),
        (["--what", "sizes", "-o", "a.svg", "--dpi", "0"], "30 .. 2400"),
    ],
)
def test_what_is_wrong_is_one_line(
    profile: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    complaint: str,
    golden: Golden,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["plot", str(profile), *words]) == 2
    [line] = capsys.readouterr().err.splitlines()
    golden.says(line, complaint)
    assert not list(tmp_path.iterdir())


def test_nothing_is_replaced_unasked(
    profile: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "a.svg"
    output.write_text("mine")
    assert plot(profile, output, "--what", "sizes") == 2
    assert "already exists" in capsys.readouterr().err
    assert output.read_text() == "mine"
    assert drawn(profile, output, "--what", "sizes", "--force") != b"mine"


def test_without_matplotlib(
    profile: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("rankwise.extras.find_spec", lambda _: None)
    assert plot(profile, tmp_path / "a.svg", "--what", "sizes") == 1
    assert "pip install 'rankwise[plots]'" in capsys.readouterr().err


def test_of_some_calls_nothing_else_is_drawn(profile: Path, tmp_path: Path) -> None:
    """Each of 8 ranks spends 0.5 + rank / 8 s in MPI_Allreduce: 7.5 s of all."""
    some = ("--call", "Allreduce", "--rank", "0,1")
    share = f"{100 * 1.125 / 7.5:.1f} % of the run's time in MPI"
    named = f"Only ranks 0,1, call Allreduce: {share}. "
    titles = {
        "balance": "Rank 1 spends the most time in these calls: 625 ms, 1.11 times the mean",
        "sizes": "Calls without data take 100.0 % of the time in these calls",
        "communicators": "W takes 100.0 % of the time in these calls",
    }
    for what, title in titles.items():
        content = drawn(profile, tmp_path / f"{what}.svg", "--what", what, *some).decode()
        text = texts(content).replace("&#x27;", "'").replace("&apos;", "'")
        assert named + title in text
        assert "in MPI," not in text
        assert "compute" not in text
    whole = texts(drawn(profile, tmp_path / "rank.svg", "--what", "balance", "--rank", "0-3").decode())
    assert "compute, other" in whole
    assert "Only ranks 0-3: " in whole


def _rank(mpi: list[float], sent: list[int]) -> RankLine:
    """The only rank of a run of three seconds, in three intervals."""
    return RankLine(
        rank=0,
        host="a",
        begin_seconds=0.0,
        end_seconds=3.0,
        threads=1,
        percent_of_mpi=50.0,
        inside_seconds=[1.0] * 3,
        mpi_seconds=mpi,
        bytes_sent=sent,
        bytes_received=[0] * 3,
        messages=[0] * 3,
        calls=[0] * 3,
    )


def _phase(number: int, begin: float, end: float, percent: float, sent: int = 0) -> Phase:
    return Phase(
        number=number,
        begin_seconds=begin,
        end_seconds=end,
        percent_of_mpi=percent,
        least_percent_of_mpi=percent,
        least_rank=0,
        most_percent_of_mpi=percent,
        most_rank=0,
        bytes_sent=sent,
        bytes_received=0,
        messages=0,
        calls=0,
        bytes_sent_per_second=0.0,
        messages_per_second=0.0,
        calls_per_second=0.0,
    )


def test_bytes_over_time_have_binary_ticks_and_a_title_of_their_own(golden: Golden) -> None:
    rate = 15 << 20
    rank = _rank([0.5] * 3, [0, rate, 0])
    phases = [_phase(1, 0.0, 1.0, 99.0), _phase(2, 1.0, 3.0, 20.0, rate)]
    intervals = [Interval(place, float(place), 50.0, 0.5, *[0] * 4) for place in range(3)]
    axes = draw_time_line(TimeLine(0.0, 1.0, 0, phases, intervals, [rank]), "bytes_sent")
    title = axes.get_title(loc="left")
    golden.says(title, "2 .. 2 .. 15.0 MiB .. 1.00 s")
    assert title.endswith("100.0 % of all")
    bar = axes.figure.axes[-1]
    assert [text.get_text() for text in bar.get_yticklabels()] == ["0", "4.00 MiB", "8.00 MiB", "12.0 MiB"]
    nothing = draw_time_line(TimeLine(0.0, 1.0, 0, phases[:1], intervals, [rank]), "messages")
    assert nothing.get_title(loc="left") == "No messages"


def test_most_is_darkest_as_in_the_report(profile: Path) -> None:
    mpi = [0.0, 0.5, 1.0]
    rank, phase = _rank(mpi, [0] * 3), _phase(1, 0.0, 3.0, 50.0)
    intervals = [Interval(place, float(place), 100 * mpi[place], mpi[place], *[0] * 4) for place in range(3)]
    time_line = TimeLine(0.0, 1.0, 0, [phase], intervals, [rank])
    for axes in (Profile(profile).plot.matrix(), draw_time_line(time_line, "mpi")):
        shades = axes.images[0].cmap(np.linspace(0, 1, 9))[:, :3] @ (0.299, 0.587, 0.114)
        assert (np.diff(shades) < 0).all()
        assert shades[0] < 0.9  # the least is seen on white paper

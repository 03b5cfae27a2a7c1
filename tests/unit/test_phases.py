"""Phases found in a time line, on series that are made, and in a profile whose intervals are."""

from __future__ import annotations

import io
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import profiles
import pytest
from numpy.typing import NDArray

import rankwise
from golden import Golden
from rankwise.__main__ import main
from rankwise.analysis.timing.change_points import change_points
from rankwise.errors import RankwiseError

WIDTH = 0.125  # seconds
BEGIN = 0.0625
INTERVALS = 81


def steps(*levels: tuple[int, float]) -> NDArray[np.float64]:
    """A series that has each level so many times."""
    return np.concatenate([np.full(times, level) for times, level in levels])[:, None]


def starts_of(series: NDArray[np.float64], **more: int) -> list[int]:
    return change_points(series, np.ones(len(series)), **more)


def test_steps_are_found_where_they_are() -> None:
    assert starts_of(steps((30, 0.0), (20, 0.9), (50, 0.1))) == [0, 30, 50]
    assert starts_of(steps((100, 0.4))) == [0]
    # As short as a phase may be.
    assert starts_of(steps((40, 0.0), (2, 1.0), (40, 0.0))) == [0, 40, 42]


@pytest.mark.parametrize("seed", range(5))
def test_noise_is_no_step(seed: int) -> None:
    noise = np.random.default_rng(seed).normal(0, 0.15, (200, 1))
    assert starts_of(0.5 + noise) == [0]
    starts = starts_of(steps((80, 0.0), (120, 0.8)) + noise)
    assert len(starts) == 2
    assert starts[1] == pytest.approx(80, abs=2)


def test_either_series_may_tell() -> None:
    same, other = steps((100, 1.0)), steps((60, 0.0), (40, 0.5))
    assert starts_of(np.concatenate([same, other], axis=1)) == [0, 60]


def test_what_goes_up_and_down_all_the_time_is_one_phase() -> None:
    wave = steps(*[(3, 0.0), (3, 1.0)] * 40)
    assert starts_of(wave) == [0]
    then = np.concatenate([wave, steps((100, 1.0))])
    assert len(starts_of(then)) <= 12


def test_few_values() -> None:
    assert starts_of(np.zeros((0, 1))) == []
    assert starts_of(np.zeros((1, 1))) == [0]
    assert starts_of(steps((1, 0.0), (2, 1.0))) == [0]


def test_values_without_weight_do_not_count() -> None:
    series = steps((20, 0.0), (5, 1.0), (20, 0.0))
    weights = np.concatenate([np.ones(20), np.zeros(5), np.ones(20)])
    assert change_points(series, weights) == [0]


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    """Four ranks: 3 s nothing, 4 s in MPI (rank 2 half of that) with bytes, then nothing."""
    path = profiles.write_profile(tmp_path / "a.rankwise")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("INSERT INTO time_axis VALUES (?, ?, ?)", (BEGIN, WIDTH, INTERVALS))
        for rank in range(4):
            connection.execute("INSERT INTO time_lines VALUES (?, 0.1, 9.96)", (rank,))
            connection.executemany(
                "INSERT INTO intervals VALUES (?, ?, ?, 1000, 500, 2, 3)",
                ((rank, n, WIDTH / (2 if rank == 2 else 1)) for n in range(24, 56)),
            )
    return path


def test_phases_of_a_profile(profile: Path, golden: Golden) -> None:
    view = rankwise.open(profile).time()
    first, second, third = view.data["time"]["phases"]
    assert (first["begin_seconds"], first["end_seconds"]) == (0.1, BEGIN + 24 * WIDTH)
    assert (second["begin_seconds"], second["end_seconds"]) == (BEGIN + 24 * WIDTH, BEGIN + 56 * WIDTH)
    assert third["end_seconds"] == 9.96
    assert second["percent_of_mpi"] == pytest.approx(87.5)
    assert (second["least_rank"], second["least_percent_of_mpi"]) == (2, pytest.approx(50))
    assert second["most_percent_of_mpi"] == pytest.approx(100)
    counts = {"bytes_sent": 128_000, "bytes_received": 64_000, "messages": 256, "calls": 384}
    assert {name: second[name] for name in counts} == counts
    assert second["bytes_sent_per_second"] == pytest.approx(32_000)
    assert first["percent_of_mpi"] == third["percent_of_mpi"] == 0
    golden.says(view.title, "3 .. 1 .. MPI .. 2 .. 40.6 %")


def test_intervals_and_ranks_as_rows(profile: Path) -> None:
    view = rankwise.open(profile).time()
    assert view.names == ("time_phases", "time_intervals", "time_ranks")
    intervals = view.rows("time_intervals")
    assert len(intervals) == INTERVALS
    assert intervals[30]["percent_of_mpi"] == pytest.approx(87.5)
    assert intervals[30]["calls"] == 12
    # The run ends in the last one but one.
    assert intervals[80]["percent_of_mpi"] is None
    rank = view.rows("time_ranks")[2]
    assert rank["percent_of_mpi"] == pytest.approx(100 * 2 / 9.86)
    assert rank["inside_seconds"][0] == pytest.approx(BEGIN + WIDTH - 0.1)
    assert sum(rank["mpi_seconds"]) == pytest.approx(2.0)


def test_strips(profile: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", str(profile), "--by", "time"]) == 0
    lines = capsys.readouterr().out.splitlines()
    strips = {line.split()[0]: line.split()[-1] for line in lines if line.split()[:1] in (["0"], ["2"])}
    # Two intervals a character.
    assert strips["0"] == "0" * 12 + "9" * 16 + "0" * 12 + "-"
    assert strips["2"] == "0" * 12 + "5" * 16 + "0" * 12 + "-"


def test_strips_are_drawn_where_that_can_be_shown(profile: Path) -> None:
    class Terminal(io.StringIO):
        encoding = "utf-8"

        def isatty(self) -> bool:
            return True

        def fileno(self) -> int:
            raise OSError

    file = Terminal()
    rankwise.open(profile).time().show(file)
    assert "·" * 12 + "█" * 16 + "·" * 12 in file.getvalue()


def test_of_some_ranks(profile: Path, capsys: pytest.CaptureFixture[str], golden: Golden) -> None:
    assert main(["show", str(profile), "--by", "time", "--rank", "2", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert [row["rank"] for row in answer["time"]["ranks"]] == [2]
    assert answer["time"]["phases"][1]["percent_of_mpi"] == pytest.approx(50)
    assert main(["show", str(profile), "--by", "time", "--call", "Bcast"]) == 2
    golden.says(capsys.readouterr().err, "--call .. --by")


def test_threads_share_the_time(profile: Path) -> None:
    with closing(sqlite3.connect(profile)) as connection, connection:
        connection.execute("UPDATE ranks SET threads = 2")
    second = rankwise.open(profile).time().data["time"]["phases"][1]
    assert second["percent_of_mpi"] == pytest.approx(87.5 / 2)


def test_nothing_is_known(tmp_path: Path, golden: Golden) -> None:
    path = profiles.write_profile(tmp_path / "a.rankwise")
    view = rankwise.open(path).time()
    assert view.data["time"]["phases"] == []
    golden.says(str(view))


@pytest.mark.parametrize(
    "axis", [(0.0, -1.0, 80), (0.0, 1.0, 2**40), (0.0, 1.0, 0)], ids=["width", "too-many", "none"]
)
def test_a_damaged_axis_is_none(profile: Path, axis: tuple[float, float, int]) -> None:
    with closing(sqlite3.connect(profile)) as connection, connection:
        connection.execute("UPDATE time_axis SET begin = ?, width = ?, intervals = ?", axis)
    assert rankwise.open(profile).time().data["time"]["ranks"] == []


def test_the_drawing(profile: Path, golden: Golden) -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("Agg")
    axes = rankwise.open(profile).plot.timeline()
    [image] = axes.get_images()
    cells = image.get_array()
    assert cells.shape == (4, INTERVALS)
    assert cells[0, 30] == pytest.approx(100)
    assert cells[2, 30] == pytest.approx(50)
    assert cells[0, 10] == 0
    assert cells.mask[0, 80]
    assert "most time in MPI is in phase 2" in axes.get_title(loc="left")
    rates = rankwise.open(profile).plot.timeline(of="bytes_sent").get_images()[0].get_array()
    assert rates[1, 30] == pytest.approx(1000 / WIDTH)
    pyplot.close("all")
    with pytest.raises(RankwiseError) as error:
        rankwise.open(profile).plot.timeline(of="seconds")
    golden.says(error.value, "bytes_sent")


@pytest.mark.parametrize("width", [40, 60, 80, 100])
def test_no_line_passes_the_page(
    profile: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    assert main(["show", str(profile), "--by", "time", "-v"]) == 0
    text = capsys.readouterr().out
    assert max(map(len, text.splitlines())) <= width
    # Nothing is left out: three ranks are in MPI all the time in 16 characters.
    assert text.count("9") >= 3 * 16

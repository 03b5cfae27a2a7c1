"""`rankwise latency export`: the same values in every format."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
import scipy.io

from golden import Golden
from rankwise.__main__ import main
from rankwise.latency.dense import from_matrices
from rankwise.latency.formats import mmpi, own
from rankwise.latency.measurement import Measurement

HOSTS = ["a", "b.domain", "b.domain"]
MEAN = np.array([[0, 1.5, 2.25], [1.5, 0, 0.125], [2.25, 0.125, 0]])
STD = np.array([[0, 0.5, 0.25], [0.5, 0, np.nan], [0.25, np.nan, 0]])


@pytest.fixture
def measured() -> Measurement:
    """Three ranks; with 64 B means and deviations, with 4 KiB one bandwidth."""
    rates = np.full((3, 3), np.nan)
    rates[2, 0] = 900.0
    unknown = np.full((3, 3), np.nan)
    return from_matrices(
        HOSTS,
        {64: unknown},
        {4096: rates},
        statistics={"mean": {64: MEAN}, "std": {64: STD}},
        repeats=30,
        about={"mode": "quiet"},
    )


@pytest.fixture
def path(tmp_path: Path, measured: Measurement) -> Path:
    own.write(measured, tmp_path / "f.json")
    return tmp_path / "f.json"


def export(path: Path, kind: str, *words: str) -> Path:
    out = path.with_name(f"out.{kind}")
    assert main(["latency", "export", str(path), "--format", kind, "-o", str(out), *words]) == 0
    return out


def test_csv_has_a_row_for_each_pair_and_size(path: Path) -> None:
    with export(path, "csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 3 * 2
    first = rows[0]
    assert [first[name] for name in ("first", "second", "first_host", "second_host", "bytes", "repeats")] == [
        *("0", "1", "a", "b.domain", "64", "30")
    ]
    assert (float(first["mean_us"]), float(first["std_us"]), first["median_us"]) == (1.5, 0.5, "")
    assert {row["std_us"] for row in rows if (row["first"], row["second"]) == ("1", "2")} == {""}
    [rate] = [row for row in rows if row["backward_mb_s"]]
    assert (rate["first"], rate["second"], rate["bytes"], rate["backward_mb_s"]) == ("0", "2", "4096", "900")
    with export(path, "csv", "--size", "4k", "--force").open(newline="") as file:
        assert {row["bytes"] for row in csv.DictReader(file)} == {"4096"}


def test_numpy_s_matrices(path: Path) -> None:
    matrices = np.load(export(path, "npz"))
    assert set(matrices) == {"mean", "std", "repeats", "host", "bytes"}
    assert np.array_equal(matrices["mean"], MEAN)
    assert np.array_equal(matrices["std"], STD, equal_nan=True)
    assert matrices["host"].tolist() == HOSTS
    assert matrices["repeats"].tolist() == [[0, 30, 30], [30, 0, 30], [30, 30, 0]]
    assert matrices["bytes"].tolist() == [[64]]
    rates = np.load(export(path, "npz", "--size", "4096", "--force"))
    assert rates["bandwidth"][2, 0] == 900
    assert np.isnan(rates["bandwidth"][0, 2])


def test_matlab_s_matrices(path: Path) -> None:
    """What scipy reads as MATLAB does."""
    matrices = scipy.io.loadmat(export(path, "mat"))
    assert np.array_equal(matrices["mean"], MEAN)
    assert np.array_equal(matrices["std"], STD, equal_nan=True)
    assert [str(name).rstrip() for name in matrices["host"]] == HOSTS
    assert matrices["bytes"].tolist() == [[64]]


def test_of_a_log(tmp_path: Path, measured: Measurement) -> None:
    """Half a round trip, as everywhere: mmpi's own numbers are twice as large."""
    mmpi.write(measured, tmp_path / "f.log", size=64)
    matrices = np.load(export(tmp_path / "f.log", "npz"))
    assert matrices["mean"][0].tolist() == [0, 1.5, 2.25]


@pytest.mark.parametrize(
    ("words", "said"),
    [(["--size", "7"], "7 .. 64 .. 4096 .. --size"), (["--size", "x"], "'x'"), ([], "--force")],
)
def test_what_is_wrong_is_told(
    path: Path, capsys: pytest.CaptureFixture[str], golden: Golden, words: list[str], said: str
) -> None:
    out = path.with_name("out.csv")
    if not words:
        out.write_text("mine")
    assert main(["latency", "export", str(path), "--format", "csv", "-o", str(out), *words]) == 2
    golden.says(capsys.readouterr().err.replace(str(path.parent), "/DIR"), said)
    assert not out.exists() or out.read_text() == "mine"

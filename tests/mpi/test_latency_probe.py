"""The latency probe by itself, without `rankwise latency`: what it leaves in its directory, on each MPI."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from libraries import ALL, ONE_OF_EACH, Mpi
from numpy.typing import NDArray
from recording import PROGRAMS

from exhaustive import few
from golden import assert_facts

ROOT = Path(__file__).parents[2]
PROBE = ROOT / "src" / "probes" / "latency"
COMMON = PROBE.parent / "common"
LIMIT_SECONDS = 60
REPEATS, SEED = 6, 5
FIRST = ONE_OF_EACH[:1]
NAMES = {"ids": lambda mpi: mpi.name}

# The header's keys that `rankwise latency` adds itself.
LATER = {"format", "version", "rankwise_version", "date", "command"}

Build = Callable[..., Path]


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """Compiles the probe with an MPI, once."""
    done: dict[tuple[str, tuple[str, ...]], Path] = {}

    def build_(mpi: Mpi, *more: str | Path, options: Sequence[str] = ()) -> Path:
        key = (mpi.name, tuple(options))
        if key not in done:
            done[key] = tmp_path_factory.mktemp("probe") / "latency"
            words = ["-O1", "-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Werror", *options]
            sources = [*sorted(PROBE.glob("*.c")), *sorted(COMMON.glob("*.c")), *more]
            mpi.compile(done[key], *sources, "-lm", options=words)
        return done[key]

    return build_


class Run:
    """One launch of the probe, and what it left."""

    def __init__(self, mpi: Mpi, program: Path, ranks: int, directory: Path, *words: str) -> None:
        self.directory = directory
        done = subprocess.run(
            mpi.launch(ranks, program, directory, *words),
            capture_output=True,
            text=True,
            timeout=LIMIT_SECONDS,
            env={**mpi.env(), "PRETEND_HOSTS": "3"},
        )
        self.status, self.output = done.returncode, done.stdout + done.stderr

    @property
    def header(self) -> dict[str, Any]:
        assert self.status == 0, self.output
        document: dict[str, Any] = json.loads((self.directory / "header.json").read_text())
        return document

    @property
    def records(self) -> NDArray[np.void]:
        """All records, read as the header says: fields are named such as `min 64`."""
        table = self.header["table"]
        fields = [(name if size is None else f"{name} {size}", kind) for name, size, kind in table["fields"]]
        layout = np.dtype(fields)
        assert layout.itemsize == table["record_bytes"]
        records: NDArray[np.void] = np.fromfile(self.directory / "pairs", layout)
        assert len(records) == table["pairs"] + table["alone"]
        return records

    @property
    def pairs(self) -> list[tuple[int, int]]:
        rows = self.records[: self.header["table"]["pairs"]]
        return list(zip(rows["first"].tolist(), rows["second"].tolist(), strict=True))

    @property
    def error(self) -> str:
        assert not (self.directory / "header.json").exists()
        return (self.directory / "error").read_text()


def every_pair(ranks: int) -> list[tuple[int, int]]:
    return list(combinations(range(ranks), 2))


def check_values(run: Run, sizes: Sequence[int]) -> None:
    """What holds for any measurement."""
    records = run.records
    assert (records["first"] < records["second"]).all()
    assert np.isfinite(records["overhead"]).all()
    assert (records["overhead"] >= 0).all()
    for size in sizes:
        least, median, p95 = (records[f"{name} {size}"] for name in ("min", "median", "p95"))
        assert ((least > 0) & (least <= median) & (median <= p95) & np.isfinite(p95)).all()
        assert ((records[f"mean {size}"] >= least) & (records[f"std {size}"] >= 0)).all()
        assert ((records[f"repeats {size}"] >= 1) & (records[f"repeats {size}"] <= REPEATS)).all()
        for way in ("forward", "backward"):
            bandwidth = records[f"{way} {size}"]
            measured = np.isfinite(bandwidth) & (bandwidth > 0)
            assert measured.all() if size >= 4096 else np.isnan(bandwidth).all()


def documented_keys() -> set[str]:
    table = (ROOT / "docs/reference/latency-file.md").read_text().split("## The header")[1].split("\n\n")[1]
    first_column = [line.split("|")[1] for line in table.splitlines()]
    return {key for cell in first_column for key in re.findall("`(.*?)`", cell)}


def check_header(run: Run, mode: str, ranks: int, sizes: list[int]) -> None:
    header = run.header
    assert set(header) == documented_keys() - LATER
    about = [header[key] for key in ("mode", "sizes", "repeats", "seed", "interrupted")]
    assert about == [mode, sizes, REPEATS, SEED, False]
    assert header["rounds_done"] == header["rounds"]
    assert header["pairs_expected"] == header["table"]["pairs"] == len(run.pairs)
    assert header["seconds"] > 0
    assert len(header["ranks"]) == ranks
    for rank in header["ranks"]:
        assert 0 <= rank["host"] < len(header["hosts"])
        assert re.fullmatch(r"\d+(-\d+)?(,\d+(-\d+)?)*", rank["cpus"])
    for host in header["hosts"]:
        assert [set(each) for each in host["processors"]] == [
            {"os", "core", "package", "numa", "l3"} for _ in host["processors"]
        ]
        running = {rank["cpu"] for rank in header["ranks"]}
        assert running <= {each["os"] for each in host["processors"]}
    done, total, seconds = (run.directory / "progress").read_text().split()
    assert int(done) == int(total) == header["rounds"] + header["table"]["alone"]
    assert float(seconds) <= header["seconds"] + 0.001  # it is rounded


@pytest.mark.parametrize("mpi", ALL, **NAMES)
def test_each_library_measures_every_pair_once(mpi: Mpi, build: Build, tmp_path: Path) -> None:
    run = Run(mpi, build(mpi), 3, tmp_path, "quiet", "64,4096", str(REPEATS), str(SEED))
    check_header(run, "quiet", 3, [64, 4096])
    check_values(run, [64, 4096])
    assert run.pairs == every_pair(3)
    assert run.header["mpi"]


@pytest.mark.parametrize("mpi", FIRST, **NAMES)
@pytest.mark.parametrize(("mode", "ranks"), [("loaded", 5), ("sample", 4), ("serial", 3)])
def test_modes(mpi: Mpi, mode: str, ranks: int, build: Build, tmp_path: Path) -> None:
    run = Run(mpi, build(mpi), ranks, tmp_path, mode, "0,100000,8", str(REPEATS), str(SEED))
    check_header(run, mode, ranks, [0, 100000, 8])
    check_values(run, [0, 100000, 8])
    assert run.pairs == every_pair(ranks)


@pytest.mark.parametrize("mpi", FIRST, **NAMES)
@pytest.mark.parametrize(("mode", "pairs"), [("quiet", every_pair(5)), ("leaders", every_pair(3))])
def test_several_hosts(
    mpi: Mpi, mode: str, pairs: list[tuple[int, int]], build: Build, tmp_path: Path
) -> None:
    options = ["-Dgethostname=pretend_gethostname"]
    program = build(mpi, PROGRAMS / "pretend_hosts.c", options=options)
    run = Run(mpi, program, 5, tmp_path, mode, "8", str(REPEATS), str(SEED))
    check_header(run, mode, 5, [8])
    check_values(run, [8])
    assert run.pairs == pairs
    assert [host["name"] for host in run.header["hosts"]] == [f'host "{number}"' for number in range(3)]
    assert [rank["host"] for rank in run.header["ranks"]] == [0, 1, 2, 0, 1]


@pytest.mark.parametrize("mpi", ONE_OF_EACH, **NAMES)
def test_one_rank_has_no_partner(mpi: Mpi, build: Build, tmp_path: Path) -> None:
    run = Run(mpi, build(mpi), 1, tmp_path, "quiet", "64", str(REPEATS), str(SEED))
    assert run.status == 2
    assert run.error.count("\n") == 1


@pytest.mark.parametrize("mpi", FIRST, **NAMES)
@pytest.mark.parametrize(
    ("words", "reason"),
    few(
        [
            (["noisy", "64", "6", "1"], "noisy .. quiet, loaded, leaders, sample .. serial"),
            (["leaders", "64", "6", "1"], "leaders .. quiet"),
        ],
        1,
    ),
)
def test_wrong_words(mpi: Mpi, words: list[str], reason: str, build: Build, tmp_path: Path) -> None:
    run = Run(mpi, build(mpi), 2, tmp_path, *words)
    assert run.status == 2
    assert_facts(run.error, reason)
    assert run.error.count("\n") == 1


@pytest.mark.parametrize("mpi", ONE_OF_EACH, **NAMES)
def test_a_directory_that_is_not_there(mpi: Mpi, build: Build, tmp_path: Path) -> None:
    missing = tmp_path / "missing"
    run = Run(mpi, build(mpi), 2, missing, "quiet", "64", str(REPEATS), str(SEED))
    assert run.status == 2
    assert f"cannot create {missing}/pairs" in run.output


@pytest.mark.parametrize("mpi", ONE_OF_EACH, **NAMES)
def test_stop_ends_it_early_and_leaves_a_whole_file(mpi: Mpi, build: Build, tmp_path: Path) -> None:
    (tmp_path / "stop").touch()
    run = Run(mpi, build(mpi), 3, tmp_path, "loaded", "64", str(REPEATS), str(SEED))
    assert run.header["interrupted"]
    assert run.header["rounds_done"] < run.header["rounds"] == run.header["pairs_expected"] == 3
    assert len(run.pairs) == run.header["table"]["pairs"] == run.header["rounds_done"]
    assert set(run.header) == documented_keys() - LATER


@pytest.mark.parametrize("mpi", FIRST, **NAMES)
def test_suspects_are_the_slowest_of_their_class(mpi: Mpi, tmp_path: Path) -> None:
    program = tmp_path / "suspects"
    names = ("suspects", "histogram", "blocking", "records", "shape", "../common/failure")
    sources = [PROBE / f"{name}.c" for name in names]
    mpi.compile(program, PROGRAMS / "suspects.c", *sources, "-lm", options=[f"-I{PROBE}"])

    def suspected(*words: str) -> list[tuple[int, int, float]]:
        launch = mpi.launch(3, program, *words)
        done = subprocess.run(launch, capture_output=True, text=True, timeout=LIMIT_SECONDS, env=mpi.env())
        assert done.returncode == 0, done.stderr
        lines = [line.split() for line in done.stdout.splitlines()]
        return [(int(first), int(second), float(slower)) for first, second, slower in lines]

    few = suspected()
    assert [pair[:2] for pair in few] == [(5, 39), (3, 30), (0, 1)]
    assert [pair[2] for pair in few] == pytest.approx([10, 5, 2], rel=0.05)

    many = suspected("many")
    assert len(many) == 8  # of 780 pairs
    assert all((first + second) % 20 == 0 for first, second, _ in many)
    assert [slower for _, _, slower in many] == pytest.approx([3] * 8, rel=0.05)

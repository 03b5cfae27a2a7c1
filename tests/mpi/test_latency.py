"""`rankwise latency` on each MPI library."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from pathlib import Path

import libraries
import pytest
from libraries import Mpi
from recording import LIMIT_SECONDS, RANKWISE

import patience
from golden import assert_complaint
from rankwise.latency.formats import mmpi as mmpi_log
from rankwise.latency.formats import own

LIBRARIES = [library for library in libraries.ONE_OF_EACH_LAUNCHER if library.family != "mpiabi"]
ONE_OF_EACH = list(libraries.first_of_each(LIBRARIES, lambda mpi: mpi.family))
PAIRS = [(first, second) for first in range(4) for second in range(first + 1, 4)]


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Keeps the probes of all tests: each library's is compiled once."""
    return tmp_path_factory.mktemp("cache")


def environment(mpi: Mpi, cache: Path) -> dict[str, str]:
    return {**mpi.env(), "XDG_CACHE_HOME": str(cache), "TMPDIR": "/tmp"}


def measure(
    mpi: Mpi, cache: Path, place: Path, *options: str, ranks: int = 4
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(RANKWISE), "latency", *options, "--", *mpi.launch(ranks)],
        capture_output=True,
        text=True,
        timeout=LIMIT_SECONDS,
        env=environment(mpi, cache),
        cwd=place,
    )


def only_files(place: Path, *names: str) -> bool:
    return {path.name for path in place.iterdir()} == set(names)


@pytest.mark.parametrize("mpi", LIBRARIES, ids=lambda mpi: mpi.name)
def test_all_pairs_are_measured(mpi: Mpi, cache: Path, tmp_path: Path) -> None:
    options = ("-o", "a.json", "--sizes", "8,4k", "--repeats", "20", "--seed", "5")
    done = measure(mpi, cache, tmp_path, *options)
    assert done.returncode == 0, done.stderr
    assert only_files(tmp_path, "a.json", "a.pairs")
    assert "6 pairs of 4 ranks in" in done.stderr
    assert re.search(r"^level +groups", done.stdout, re.MULTILINE)
    measurement = own.read(tmp_path / "a.json")
    assert list(zip(measurement.pairs.first, measurement.pairs.second, strict=True)) == PAIRS
    assert (measurement.pairs.repeats > 0).all()
    assert (measurement.pairs.times["min"] > 0).all()
    about = measurement.about
    assert (about["mode"], about["seed"], about["repeats"]) == ("quiet", 5, 20)
    assert about["command"] == mpi.launch(4)
    assert not about["interrupted"]
    assert measurement.sizes == (8, 4096)


def test_the_second_time_nothing_is_compiled(cache: Path, tmp_path: Path) -> None:
    mpi = LIBRARIES[0]
    options = ("-q", "--sizes", "8", "--repeats", "5")
    assert measure(mpi, cache, tmp_path, "-o", "a.json", *options).returncode == 0
    probes = sorted(cache.rglob("latency"))
    assert probes
    before = [probe.stat().st_mtime_ns for probe in probes]
    again = measure(mpi, cache, tmp_path, "-o", "b.json", *options)
    assert again.returncode == 0, again.stderr
    assert [probe.stat().st_mtime_ns for probe in sorted(cache.rglob("latency"))] == before


def test_an_existing_output_is_kept(cache: Path, tmp_path: Path) -> None:
    mpi = LIBRARIES[0]
    for name in ("a.json", "a.pairs"):
        (tmp_path / name).write_text("precious")
    refused = measure(mpi, cache, tmp_path, "-o", "a.json")
    assert refused.returncode == 2
    assert "a.json already exists" in refused.stderr
    assert refused.stderr.count("\n") == 1
    assert (tmp_path / "a.json").read_text() == (tmp_path / "a.pairs").read_text() == "precious"
    forced = measure(mpi, cache, tmp_path, "-o", "a.json", "--force", "-q", "--sizes", "8", "--repeats", "5")
    assert (forced.returncode, forced.stderr, forced.stdout) == (0, "", "")
    assert len(own.read(tmp_path / "a.json").pairs) == 6


def test_a_log_of_mmpi(cache: Path, tmp_path: Path) -> None:
    """Its `Repeats` is true for each pair: so many are made, however soon the smallest time is stable."""
    options = ("-q", "--format", "mmpi", "-o", "a.log", "--sizes", "16,1k", "--repeats", "61")
    done = measure(LIBRARIES[0], cache, tmp_path, *options)
    assert done.returncode == 0, done.stderr
    assert only_files(tmp_path, "a.log")
    measurement = mmpi_log.read(tmp_path / "a.log")
    assert measurement.sizes == (16,)
    assert "# Processors: 4 MsgLen 16 Repeats: 61\n" in (tmp_path / "a.log").read_text()
    assert list(zip(measurement.pairs.first, measurement.pairs.second, strict=True)) == PAIRS
    assert (measurement.pairs.times["mean"] > 0).all()


def test_exactly_so_many_repeats(cache: Path, tmp_path: Path) -> None:
    options = ("-q", "-o", "a.json", "--sizes", "8,64", "--repeats", "300", "--exact")
    done = measure(LIBRARIES[0], cache, tmp_path, *options)
    assert done.returncode == 0, done.stderr
    measurement = own.read(tmp_path / "a.json")
    assert (measurement.pairs.repeats == 300).all()
    assert measurement.about["exact_repeats"] is True


@pytest.mark.parametrize("mpi", ONE_OF_EACH, ids=lambda mpi: mpi.name)
def test_ctrl_c_keeps_what_there_is(mpi: Mpi, cache: Path, tmp_path: Path) -> None:
    # 15 steps one after the other, each with so many bytes that there is time for Ctrl-C.
    options = ["-o", "a.json", "--sizes", "4M,16M", "--repeats", "1000", "--mode", "serial"]
    process = subprocess.Popen(
        [str(RANKWISE), "latency", *options, "--", *mpi.launch(6)],
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        env=environment(mpi, cache),
        cwd=tmp_path,
        start_new_session=True,
    )
    ends = patience.end(LIMIT_SECONDS / 2)
    progress = tmp_path / "a.json-run" / "progress"
    while process.poll() is None and time.monotonic() < ends and steps_done(progress) < 1:
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=LIMIT_SECONDS)
    assert process.returncode == 130, said
    assert "rankwise: " in said
    assert only_files(tmp_path, "a.json", "a.pairs")
    measurement = own.read(tmp_path / "a.json")
    assert measurement.about["interrupted"] is True
    assert 1 <= len(measurement.pairs) < 15
    assert (measurement.pairs.times["min"] > 0).all()


def steps_done(progress: Path) -> int:
    try:
        return int(progress.read_text().split()[0])
    except (OSError, IndexError):
        return 0


@pytest.mark.parametrize("mpi", LIBRARIES, ids=lambda mpi: mpi.name)
def test_a_launch_that_fails(mpi: Mpi, cache: Path, tmp_path: Path) -> None:
    words = [mpi.mpirun, "--no-such-option", *mpi.launch(4)[1:]]
    done = subprocess.run(
        [str(RANKWISE), "latency", "-q", "-o", "a.json", "--", *words],
        capture_output=True,
        text=True,
        timeout=LIMIT_SECONDS,
        env=environment(mpi, cache),
        cwd=tmp_path,
    )
    assert done.returncode == 1
    assert_complaint(done.stderr, "no-such-option")
    assert re.search(r"\bstatus [1-9]", done.stderr)
    assert only_files(tmp_path)


def test_one_rank(cache: Path, tmp_path: Path) -> None:
    done = measure(LIBRARIES[0], cache, tmp_path, "-q", "-o", "a.json", ranks=1)
    assert done.returncode == 2
    assert_complaint(done.stderr)
    assert only_files(tmp_path)


def test_another_librarys_compiler(cache: Path, tmp_path: Path) -> None:
    kinds = {mpi.family: mpi for mpi in reversed(LIBRARIES)}
    if not {"openmpi", "mpich"} <= set(kinds):
        pytest.skip("two libraries are needed")
    done = measure(kinds["openmpi"], cache, tmp_path, "-q", "-o", "a.json", "--mpicc", kinds["mpich"].mpicc)
    assert done.returncode == 2
    assert "is of another MPI library than" in done.stderr
    assert only_files(tmp_path)

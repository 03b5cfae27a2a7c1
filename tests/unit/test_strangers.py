"""Ranks that run without the library: a process that has a file called like an MPI library in its memory."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from memory_synthetic import make_memory, name_of
from synthetic import small_world

from golden import assert_facts
from rankwise.launch.foreign_processes import ForeignProcesses
from rankwise.launchers.base import Preload

# Maps the files that it is told.
RANK = """
import mmap, sys
files = [open(name, "rb") for name in sys.argv[1:]]
kept = [mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) for file in files]
print("ready", flush=True)
sys.stdin.read()
"""


@contextmanager
def rank(number: int, preload: Preload, *files: Path) -> Iterator[None]:
    for file in files:
        file.write_text("x")
    environment = {**os.environ, "RANKWISE_DIR": str(preload.directory), "PMI_RANK": str(number)}
    words = [sys.executable, "-c", RANK, *map(str, files)]
    with subprocess.Popen(
        words, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
        yield
        process.stdin.close()


@pytest.fixture
def preload(tmp_path: Path) -> Preload:
    (tmp_path / "run").mkdir()
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib/librankwise.so").write_text("x")
    return Preload(tmp_path / "lib/librankwise.so", tmp_path / "run")


def report_of(preload: Preload) -> str:
    strangers = ForeignProcesses(preload)
    strangers.look()
    return strangers.report()


def test_ranks_without_the_library_are_told_with_the_reason(preload: Preload, tmp_path: Path) -> None:
    hidden = preload._replace(library=Path("/not/there/librankwise.so"))
    with rank(3, preload, tmp_path / "libmpi.so.40"), rank(4, preload, tmp_path / "libmpi.so.12"):
        at = f"3-4 .. {os.uname().nodename} .. "
        assert_facts(report_of(hidden), f"{at}: /not/there/librankwise.so ")
        assert_facts(report_of(preload), f"{at}: ")
        assert report_of(preload) != report_of(hidden)


def test_others_are_left_alone(preload: Preload, tmp_path: Path) -> None:
    counters = preload.directory / "host.1.a.counters"
    elsewhere = preload._replace(directory=tmp_path / "other")
    gone = preload._replace(directory=tmp_path / "gone")
    with (
        rank(0, preload, tmp_path / "libmpi.so.40", preload.library),  # loaded, before MPI_Init
        rank(1, preload, tmp_path / "libmpi.so.40", counters),  # counts, with our archive linked in
        rank(2, preload, tmp_path / "libother.so"),  # no MPI
        rank(3, elsewhere, tmp_path / "libmpi.so.40"),  # another job's
        rank(4, gone, tmp_path / "libmpi.so.40", gone.library),  # it has said so itself
    ):
        assert report_of(preload) == report_of(gone) == ""


def test_nothing_is_found_where_nothing_was_started(preload: Preload) -> None:
    strangers = ForeignProcesses(preload)
    strangers.start()
    assert strangers.report() == ""


def test_they_are_looked_for_only_where_a_rank_is_missing_and_never_among_those_that_count(
    preload: Preload, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    memory = make_memory(tmp_path, preload.directory)
    looks: list[set[int]] = []
    monkeypatch.setattr(ForeignProcesses, "look", lambda _, counting: looks.append(counting))
    # In this process, where the looks can be seen.
    monkeypatch.setattr("rankwise.launch.foreign_processes._Child", lambda find: find() and None)
    strangers = ForeignProcesses(preload)
    strangers.start()
    strangers.step()
    world = small_world(3)
    for number, process in enumerate(world, 1):
        (memory / name_of(number)).write_bytes(process.to_bytes())
        strangers.step()
    assert looks == [set(), {1}, {1, 2}]
    assert strangers.report() == ""


def test_what_another_process_finds_is_told(
    preload: Preload, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "rankwise.launch.foreign_processes._PATIENCE_S", 60.0
    )  # it comes behind all other tests
    strangers = ForeignProcesses(preload)
    before = children()
    with rank(3, preload, tmp_path / "libmpi.so.40"):
        strangers.start()
        strangers.step()
        report = strangers.report()
    assert_facts(report, f"3 .. {os.uname().nodename} .. ")
    assert children() <= before


def children() -> set[str]:
    """Processes of this one; other tests may have left some, such as a browser."""
    return set(Path(f"/proc/self/task/{os.getpid()}/children").read_text().split())

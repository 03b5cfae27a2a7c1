"""Counters in the memory of this node: whose they are, and what becomes of those that dead jobs have left."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from memory_synthetic import make_memory, name_of
from synthetic import small_world

import patience
from rankwise.profile.collect import node_memory
from rankwise.profile.collect.control import read_control
from rankwise.profile.collect.counters import Counters
from rankwise.profile.collect.holders import find_counters
from rankwise.profile.collect.node_files import read_entries, read_node_file, save_node_file

LONG_AGO = 1_000_000_000


@pytest.fixture
def parent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A place for the memory of the node, with nothing of other jobs."""
    place = tmp_path / "memory"
    place.mkdir()
    monkeypatch.setenv("TMPDIR", str(place))
    return place


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run directory."""
    directory = tmp_path / "run"
    directory.mkdir(mode=0o700)
    return directory


def gone() -> int:
    """A process id that nobody has any more."""
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    return process.pid


def left(parent: Path, run: Path, pid: int, /, **control: object) -> Path:
    """What a job has left long ago: counters of a process with this id."""
    memory = make_memory(parent, run, **control)
    (memory / name_of(pid)).write_bytes(small_world(1)[0].to_bytes())
    os.utime(memory, (LONG_AGO, LONG_AGO))
    return memory


def test_counters_of_dead_processes_are_saved_once_and_removed(parent: Path, run: Path) -> None:
    memory = left(parent, run, gone())
    [counters] = memory.glob("*.counters")
    assert run in node_memory.remove_leftovers()
    assert not memory.exists()
    [saved] = run.iterdir()
    node = read_node_file(saved)
    assert node.is_final
    assert [entry.name for entry in node.entries] == [counters.name]
    [read] = read_entries(saved)
    assert isinstance(read, Counters)
    assert read.header.world_rank == 0
    assert run not in node_memory.remove_leftovers()


def test_what_no_run_directory_can_take_is_removed(parent: Path, run: Path) -> None:
    memory = left(parent, run, gone())
    run.rmdir()
    assert run not in node_memory.remove_leftovers()
    assert not memory.exists()


@pytest.mark.parametrize("why", ["a process lives", "it is new", "other ids", "another node", "a keeper"])
def test_what_may_still_be_in_use_stays(parent: Path, run: Path, why: str) -> None:
    memory = left(
        parent,
        run,
        os.getpid() if why == "a process lives" else gone(),
        **{"pids": 1} if why == "other ids" else {},
        **{"host": b"elsewhere"} if why == "another node" else {},
    )
    bell = -1
    if why == "a keeper":
        os.mkfifo(memory / "bell", 0o600)
        bell = os.open(memory / "bell", os.O_RDWR | os.O_NONBLOCK)
    os.utime(memory, None if why == "it is new" else (LONG_AGO, LONG_AGO))
    before = sorted(memory.iterdir())
    assert run not in node_memory.remove_leftovers()
    assert sorted(memory.iterdir()) == before
    assert list(run.iterdir()) == []
    if bell >= 0:
        os.close(bell)


def test_a_run_directory_that_takes_nothing_now_may_do_so_later(
    parent: Path, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> Path:
        raise OSError("no room")

    memory = left(parent, run, gone())
    with monkeypatch.context() as now:
        now.setattr("rankwise.profile.collect.node_files.save_node_file", full)
        assert run not in node_memory.remove_leftovers()
    assert list(memory.glob("*.counters"))
    assert run in node_memory.remove_leftovers()


def test_directories_of_others_are_not_looked_at(parent: Path, run: Path, tmp_path: Path) -> None:
    memory = left(parent, run, gone())
    assert [directory.path for directory in node_memory.of_run(run)] == [memory]
    memory.chmod(0o755)
    assert node_memory.of_run(run) == []
    memory.chmod(0o700)
    memory.rename(tmp_path / "real")
    memory.symlink_to(tmp_path / "real")
    assert node_memory.of_run(run) == []
    assert run not in node_memory.remove_leftovers()
    assert list((tmp_path / "real").glob("*.counters"))


def test_only_those_of_the_run_are_found_and_forgotten(parent: Path, run: Path, tmp_path: Path) -> None:
    memory = left(parent, run, gone())
    for other in (tmp_path / "ru", tmp_path / "run2", run / "run"):
        other.mkdir()
        assert node_memory.of_run(other) == []
        node_memory.forget(other)
    [holder] = find_counters(run).holders
    assert holder.path.parent == memory
    node_memory.forget(run)
    assert not memory.exists()


def test_what_another_run_has_left_is_neither_read_nor_saved(parent: Path, run: Path) -> None:
    memory = left(parent, run, gone(), run=7)
    [counters] = memory.glob("*.counters")
    of_7 = save_node_file(run, "node1", [counters], 7)
    unknown = save_node_file(run, "node1", [counters])
    assert [read_node_file(path).run for path in (of_7, unknown)] == [7, 0]
    for number, paths in ((7, {of_7, unknown}), (8, {unknown}), (0, {of_7, unknown})):
        (run / "launch.json").write_text(json.dumps({"run": number}))
        assert [directory.path for directory in node_memory.of_run(run, number)] == [memory] * (
            number in (0, 7)
        )
        assert {node_file.path for node_file in find_counters(run).node_files} == paths
    (run / "launch.json").write_text('{"run": 8}')
    before = sorted(run.iterdir())
    assert run not in node_memory.remove_leftovers()
    assert not memory.exists()
    assert sorted(run.iterdir()) == before


@pytest.mark.parametrize("damage", ["cut", "magic", "version"])
def test_a_damaged_control_page(parent: Path, run: Path, damage: str) -> None:
    memory = left(parent, run, gone(), **{} if damage == "cut" else {damage: 77})
    path = memory / "control"
    if damage == "cut":
        path.write_bytes(path.read_bytes()[:-1])
    assert read_control(path) is None
    assert run not in node_memory.remove_leftovers()
    assert memory.exists()


def test_a_process_lives_as_long_as_any_of_its_threads() -> None:
    """Its main thread may have ended: it looks like a zombie, and its files are open all the same."""
    threads = "import ctypes, sys, threading; threading.Thread(target=sys.stdin.read).start();"
    with subprocess.Popen(
        [sys.executable, "-c", f"{threads} ctypes.CDLL(None).pthread_exit(None)"], stdin=subprocess.PIPE
    ) as process:
        state = Path(f"/proc/{process.pid}/stat")
        patience.wait_until(lambda: state.read_text().rpartition(")")[2].split()[0] == "Z", 30)
        assert node_memory.is_alive(process.pid)
        process.kill()
        patience.wait_until(lambda: not node_memory.is_alive(process.pid), 30)

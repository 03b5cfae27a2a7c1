"""Who may have a run directory, and what of earlier runs is dropped then."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from memory_synthetic import make_memory, name_of
from synthetic import small_world

from golden import Golden
from rankwise.errors import RankwiseError
from rankwise.launch.rundirectory import RunDirectory
from rankwise.profile.collect import node_memory


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A place for the memory of the node."""
    place = tmp_path / "memory"
    place.mkdir()
    monkeypatch.setenv("TMPDIR", str(place))
    return place


def taken(output: Path, *, force: bool = True, wanted: Path | None = None) -> RunDirectory:
    return RunDirectory.create(output, wanted, force=force)


def killed(directory: RunDirectory) -> None:
    """The process that has it is gone, and has removed nothing."""
    os.close(directory.lock)


def test_a_directory_is_that_of_one_run(
    tmp_path: Path,
    memory: Path,  # noqa: ARG001
    golden: Golden,
) -> None:
    first = taken(tmp_path / "x.rankwise")
    for force in (True, False):
        with pytest.raises(RankwiseError) as error:
            taken(tmp_path / "x.rankwise", force=force)
        golden.says(error.value, f"{first.path} .. -o")
    with pytest.raises(RankwiseError) as error:
        taken(tmp_path / "y.rankwise", wanted=first.path)
    golden.says(error.value, f"{first.path} .. --run-dir")
    other = taken(tmp_path / "y.rankwise")
    assert other.path != first.path
    assert first.run != other.run
    assert first.variables() == {"RANKWISE_RUN": f"{first.run:08x}"}
    first.remove()
    assert not first.path.exists()
    again = taken(tmp_path / "x.rankwise", force=False)
    assert stat.S_IMODE(again.path.stat().st_mode) == 0o700
    again.remove()
    other.remove()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["memory"]


def test_no_other_process_gets_it_and_a_dead_one_does_not_keep_it(tmp_path: Path, memory: Path) -> None:  # noqa: ARG001
    script = (
        "import sys; from pathlib import Path; from rankwise.launch.rundirectory import RunDirectory;"
        "RunDirectory.create(Path(sys.argv[1]), None, force=True); print('has it', flush=True); input()"
    )
    words = [sys.executable, "-c", script, tmp_path / "x.rankwise"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout
        assert holder.stdout.readline() == "has it\n"
        with pytest.raises(RankwiseError, match="belongs to a running job"):
            taken(tmp_path / "x.rankwise")
        holder.kill()
    # It has left an empty directory, but for the file that it had locked.
    directory = taken(tmp_path / "x.rankwise", force=False)
    directory.remove()
    assert not directory.path.exists()


def test_a_file_system_without_locks(
    tmp_path: Path,
    memory: Path,  # noqa: ARG001
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def flock(*_: object) -> None:
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr("fcntl.flock", flock)
    taken(tmp_path / "x.rankwise").remove()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["memory"]


def test_a_directory_of_the_users_own_stays(tmp_path: Path, memory: Path) -> None:  # noqa: ARG001
    own = tmp_path / "own"
    own.mkdir(mode=0o700)
    directory = taken(tmp_path / "x.rankwise", wanted=own)
    directory.remove()
    assert list(own.iterdir()) == []


def test_what_a_dead_job_has_left_is_dropped_with_force(tmp_path: Path, memory: Path) -> None:
    """In the directory and in the memory of this node, however new."""
    old = taken(tmp_path / "x.rankwise")
    (old.path / "node1.1.2.3.node").write_bytes(b"old")
    left = make_memory(memory, old.path, run=old.run)
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    (left / name_of(process.pid)).write_bytes(small_world(1)[0].to_bytes())
    killed(old)
    with pytest.raises(RankwiseError, match="not empty"):
        taken(tmp_path / "x.rankwise", force=False)
    assert list(left.glob("*.counters"))
    assert [path.name for path in old.path.iterdir()] == ["node1.1.2.3.node"]
    new = taken(tmp_path / "x.rankwise")
    assert not left.exists()
    assert [path.name for path in new.path.iterdir()] == ["running"]
    assert not new.has_counters()
    new.remove()
    # It was removed by hand, and its memory is still there.
    make_memory(memory, old.path, run=old.run)
    new = taken(tmp_path / "x.rankwise", force=False)
    assert node_memory.of_run(new.path) == []
    new.remove()


def test_processes_that_still_count_keep_it(tmp_path: Path, memory: Path) -> None:
    old = taken(tmp_path / "x.rankwise")
    killed(old)
    left = make_memory(memory, old.path, run=old.run)
    (left / name_of(os.getpid())).write_bytes(b"")
    with pytest.raises(RankwiseError, match="belongs to a running job"):
        taken(tmp_path / "x.rankwise")
    assert list(left.glob("*.counters"))
    shutil.rmtree(left)
    # Those whose ids mean nothing here live as long as their keeper does.
    elsewhere = make_memory(memory, old.path, run=old.run, pids=1)
    os.mkfifo(elsewhere / "bell", 0o600)
    bell = os.open(elsewhere / "bell", os.O_RDWR | os.O_NONBLOCK)
    with pytest.raises(RankwiseError, match="belongs to a running job"):
        taken(tmp_path / "x.rankwise")
    os.close(bell)
    taken(tmp_path / "x.rankwise").remove()
    assert not elsewhere.exists()


def test_a_note_that_finds_no_room_names_its_file(tmp_path: Path, memory: Path) -> None:  # noqa: ARG001
    directory = taken(tmp_path / "x.rankwise")
    script = "import resource, sys; from pathlib import Path;"
    script += "from rankwise.launch.rundirectory import RunDirectory;"
    script += "resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100));"
    script += "RunDirectory(Path(sys.argv[1]), ours=True)._write('note', 'x' * 1000)"
    done = subprocess.run([sys.executable, "-c", script, directory.path], capture_output=True, text=True)
    assert done.stderr.endswith(f"OSError: [Errno 27] File too large: '{directory.path / 'note'}'\n")
    (directory.path / "note").unlink()
    directory.remove()

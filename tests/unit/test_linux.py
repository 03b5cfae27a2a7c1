"""What the kernel tells, where Python's library does not ask it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import rankwise
from rankwise._linux import News, SignalFile, close_all_but
from rankwise.profile.collect import glimpse, layout


def test_names_that_are_new_in_directories(tmp_path: Path) -> None:
    first, other = tmp_path / "one", tmp_path / "other"
    first.mkdir()
    other.mkdir()
    news = News()
    for directory in (first, other):
        news.watch(directory)
    assert news.read() == []
    (first / "a file").touch()
    (other / "folder").mkdir()
    (tmp_path / "unseen").touch()
    (tmp_path / "unseen").rename(first / "moved")
    assert news.read() == [(first, "a file"), (other, "folder"), (first, "moved")]
    news.leave(other)
    (other / "unseen").touch()
    (first / "a file").unlink()
    assert news.read() == []
    for file in first.iterdir():
        file.unlink()
    first.rmdir()
    assert news.read() == [(first, "")]
    assert not news.watched
    with pytest.raises(OSError, match="No such file"):
        news.watch(first)
    news.close()


def test_too_much_news_is_one_more_look(tmp_path: Path) -> None:
    most = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    news = News()
    news.watch(tmp_path)
    news.watch(tmp_path.parent)
    name = tmp_path / "x"
    for _ in range(most // 2 + 1):  # two names in turn: the same one again would be one event
        for other in (name, name.with_name("y")):
            os.close(os.open(other, os.O_CREAT | os.O_WRONLY))
            other.unlink()
    events: list[tuple[Path, str]] = []
    while some := news.read():
        events += some
    assert len(events) >= most
    assert events[-2:] == [(tmp_path, ""), (tmp_path.parent, "")]
    news.close()


def test_signals_that_are_blocked_come_one_by_one() -> None:
    wanted = {signal.SIGUSR1, signal.SIGUSR2}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, wanted)
    signals = SignalFile(wanted)
    try:
        assert signals.take() == 0
        for signum in wanted:
            signal.raise_signal(signum)
        assert {signals.take(), signals.take()} == wanted
        assert signals.take() == 0
    finally:
        signals.close()
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def test_who_stands_back_is_run_after_all_others() -> None:
    code = "import os; from rankwise._linux import stand_back; stand_back(); print(os.sched_getscheduler(0))"
    environment = os.environ | {"PYTHONPATH": str(Path(rankwise.__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert done.stdout == f"{os.SCHED_IDLE}\n", done.stderr


def test_what_is_read_without_numpy_stands_where_the_format_says() -> None:
    fields = layout.HEADER.fields
    assert fields is not None
    assert (fields["world_size"][1], fields["launcher_size"][1]) == (
        glimpse.WORLD_SIZE_AT,
        glimpse.LAUNCHER_SIZE_AT,
    )
    control = layout.STRUCTS["control"].fields
    assert control is not None
    assert control["pids"][1] == glimpse.PIDS_AT


def test_a_forked_process_keeps_only_the_files_that_it_needs() -> None:
    """A lock that it kept would outlive the process that took it."""
    kept, written = os.pipe()
    others = [os.open(os.devnull, os.O_RDONLY) for _ in range(5)]
    pid = os.fork()
    if pid == 0:
        try:
            close_all_but(written)
            left = [name for name in os.listdir("/proc/self/fd") if Path(f"/proc/self/fd/{name}").exists()]  # noqa: PTH208
            os.write(written, json.dumps([*map(int, left)]).encode())
        finally:
            os._exit(0)
    os.waitpid(pid, 0)
    assert json.loads(os.read(kept, 4096)) == [written]
    for file in (kept, written, *others):
        os.close(file)

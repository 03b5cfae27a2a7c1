"""Finds counters in the memory of this node: where processes keep them until their keeper has saved them.

A process counts in a file in /dev/shm, or in TMPDIR, in a directory for its run, node and user
(src/runtime/node_memory.cpp). The keeper removes the directory when it has saved everything. So a directory
belongs to a running job, to one whose run directory can't be written to, or to one whose keeper was killed.
"""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from rankwise.profile.collect.control import Control

COUNTERS_NAME = re.compile(r"(?P<host>.+)\.(?P<pid>\d+)\.(?P<began>[0-9a-f]+)\.counters")
"""Of the file that a process counts into: its host, its process id, and when it was made (ns since 1970)."""

CONTROL = "control"
"""The control page in the memory of a node."""

_PREFIX = "rankwise"
_BELL = "bell"
_MOST_CONTROL_BYTES = 1 << 16
_LEFT_ALONE_S = 10.0  # a process may be about to begin


class NodeMemory(NamedTuple):
    """Counters of processes of a run that see each other.

    Attributes:
        path: of the directory.
    """

    path: Path

    def counters(self) -> list[Path]:
        """Return the files, or links to files without a name, sorted; none if the directory is gone."""
        try:
            names = os.listdir(self.path)  # noqa: PTH208 - the names are all that is wanted
        except OSError:
            return []
        return [self.path / name for name in sorted(names) if COUNTERS_NAME.fullmatch(name)]

    def is_kept(self) -> bool:
        """Whether a keeper watches over it: to open its bell is not to ring it."""
        try:
            os.close(os.open(self.path / _BELL, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC))
        except OSError:
            return False
        return True

    def is_of(self, run_directory: Path) -> bool:
        """Whether it belongs to a run directory."""
        return b"\0" + os.fsencode(run_directory.absolute()) + b"\0" in self._control()

    def control(self) -> Control | None:
        """Return the content of the control page, None without one."""
        # (Read late: most nodes have nothing left, and it takes time.)
        from rankwise.profile.collect.control import read_control

        return read_control(self.path / CONTROL)

    def is_in_use(self) -> bool:
        """Whether a process counts here. In another pid namespace, the keeper's presence decides."""
        control = self.control()
        if control is None or not control.sees_our_processes():
            return self.is_kept()
        return any(_counts(path) for path in self.counters())

    def _control(self) -> bytes:
        """Return the control page, in which texts end with a zero; b'' without one."""
        try:
            with (self.path / CONTROL).open("rb") as file:
                return file.read(_MOST_CONTROL_BYTES)
        except OSError:
            return b""


def places() -> tuple[Path, ...]:
    """Return the directories of this node that its memory can be in."""
    return Path("/dev/shm"), Path(os.environ.get("TMPDIR") or "/tmp")


def is_name_of_memory(name: str) -> bool:
    """Whether counters of this user may be in a directory of this name."""
    return name.startswith(f"{_PREFIX}.{os.geteuid()}.")


def of_user() -> Iterator[NodeMemory]:
    """Find all of this user on this node."""
    user = os.geteuid()
    for place in places():
        try:
            names = os.listdir(place)  # noqa: PTH208 - the names are all that is wanted
        except OSError:
            continue
        for name in sorted(filter(is_name_of_memory, names)):
            path = place / name
            if _is_ours(path, user):
                yield NodeMemory(path)


def of_run(run_directory: Path, run: int = 0) -> list[NodeMemory]:
    """Find the directories of a run directory.

    Args:
        run_directory: that they are saved in.
        run: leave out other runs, which have had the same directory; 0 = take all.
    """
    memories = [memory for memory in of_user() if memory.is_of(run_directory)]
    if not run:
        return memories
    controls = [(memory, memory.control()) for memory in memories]
    return [memory for memory, control in controls if control is None or control.run in (0, run)]


def is_alive(pid: int) -> bool:
    """Whether a process runs. A zombie does not, unless other threads outlive its main thread."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        state, threads = fields[0], int(fields[17])
    except (OSError, IndexError):
        return False
    return state != "X" and (state != "Z" or threads > 1)


def remove_leftovers() -> list[Path]:
    """Remove leftovers of dead jobs of this user on this node.

    Removing them is the keeper's task, but it was killed with them. Usable counters are saved first, in
    its run directory.

    Returns:
        The run directories that something was saved in.
    """
    saved = []
    for memory in of_user():
        if memory.is_kept() or _age_s(memory.path) < _LEFT_ALONE_S:
            continue
        control = memory.control()
        if control is None or not control.sees_our_processes():
            continue
        counters = memory.counters()
        if any(_counts(path) for path in counters):
            continue
        if counters and _is_still_of(control):
            from rankwise.profile.collect.node_files import save_node_file

            try:
                save_node_file(control.run_directory, control.host, counters, control.run)
            except OSError:
                continue  # it may be possible another time
            saved.append(control.run_directory)
        shutil.rmtree(memory.path, ignore_errors=True)
    return saved


def is_in_use(run_directory: Path) -> bool:
    """Whether processes on this node count for a run directory."""
    return any(memory.is_in_use() for memory in of_run(run_directory))


def forget(run_directory: Path) -> None:
    """Remove the rest of a run on this node, however new: its profile is made, or another run begins."""
    for memory in of_run(run_directory):
        if not memory.is_kept():
            shutil.rmtree(memory.path, ignore_errors=True)


def _is_still_of(control: Control) -> bool:
    """Whether the run directory is there, and has not been given to another run."""
    if not control.run_directory.is_dir():
        return False
    from rankwise.profile.collect.launch_note import read_launch_note

    run = read_launch_note(control.run_directory).run
    return 0 in (run, control.run) or run == control.run


def _counts(path: Path) -> bool:
    """Whether the process that counts into a file lives."""
    match = COUNTERS_NAME.fullmatch(path.name)
    return match is not None and is_alive(int(match["pid"]))


def _is_ours(path: Path, user: int) -> bool:
    try:
        status = path.lstat()
    except OSError:
        return False
    return path.is_dir() and not path.is_symlink() and status.st_uid == user and not status.st_mode & 0o077


def _age_s(path: Path) -> float:
    try:
        return time.time() - path.stat().st_mtime
    except OSError:
        return 0.0

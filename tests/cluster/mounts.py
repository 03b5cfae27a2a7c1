"""What may happen to a directory on some nodes: it hangs, is full, can't be written to, or is not there."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from nodes import Cluster, UnavailableError

import patience

_LIMIT_SECONDS = 15


@dataclass(frozen=True)
class Hanging:
    """Mounts of a directory, one on each of some nodes, whose file system can be made to hang.

    Attributes:
        cluster: of the nodes.
        pids: of the processes that are the file system, as they are inside.
    """

    cluster: Cluster
    pids: Sequence[str]

    def hang(self) -> None:
        """From now on the file system answers nothing."""
        self._signal("STOP")

    def go_on(self) -> None:
        """Answer what was asked meanwhile."""
        self._signal("CONT")

    def _signal(self, name: str) -> None:
        subprocess.run(
            self.cluster.inside("kill", f"-{name}", *self.pids), check=True, timeout=_LIMIT_SECONDS
        )


@contextlib.contextmanager
def hanging(cluster: Cluster, numbers: Sequence[int], behind: Path, directory: Path) -> Iterator[Hanging]:
    """On some nodes, give a directory the contents of another one by way of a process.

    Raises:
        UnavailableError: there are no such file systems here.
    """
    if not shutil.which("bindfs") or not Path("/dev/fuse").exists():
        raise UnavailableError("bindfs or /dev/fuse is missing")
    with contextlib.ExitStack() as stack:
        pids = [stack.enter_context(_served(cluster, number, behind, directory)) for number in numbers]
        made = Hanging(cluster, pids)
        stack.callback(made.go_on)
        yield made


@contextlib.contextmanager
def _served(cluster: Cluster, number: int, behind: Path, directory: Path) -> Iterator[str]:
    file = behind.with_name(f"{behind.name}.{number}.pid")
    script = 'echo $$ >"$1"; exec bindfs -f "$2" "$3"'
    words = cluster.on(number, "sh", "-c", script, "sh", file, behind, directory)
    server = subprocess.Popen(words, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        is_mounted = cluster.on(number, "mountpoint", "-q", directory)

        def ready() -> bool:
            if server.poll() is not None:
                assert server.stderr
                raise UnavailableError(server.stderr.read().strip())
            return subprocess.run(is_mounted, timeout=_LIMIT_SECONDS).returncode == 0

        patience.wait_until(ready, _LIMIT_SECONDS)
        yield file.read_text().strip()
    finally:
        subprocess.run(cluster.on(number, "umount", "--lazy", directory), timeout=_LIMIT_SECONDS)
        if file.exists():
            subprocess.run(cluster.inside("kill", "-KILL", file.read_text().strip()), timeout=_LIMIT_SECONDS)
        server.kill()  # nsenter, which has stopped with its child
        server.communicate(timeout=_LIMIT_SECONDS)


@contextlib.contextmanager
def full(cluster: Cluster, number: int, directory: Path) -> Iterator[None]:
    """Leave a node no more than a page there."""
    with _mounted(cluster, number, directory, "-t", "tmpfs", "-o", "size=4k,mode=700", "tmpfs"):
        yield


@contextlib.contextmanager
def read_only(cluster: Cluster, number: int, directory: Path) -> Iterator[None]:
    """Let a node write nothing there."""
    with _mounted(cluster, number, directory, "--bind", directory):
        remount = cluster.on(number, "mount", "-o", "remount,bind,ro", directory)
        subprocess.run(remount, check=True, timeout=_LIMIT_SECONDS)
        yield


@contextlib.contextmanager
def gone(cluster: Cluster, number: int, directory: Path) -> Iterator[None]:
    """Hide a directory from a node, with what else is beside it."""
    with _mounted(cluster, number, directory.parent, "-t", "tmpfs", "tmpfs"):
        yield


@contextlib.contextmanager
def _mounted(cluster: Cluster, number: int, directory: Path, *what: str | Path) -> Iterator[None]:
    subprocess.run(cluster.on(number, "mount", *what, directory), check=True, timeout=_LIMIT_SECONDS)
    try:
        yield
    finally:
        unmount = cluster.on(number, "umount", "--lazy", directory)
        subprocess.run(unmount, check=True, timeout=_LIMIT_SECONDS)

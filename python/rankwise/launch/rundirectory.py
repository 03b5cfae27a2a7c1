"""The directory that the MPI processes count into, from its creation to its removal."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from rankwise.errors import RankwiseError
from rankwise.launch import meeting, reorder, world_order
from rankwise.launch.plan import Plan
from rankwise.launch.world_order import WorldOrder
from rankwise.profile.collect import end_note, node_memory
from rankwise.profile.collect.launch_note import FILE_NAME

KEPT_STDERR = "stderr"  # what the program writes there while `rankwise run --top` has the terminal
APPLIED = "applied"
"""Directory with the files that apply settings of the MPI library, see the option --with."""

_LOCK = "running"  # is locked as long as the run goes on
_MOST_TRIES = 10  # another run may remove the directory while we take it
_NEW_NOTE = f"{FILE_NAME}.new"
_COUNTERS = ("*.counters", "*.node", "*.node.new")  # of one MPI process; of all processes of a node


def check_output(output: Path, *, force: bool) -> None:
    """See that a profile can be written.

    Args:
        output: the profile.
        force: replace it.

    Raises:
        RankwiseError: it is there already, or can't be written.
    """
    if output.is_dir():
        raise RankwiseError(f"{output} is a directory: give a file name with -o")
    if output.exists() and not force:
        raise RankwiseError(f"{output} already exists: give another name with -o, or use --force")
    if not output.parent.is_dir():
        raise RankwiseError(f"{output.parent} is not a directory: make it, or give another path with -o")
    if not os.access(output.parent, os.W_OK | os.X_OK):
        raise RankwiseError(f"{output.parent} can't be written to: give another path with -o")


class RunDirectory(NamedTuple):
    """An existing run directory.

    Attributes:
        path: absolute.
        ours: whether it goes with its contents; a directory that the user has made and named stays.
        run: distinguishes this run from others in the same directory, earlier or later; 0 = unknown.
        lock: descriptor of the file that keeps others from taking the directory; -1 = no lock.
    """

    path: Path
    ours: bool
    run: int = 0
    lock: int = -1

    @classmethod
    def create(cls, output: Path, wanted: Path | None, *, force: bool) -> RunDirectory:
        """Make the run directory, and see that the profile can be written.

        Args:
            output: the profile.
            wanted: the user's choice of the run directory; None = beside the profile.
            force: replace the profile, and take a directory that was used before.

        Raises:
            RankwiseError: one of the two exists already, or can't be written, or the directory belongs to a
            running job.
        """
        check_output(output, force=force)
        path = (wanted or output.with_name(f"{output.name}-run")).absolute()
        for _ in range(_MOST_TRIES):
            is_new = cls._made(path)
            lock = cls._lock(path, "name with -o" if wanted is None else "directory with --run-dir")
            if lock is not None:
                break
        else:
            raise RankwiseError(f"{path} is removed repeatedly: give another path with --run-dir")
        # (Directories with default names are ours, even if their job was killed before it removed them.)
        run = int.from_bytes(os.urandom(4), "little") or 1
        directory = cls(path, is_new or wanted is None, run, lock)
        try:
            directory._take(force=force)
        except RankwiseError:
            directory.release()
            if is_new:
                path.rmdir()
            raise
        return directory

    @classmethod
    def _made(cls, path: Path) -> bool:
        """Make the directory, or check that an existing one is usable; return whether it is new."""
        try:
            path.mkdir(mode=0o700)  # follows no link
        except FileExistsError:
            cls._check(path)
            return False
        except OSError as error:
            raise RankwiseError(f"{path}: {error.strerror}; give another path with --run-dir") from None
        return True

    @staticmethod
    def _check(path: Path) -> None:
        if path.is_symlink() or not path.is_dir():
            raise RankwiseError(
                f"{path} is not a directory, or a link to one: give another path with --run-dir"
            )
        status = path.stat()
        if status.st_uid != os.geteuid():
            raise RankwiseError(f"{path} belongs to another user: give another path with --run-dir")
        if status.st_mode & 0o022:
            raise RankwiseError(
                f"others may write to {path}: `chmod go-w` it, or give another with --run-dir"
            )
        if not os.access(path, os.W_OK | os.X_OK):
            raise RankwiseError(f"{path} can't be written to: give another path with --run-dir")

    @staticmethod
    def _lock(path: Path, other: str) -> int | None:
        """Keep other runs away from the directory, until we end or are killed.

        Returns:
            a descriptor; None if another run has removed it, and the directory, meanwhile.
        """
        file = path / _LOCK
        try:
            lock = os.open(file, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise RankwiseError(f"{file}: {error.strerror}; give another path with --run-dir") from None
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            raise _goes_on(path, other) from None
        except OSError:  # a file system without locks: what counts on this node is seen all the same
            return lock
        with contextlib.suppress(OSError):
            if os.path.samestat(file.lstat(), os.fstat(lock)):
                return lock
        os.close(lock)
        return None

    def _take(self, *, force: bool) -> None:
        """Drop what another run has left, here and in the memory of this node."""
        is_old = any(path.name != _LOCK for path in self.path.iterdir())
        if is_old and not force:
            raise RankwiseError(
                f"{self.path} is not empty: `rankwise recover` makes a profile of an old run, --force "
                "deletes it"
            )
        # Its `rankwise run` was killed, and its ranks were not.
        if node_memory.is_in_use(self.path):
            raise _goes_on(self.path, "name with -o")
        node_memory.forget(self.path)
        self._clear()

    def release(self) -> None:
        """Let other runs take the directory."""
        if self.lock < 0:
            return
        with contextlib.suppress(OSError):
            # While it is locked: who has opened it sees then that it is gone.
            (self.path / _LOCK).unlink()
        with contextlib.suppress(OSError):
            os.close(self.lock)

    def variables(self) -> dict[str, str]:
        """Return a number that identifies this run among others with the same directory."""
        return {"RANKWISE_RUN": f"{self.run:08x}"}

    def note(self, planned: Plan, only: Sequence[str] = (), not_covered: Sequence[str] | None = None) -> None:
        """Rewrite launch.json, so that the profile knows the command even if we are killed.

        Args:
            planned: the command.
            only: procedures whose messages inside are recorded; all if empty.
            not_covered: procedures that programs import and Rankwise does not record; None = not known yet.
        """
        note = {**planned.note(not_covered), "only": list(only), "run": self.run}
        text = json.dumps(note, indent=1, ensure_ascii=True)
        self._write(_NEW_NOTE, text)
        (self.path / _NEW_NOTE).replace(self.path / FILE_NAME)

    def keep_machine(self, reordering: reorder.Reordering) -> None:
        """Put the machine that communicators are reordered for where every node can read it."""
        if reordering.machine:
            self._write(reorder.FILE_NAME, reordering.machine)

    def keep_order(self, order: WorldOrder) -> None:
        """Put the files that describe the order of MPI_COMM_WORLD where every node can read them."""
        for name, content in order.files.items():
            self._write_bytes(name, content)

    def for_settings(self) -> Path:
        """Make the directory of the files that apply settings; it goes with what the run leaves."""
        path = self.path / APPLIED
        path.mkdir(mode=0o700)
        return path

    def note_end(self, note: end_note.EndNote | None = None) -> None:
        """Mark the job as ended for observers, with its status if known; never fails."""
        with contextlib.suppress(OSError):  # the directory is gone, or the disk full
            self._write(end_note.FILE_NAME, json.dumps(note.text() if note else {}, indent=1))

    def _write(self, name: str, text: str) -> None:
        self._write_bytes(name, (text + "\n").encode())

    def _write_bytes(self, name: str, content: bytes) -> None:
        # Only our user may read it, wherever the directory is: it may show the command line.
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
        path = self.path / name
        descriptor = os.open(path, flags, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
        except OSError as error:  # which lacks the name
            raise OSError(error.errno, error.strerror, str(path)) from error

    def has_counters(self) -> bool:
        """Whether any MPI process left counters."""
        saved = (path for pattern in _COUNTERS for path in self.path.glob(pattern))
        return any(saved) or any(memory.counters() for memory in node_memory.of_run(self.path, self.run))

    def remove(self) -> None:
        """Remove the run's files, and the directory if Rankwise made it and it is otherwise empty."""
        node_memory.forget(self.path)
        self._clear()
        self.release()
        if self.ours:
            with contextlib.suppress(OSError):  # somebody put a file there: it is theirs
                self.path.rmdir()

    def _clear(self) -> None:
        others = [FILE_NAME, _NEW_NOTE, end_note.FILE_NAME, KEPT_STDERR, reorder.FILE_NAME, meeting.DECISION]
        others += world_order.FILE_NAMES
        counters = (path for pattern in (*_COUNTERS, meeting.MARKS) for path in self.path.glob(pattern))
        shutil.rmtree(self.path / APPLIED, ignore_errors=True)
        for file in (*counters, *(self.path / name for name in others)):
            file.unlink(missing_ok=True)


def _goes_on(path: Path, other: str) -> RankwiseError:
    return RankwiseError(f"{path} belongs to a running job: wait for its end, or give another {other}")

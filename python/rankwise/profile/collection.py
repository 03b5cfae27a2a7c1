"""Makes the profiles of unattended jobs, from the run directories below a common one.

Any number of collectors may run at once, on several nodes. Each locks the run directory that it reads,
and removes what it has read.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
import stat
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from rankwise.errors import RankwiseError
from rankwise.profile.assemble import assemble
from rankwise.profile.collect import end_note, node_memory
from rankwise.profile.collect.counters import Counters
from rankwise.profile.collect.holders import CounterFiles, find_counters
from rankwise.profile.collect.job_tags import directories_of_tags
from rankwise.profile.collect.programs import program_name
from rankwise.profile.collect.worlds import worlds

RUN_SUFFIX = ".rankwise-run"
PROFILE_SUFFIX = ".rankwise"

_LOCK = "collecting"
_MOST_LOOKS = 5  # at a run directory that changes meanwhile
_QUIET_S = 900  # a keeper that lives saves more often, by default: src/keeper/main.cpp


class _Seen(NamedTuple):
    """The identity and state of a file: differs for another file of this name, and after a change."""

    inode: int
    changed_ns: int
    length: int


def run_directories(jobs: Path) -> list[Path]:
    """Return this user's run directories in a directory of jobs, and in its directories of tags, sorted.

    Raises:
        RankwiseError: the directory cannot be read.
    """
    ours = []
    try:
        for directory in (jobs, *directories_of_tags(jobs)):
            with os.scandir(directory) as entries:
                ours += [Path(entry.path) for entry in entries if _is_ours(entry)]
    except OSError as error:
        raise RankwiseError(f"{jobs} cannot be read: {error.strerror}: give the directory of jobs") from error
    return sorted(ours)


def _is_ours(entry: os.DirEntry[str]) -> bool:
    try:
        return (
            entry.name.endswith(RUN_SUFFIX)
            and entry.is_dir(follow_symlinks=False)
            and entry.stat(follow_symlinks=False).st_uid == os.geteuid()
        )
    except FileNotFoundError:  # another collector has removed it
        return False


def collect(
    run_directory: Path, output: Path, conclude: Callable[[sqlite3.Connection], None] | None = None
) -> list[Path]:
    """Make the profiles of a run directory whose job has ended, and remove it.

    Args:
        run_directory: absolute.
        output: the directory of profiles.
        conclude: adds the diagnosis to each profile.

    Returns:
        The profiles; none if the job is under way, if somebody else is at it, or if it has left nothing.

    Raises:
        RankwiseError: something of the run cannot be read, or a profile not be written: all is left as it is.
    """
    if _is_abandoned(run_directory):
        with suppress(OSError):  # a file has arrived
            run_directory.rmdir()
        return []
    for _ in range(_MOST_LOOKS):
        with _locked(run_directory) as now_s:
            if now_s is None:
                return []
            files = _files(run_directory)
            counter_files = find_counters(run_directory)
            if _has_ended(run_directory, counter_files, files, now_s):
                made = _made(run_directory, output, conclude)
                _remove(run_directory, files)
                break
        # Another node may have ended since, and its collector have found the directory locked.
        if not _changed(run_directory, files):
            return []
    else:
        return []
    with suppress(OSError):  # a file has arrived since
        run_directory.rmdir()
    return made


def _made(
    run_directory: Path, output: Path, conclude: Callable[[sqlite3.Connection], None] | None
) -> list[Path]:
    """Make the profiles.

    Raises:
        RankwiseError: one can't be written, or nothing can be read.
    """
    job = run_directory.name.removesuffix(RUN_SUFFIX)

    def named(program: Sequence[str], started_ns: int) -> Path:
        return output / f"{program_name(program)}.{_time(started_ns)}.{job}{PROFILE_SUFFIX}"

    made = assemble(run_directory, None, exit_status=None, by_program=named, conclude=conclude)
    return [made.path, *(other.path for other in made.others)]


def _time(since_1970_ns: int) -> str:
    """Return the local time, so that names sort by it."""
    return time.strftime("%Y-%m-%dT%H%M", time.localtime(since_1970_ns // 1_000_000_000))


def _is_abandoned(run_directory: Path) -> bool:
    """Return whether it is still unused."""
    with suppress(OSError):
        return not any(run_directory.iterdir()) and time.time() - run_directory.stat().st_mtime > _QUIET_S
    return False


@contextmanager
def _locked(run_directory: Path) -> Iterator[float | None]:
    """Keep other collectors away.

    Yields:
        what time it is for the file system, seconds since 1970; None if another collector is there, or was.
    """
    path = run_directory / _LOCK
    try:
        lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except FileNotFoundError:
        yield None
        return
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield None
            return
        if not _is_still(path, lock):
            yield None
            return
        try:
            os.utime(lock)
            yield os.fstat(lock).st_mtime
        finally:
            # While it is locked: who has opened it sees then that it is gone.
            path.unlink(missing_ok=True)
    finally:
        os.close(lock)


def _is_still(path: Path, descriptor: int) -> bool:
    with suppress(OSError):
        return os.path.samestat(path.lstat(), os.fstat(descriptor))
    return False


def _files(run_directory: Path) -> dict[str, _Seen]:
    """Return all files of a run directory but the lock, by name."""
    files = {}
    for path in run_directory.iterdir():
        with suppress(FileNotFoundError):  # a keeper has replaced it
            status = path.lstat()
            if path.name != _LOCK and stat.S_ISREG(status.st_mode):
                files[path.name] = _Seen(status.st_ino, status.st_mtime_ns, status.st_size)
    return files


def _changed(run_directory: Path, files: Mapping[str, _Seen]) -> bool:
    """Whether the run directory is there and has other files than these."""
    with suppress(FileNotFoundError):
        return _files(run_directory) != files
    return False


def _has_ended(
    run_directory: Path, counter_files: CounterFiles, files: Mapping[str, _Seen], now_s: float
) -> bool:
    """Whether nothing more is to come.

    Raises:
        RankwiseError: something cannot be read.
    """
    if counter_files.failures:
        raise counter_files.failures[0]
    if not counter_files.holders or node_memory.of_run(run_directory):
        return False
    quiet_s = max([_QUIET_S, *(node_file.save_every_ms / 500 for node_file in counter_files.node_files)])
    is_quiet = now_s - max(file.changed_ns for file in files.values()) / 1e9 > quiet_s
    is_final = bool(counter_files.node_files) and all(
        node_file.is_final for node_file in counter_files.node_files
    )
    # (Where `rankwise run` has noted the end it makes the profile itself, and may be at it.)
    if not is_quiet and (not is_final or end_note.has_ended(run_directory)):
        return False
    everybody = worlds(_counters(counter_files))
    return is_quiet or all(len(world.ranks) == world.size for world in everybody)


def _counters(counter_files: CounterFiles) -> Iterator[Counters]:
    for holder in counter_files.holders:
        for counters in holder.read():
            if isinstance(counters, RankwiseError):
                raise counters
            yield counters.without_rows()


def _remove(run_directory: Path, read_files: Mapping[str, _Seen]) -> None:
    """Remove the files that were read; newer or changed ones belong to another job of the same name."""
    remaining = _files(run_directory)
    for name, status in read_files.items():
        if remaining.get(name) == status:
            (run_directory / name).unlink(missing_ok=True)

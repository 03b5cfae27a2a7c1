"""Finds the run directory of a running job, or says in one line why a directory can't be used."""

from __future__ import annotations

import os
from pathlib import Path

from rankwise.errors import RankwiseError
from rankwise.profile.collect.end_note import has_ended
from rankwise.profile.collect.holders import find_counters
from rankwise.profile.collect.launch_note import FILE_NAME as LAUNCH_NOTE

RUN_SUFFIX = ".rankwise-run"


def newest(place: Path) -> Path:
    """Return the run directory of this user's latest job in `place`.

    Raises:
        RankwiseError: no job runs there.
    """
    candidates: list[tuple[float, Path]] = []
    for path in place.glob(f"*{RUN_SUFFIX}"):
        status = path.lstat()
        if path.is_dir() and not path.is_symlink() and status.st_uid == os.geteuid() and not has_ended(path):
            candidates.append((status.st_ctime, path))
    if not candidates:
        raise RankwiseError(
            f"no job runs in this directory: give the run directory, NAME{RUN_SUFFIX}, beside its profile"
        )
    return max(candidates)[1]


def check(directory: Path) -> None:
    """Check that a directory belongs to a job that may be running.

    Raises:
        RankwiseError: it is missing, no run directory, or its run has ended.
    """
    if not directory.is_dir():
        what = "is not a directory" if directory.exists() else "is not found"
        raise RankwiseError(
            f"{directory} {what}: give the run directory, NAME{RUN_SUFFIX}, which is there while the job runs"
        )
    try:
        names = os.listdir(directory)  # noqa: PTH208 - only the names are needed
    except OSError as error:
        raise RankwiseError(f"{directory} cannot be read: {error.strerror}") from error
    if LAUNCH_NOTE not in names and not find_counters(directory).holders:
        raise RankwiseError(
            f"{directory} is not a run directory, or no process of the job has called MPI_Init yet:"
            f" give NAME{RUN_SUFFIX}, beside the profile"
        )
    if has_ended(directory):
        raise ended(directory)


def ended(directory: Path) -> RankwiseError:
    """Return the error that the job of a run directory has ended."""
    return RankwiseError(f"{directory}: this job has ended; `rankwise recover {directory}` makes its profile")

"""Print what to set so that every MPI job is recorded, without `rankwise run`.

  eval "$(rankwise env --dir ~/jobs)"
  eval "$(rankwise env --dir ~/jobs --tag size=large)"
  rankwise env --dir /scratch/%u/rankwise --format module > modulefiles/rankwise

Each job then leaves its run directory below DIR, and `rankwise collect DIR` makes the profiles of
finished jobs. Programs without MPI are not affected.
"""

from __future__ import annotations

import argparse
import os
import stat
from collections.abc import Mapping
from pathlib import Path

from rankwise.commands.durations import duration
from rankwise.errors import RankwiseError
from rankwise.launch.environment import save_every
from rankwise.launch.everywhere import FORMATS, USER, Everywhere
from rankwise.launch.plan import library
from rankwise.launch.tags import tags
from rankwise.profile.collect.job_tags import make_directory_of_tags


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this verb."""
    parser.add_argument(
        "--dir",
        metavar="DIR",
        required=True,
        help="where the jobs' run directories go: every node must see it;"
        f" {USER.replace('%', '%%')} stands for the user, and the directory is then created on demand;"
        " otherwise DIR is created now if it does not exist",
    )
    parser.add_argument(
        "--shared",
        action="store_true",
        help="several users may write to DIR: it is created like /tmp, where users cannot touch the files "
        "of others",
    )
    parser.add_argument(
        "--format",
        choices=FORMATS,
        default="shell",
        help="lines for a shell, a modulefile in Tcl (Environment Modules, Lmod), or a script for Slurm's"
        " TaskProlog (default: %(default)s)",
    )
    parser.add_argument(
        "--tag",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="what tells the jobs of this shell from others, kept in the profiles, such as size=1024; commit"
        " and branch are added as by `rankwise run`; may be given several times",
    )
    parser.add_argument(
        "--save-every",
        metavar="TIME",
        type=duration,
        help="how often the counters are saved while a job runs (default: 10s)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Print it.

    Returns:
        The exit status.

    Raises:
        RankwiseError: an argument is wrong, DIR can't be made or its rights don't fit, or a file of the
            installation is missing.
    """
    settings = save_every(arguments.save_every) if arguments.save_every is not None else {}
    if arguments.tag and (arguments.format != "shell" or USER in arguments.dir):
        raise RankwiseError(f"--tag is for the jobs of one shell: give it without --format and {USER}")
    given = tags(arguments.tag, Path.cwd(), os.environ) if arguments.tag else {}
    jobs = _jobs(arguments.dir, shared=arguments.shared)
    if given:
        jobs = _with_tags(jobs, given)
    what = Everywhere(library(), jobs, settings)
    print(FORMATS[arguments.format](what))
    return 0


def _jobs(wanted: str, *, shared: bool) -> str:
    """Return the whole path of the directory, which is there unless each user has one."""
    if not wanted or not wanted.isprintable():
        raise RankwiseError("--dir: give a path of printable characters")
    path = str(Path(wanted).absolute())
    if USER in path:
        if shared:
            raise RankwiseError(f"--shared and {USER} contradict each other: remove one of them")
        return path
    directory = Path(path)
    try:
        directory.mkdir(mode=0o700)
        if shared:
            directory.chmod(0o1777)  # mkdir applies the umask
    except FileExistsError:
        _check(directory, shared)
    except OSError as error:
        raise RankwiseError(f"{directory} can't be made: {error.strerror}; give another --dir") from None
    return path


def _with_tags(jobs: str, given: Mapping[str, str]) -> str:
    try:
        return str(make_directory_of_tags(Path(jobs), given))
    except OSError as error:
        raise RankwiseError(
            f"{jobs}: the directory of the tags can't be made: {error.strerror}; give another --dir"
        ) from None


def _check(directory: Path, shared: bool) -> None:
    """Check that the right users can write to it, and that users can't remove each other's files."""
    if not directory.is_dir():
        raise RankwiseError(f"{directory} is not a directory: give another --dir")
    mode = directory.stat().st_mode
    if mode & stat.S_IWOTH and not mode & stat.S_ISVTX:
        raise RankwiseError(f"in {directory} users can remove the files of others: `chmod +t` it")
    if shared and not mode & stat.S_IWOTH:
        raise RankwiseError(f"other users can't write to {directory}: `chmod 1777` it, or remove --shared")
    if not os.access(directory, os.W_OK | os.X_OK):
        raise RankwiseError(f"{directory} can't be written to: give another --dir")

"""Make the profiles of finished jobs from the run directories below a directory.

  rankwise collect ~/jobs
  rankwise collect -o ~/profiles ~/jobs

For jobs recorded with the settings of `rankwise env`, whose tags they keep. Running jobs and unreadable
directories are skipped, the latter with a message. It is safe to run at any time, concurrently, and from
cron. It prints the profiles it has made: PROGRAM.TIME.uUSER.JOB.rankwise, with the local time at which the
program started.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from rankwise.commands.messages import say
from rankwise.diagnosis.kept import keep_diagnosis
from rankwise.errors import RankwiseError
from rankwise.profile.collect import node_memory
from rankwise.profile.collection import collect, run_directories


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this verb."""
    parser.add_argument(
        "jobs", metavar="DIR", type=Path, help="the directory that was given to `rankwise env`"
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="DIR2",
        type=Path,
        help="where the profiles go, made if it is not there (default: DIR)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Make the profiles, and print their paths.

    Returns:
        The exit status: 1 if something could not be read, or a profile not be written.

    Raises:
        RankwiseError: one of the directories is not there, or cannot be used.
    """
    jobs: Path = arguments.jobs.absolute()
    output: Path = (arguments.output or jobs).absolute()
    directories = run_directories(jobs)
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RankwiseError(f"{output} can't be made: {error.strerror}; give another path with -o") from None
    if not os.access(output, os.W_OK | os.X_OK):
        raise RankwiseError(f"{output} can't be written to: give another path with -o")
    node_memory.remove_leftovers()
    done = [_collect(directory, output) for directory in directories]
    return 0 if all(done) else 1


def _collect(directory: Path, output: Path) -> bool:
    """Make the profiles of a run directory and print their paths; False if that fails."""
    try:
        for profile in collect(directory, output, keep_diagnosis):
            print(profile, flush=True)
    except (RankwiseError, OSError) as error:
        say(f"{directory} is left unchanged: {error}")
        return False
    return True

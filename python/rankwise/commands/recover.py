"""Make the profile from a run directory after `rankwise run` itself was killed.

The counters of the processes survive the launcher; this reads them as `rankwise run` would have
done at the end. It also works while the program is still running; the profile is then partial.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from rankwise.commands.messages import say
from rankwise.diagnosis.kept import keep_diagnosis
from rankwise.errors import RankwiseError
from rankwise.profile.assemble import assemble
from rankwise.profile.collection import PROFILE_SUFFIX, RUN_SUFFIX
from rankwise.render.terminal.progress import ProgressBar


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this verb."""
    parser.add_argument("run_directory", metavar="RUNDIR", type=Path, help="the directory NAME.rankwise-run")
    parser.add_argument(
        "-o",
        "--output",
        metavar="F.rankwise",
        type=Path,
        help="the profile (default: NAME.rankwise, beside RUNDIR)",
    )
    parser.add_argument("--force", action="store_true", help="replace the profile if it exists")


def run(arguments: argparse.Namespace) -> int:
    """Make the profile, and print its path and its summary.

    Returns:
        The exit status.

    Raises:
        RankwiseError: RUNDIR is no run directory, or the profile is there, or it cannot be written.
    """
    # Imported late: the summary needs more than the profile, which is safe by then.
    from rankwise.render.terminal.programs import print_longest

    directory: Path = arguments.run_directory
    if not directory.is_dir():
        what = "is not a directory" if directory.exists() else "is not found"
        raise RankwiseError(f"{directory} {what}: give the run directory, NAME{RUN_SUFFIX}")
    output: Path = arguments.output or default_output(directory)
    if output.exists() and not arguments.force:
        raise RankwiseError(f"{output} already exists: give another name with -o, or --force to replace it")
    with ProgressBar("making the profile") as bar:
        assembly = assemble(
            *(directory, output),
            exit_status=None,
            force=arguments.force,
            listener=bar,
            conclude=keep_diagnosis,
        )
    if assembly.idle:
        say(assembly.idle_text())
    paths = [assembly.path, *(other.path for other in assembly.others)]
    for path in paths:
        print(path, flush=True)
    print_longest(paths, sys.stderr)
    return 0


def default_output(run_directory: Path) -> Path:
    """Name the profile of a run directory: `NAME.rankwise` next to `NAME.rankwise-run`."""
    directory = run_directory.resolve()  # `.` has a name, too
    return directory.with_name(directory.name.removesuffix(RUN_SUFFIX) + PROFILE_SUFFIX)

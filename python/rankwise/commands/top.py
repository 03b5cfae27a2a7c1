"""Watch a job while it runs: where its time goes, and where each rank is now.

  rankwise top                               the newest job in this directory
  rankwise top app.12345.rankwise-run        from any node that sees the directory
  rankwise top --once --json RUNDIR          for scripts

Shows the share of MPI since the last update and since the start, the communicators and calls with
the most time, rates of bytes and messages, the ranks that others wait for, and for each rank its
current call and communicator, and since when. In a job that hangs, this shows which rank is missing
where. It only reads the counters of the job, and ends with the job or on Ctrl-C.
"""

from __future__ import annotations

import argparse
import json
import sys
from itertools import chain
from pathlib import Path

from rankwise._linux import stand_back
from rankwise.analysis.to_json import to_json
from rankwise.commands.durations import duration
from rankwise.errors import RankwiseError
from rankwise.live.picture import Picture
from rankwise.live.rundirectory import check, ended, newest
from rankwise.live.watch import Watch

_DEFAULT_EVERY = 2.0
_LEAST_EVERY, _MOST_EVERY = 0.1, 86_400.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this verb."""
    parser.add_argument(
        "run_directory",
        metavar="RUNDIR",
        type=Path,
        nargs="?",
        help="the directory NAME.rankwise-run of the job (default: the newest one here)",
    )
    parser.add_argument(
        "--every",
        type=_every,
        default=_DEFAULT_EVERY,
        metavar="TIME",
        help="update interval (default: %(default)gs)",
    )
    parser.add_argument(
        "--once", action="store_true", help="take two readings, print the time in between, and exit"
    )
    parser.add_argument(
        "--json", action="store_true", help="with --once: as one JSON document, never truncated"
    )


def run(arguments: argparse.Namespace) -> int:
    """Show the job until it has ended; 0.

    Raises:
        RankwiseError: no such run directory, or its job has ended or has not called MPI_Init (with --once).
    """
    if arguments.json and not arguments.once:
        raise RankwiseError("--json prints one picture: use it with --once")
    directory: Path = arguments.run_directory or newest(Path())
    check(directory)
    watch = Watch(directory, arguments.every)
    looks = watch.looks()
    first = next(looks)
    if first.last:
        raise ended(directory)
    if arguments.once:
        _print(next(looks).picture, arguments.every, as_json=arguments.json)
        return 0
    from rankwise.render.terminal.live.screen import show

    stand_back()  # behind the ranks, once there is nothing more to load
    show(chain([first], looks), arguments.every, sys.stdout)
    return 0


def _print(picture: Picture | None, every: float, *, as_json: bool) -> None:
    if picture is None:
        raise RankwiseError(
            "no process of the job has called MPI_Init yet: try again later, or remove --once"
        )
    if as_json:
        sys.stdout.write(f"{json.dumps(to_json(picture), indent=2)}\n")
        return
    from rankwise.render.terminal.live.screen import write

    write(picture, every, sys.stdout)


def _every(text: str) -> float:
    seconds = duration(text)
    if not _LEAST_EVERY <= seconds <= _MOST_EVERY:
        raise argparse.ArgumentTypeError(f"{text}: give {_LEAST_EVERY:g}s to {_MOST_EVERY / 3600:g}h")
    return seconds

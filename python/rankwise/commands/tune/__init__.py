"""Find settings of the MPI library that make a program faster, and prove the gain by running it.

  rankwise run -o app.rankwise -- mpirun -n 64 ./app
  rankwise tune app.rankwise --apply app.tuned.json -- mpirun -n 64 ./app
  rankwise run --with app.tuned.json -- mpirun -n 64 ./app

  rankwise tune app.rankwise --parameters -- mpirun -n 64 ./app
  rankwise tune recheck app.tuned.json -- mpirun -n 64 ./app
  rankwise tune --guidelines -- mpirun -n 64

The profile shows which collectives cost most. A probe, started in place of the program, times all
algorithms that the installed library has for them, except those that could break the program. Then
the program itself runs in pairs, with and without the settings, and FILE is written only if their
gain is proven. --parameters tries settings for the whole program instead: eager limits,
point-to-point layers, binding, or your own list. `recheck` shows which rules of a file still win,
such as after an upgrade. --guidelines finds defaults of the library that are slower than equivalent
calls. Ctrl-C keeps what was measured, and the same command continues from there; `recheck` starts
over.
"""

from __future__ import annotations

import argparse
import importlib
from pathlib import Path

from rankwise.commands.tune import options
from rankwise.commands.tune.help import Help
from rankwise.errors import RankwiseError

HAS_OWN_HELP = True
"""That for each mode."""

_RECHECK = "recheck"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command line of `rankwise tune`."""
    parser.add_argument(
        "what",
        nargs="*",
        metavar="F.rankwise",
        help="the profile of the program; or: recheck FILE",
    )
    options.add_arguments(parser)
    parser.add_argument(
        "-h",
        "--help",
        action=Help,
        nargs=0,
        help="show this help; after `recheck` or --guidelines, its help",
    )


def run(arguments: argparse.Namespace) -> int:
    """Do what is wanted; 0, 128 + n if signal n ended it early, or RankwiseError."""
    words: list[str] = arguments.what
    recheck = words[:1] == [_RECHECK]
    if recheck:
        words = words[1:]
    modes = [
        name
        for name, is_wanted in (
            ("recheck", recheck),
            ("guidelines", arguments.guidelines),
            ("parameters", arguments.parameters is not None),
        )
        if is_wanted
    ]
    if len(modes) > 1:
        raise RankwiseError(f"{modes[0]} and {modes[1]} can't be combined: give one at a time")
    mode = modes[0] if modes else "collectives"
    if mode == "guidelines" and words:
        raise RankwiseError("--guidelines needs no profile: give only the launch, after `--`")
    if mode != "guidelines" and len(words) != 1:
        wanted = "the settings file" if recheck else "the profile"
        raise RankwiseError(
            f"give {wanted}, and the command after `--`, as in: "
            f"rankwise tune {'recheck app.tuned.json' if recheck else 'app.rankwise'} -- mpirun -n 4 ./app"
        )
    options.check(arguments, mode)
    arguments.file = Path(words[0]) if words else None
    if not arguments.command:
        raise RankwiseError(
            "no command: put it after `--`, as in: rankwise tune F.rankwise -- mpirun -n 4 ./app"
        )
    status: int = importlib.import_module(f"rankwise.commands.tune.{mode}").run(arguments)
    return status

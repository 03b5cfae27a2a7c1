"""Find settings of the MPI library that make a program faster, and prove it by running the program.

  rankwise run -o app.rankwise -- mpirun -n 64 ./app
  rankwise tune app.rankwise --apply app.tuned.json -- mpirun -n 64 ./app
  rankwise run --with app.tuned.json -- mpirun -n 64 ./app

  rankwise tune app.rankwise --parameters -- mpirun -n 64 ./app
  rankwise tune recheck app.tuned.json -- mpirun -n 64 ./app
  rankwise tune --guidelines -- mpirun -n 64
  rankwise tune machine -o machine.json -- mpirun -n 64

The profile tells which collectives cost most. A probe in the program's place times all algorithms that the
installed library has for them; what could break the program is left out. Then the program itself runs in
pairs, with and without the settings, and FILE is written only if they are proven to gain. --parameters tries
settings for the whole program instead: eager limits, point-to-point layers, binding, or a list of your own.
`recheck` tells which rules of a file still win, such as after an upgrade. --guidelines looks where the
library's defaults are slower than what they could be made of. `machine` needs no program: it measures all
collectives, sizes and numbers of nodes, over nights if need be. Ctrl-C keeps what was measured, and the same
command goes on from there; `recheck` begins anew.
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

_RECHECK, _MACHINE = "recheck", "machine"
_WITHOUT_FILE = {"guidelines": "--guidelines", "machine": "machine"}
"""Modes that need a launch alone, and what asks for them."""
_EXAMPLES = {
    "guidelines": "--guidelines -- mpirun -n 64",
    "machine": "machine -o machine.json -- mpirun -n 64",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command line of `rankwise tune`."""
    parser.add_argument(
        "what",
        nargs="*",
        metavar="F.rankwise",
        help="the profile of the program; or: recheck FILE; or: machine",
    )
    options.add_arguments(parser)
    parser.add_argument(
        "-h",
        "--help",
        action=Help,
        nargs=0,
        help="show this; behind `recheck`, `machine` or --guidelines, what that has",
    )


def run(arguments: argparse.Namespace) -> int:
    """Do what is wanted; 0, 128 + n if signal n ended it early, or RankwiseError."""
    words: list[str] = arguments.what
    recheck, machine = words[:1] == [_RECHECK], words[:1] == [_MACHINE]
    if recheck or machine:
        words = words[1:]
    modes = [
        name
        for name, is_wanted in (
            ("recheck", recheck),
            ("machine", machine),
            ("guidelines", arguments.guidelines),
            ("parameters", arguments.parameters is not None),
        )
        if is_wanted
    ]
    if len(modes) > 1:
        raise RankwiseError(f"{modes[0]} and {modes[1]} are two things: ask for one at a time")
    mode = modes[0] if modes else "collectives"
    if mode in _WITHOUT_FILE and words:
        raise RankwiseError(f"{_WITHOUT_FILE[mode]} needs no profile: give the launch alone, after `--`")
    if mode not in _WITHOUT_FILE and len(words) != 1:
        wanted = "the settings file" if recheck else "the profile"
        raise RankwiseError(
            f"give {wanted}, and the command after `--`, as in: "
            f"rankwise tune {'recheck app.tuned.json' if recheck else 'app.rankwise'} -- mpirun -n 4 ./app"
        )
    options.check(arguments, mode)
    arguments.file = Path(words[0]) if words else None
    if not arguments.command and arguments.show is None:
        example = _EXAMPLES.get(mode, "F.rankwise -- mpirun -n 4 ./app")
        raise RankwiseError(f"no command: put it after `--`, as in: rankwise tune {example}")
    status: int = importlib.import_module(f"rankwise.commands.tune.{mode}").run(arguments)
    return status

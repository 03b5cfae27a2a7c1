"""Find settings of the MPI library that make a program faster, and prove the gain by running it.

  rankwise run -o app.rankwise -- mpirun -n 64 ./app
  rankwise tune app.rankwise -o app.tuned.json -- mpirun -n 64 ./app
  rankwise run --with app.tuned.json -- mpirun -n 64 ./app

  rankwise tune parameters app.rankwise -- mpirun -n 64 ./app
  rankwise tune recheck app.tuned.json -- mpirun -n 64 ./app
  rankwise tune guidelines -- mpirun -n 64
  rankwise tune machine -o machine.json -- mpirun -n 64
  rankwise tune online -o app.tuned.json -- mpirun -n 64 ./app

The profile tells which collectives cost most. A probe in the program's place times all algorithms that the
installed library has for them; what could break the program is left out. Then the program itself runs in
pairs, with and without the settings, and FILE is written only if they are proven to gain. Ctrl-C keeps what
was measured, and the same command continues from there.
"""

from __future__ import annotations

import argparse

from rankwise.commands import probes, trial_options
from rankwise.commands.limits import add_json, add_seed
from rankwise.commands.tune import options

SUB_VERBS = ("parameters", "guidelines", "machine", "online", "recheck")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command line of `rankwise tune`."""
    options.add_profile(parser)
    options.add_output(parser, "if they are proven to gain")
    trial_options.add_budget(parser)
    options.add_bitwise(parser)
    trial_options.add_check(parser)
    parser.add_argument(
        "--cells",
        type=trial_options.count,
        default=options.CELLS,
        metavar="N",
        help="time at most N combinations of collective, communicator size and message size (default: "
        "%(default)s)",
    )
    trial_options.add_runs(parser)
    trial_options.add_confidence(parser, "of intervals")
    add_seed(parser, "the order of runs")
    add_json(parser)
    probes.add_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Find algorithms of collectives; 0, 128 + n if signal n ended it early, or RankwiseError."""
    from rankwise.commands.tune.collectives import run as tune

    options.check_command(arguments, "rankwise tune app.rankwise -- mpirun -n 4 ./app")
    return tune(arguments)

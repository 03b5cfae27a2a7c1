"""Find a better placement of the ranks from their communication, and write it as files for launchers.

  rankwise map F.rankwise
  rankwise map F.rankwise --machine machine.json -o placement
  rankwise map F.rankwise --fabric fabric/ --objective bottleneck -o placement
  rankwise map verify F.rankwise -o placement -- mpirun -n 8 ./app
  rankwise map predict F.rankwise --machine other.json

Without -o it only reports the possible gain. By default the ranks trade places with each other; with
--all-slots they can move to any slot of the machine.
"""

from __future__ import annotations

import argparse

from rankwise.commands.map import options, plot
from rankwise.commands.map.on_fabric import add_on_fabric, on_fabric
from rankwise.commands.map.place import place
from rankwise.commands.map.request import Request

SUB_VERBS = ("verify", "predict")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command line of `rankwise map`."""
    options.add_profile(parser)
    options.add_machine(parser)
    add_on_fabric(parser)
    options.add_search(parser, "the search")
    plot.add_argument(parser)
    options.add_files(parser)


def run(arguments: argparse.Namespace) -> int:
    """Place the ranks; 0, or RankwiseError."""
    from rankwise.topology.machine.read import read_machine

    options.check_files(arguments)
    plot.check(arguments)
    fabric = on_fabric(arguments)
    machine = read_machine(arguments.machine) if arguments.machine else None
    place(Request.by(arguments), machine, nodes=options.nodes(arguments), fabric=fabric)
    return 0

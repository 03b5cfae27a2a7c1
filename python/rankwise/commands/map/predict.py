"""Place the ranks anywhere on other machines than that of the run, and compare several.

  rankwise map predict F.rankwise --machine other.json -o placement
  rankwise map predict F.rankwise --machine a.json --machine b.json
  rankwise map predict F.rankwise --shape 4x16,8x8

Of one machine, the placement that was found; of several, which suits the run best. Nothing is run.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from rankwise.commands.map import options, plot, what_if
from rankwise.commands.map.place import place
from rankwise.commands.map.request import Request
from rankwise.errors import RankwiseError

if TYPE_CHECKING:
    from rankwise.placement.what_if.shapes import Shape
    from rankwise.topology.machine.model import Machine


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command line of `rankwise map predict`."""
    options.add_profile(parser)
    parser.add_argument(
        "--machine",
        dest="machines",
        action="append",
        default=[],
        type=Path,
        metavar="machine.json",
        help="another machine; the option may be there several times",
    )
    parser.add_argument(
        "--shape",
        dest="machines",
        action="extend",
        type=_shapes,
        metavar="NxM,...",
        help="N nodes of M slots; 2x4x16: 2 switches x 4 nodes x 16 slots",
    )
    options.add_search(parser, "the search")
    plot.add_argument(parser)
    options.add_files(parser)


def run(arguments: argparse.Namespace) -> int:
    """Place the ranks on the machines; 0, or RankwiseError."""
    _check(arguments)
    plot.check(arguments)
    machines = _machines(arguments)
    if len(machines) > 1:
        what_if.compare_machines(Request.by(arguments), machines)
    else:
        place(Request.by(arguments), machines[0][1], nodes="all", predict=True)
    return 0


def _check(arguments: argparse.Namespace) -> None:
    """Refuse options that contradict each other; RankwiseError."""
    if not arguments.machines:
        raise RankwiseError("name the other machine: add --machine machine.json or --shape 4x16")
    shaped = any(not isinstance(given, Path) for given in arguments.machines)
    if arguments.output is not None and shaped:
        raise RankwiseError("a shape has no hosts that files could be written for: leave --shape or -o out")
    if arguments.output is not None and len(arguments.machines) > 1:
        raise RankwiseError("-o writes the files of one placement: give one --machine, or leave -o out")
    if arguments.plot is not None and len(arguments.machines) > 1:
        raise RankwiseError("--plot draws one placement: give one machine, or leave --plot out")
    options.check_files(arguments)


def _machines(arguments: argparse.Namespace) -> list[tuple[str, Machine]]:
    """Return the machines, each with its name; shapes take over the costs of the first file.

    Raises:
        RankwiseError: a file is no machine.
    """
    from rankwise.topology.machine.read import read_machine

    files = {given: read_machine(given) for given in arguments.machines if isinstance(given, Path)}
    measured = next(iter(files.values()), None)
    return [(str(given), files.get(given) or _shaped(given, measured)) for given in arguments.machines]


def _shaped(shape: Shape, measured: Machine | None) -> Machine:
    from rankwise.placement.what_if.shapes import machine_of_shape

    return machine_of_shape(shape, measured)


def _shapes(text: str) -> list[Shape]:
    from rankwise.placement.what_if.shapes import shapes_of

    try:
        return shapes_of(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error

"""The machines that `rankwise map` is told, by files and by shapes."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from rankwise.errors import RankwiseError

if TYPE_CHECKING:
    from rankwise.placement.what_if.shapes import Shape
    from rankwise.topology.machine.model import Machine


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options; `machines` has what both tell, in its order."""
    parser.add_argument(
        "--machine",
        dest="machines",
        action="append",
        default=[],
        type=Path,
        metavar="machine.json",
        help="the machine, or several with --predict (default: the nodes of the run, without further levels)",
    )
    parser.add_argument(
        "--shape",
        dest="machines",
        action="extend",
        type=_shapes,
        metavar="NxM,...",
        help="--predict on N nodes of M slots; 2x4x16: on 2 switches x 4 nodes x 16 slots",
    )
    parser.add_argument("--predict", action="store_true", help="place the ranks on other machines")


def is_prediction(arguments: argparse.Namespace) -> bool:
    """Tell whether the machine may be another one than the run's; RankwiseError if options contradict it."""
    shaped = any(not isinstance(given, Path) for given in arguments.machines)
    if not (arguments.predict or shaped):
        if len(arguments.machines) > 1:
            raise RankwiseError("several machines are for --predict: add it, or give one --machine")
        return False
    if not arguments.machines:
        raise RankwiseError("--predict needs the other machine: add --machine machine.json or --shape 4x16")
    if arguments.nodes == "job":
        raise RankwiseError("--predict places ranks on another machine: --nodes job does not go with it")
    if arguments.output is not None and shaped:
        raise RankwiseError("a shape has no hosts to write files for: remove --shape or -o")
    if arguments.output is not None and len(arguments.machines) > 1:
        raise RankwiseError("-o writes the files of one placement: give one --machine, or remove -o")
    return True


def machines(arguments: argparse.Namespace) -> list[tuple[str, Machine]]:
    """Return what is told, each with its name; none if the run's own nodes are meant.

    Shapes take over the costs of the first file.

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

"""Make a machine.json from a latency measurement.

  rankwise machine from-latency F.json -o machine.json
  rankwise machine from-latency F.json --base slurm.json -o machine.json

The levels are found in the measured times. With --base, the tree of another machine.json, such as
one from hwloc or Slurm, is kept and gets the measured costs. A table shows where its levels, or
else those reported by the kernels, disagree with the measured ones.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from rankwise.commands.machine.output import add_output, write_made

if TYPE_CHECKING:
    from rankwise.topology.machine.model import Machine


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "measurement",
        type=Path,
        metavar="F.json",
        help="of `rankwise latency`, a log of mmpi, or mpiGraph's output",
    )
    parser.add_argument(
        "--base",
        type=Path,
        metavar="machine.json",
        help="keep its tree (default: make one from the levels found)",
    )
    parser.add_argument(
        "--network", action="store_true", help="also keep the measurements between every two nodes"
    )
    add_output(parser)


def run(arguments: argparse.Namespace) -> int:
    """Write the file and compare; 0, or RankwiseError."""
    from rankwise.latency.formats.detect import read
    from rankwise.render.terminal.machine import print_agreement
    from rankwise.topology.hierarchy.compare import Agreement
    from rankwise.topology.hierarchy.find import find_hierarchy
    from rankwise.topology.machine.read import read_machine
    from rankwise.topology.sources.measured import machine_from_latency
    from rankwise.topology.sources.node_matrix import node_matrix

    agreements: list[Agreement] = []
    hosts: list[str] = []

    def make() -> Machine:
        measurement = read(arguments.measurement)
        base = read_machine(arguments.base) if arguments.base else None
        machine = machine_from_latency(
            measurement, find_hierarchy(measurement), str(arguments.measurement), base
        )
        agreements.extend(machine.agreements)
        hosts.extend(measurement.host_names())
        if not arguments.network:
            return machine.machine
        return replace(machine.machine, network=node_matrix(machine.machine, measurement))

    write_made(arguments.output, make, force=arguments.force)
    print_agreement(agreements, hosts, sys.stdout)
    return 0

"""Make a machine.json from Slurm's topology.conf or topology.yaml.

  rankwise machine from-slurm /etc/slurm/topology.conf --hwloc node.xml -o machine.json
  rankwise machine from-slurm topology.yaml --topology gpu --node $SLURM_JOB_NODELIST -o machine.json

The file may be the output of `scontrol show topology`. Slurm knows switches, blocks or rings, and
their nodes. --hwloc or --slots describes the inside of a node; without them a node is a single
slot.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from rankwise.commands.machine.inside import add_inside
from rankwise.commands.machine.output import add_output, write_made


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "topology_file", type=Path, metavar="topology.conf|topology.yaml", help="YAML if it ends in .yaml"
    )
    parser.add_argument(
        "--topology", metavar="NAME", help="topology of topology.yaml (default: the cluster's default)"
    )
    parser.add_argument(
        "--node", metavar="LIST", help="only these, such as $SLURM_JOB_NODELIST (default: all)"
    )
    add_inside(parser)
    add_output(parser)


def run(arguments: argparse.Namespace) -> int:
    """Write the file; 0, or RankwiseError."""
    from rankwise.commands.messages import say
    from rankwise.topology.machine.hosts import hosts_of
    from rankwise.topology.sources.slurm.machine import machine_from_slurm

    hosts = None if arguments.node is None else hosts_of(arguments.node)
    write_made(
        arguments.output,
        lambda: machine_from_slurm(
            arguments.topology_file,
            topology=arguments.topology,
            hosts=hosts,
            hwloc=arguments.hwloc,
            slots=arguments.slots,
            warn=say,
        ),
        force=arguments.force,
    )
    return 0

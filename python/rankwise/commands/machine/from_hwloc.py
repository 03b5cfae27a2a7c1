"""Make a machine.json from hwloc: from this node, or from XML files.

  rankwise machine from-hwloc -o machine.json
  rankwise machine from-hwloc node.xml --nodes node[01-16] -o machine.json
  rankwise machine from-hwloc node0.xml node1.xml -o machine.json

Each XML file describes one node: `lstopo node.xml` writes it. --nodes names the nodes; with one
file or none, all of them are identical.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from rankwise.commands.machine.output import add_output, write_made


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "files", nargs="*", type=Path, metavar="NODE.xml", help="of hwloc (default: this node)"
    )
    parser.add_argument(
        "--nodes", metavar="LIST", help="names of the nodes, as Slurm writes them: node[01-16]"
    )
    add_output(parser)


def run(arguments: argparse.Namespace) -> int:
    """Write the file; 0, or RankwiseError."""
    from rankwise.topology.machine.hosts import hosts_of
    from rankwise.topology.sources.hwloc import machine_from_hwloc

    names = () if arguments.nodes is None else hosts_of(arguments.nodes)
    write_made(arguments.output, lambda: machine_from_hwloc(arguments.files, names), force=arguments.force)
    return 0

"""Make a machine.json from hwloc: from this node, or from XML files.

  rankwise machine from-hwloc -o machine.json
  rankwise machine from-hwloc node.xml --node node[01-16] -o machine.json
  rankwise machine from-hwloc node0.xml node1.xml -o machine.json

Each XML file is of one node: `lstopo node.xml` writes it. --node names the nodes; if there is one file, or
none, all of them are like it.
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
        "--node", metavar="LIST", help="names of the nodes, as Slurm writes them: node[01-16]"
    )
    add_output(parser)


def run(arguments: argparse.Namespace) -> int:
    """Write the file; 0, or RankwiseError."""
    from rankwise.topology.machine.hosts import hosts_of
    from rankwise.topology.sources.hwloc import machine_from_hwloc

    names = () if arguments.node is None else hosts_of(arguments.node)
    write_made(arguments.output, lambda: machine_from_hwloc(arguments.files, names), force=arguments.force)
    return 0

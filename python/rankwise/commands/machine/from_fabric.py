"""Make a machine.json from a fabric, so that `rankwise map` can place ranks by the loads of its links.

  rankwise machine from-fabric opensm-subnet.lst opensm.fdbs --slots 16 -o machine.json
  rankwise machine from-fabric fattree:leaf=18x18,spine=9,gbit=100 --node node[0001-0128] -o machine.json

PATH are files of the fabric, a directory with them, or a fabric.json; WORDS tell what to make (see
docs/reference/fabrics.md). --hwloc or --slots tells what is inside of a node; without them a node is a
single slot.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from rankwise.commands.fabric_options import add_lid, add_rail, add_routing, lid_offset_of
from rankwise.commands.machine.inside import add_inside
from rankwise.commands.machine.output import add_output, write_made

if TYPE_CHECKING:
    from rankwise.topology.machine.model import Machine


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("fabric", nargs="+", metavar="PATH|WORDS", help="files of a fabric, or what to make")
    parser.add_argument(
        "--node", metavar="LIST", help="only these, such as $SLURM_JOB_NODELIST (default: all)"
    )
    add_rail(parser)
    add_lid(parser)
    add_routing(parser)
    parser.add_argument(
        "--tables",
        action="store_true",
        help="also write forwarding tables for a generated torus or dragonfly, with the hosts' own links",
    )
    add_inside(parser)
    add_output(parser)


def run(arguments: argparse.Namespace) -> int:
    """Write the file; 0, or RankwiseError."""
    from rankwise.commands.messages import say
    from rankwise.network.machine.machine import machine_from_fabric
    from rankwise.network.sources.open import open_fabric
    from rankwise.topology.machine.hosts import hosts_of

    hosts = None if arguments.node is None else hosts_of(arguments.node)

    def make() -> Machine:
        fabric = open_fabric(arguments.fabric, arguments.routing)
        for warning in (*fabric.gaps, *fabric.remarks):
            say(warning)
        return machine_from_fabric(
            fabric,
            hosts=hosts,
            rail=arguments.rail,
            lid_offset=lid_offset_of(arguments.lid, fabric),
            as_tables=arguments.tables,
            hwloc=arguments.hwloc,
            slots=arguments.slots,
            warn=say,
        )

    write_made(arguments.output, make, force=arguments.force)
    return 0

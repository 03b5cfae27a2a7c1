"""Save a fabric as a single file for --fabric.

rankwise links save /var/log/opensm-subnet.lst /var/log/opensm.fdbs -o fabric.json
rankwise links save fabric/ -o fabric.json.gz
"""

from __future__ import annotations

import argparse
from pathlib import Path

from rankwise.commands.fabric_options import add_routing


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command line of `rankwise links save`."""
    parser.add_argument(
        "fabric",
        nargs="+",
        metavar="PATH",
        help="files of the network's cables and forwarding tables, directories of them, or words to make one",
    )
    add_routing(parser)
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="fabric.json",
        required=True,
        help="the file to write, compressed if it ends in .gz",
    )
    parser.add_argument("--force", action="store_true", help="replace the file if it exists")


def run(arguments: argparse.Namespace) -> int:
    """Write it; 0, or RankwiseError."""
    from rankwise.commands.messages import say
    from rankwise.network.sources.fabric_json.write import write_fabric
    from rankwise.network.sources.open import open_fabric
    from rankwise.whole_files import refuse_existing

    refuse_existing(arguments.output, force=arguments.force)
    fabric = open_fabric(arguments.fabric, arguments.routing)
    for warning in (*fabric.gaps, *fabric.remarks):
        say(warning)
    write_fabric(fabric, arguments.output, arguments.force)
    return 0

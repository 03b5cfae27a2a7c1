"""Show a machine.json: its tree, its levels with their costs, slow parts, and sources."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from rankwise.commands.limits import add_json, add_limit

_DEFAULT_LIMIT = 30


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("machine", type=Path, metavar="machine.json", help="the file to show")
    add_json(parser)
    add_limit(parser, _DEFAULT_LIMIT, "a list")


def run(arguments: argparse.Namespace) -> int:
    """Show it; 0, or RankwiseError if it can't be read."""
    from rankwise.topology.machine.read import read_machine

    machine = read_machine(arguments.machine)
    if arguments.json:
        import json

        from rankwise.topology.machine.shape import Shapes, object_counts, slot_count
        from rankwise.topology.machine.write import to_json

        shown = to_json(machine) | {
            "shape": Shapes(machine).inside(machine.root),
            "objects": dict(zip(machine.level_names(), object_counts(machine), strict=True)),
            "slots": slot_count(machine),
            "hosts": machine.hosts(),
        }
        sys.stdout.write(f"{json.dumps(shown, indent=2)}\n")
    else:
        from rankwise.render.terminal.machine import print_machine

        print_machine(machine, sys.stdout, arguments.limit)
    return 0

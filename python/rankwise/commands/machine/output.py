"""What all that make a machine.json have in common."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rankwise.topology.machine.model import Machine


def add_output(parser: argparse.ArgumentParser) -> None:
    """Declare -o and --force."""
    parser.add_argument(
        "-o", "--output", type=Path, metavar="machine.json", required=True, help="the file to write"
    )
    parser.add_argument("--force", action="store_true", help="replace the file if it exists")


def write_made(output: Path, make: Callable[[], Machine], *, force: bool) -> Machine:
    """Make a machine, write it, and describe it; an existing output is refused before any work."""
    from rankwise.render.terminal.page import Page
    from rankwise.topology.machine.shape import Shapes
    from rankwise.topology.machine.write import check_output, write_machine

    check_output(output, force)
    machine = make()
    write_machine(machine, output)
    page = Page(sys.stdout)
    page.write(*page.wrapped(f"{output}: {Shapes(machine).inside(machine.root)}", indent=2))
    return machine

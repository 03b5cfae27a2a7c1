"""Options that describe the inside of nodes."""

from __future__ import annotations

import argparse
from pathlib import Path

_DIGITS = 5


def add_inside(parser: argparse.ArgumentParser) -> None:
    """Declare --hwloc and --slots."""
    inside = parser.add_mutually_exclusive_group()
    inside.add_argument(
        "--hwloc", type=Path, metavar="NODE.xml", help="hwloc's XML of a node: all nodes are identical"
    )
    inside.add_argument("--slots", type=_slots, metavar="N", help="slots of each node (default: 1)")


def _slots(text: str) -> int:
    if not text.isdecimal() or len(text) > _DIGITS or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of slots from 1 to 99999")
    return int(text)

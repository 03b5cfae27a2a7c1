"""Show hosts that are slow in many runs, and ports that are blocked or count errors in many.

  rankwise centre hosts STORE --since 2026-11

Hosts are compared with the other hosts of the same run. Only hosts that are slow more often than chance
explains are shown.
"""

from __future__ import annotations

import argparse

from rankwise.commands.centre.asking import add_question, ask


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_question(parser, limit=False)


def run(arguments: argparse.Namespace) -> int:
    """Print the answer; 0, or RankwiseError if the store can't be read."""
    return ask(arguments, "hosts")

"""Show by month: node hours, their recorded share, efficiency, waste, and the largest changes.

  rankwise centre trends STORE
  rankwise centre trends STORE --program vasp

The last two whole months are compared.
"""

from __future__ import annotations

import argparse

from rankwise.commands.centre.asking import add_question, ask


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_question(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the answer; 0, or RankwiseError if the store can't be read."""
    return ask(arguments, "trends")

"""Show which waste costs most node hours, which programs have it, and the job that shows it best.

  rankwise centre waste STORE
  rankwise centre waste STORE --since 2026-11 --user alice
  rankwise centre waste STORE --account physics --json

Waste is what findings of high confidence promise to save, as `rankwise explain` lists them; the share of MPI
plays no part.
"""

from __future__ import annotations

import argparse

from rankwise.commands.centre.asking import add_question, ask


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_question(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the answer; 0, or RankwiseError if the store can't be read."""
    return ask(arguments, "waste")

"""Show the users whose jobs could save most, and where.

  rankwise centre users STORE --since 2026-11
  rankwise centre users STORE --partition big --csv

Each user has the kind of waste, the program and the job to begin with.
"""

from __future__ import annotations

import argparse

from rankwise.commands.centre.asking import add_question, ask


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_question(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the answer; 0, or RankwiseError if the store can't be read."""
    return ask(arguments, "users")

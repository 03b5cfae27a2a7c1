"""Show the programs that could save most, their efficiency, and what another MPI library or kernel changed.

  rankwise centre programs STORE
  rankwise centre programs STORE --since 2026-09 --limit 30

A change is reported for runs of the same user with the same program, arguments, ranks and nodes, if it
is no noise. It says what changed: the MPI library, the Linux kernel of the nodes, or both.
"""

from __future__ import annotations

import argparse

from rankwise.commands.centre.asking import add_question, ask


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_question(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the answer; 0, or RankwiseError if the store can't be read."""
    return ask(arguments, "programs")

"""Show the jobs that wasted most.

  rankwise centre jobs STORE --since 2026-11
  rankwise centre jobs STORE --user alice -v

Runs with the same job, user and cluster are a job.
"""

from __future__ import annotations

import argparse

from rankwise.commands.centre.asking import add_question, ask


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_question(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the answer; 0, or RankwiseError if the store can't be read."""
    return ask(arguments, "jobs")

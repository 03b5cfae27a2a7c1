"""Measure latency and bandwidth between all pairs of ranks; show, export, plot and compare measurements.

  rankwise latency -o F.json -- mpirun -n 32
  rankwise latency show F.json
  rankwise latency export F.json --to csv -o F.csv
  rankwise latency plot F.json -o F.svg
  rankwise latency diff BEFORE.json AFTER.json

Give the launch command without a program: Rankwise adds its own, which is compiled on first use with the
mpicc of that MPI. Ctrl-C ends the measurement early and keeps what has been measured.
"""

from __future__ import annotations

import argparse

from rankwise.commands.actions import action, add_actions

_ACTIONS = ("show", "export", "plot", "diff")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the measurement's own arguments, and the further actions."""
    from rankwise.commands.latency import measure

    measure.add_arguments(parser)
    # Else they would be named after the usage of the measurement, command and all.
    add_actions(parser, __name__, _ACTIONS, prog="rankwise latency")


def run(arguments: argparse.Namespace) -> int:
    """Run the action; without one, measure."""
    status: int = action(__name__, arguments.action or "measure").run(arguments)
    return status

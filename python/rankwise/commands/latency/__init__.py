"""Measure latency and bandwidth between all pairs of ranks; show, draw and compare what was measured.

  rankwise latency -o F.json -- mpirun -n 32
  rankwise latency show F.json
  rankwise latency plot F.json -o F.svg
  rankwise latency diff BEFORE.json AFTER.json

The launch is given without a program: ours takes its place. It is compiled with the launch's own mpicc on
first use. Ctrl-C ends the measurement early and keeps what there is.
"""

from __future__ import annotations

import argparse

from rankwise.commands.actions import action, add_actions

_ACTIONS = ("show", "plot", "diff")


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

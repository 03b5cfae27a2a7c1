"""Measure latency and bandwidth between all pairs of ranks; show, export, plot and compare measurements.

  rankwise latency -o F.json -- mpirun -n 32
  rankwise latency show F.json
  rankwise latency export F.json --format csv -o F.csv
  rankwise latency plot F.json -o F.svg
  rankwise latency diff BEFORE.json AFTER.json

Give the launch command without a program: Rankwise adds its own, which is compiled on first use with the
mpicc of that MPI. Ctrl-C ends the measurement early and keeps what has been measured.
"""

from __future__ import annotations

import argparse

from rankwise.commands.latency import measure

SUB_VERBS = ("show", "export", "plot", "diff")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the measurement."""
    measure.add_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Measure; the exit status."""
    return measure.run(arguments)

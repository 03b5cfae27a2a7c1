"""Make and show machine.json, which tells the rest of Rankwise what the machine is made of.

  rankwise machine show machine.json
  rankwise machine from-hwloc -o machine.json
  rankwise machine from-slurm topology.conf -o machine.json
  rankwise machine from-latency F.json -o machine.json
  rankwise machine from-fabric opensm-subnet.lst opensm.fdbs -o machine.json

It can also be written by hand.
"""

from __future__ import annotations

import argparse

SUB_VERBS = ("show", "from-slurm", "from-hwloc", "from-latency", "from-fabric")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare none: all that it does is done by its sub-verbs."""
    parser.usage = "rankwise machine SUB-VERB [options] ..."

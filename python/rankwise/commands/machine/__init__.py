"""Make and show machine.json, which describes the machine to the rest of Rankwise.

  rankwise machine show machine.json
  rankwise machine from-hwloc -o machine.json
  rankwise machine from-slurm topology.conf -o machine.json
  rankwise machine from-latency F.json -o machine.json
  rankwise machine from-fabric opensm-subnet.lst opensm.fdbs -o machine.json

You can also write it yourself.
"""

from __future__ import annotations

import argparse

SUB_VERBS = ("show", "from-slurm", "from-hwloc", "from-latency", "from-fabric")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare none: all that it does is done by its sub-verbs."""
    parser.usage = "rankwise machine SUB-VERB [options] ..."

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

from rankwise.commands.actions import action, add_actions

_ACTIONS = ("show", "from-slurm", "from-hwloc", "from-latency", "from-fabric")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the actions."""
    add_actions(parser, __name__, _ACTIONS, required=True)


def run(arguments: argparse.Namespace) -> int:
    """Run the action."""
    status: int = action(__name__, arguments.action).run(arguments)
    return status

"""Reordering communicators where the program allows it: the options --reorder and --reorder-machine."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

FILE_NAME = "machine.json"
"""Of the machine in the run directory, where the processes look for it."""


class Reordering(NamedTuple):
    """What `rankwise run` was asked for.

    Attributes:
        machine: text of a machine.json; '' = the nodes and processors that the processes are on, as they
            find them.
    """

    machine: str = ""

    def settings(self) -> dict[str, str]:
        """Return the variable that src/runtime/reorder.cpp reads."""
        return {"RANKWISE_REORDER": "machine" if self.machine else "nodes"}


def asked(reorder: bool, machine: Path | None) -> Reordering | None:
    """Return what the options ask for, None if nothing is to be reordered.

    Raises:
        RankwiseError: the machine can't be read, or is none.
    """
    if machine is None:
        return Reordering() if reorder else None
    # Not above: it loads NumPy, which would double what every run takes before the launch.
    from rankwise.topology.machine.read import read_machine

    read_machine(machine)
    return Reordering(machine.read_text(encoding="utf-8"))

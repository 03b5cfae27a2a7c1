"""Reordering communicators where the program allows it: the options --reorder and --machine."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from rankwise.errors import RankwiseError

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
        RankwiseError: the machine can't be read, is none, or can't be used inside of programs.
    """
    if not reorder:
        if machine is not None:
            raise RankwiseError("--machine describes where ranks are: add --reorder, or --place FILE")
        return None
    if machine is None:
        return Reordering()
    # Not above: it loads NumPy, which would double what every run takes before the launch.
    from rankwise.native import Arguments

    try:
        text = machine.read_bytes()
    except OSError as error:
        raise RankwiseError(f"cannot read {machine}: {error.strerror}") from error
    given = Arguments()
    problem = given.problem()
    # By the reader that the processes have: it takes no network.
    read = given.library.rankwise_read_machine(
        given.new("char[]", os.fsencode(machine)), problem, len(problem)
    )
    if not read:
        raise RankwiseError(given.said(problem))
    given.library.rankwise_free_machine(read)
    return Reordering(text.decode())

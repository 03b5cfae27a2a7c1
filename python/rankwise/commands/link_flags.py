"""Print what to link a program with whose MPI library is linked in statically.

  mpicc -o app app.o $(rankwise link-flags) ...

The flags go behind the program's own objects and before the MPI library. Nothing else changes: the program
records itself under `rankwise run`, and without it runs as ever.
"""

from __future__ import annotations

import argparse

from rankwise._files import installed
from rankwise.errors import RankwiseError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add nothing: this verb has no arguments."""


def run(arguments: argparse.Namespace) -> int:  # noqa: ARG001
    """Print the flags.

    Returns:
        The exit status.

    Raises:
        RankwiseError: the archive is missing, or the shell would take its path apart.
    """
    path = installed("lib/librankwise.a")
    if any(c.isspace() for c in str(path)):
        raise RankwiseError(f"a shell takes {path} apart: install Rankwise in a place without blanks")
    print(path, "-lpthread")
    return 0

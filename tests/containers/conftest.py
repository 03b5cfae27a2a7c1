"""Paths that the tests of other C libraries share."""

from __future__ import annotations

import sys
from pathlib import Path

# The reader of profiles, the programs, and the libraries of this machine.
sys.path.append(str(Path(__file__).parents[1] / "mpi"))

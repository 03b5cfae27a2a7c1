"""The MPI libraries of the tests, for random programs."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "mpi"))

"""The note in a run directory that its job has ended: written by `rankwise run`, read by who looks on."""

from __future__ import annotations

import os
from pathlib import Path

FILE_NAME = "ended"


def has_ended(run_directory: Path) -> bool:
    """Whether the job of a run directory is known to have ended."""
    return os.path.lexists(run_directory / FILE_NAME)

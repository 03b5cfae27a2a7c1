"""Jobs that are started without `rankwise run`, as inside a container, and their profiles."""

from __future__ import annotations

import subprocess
from pathlib import Path

from recording import LIMIT_SECONDS, RANKWISE, Recording


def new_run_directory(path: Path) -> Path:
    """Where processes put their counters."""
    path.mkdir(mode=0o700)
    return path


def recovered(process: subprocess.CompletedProcess[str], directory: Path) -> Recording:
    """The profile that `rankwise recover` makes of the counters."""
    output = directory.with_suffix(".rankwise")
    words = [str(RANKWISE), "recover", "-o", str(output), str(directory)]
    subprocess.run(words, check=True, capture_output=True, text=True, timeout=LIMIT_SECONDS)
    return Recording(process, output)

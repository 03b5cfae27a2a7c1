"""Lines on stderr, beside the results on stdout."""

from __future__ import annotations

import contextlib
import sys

from rankwise.report.safe import safe


def say(line: str) -> None:
    """Write a line with our name before it; that nobody reads it is no failure."""
    with contextlib.suppress(OSError):
        sys.stderr.write(f"rankwise: {safe(line)}\n")

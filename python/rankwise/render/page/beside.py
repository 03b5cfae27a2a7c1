"""The report beside a profile, as pages link it."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

_REPORT = ".html"  # as `rankwise report` names it


def report_beside(profile: Path, directory: Path) -> str | None:
    """Return the address of the report of a profile, for a page in a directory; None = it is not there."""
    report = profile.with_suffix(_REPORT)
    with suppress(OSError, ValueError):
        if report.is_file():
            return quote(os.fsencode(os.path.relpath(report.resolve(), directory.resolve())))
    return None

"""Streams that look like terminals."""

from __future__ import annotations

import io


class Terminal(io.StringIO):
    """A stream that somebody looks at."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True

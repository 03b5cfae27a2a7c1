"""The JSON of the diagnosis that a profile keeps: lists of many runs need no more, and load no rule."""

from __future__ import annotations

import json
import sqlite3
from typing import Any

from rankwise.version import __version__

_RULES = 6
"""Increment it when a rule, a threshold or a sentence changes between two versions of Rankwise."""
RULES = f"{__version__}/{_RULES}"
"""Identifies the rules behind a diagnosis. A diagnosis by other rules is computed again."""


def content_by_todays_rules(profile: sqlite3.Connection) -> Any:
    """Return the JSON of the kept diagnosis; None = none is kept, it is by other rules, or it is no JSON."""
    row = profile.execute("SELECT content FROM diagnosis WHERE rules = ?", (RULES,)).fetchone()
    try:
        return row and json.loads(row[0])
    except (ValueError, TypeError, RecursionError):
        return None


def content_by_any_rules(profile: sqlite3.Connection) -> tuple[Any, bool] | None:
    """Return the JSON of the kept diagnosis, and whether it is by today's rules; None = none is kept.

    A list of many runs takes any of them: to compute each diagnosis again would take minutes.
    """
    row = profile.execute(
        "SELECT rules, content FROM diagnosis ORDER BY rules = ? DESC LIMIT 1", (RULES,)
    ).fetchone()
    try:
        return row and (json.loads(row[1]), row[0] == RULES)
    except (ValueError, TypeError, RecursionError):
        return None

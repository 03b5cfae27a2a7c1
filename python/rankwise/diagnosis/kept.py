"""The diagnosis that a profile keeps, so that large ones open at once."""

from __future__ import annotations

import json
import re
import sqlite3

from rankwise.analysis.evidence import Evidence
from rankwise.analysis.from_json import from_json
from rankwise.analysis.selection import is_part
from rankwise.analysis.to_json import to_json
from rankwise.diagnosis.model import Diagnosis, Lateness
from rankwise.findings.finding import WEIGHTS
from rankwise.version import __version__

_RULES = 4
"""Grows with every change of a rule, a threshold or a sentence between two versions of Rankwise."""
RULES = f"{__version__}/{_RULES}"
"""Which rules made a diagnosis: one by others is made anew."""

_WORD = re.compile("[a-z]+( [a-z]+)?")


def diagnosis(seen: Evidence) -> Diagnosis:
    """Return the diagnosis of a whole run: that of its profile, or one made now.

    Args:
        seen: what is known of it; hardly anything is looked at where the profile keeps its diagnosis.
    """
    kept = _read(seen.connection)
    if kept is None:
        # What reads a diagnosis needs no rules.
        from rankwise.diagnosis.make import make_diagnosis

        kept = make_diagnosis(seen)
    return kept


def lateness(seen: Evidence) -> Lateness:
    """Return who is late in a whole run, or in the part of it that is selected."""
    kept = None if is_part(seen.connection) else _read(seen.connection)
    if kept:
        return kept.late
    from rankwise.diagnosis.make import make_lateness

    return make_lateness(seen)


def keep_diagnosis(profile: sqlite3.Connection) -> None:
    """Make the diagnosis of a profile that is being made, and keep it in there.

    Where a rule fails there is none: the counters are right, and the first screen tells of the failure.
    """
    from rankwise.diagnosis.make import make_diagnosis

    try:
        text = json.dumps(to_json(make_diagnosis(Evidence(profile))), separators=(",", ":"))
    except Exception:  # whatever it is
        return
    profile.execute("INSERT INTO diagnosis (rules, content) VALUES (?, ?)", (RULES, text))


def _read(profile: sqlite3.Connection) -> Diagnosis | None:
    """Return what is kept; None = nothing, or it is by other rules or damaged."""
    row = profile.execute("SELECT content FROM diagnosis WHERE rules = ?", (RULES,)).fetchone()
    if row is None:
        return None
    try:
        found = from_json(Diagnosis, json.loads(row[0]))
    except (ValueError, TypeError, RecursionError):
        return None
    told = [one.finding for one in found.findings.found]
    # Commands are there to be typed, and the file may be a stranger's.
    sound = all(_WORD.fullmatch(one.command.verb) and one.confidence in WEIGHTS for one in told)
    return found if sound else None

"""The diagnosis kept in a profile, so that large profiles open at once."""

from __future__ import annotations

import json
import re
import sqlite3

from rankwise.analysis.evidence import Evidence
from rankwise.analysis.from_json import from_json
from rankwise.analysis.selection import is_part
from rankwise.analysis.timing.efficiency import Efficiency
from rankwise.analysis.to_json import to_json
from rankwise.diagnosis.kept_content import RULES, content_by_todays_rules
from rankwise.diagnosis.model import Diagnosis, Lateness
from rankwise.findings.finding import WEIGHTS

_WORD = re.compile("[a-z]+( [a-z]+)?")


def diagnosis(evidence: Evidence) -> Diagnosis:
    """Return the diagnosis of a whole run: from its profile, or computed now.

    Args:
        evidence: about the run; hardly any of it is computed if the profile keeps its diagnosis.
    """
    kept = _read(evidence.connection)
    if kept is None:
        # The rules are loaded only when needed.
        from rankwise.diagnosis.make import make_diagnosis

        kept = make_diagnosis(evidence)
    return kept


def run_efficiency(evidence: Evidence) -> Efficiency | None:
    """Return the efficiency of a whole run: from its kept diagnosis, or computed now."""
    content = content_by_todays_rules(evidence.connection)
    try:
        kept = content and content["account"]["efficiency"]
        return from_json(Efficiency, kept) if kept else evidence.efficiency
    except (ValueError, TypeError, LookupError, RecursionError):
        return evidence.efficiency


def lateness(evidence: Evidence) -> Lateness:
    """Return which ranks are late, in the whole run or in the selected part."""
    kept = None if is_part(evidence.connection) else _read(evidence.connection)
    if kept:
        return kept.late
    from rankwise.diagnosis.make import make_lateness

    return make_lateness(evidence)


def keep_diagnosis(profile: sqlite3.Connection) -> None:
    """Diagnose a new profile, and keep the diagnosis in it.

    If a rule fails, none is kept: the counters are still right, and the first screen reports the failure.
    """
    from rankwise.diagnosis.make import make_diagnosis

    try:
        text = json.dumps(to_json(make_diagnosis(Evidence(profile))), separators=(",", ":"))
    except Exception:  # any rule may fail in any way
        return
    profile.execute("INSERT INTO diagnosis (rules, content) VALUES (?, ?)", (RULES, text))


def _read(profile: sqlite3.Connection) -> Diagnosis | None:
    """Return the kept diagnosis; None = none is kept, it is by other rules, or it is damaged."""
    try:
        content = content_by_todays_rules(profile)
        if content is None:
            return None
        kept = from_json(Diagnosis, content)
    except (ValueError, TypeError, RecursionError):
        return None
    findings = [entry.finding for entry in kept.findings.found]
    # Users type these commands, and the file may come from a stranger.
    sound = all(
        _WORD.fullmatch(finding.command.verb) and finding.confidence in WEIGHTS for finding in findings
    )
    return kept if sound else None

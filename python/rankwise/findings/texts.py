"""Findings in words, for whoever shows them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rankwise.cpulist import cpu_text
from rankwise.findings.finding import Fact, Finding
from rankwise.findings.search import Found
from rankwise.text.units import percent_text, second_text

if TYPE_CHECKING:
    from rankwise.findings.late import Late


def share_text(one: Found) -> str:
    """Return how much of the run could be saved: `up to 14.3 %`."""
    return f"{_bound(one.finding)} {percent_text(one.saved_percent_of_run)} %"


def sure_share_text(one: Found) -> str:
    """Return how much of the run could be saved, and how sure that is: `up to 14.3 % (low)`."""
    return f"{share_text(one)} ({one.finding.confidence})"


def saved_text(one: Found) -> str:
    """Return what could be saved, in seconds, too."""
    share = percent_text(one.saved_percent_of_run)
    seconds = second_text(one.finding.saved_seconds)
    whole = "wall time" if one.finding.of_wall else "run"
    return f"{_bound(one.finding)} {seconds} summed over ranks, {share} % of the {whole}"


def confidence_text(finding: Finding) -> str:
    """Return how sure that is, and why."""
    return f"{finding.confidence}: {finding.why_confidence}"


def facts_text(facts: Sequence[Fact]) -> str:
    """Return what a finding rests on, in one line."""
    return "; ".join(f"{one.what} {one.text}" for one in facts)


def late_text(those: Late) -> str:
    """Return who is late: `rank 3`, `ranks 0-3 of n1`."""
    ranks = f"{'ranks' if len(those.ranks) > 1 else 'rank'} {cpu_text(those.ranks)}"
    return f"{ranks} of {those.node}" if those.node else ranks


def _bound(finding: Finding) -> str:
    return "up to" if finding.upper_bound else "about"

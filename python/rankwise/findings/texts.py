"""Findings in words, for all screens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rankwise.cpulist import cpu_text
from rankwise.findings.finding import Fact, Finding
from rankwise.findings.search import Found
from rankwise.text.units import percent_text, second_text

if TYPE_CHECKING:
    from rankwise.findings.late import Late


def share_text(entry: Found) -> str:
    """Return how much of the run could be saved: `up to 14.3 %`."""
    return f"{_bound(entry.finding)} {percent_text(entry.saved_percent_of_run)} %"


def sure_share_text(entry: Found) -> str:
    """Return how much of the run could be saved, and how sure that is: `up to 14.3 % (low)`."""
    return f"{share_text(entry)} ({entry.finding.confidence})"


def saved_text(entry: Found) -> str:
    """Return how much could be saved, also in seconds."""
    share = percent_text(entry.saved_percent_of_run)
    seconds = second_text(entry.finding.saved_seconds)
    whole = "wall time" if entry.finding.of_wall else "run"
    return f"{_bound(entry.finding)} {seconds} summed over ranks, {share} % of the {whole}"


def confidence_text(finding: Finding) -> str:
    """Return the confidence, and the reason for it."""
    return f"{finding.confidence}: {finding.why_confidence}"


def facts_text(facts: Sequence[Fact]) -> str:
    """Return the facts behind a finding, in one line."""
    return "; ".join(f"{fact.what} {fact.text}" for fact in facts)


def late_text(late: Late) -> str:
    """Return the late ranks: `rank 3`, `ranks 0-3 of n1`."""
    ranks = f"{'ranks' if len(late.ranks) > 1 else 'rank'} {cpu_text(late.ranks)}"
    return f"{ranks} of {late.node}" if late.node else ranks


def _bound(finding: Finding) -> str:
    return "up to" if finding.upper_bound else "about"

"""What tuning found, as plain data for --json."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rankwise.tuning.proof import Proof
from rankwise.tuning.tune import Tried, Tuned


def tuned_as_data(found: Tuned, written: Sequence[Path]) -> dict[str, object]:
    """Return all of it.

    Args:
        found: what came out.
        written: files.
    """
    return {
        "library": found.library._asdict(),
        "cells": [_tried(tried) for tried in found.tried],
        "no_time_for": [target.name for target in found.left],
        "changed_without_rule": found.others,
        "proof": proof_as_data(found.proof),
        "settings": found.settings,
        "digits_may_change": found.digits,
        "ended": found.ended,
        "files": [str(path) for path in written],
    }


def proof_as_data(proof: Proof | None) -> dict[str, object] | None:
    """Return what pairs of runs showed; None if there were none."""
    if proof is None:
        return None
    return {
        "verdict": "rejected" if proof.rejected else proof.interval.verdict if proof.interval else "nothing",
        "interval": proof.interval,
        "before_seconds": proof.before,
        "after_seconds": proof.after,
        "rejected": proof.rejected,
        "ended": proof.ended,
    }


def _tried(tried: Tried) -> dict[str, object]:
    target = tried.target
    return {
        "procedure": target.procedure,
        "processes": target.processes,
        "low": target.low,
        "high": target.high,
        "why_all_sizes": target.whole,
        "seconds": target.seconds,
        "tunable_seconds": target.tunable_seconds,
        "refused": tried.refused,
        "race": [] if tried.raced is None else tried.raced.race.comparisons(),
        "rounds": 0 if tried.raced is None else tried.raced.race.rounds,
        "held_out": tried.held_out,
        "rule": tried.rule,
        "effect": tried.effect,
        "verdict": tried.verdict,
    }

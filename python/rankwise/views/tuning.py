"""What tuning found, as plain data for --json."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rankwise.tuning import guidelines, recheck
from rankwise.tuning.online.found import Explored, Found
from rankwise.tuning.own_settings import Priced
from rankwise.tuning.proof import Proof
from rankwise.tuning.settings.model import Settings
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
        "undecided": proof.is_undecided,
        "excluded": proof.excluded,
        "more_seconds": proof.more_seconds,
        "ended": proof.ended,
    }


def priced_as_data(found: Priced) -> dict[str, object]:
    """Return what the user's own settings are worth."""
    return {
        "own_settings": [{"name": one.name, "value": one.value, "where": one.where} for one in found.theirs],
        "verdict_without": found.verdict,
        "command_without": found.words,
        "digits_may_change": found.digits,
        "proof": proof_as_data(found.proof),
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
        "not_beside_others": tried.beside,
        "program_fails_with": tried.failed,
        "verdict": tried.verdict,
    }


def rechecked_as_data(found: recheck.Outcome, written: Sequence[Path]) -> dict[str, object]:
    """Return what has become of the rules of a settings file.

    Args:
        found: what came out.
        written: files.
    """
    return {
        "library": found.library._asdict() if found.library else None,
        "same_library": found.same_library,
        "hosts": found.hosts,
        "same_hosts": found.same_hosts,
        "rules": found.rules,
        "settings": found.settings,
        "ended": found.ended,
        "files": [str(path) for path in written],
    }


def guidelines_as_data(found: guidelines.Outcome, own: Sequence[str]) -> dict[str, object]:
    """Return what guidelines showed.

    Args:
        found: what came out.
        own: settings of the user's that are in force.
    """
    return {
        "library": found.library._asdict(),
        "hosts": found.hosts,
        "processes": found.processes,
        "confidence": found.confidence,
        "margin": guidelines.MARGIN,
        "violated": found.violated,
        "too_short": found.too_short,
        "others": [one for one in found.compared if not one.is_violated and not one.is_too_short],
        "not_comparable": found.unfit,
        "too_large": found.too_large,
        "left": found.left,
        "own_settings": list(own),
        "ended": found.ended,
    }


def online_as_data(found: Found, settings: Settings | None, written: Sequence[Path]) -> dict[str, object]:
    """Return what was found while a program ran.

    Args:
        found: what came out.
        settings: with the rules; None: there are none.
        written: files.
    """
    return {
        "library": found.library._asdict(),
        "elapsed_seconds": found.elapsed,
        "exploring_seconds": found.spent,
        "cells": [_explored(one) for one in found.explored],
        "settings": settings,
        "digits_may_change": found.digits,
        "files": [str(path) for path in written],
    }


def _explored(one: Explored) -> dict[str, object]:
    target = one.target
    return {
        "procedure": target.procedure,
        "processes": target.processes,
        "low": target.low,
        "high": target.high,
        "why_all_sizes": target.whole,
        "seconds": target.seconds,
        "state": one.state,
        "rounds": one.rounds,
        "pairs": one.pairs,
        "candidate": one.algorithm,
        "evidence": one.evidence,
        "ratios": one.ratios,
        "out": one.out,
        "saved_seconds": one.saved_seconds,
        "rule": one.rule,
        "verdict": one.verdict,
    }

"""What tuning found, as plain data for --json."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rankwise.tuning import guidelines, recheck
from rankwise.tuning.machine.results import Results
from rankwise.tuning.machine.rules import Table
from rankwise.tuning.machine.settings import Writable
from rankwise.tuning.online.found import Explored, Found
from rankwise.tuning.own_settings import Priced
from rankwise.tuning.proof import Proof
from rankwise.tuning.settings.model import Settings
from rankwise.tuning.tune import Tried, Tuned


def tuned_as_data(tuned: Tuned, written: Sequence[Path]) -> dict[str, object]:
    """Return everything.

    Args:
        tuned: what came out.
        written: files.
    """
    return {
        "library": tuned.library._asdict(),
        "cells": [_tried(tried) for tried in tuned.tried],
        "not_raced": [target.name for target in tuned.left],
        "changed_without_rule": tuned.others,
        "proof": proof_as_data(tuned.proof),
        "settings": tuned.settings,
        "digits_may_change": tuned.digits,
        "ended": tuned.ended,
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


def priced_as_data(priced: Priced) -> dict[str, object]:
    """Return what the user's own settings are worth."""
    return {
        "own_settings": [
            {"name": setting.name, "value": setting.value, "where": setting.where}
            for setting in priced.theirs
        ],
        "verdict_without": priced.verdict,
        "command_without": priced.words,
        "digits_may_change": priced.digits,
        "proof": proof_as_data(priced.proof),
    }


def _tried(tried: Tried) -> dict[str, object]:
    target = tried.target
    return {
        "procedure": target.procedure,
        "processes": target.processes,
        "low": target.low,
        "high": target.high,
        "reason_for_all_sizes": target.whole,
        "seconds": target.seconds,
        "tunable_seconds": target.tunable_seconds,
        "refused": tried.refused,
        "race": [] if tried.raced is None else tried.raced.race.comparisons(),
        "rounds": 0 if tried.raced is None else tried.raced.race.rounds,
        "held_out": tried.held_out,
        "rule": tried.rule,
        "effect": tried.effect,
        "conflict": tried.beside,
        "program_fails_with": tried.failed,
        "verdict": tried.verdict,
    }


def rechecked_as_data(outcome: recheck.Outcome, written: Sequence[Path]) -> dict[str, object]:
    """Return the results of rechecking a settings file.

    Args:
        outcome: what came out.
        written: files.
    """
    return {
        "library": outcome.library._asdict() if outcome.library else None,
        "same_library": outcome.same_library,
        "hosts": outcome.hosts,
        "same_hosts": outcome.same_hosts,
        "rules": outcome.rules,
        "settings": outcome.settings,
        "ended": outcome.ended,
        "files": [str(path) for path in written],
    }


def machine_as_data(
    rules_table: Table, made: Writable, results: Results, written: Sequence[Path], ended: str
) -> dict[str, object]:
    """Return the results of measuring a machine.

    Args:
        rules_table: the rules that follow from the measurements.
        made: the rules that the library can be given.
        results: the measurements.
        written: files.
        ended: why it was ended early; '' if it was not.
    """
    return {
        "library": results.library,
        "hosts": results.hosts,
        "confidence_of_each": rules_table.confidence,
        "rules": [
            {"kind": rule.kind, "shapes": rule.shapes, "rule": rule.rule, "written": rule in made.rules}
            for rule in rules_table.rules
        ],
        "measured": [
            {
                "procedure": rule.scope.procedure,
                "processes": rule.scope.processes,
                "size": None if rule.scope.whole else rule.scope.size,
                "shapes": rule.scope.shapes,
                "algorithm": rule.algorithm,
                "ratio": rule.ratio,
                "why_default": rule.why,
            }
            for rule in rules_table.decisions
        ],
        "unsure": rules_table.unsure,
        "failed": {point.text: why for point, why in results.failed.items()},
        "conflict": made.beside,
        "ended": ended,
        "files": [str(path) for path in written],
    }


def guidelines_as_data(outcome: guidelines.Outcome, own: Sequence[str]) -> dict[str, object]:
    """Return what guidelines showed.

    Args:
        outcome: what came out.
        own: settings of the user's that are in force.
    """
    return {
        "library": outcome.library._asdict(),
        "hosts": outcome.hosts,
        "processes": outcome.processes,
        "confidence": outcome.confidence,
        "margin": guidelines.MARGIN,
        "violated": outcome.violated,
        "too_short": outcome.too_short,
        "others": [
            comparison
            for comparison in outcome.compared
            if not comparison.is_violated and not comparison.is_too_short
        ],
        "not_comparable": outcome.unfit,
        "too_large": outcome.too_large,
        "left": outcome.left,
        "own_settings": list(own),
        "ended": outcome.ended,
    }


def online_as_data(outcome: Found, settings: Settings | None, written: Sequence[Path]) -> dict[str, object]:
    """Return the results of tuning a running program.

    Args:
        outcome: the results.
        settings: with the rules; None without rules.
        written: files.
    """
    return {
        "library": outcome.library._asdict(),
        "elapsed_seconds": outcome.elapsed,
        "exploring_seconds": outcome.spent,
        "cells": [_explored(cell) for cell in outcome.explored],
        "settings": settings,
        "digits_may_change": outcome.digits,
        "files": [str(path) for path in written],
    }


def _explored(cell: Explored) -> dict[str, object]:
    target = cell.target
    return {
        "procedure": target.procedure,
        "processes": target.processes,
        "low": target.low,
        "high": target.high,
        "reason_for_all_sizes": target.whole,
        "seconds": target.seconds,
        "state": cell.state,
        "rounds": cell.rounds,
        "pairs": cell.pairs,
        "candidate": cell.algorithm,
        "evidence": cell.evidence,
        "ratios": cell.ratios,
        "out": cell.out,
        "saved_seconds": cell.saved_seconds,
        "rule": cell.rule,
        "verdict": cell.verdict,
    }

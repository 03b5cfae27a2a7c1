"""Screens of many runs: their history, and what goes with their run time."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import test_history as histories
import test_variance as variances
from many_runs import write_runs
from screens_made import Screen, seen


def _history(directory: Path) -> str:
    more = [0.0] * 4 + [0.8] * 10
    write_runs(directory / "runs", histories.truths(24, more, each=2))
    write_runs(directory / "few", histories.truths(4, [1.0]))
    write_runs(directory / "equal", histories.truths(12))
    return (
        seen("history", "runs", "--limit", "6", "--fail-above", "5%")
        + seen("history", "runs", "--limit", "3", "-v", "--by", "day")
        + seen("history", "few", "--fail-above", "5%")
        + seen("history", "equal", "--limit", "3")
        + seen("history", "equal", "--ranks", "3")
    )


def _variance(directory: Path) -> str:
    write_runs(directory / "runs", variances.truths(12, planted=True))
    write_runs(directory / "hosts", variances.on_hosts(12, 5.0))
    write_runs(directory / "few", variances.truths(3, planted=True))
    return (
        seen("variance", "runs", "--limit", "5")
        + seen("variance", "runs", "--limit", "5", "-v")
        + seen("variance", "hosts", "--limit", "5")
        + seen("variance", "few", "--limit", "5")
    )


SCREENS: Mapping[str, Screen] = {"history": _history, "variance": _variance}

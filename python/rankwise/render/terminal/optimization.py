"""What an optimisation has found, on the terminal: what was kept and dropped, and the gain of it all."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from rich.text import Text

from rankwise.optimization.attempts import Attempt, Optimized
from rankwise.render.terminal.page import Page
from rankwise.render.terminal.tables import TextColumn, label, table_lines
from rankwise.render.terminal.tuning import proof_text
from rankwise.text.units import estimate_text, percent_range_text, percent_text, second_text
from rankwise.trials.interval import Interval


def print_optimized(found: Optimized, written: Sequence[Path], file: TextIO, *, failed: bool = False) -> None:
    """Write all of it.

    Args:
        found: what came out.
        written: files, the one for `rankwise run --with` first; empty: none were.
        file: to write to.
        failed: whether they could not be written, which is told elsewhere.
    """
    page = Page(file)
    if found.attempts:
        page.write(*table_lines(page, _columns(found), found.attempts, fold=True), Text())
        for attempt in found.attempts:
            page.write(*page.wrapped(f"{attempt.step}: {_sentence(attempt)}", indent=2))
    if found.final is not None:
        text = proof_text(found.final)
        page.write(*page.wrapped(f"Everything that was kept, measured again. {text}", "bold", indent=2))
    page.write(*page.wrapped(_verdict(found), "bold", indent=2))
    if found.settings is None or failed:
        return
    if written:
        page.write(*page.wrapped(f"Written: {', '.join(str(path) for path in written)}", indent=2))
        page.write(page.text(f"    rankwise run --with {written[0]} -- COMMAND"))
    else:
        text = "Nothing is written without -o FILE; with it, the same command continues from here."
        page.write(*page.wrapped(text, indent=2))


def _verdict(found: Optimized) -> str:
    if found.ended:
        return found.ended
    if found.settings is not None:
        return "Kept: " + ", ".join(one.step for one in found.attempts if one.verdict == "kept") + "."
    if found.kept is not None:
        return "The total gain is not confirmed: nothing is written."
    if not found.finished:
        return "Nothing was kept so far: the same command with a larger --budget continues from here."
    if found.not_tried:
        names = " and ".join(_promised(found, one) for one in found.not_tried)
        return f"The possible gain is unknown: {names} could not be tried. Nothing is written."
    return "No gain: no step was kept, and nothing is written."


def _promised(found: Optimized, one: Attempt) -> str:
    if one.promise is None:
        return one.step
    share = 100 * one.promise.seconds / found.run_seconds if found.run_seconds else 0.0
    return f"{one.step} (up to {second_text(one.promise.seconds)}, {percent_text(share)} % of the run time)"


def _columns(found: Optimized) -> list[TextColumn[Attempt]]:
    def promised(one: Attempt) -> str:
        if one.promise is None:
            return "-"
        share = 100 * one.promise.seconds / found.run_seconds if found.run_seconds else 0.0
        return f"{second_text(one.promise.seconds)} ({percent_text(share)} %)"

    return [
        label("step", lambda one: one.step),
        TextColumn("promised", promised, right=True),
        TextColumn("time saved (interval)", lambda one: _gain(one.interval), right=True),
        TextColumn("pairs", lambda one: str(one.interval.pairs) if one.interval else "-", right=True),
        TextColumn("took", lambda one: second_text(one.seconds) if one.seconds else "-", right=True),
        TextColumn("verdict", lambda one: one.verdict),
    ]


def _gain(one: Interval | None) -> str:
    if one is None:
        return "-"
    less, least, most = (100 * (1 - 1 / value) for value in (one.ratio, one.low, one.high))
    return f"{estimate_text(less)} % ({percent_range_text(least, most)})"


def _sentence(attempt: Attempt) -> str:
    return f"{attempt.why[:1].upper()}{attempt.why[1:].rstrip('.')}."

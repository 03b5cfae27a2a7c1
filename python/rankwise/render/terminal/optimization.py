"""The results of an optimisation, on the terminal: kept and dropped steps, and the total gain."""

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


def print_optimized(
    optimized: Optimized, written: Sequence[Path], file: TextIO, *, failed: bool = False
) -> None:
    """Write the results.

    Args:
        optimized: the results.
        written: files, the one for `rankwise run --with` first; empty: no files.
        file: to write to.
        failed: whether they could not be written, which is reported elsewhere.
    """
    page = Page(file)
    if optimized.attempts:
        page.write(*table_lines(page, _columns(optimized), optimized.attempts, fold=True), Text())
        for attempt in optimized.attempts:
            page.write(*page.wrapped(f"{attempt.step}: {_sentence(attempt)}", indent=2))
    if optimized.final is not None:
        text = proof_text(optimized.final)
        page.write(*page.wrapped(f"Everything that was kept, measured again. {text}", "bold", indent=2))
    page.write(*page.wrapped(_verdict(optimized), "bold", indent=2))
    if optimized.settings is None or failed:
        return
    if written:
        page.write(*page.wrapped(f"Written: {', '.join(str(path) for path in written)}", indent=2))
        page.write(page.text(f"    rankwise run --with {written[0]} -- COMMAND"))
    else:
        text = "Nothing is written without -o FILE; with it, the same command continues from here."
        page.write(*page.wrapped(text, indent=2))


def _verdict(optimized: Optimized) -> str:
    if optimized.ended:
        return optimized.ended
    if optimized.settings is not None:
        return (
            "Kept: "
            + ", ".join(attempt.step for attempt in optimized.attempts if attempt.verdict == "kept")
            + "."
        )
    if optimized.kept is not None:
        return "The total gain is not confirmed: nothing is written."
    if not optimized.finished:
        return "Nothing was kept so far: the same command with a larger --budget continues from here."
    if optimized.not_tried:
        names = " and ".join(_promised(optimized, attempt) for attempt in optimized.not_tried)
        return f"The possible gain is unknown: {names} could not be tried. Nothing is written."
    return "No gain: no step was kept, and nothing is written."


def _promised(optimized: Optimized, attempt: Attempt) -> str:
    if attempt.promise is None:
        return attempt.step
    share = 100 * attempt.promise.seconds / optimized.run_seconds if optimized.run_seconds else 0.0
    most = second_text(attempt.promise.seconds)
    return f"{attempt.step} (up to {most}, {percent_text(share)} % of the run time)"


def _columns(optimized: Optimized) -> list[TextColumn[Attempt]]:
    def promised(attempt: Attempt) -> str:
        if attempt.promise is None:
            return "-"
        share = 100 * attempt.promise.seconds / optimized.run_seconds if optimized.run_seconds else 0.0
        return f"{second_text(attempt.promise.seconds)} ({percent_text(share)} %)"

    return [
        label("step", lambda attempt: attempt.step),
        TextColumn("promised", promised, right=True),
        TextColumn("time saved (interval)", lambda attempt: _gain(attempt.interval), right=True),
        TextColumn(
            "pairs", lambda attempt: str(attempt.interval.pairs) if attempt.interval else "-", right=True
        ),
        TextColumn(
            "took", lambda attempt: second_text(attempt.seconds) if attempt.seconds else "-", right=True
        ),
        TextColumn("verdict", lambda attempt: attempt.verdict),
    ]


def _gain(interval: Interval | None) -> str:
    if interval is None:
        return "-"
    less, least, most = (100 * (1 - 1 / value) for value in (interval.ratio, interval.low, interval.high))
    return f"{estimate_text(less)} % ({percent_range_text(least, most)})"


def _sentence(attempt: Attempt) -> str:
    sentence = f"{attempt.why[:1].upper()}{attempt.why[1:].rstrip('.')}."
    if not attempt.by_order:
        return sentence
    return f"{sentence} The launcher places no rank: {attempt.by_order}."

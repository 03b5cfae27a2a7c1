"""The results of tuning while a program ran, on the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TextIO

from rich.text import Text

from rankwise.render.terminal.page import Page
from rankwise.render.terminal.tables import TextColumn, label, table_lines
from rankwise.text.names import algorithm_name, call_name
from rankwise.text.units import (
    byte_range_text,
    confidence_text,
    number_of,
    percent_text,
    ratio_text,
    second_text,
)
from rankwise.tuning.online.found import CONFIDENCE, Explored, Outcome


def print_online(
    outcome: Outcome, cost: float, written: Sequence[Path], file: TextIO, *, asked: bool
) -> None:
    """Write the results.

    Args:
        outcome: of the run.
        cost: percent of the time allowed for exploring.
        written: files, the one for `rankwise run --with` first; empty: no files.
        file: to write to.
        asked: whether the user wants files.
    """
    page = Page(file)
    library = f"{outcome.library.label} {outcome.library.number}".strip()
    page.write(*page.wrapped(f"{library}: {_spent(outcome, cost)}", "bold", indent=2))
    if outcome.explored:
        page.write(Text(), *table_lines(page, _columns(outcome), outcome.explored, fold=True), Text())
    for note in _notes(outcome):
        page.write(*page.wrapped(note, indent=2))
    if not outcome.rules:
        page.write(*page.wrapped("No gain: nothing is written.", "bold", indent=2))
    elif written:
        page.write(*page.wrapped(f"Written: {', '.join(map(str, written))}", indent=2))
        page.write(page.text(f"    rankwise run --with {written[0]} -- COMMAND"))
    elif not asked:
        page.write(*page.wrapped("Nothing is written without -o FILE.", indent=2))


def _spent(outcome: Outcome, cost: float) -> str:
    if not outcome.elapsed:
        return "the program did not finish; earlier decisions are kept"
    share = percent_text(100 * outcome.spent / outcome.elapsed, 2)
    return f"exploring took {share} % of {second_text(outcome.elapsed)} (at most {cost:g} % were allowed)"


def _columns(outcome: Outcome) -> list[TextColumn[Explored]]:
    whole = outcome.elapsed * outcome.ranks

    def share(explored: Explored) -> str:
        return percent_text(100 * explored.target.tunable_seconds / whole) if whole else "-"

    return [
        TextColumn("call", lambda explored: call_name(explored.target.procedure)),
        TextColumn("ranks", lambda explored: str(explored.target.processes), right=True),
        TextColumn("size", _size, right=True),
        TextColumn("% of run", share, right=True),
        TextColumn("rounds", lambda explored: str(explored.rounds) if explored.rounds else "-", right=True),
        TextColumn("default", lambda explored: _of_call(explored, chosen=False), right=True),
        TextColumn("fastest", lambda explored: _of_call(explored, chosen=True), right=True),
        TextColumn("speed-up", _ratio, right=True),
        label("outcome", lambda explored: algorithm_name(explored.verdict)),
    ]


def _size(explored: Explored) -> str:
    cell = explored.target.first
    return "all" if explored.target.whole else byte_range_text(cell.low, cell.high)


def _of_call(explored: Explored, *, chosen: bool) -> str:
    if explored.evidence is None:
        return "-"
    return second_text(1e-6 * (explored.evidence.chosen_us if chosen else explored.evidence.default_us))


def _ratio(explored: Explored) -> str:
    return (
        f"{ratio_text(explored.evidence.low)}-{ratio_text(explored.evidence.high)}"
        if explored.evidence
        else "-"
    )


def _notes(outcome: Outcome) -> Iterator[str]:
    kept = [explored for explored in outcome.explored if explored.rule]
    if kept:
        pairs = number_of(sum(explored.pairs for explored in kept), "pair")
        saved = sum(explored.saved_seconds for explored in kept) / max(outcome.ranks, 1)
        yield (
            f"The intervals are from {pairs} of visits after the choice was made "
            f"({confidence_text(CONFIDENCE)} % confidence each). This run has already taken about "
            f"{second_text(saved)} less."
        )
    for explored in outcome.explored:
        if explored.state == "kept" and not explored.rule:
            yield f"{call_name(explored.target.procedure)}: its winner is not written: {explored.verdict}."
    if any(explored.verdict == "not finished" for explored in outcome.explored):
        yield "Not finished: a longer run, or more --cost, explores the rest."
    if outcome.digits:
        yield "Sums may change in their last digits; --bitwise leaves them alone."

"""What was found while a program ran, on the terminal."""

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


def print_online(found: Outcome, cost: float, written: Sequence[Path], file: TextIO, *, asked: bool) -> None:
    """Write all of it.

    Args:
        found: what came out.
        cost: percent of the time that exploring was allowed to take.
        written: files, the one for `rankwise run --with` first; empty: none were.
        file: to write to.
        asked: whether the user wants files.
    """
    page = Page(file)
    library = f"{found.library.label} {found.library.number}".strip()
    page.write(*page.wrapped(f"{library}: {_spent(found, cost)}", "bold", indent=2))
    if found.explored:
        page.write(Text(), *table_lines(page, _columns(found), found.explored, fold=True), Text())
    for note in _notes(found):
        page.write(*page.wrapped(note, indent=2))
    if not found.rules:
        page.write(*page.wrapped("No gain: nothing is written.", "bold", indent=2))
    elif written:
        page.write(*page.wrapped(f"Written: {', '.join(map(str, written))}", indent=2))
        page.write(page.text(f"    rankwise run --with {written[0]} -- COMMAND"))
    elif not asked:
        page.write(*page.wrapped("Nothing is written without --apply FILE.", indent=2))


def _spent(found: Outcome, cost: float) -> str:
    if not found.elapsed:
        return "the program did not come to its end; what was decided before is kept"
    share = percent_text(100 * found.spent / found.elapsed, 2)
    return f"exploring took {share} % of {second_text(found.elapsed)} (at most {cost:g} % were allowed)"


def _columns(found: Outcome) -> list[TextColumn[Explored]]:
    whole = found.elapsed * found.ranks

    def share(one: Explored) -> str:
        return percent_text(100 * one.target.tunable_seconds / whole) if whole else "-"

    return [
        TextColumn("call", lambda one: call_name(one.target.procedure)),
        TextColumn("n", lambda one: str(one.target.processes), right=True),
        TextColumn("size", _size, right=True),
        TextColumn("% of run", share, right=True),
        TextColumn("rounds", lambda one: str(one.rounds) if one.rounds else "-", right=True),
        TextColumn("default", lambda one: _of_call(one, chosen=False), right=True),
        TextColumn("best", lambda one: _of_call(one, chosen=True), right=True),
        TextColumn("x as fast", _ratio, right=True),
        label("outcome", lambda one: algorithm_name(one.verdict)),
    ]


def _size(one: Explored) -> str:
    cell = one.target.first
    return "all" if one.target.whole else byte_range_text(cell.low, cell.high)


def _of_call(one: Explored, *, chosen: bool) -> str:
    if one.evidence is None:
        return "-"
    return second_text(1e-6 * (one.evidence.chosen_us if chosen else one.evidence.default_us))


def _ratio(one: Explored) -> str:
    return f"{ratio_text(one.evidence.low)}-{ratio_text(one.evidence.high)}" if one.evidence else "-"


def _notes(found: Outcome) -> Iterator[str]:
    kept = [one for one in found.explored if one.rule]
    if kept:
        pairs = number_of(sum(one.pairs for one in kept), "pair")
        saved = sum(one.saved_seconds for one in kept) / max(found.ranks, 1)
        yield (
            f"The intervals are from {pairs} of visits after the choice was made "
            f"({confidence_text(CONFIDENCE)} % confidence each). This run has already taken about "
            f"{second_text(saved)} less."
        )
    for one in found.explored:
        if one.state == "kept" and not one.rule:
            yield f"{call_name(one.target.procedure)}: its winner is not written: {one.verdict}."
    if any(one.verdict == "not finished" for one in found.explored):
        yield "Not finished: a longer run, or more --cost, explores the rest."
    if found.digits:
        yield "Sums may change in their last digits; --bitwise leaves them alone."

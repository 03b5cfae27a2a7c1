"""What is known of a machine, on the terminal: the rules, and where nothing is sure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from rich.text import Text

from rankwise.render.terminal.page import Page
from rankwise.render.terminal.tables import TextColumn, label, table_lines
from rankwise.text.names import algorithm_name, call_name, library_name
from rankwise.text.units import (
    confidence_text,
    exact_byte_range_text,
    number_of,
    ratio_text,
    second_text,
)
from rankwise.tuning.gate import REDUCTIONS
from rankwise.tuning.machine.decide import DEFAULT_IS_BEST, NO_CHOICE
from rankwise.tuning.machine.results import Results
from rankwise.tuning.machine.rules import Made, Table
from rankwise.tuning.machine.settings import Writable

_MOST_UNSURE = 8


def print_tuned_machine(
    found: Table,
    made: Writable,
    results: Results,
    written: Sequence[Path],
    ended: str,
    left_out: int,
    file: TextIO,
) -> None:
    """Write all of it.

    Args:
        found: the rules that follow from what was measured.
        made: those that the library can be told.
        results: what was measured.
        written: files, the one for `rankwise run --with` first; empty: none were.
        ended: why it was ended early; '' if it was not.
        left_out: points that are too large.
        file: to write to.
    """
    page = Page(file)
    page.write(*page.wrapped(_headline(made, results), "bold", indent=2))
    if made.rules:
        page.write(Text(), *table_lines(page, _COLUMNS, made.rules, fold=True), Text())
    for note in _notes(found, made, results, ended, left_out):
        page.write(*page.wrapped(note, indent=2, units=True))
    if written:
        page.write(*page.wrapped(f"Written: {', '.join(str(one) for one in written)}", indent=2))
        page.write(page.text(f"    rankwise run --with {written[0]} -- COMMAND"))


def _headline(made: Writable, results: Results) -> str:
    kinds = Counter(one.kind for one in made.rules)
    rules = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
    said = f"{number_of(len(made.rules), 'rule')} ({rules})" if made.rules else "no rule"
    where = f"{library_name(results.library)} on {number_of(len(results.hosts), 'node')}"
    return f"{where}, {number_of(len(results.raced), 'point')} measured: {said}"


def _sizes(one: Made) -> str:
    rule = one.rule
    return "all" if rule.high is None else exact_byte_range_text(rule.low, rule.high)


def _measured_at(one: Made) -> str:
    sizes = sorted({raced.size for raced in one.rule.raced})
    return one.kind if one.kind != "measured" else number_of(len(sizes), "size")


def _gain(one: Made) -> str:
    why = one.rule.evidence
    return f"{ratio_text(why.ratio)} ({ratio_text(why.low)}-{ratio_text(why.high)})" if why else "-"


_COLUMNS: list[TextColumn[Made]] = [
    label("call", lambda one: call_name(one.rule.procedure)),
    label("nodes x ranks", lambda one: ", ".join(one.shapes)),
    TextColumn("size", _sizes, right=True),
    label("algorithm", lambda one: algorithm_name(one.rule.algorithm.label)),
    TextColumn(
        "default",
        lambda one: second_text(1e-6 * one.rule.evidence.default_us) if one.rule.evidence else "-",
        right=True,
    ),
    TextColumn("speed-up", _gain, right=True),
    label("from", _measured_at),
]


def _notes(found: Table, made: Writable, results: Results, ended: str, left_out: int) -> list[str]:
    notes = []
    if made.rules:
        notes.append(
            '"speed-up": time of the library\'s own choice / of the algorithm, at the size with the least '
            f"gain; each interval has {confidence_text(found.confidence)} % confidence, so that those of all "
            'measurements hold together. "from": at how many sizes the rule was measured; between them it is '
            "predicted."
        )
    if any(one.kind == "predicted" for one in made.rules):
        notes.append("Predicted: interpolated between measurements, never run.")
    if any(one.kind == "extrapolated" for one in made.rules):
        notes.append("Extrapolated: beyond the numbers of nodes that were measured, never run.")
    if any(one.rule.procedure in REDUCTIONS for one in made.rules):
        notes.append("Sums may change in their last digits; --bitwise leaves them alone.")
    if checked := [one for one in results.effects.values() if (one.point, one.algorithm) in results.held]:
        notes.append(
            f"Tried with the file in force: {number_of(len(checked), 'point')}. A rule stays only where the "
            "library's own choice is then as fast as the algorithm."
        )
    best = sum(one.why == DEFAULT_IS_BEST for one in found.decisions)
    none = sum(one.why == NO_CHOICE for one in found.decisions)
    if best:
        notes.append(f"The library's own choice is best in {number_of(best, 'place')}.")
    if none:
        notes.append(
            f"Nothing could be chosen in {number_of(none, 'place')}: the library offers nothing that is safe "
            "for every program. --assume allows more."
        )
    if found.unsure:
        notes.append(f"Not sure in {number_of(len(found.unsure), 'place')}, so the library's choice stays:")
        notes += [f"  {one.what}: {one.why}" for one in found.unsure[:_MOST_UNSURE]]
        if more := len(found.unsure) - _MOST_UNSURE:
            notes += [f"  and {more} more (--json lists all)"] * (more > 0)
    notes += [f"Could not be measured: {point.text}: {why}" for point, why in results.failed.items()]
    notes += [f"{number_of(count, 'rule')} left out: {why}." for why, count in made.beside.items()]
    if left_out:
        notes.append(f"Left out for their memory: {number_of(left_out, 'point')}.")
    if ended:
        notes.append(ended)
    return notes

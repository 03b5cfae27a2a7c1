"""A tuned machine on the terminal: the rules, and where nothing is sure."""

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
    table: Table,
    made: Writable,
    results: Results,
    written: Sequence[Path],
    ended: str,
    left_out: int,
    file: TextIO,
) -> None:
    """Write the results.

    Args:
        table: the rules.
        made: the rules that the library can take.
        results: the measurements.
        written: files, the one for `rankwise run --with` first; empty: no files.
        ended: why it ended early; '' if it did not.
        left_out: points that are too large.
        file: to write to.
    """
    page = Page(file)
    page.write(*page.wrapped(_headline(made, results), "bold", indent=2))
    if made.rules:
        page.write(Text(), *table_lines(page, _COLUMNS, made.rules, fold=True), Text())
    for note in _notes(table, made, results, ended, left_out):
        page.write(*page.wrapped(note, indent=2, units=True))
    if written:
        page.write(
            *page.wrapped(f"Written: {', '.join(str(written_path) for written_path in written)}", indent=2)
        )
        page.write(page.text(f"    rankwise run --with {written[0]} -- COMMAND"))


def _headline(made: Writable, results: Results) -> str:
    kinds = Counter(rule_made.kind for rule_made in made.rules)
    rules = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
    said = f"{number_of(len(made.rules), 'rule')} ({rules})" if made.rules else "no rule"
    where = f"{library_name(results.library)} on {number_of(len(results.hosts), 'node')}"
    return f"{where}, {number_of(len(results.raced), 'point')} measured: {said}"


def _sizes(made: Made) -> str:
    rule = made.rule
    return "all" if rule.high is None else exact_byte_range_text(rule.low, rule.high)


def _measured_at(made: Made) -> str:
    sizes = sorted({raced.size for raced in made.rule.raced})
    return made.kind if made.kind != "measured" else number_of(len(sizes), "size")


def _gain(made: Made) -> str:
    why = made.rule.evidence
    return f"{ratio_text(why.ratio)} ({ratio_text(why.low)}-{ratio_text(why.high)})" if why else "-"


_COLUMNS: list[TextColumn[Made]] = [
    label("call", lambda made: call_name(made.rule.procedure)),
    label("nodes x ranks", lambda made: ", ".join(made.shapes)),
    TextColumn("size", _sizes, right=True),
    label("algorithm", lambda made: algorithm_name(made.rule.algorithm.label)),
    TextColumn(
        "default",
        lambda made: second_text(1e-6 * made.rule.evidence.default_us) if made.rule.evidence else "-",
        right=True,
    ),
    TextColumn("speed-up", _gain, right=True),
    label("from", _measured_at),
]


def _notes(table: Table, made: Writable, results: Results, ended: str, left_out: int) -> list[str]:
    notes = []
    if made.rules:
        notes.append(
            '"speed-up": time of the library\'s own choice / of the algorithm, at the size with the least '
            f"gain; each interval has {confidence_text(table.confidence)} % confidence, so that those of all "
            'measurements hold together. "from": at how many sizes the rule was measured; between them it is '
            "predicted."
        )
    if any(rule_made.kind == "predicted" for rule_made in made.rules):
        notes.append("Predicted: interpolated between measurements, never run.")
    if any(rule_made.kind == "extrapolated" for rule_made in made.rules):
        notes.append("Extrapolated: beyond the numbers of nodes that were measured, never run.")
    if any(rule_made.rule.procedure in REDUCTIONS for rule_made in made.rules):
        notes.append("Sums may change in their last digits; --bitwise leaves them alone.")
    if checked := [
        effect for effect in results.effects.values() if (effect.point, effect.algorithm) in results.held
    ]:
        notes.append(
            f"Tried with the file in force: {number_of(len(checked), 'point')}. A rule stays only where the "
            "library's own choice is then as fast as the algorithm."
        )
    best = sum(decision.why == DEFAULT_IS_BEST for decision in table.decisions)
    none = sum(decision.why == NO_CHOICE for decision in table.decisions)
    if best:
        notes.append(f"The library's own choice is best in {number_of(best, 'place')}.")
    if none:
        notes.append(
            f"Nothing could be chosen in {number_of(none, 'place')}: the library offers nothing that is safe "
            "for every program. --assume allows more."
        )
    if table.unsure:
        notes.append(f"Not sure in {number_of(len(table.unsure), 'place')}, so the library's choice stays:")
        notes += [f"  {unsure.what}: {unsure.why}" for unsure in table.unsure[:_MOST_UNSURE]]
        if more := len(table.unsure) - _MOST_UNSURE:
            notes += [f"  and {more} more (--json lists all)"] * (more > 0)
    notes += [f"Could not be measured: {point.text}: {why}" for point, why in results.failed.items()]
    notes += [f"{number_of(count, 'rule')} left out: {why}." for why, count in made.beside.items()]
    if left_out:
        notes.append(f"Left out for their memory: {number_of(left_out, 'point')}.")
    if ended:
        notes.append(ended)
    return notes

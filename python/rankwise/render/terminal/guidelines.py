"""The result of checking the guidelines, on the terminal: violations, the worst first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TextIO

from rich.text import Text

from rankwise.render.terminal.page import Page
from rankwise.render.terminal.tables import TextColumn, label, table_lines
from rankwise.text.names import algorithm_name, call_name
from rankwise.text.units import byte_text, confidence_text, number_of, ratio_text, second_text
from rankwise.trials.interval import Interval
from rankwise.tuning.guidelines import MARGIN, Compared, Outcome


def print_guidelines(outcome: Outcome, own: Sequence[str], file: TextIO) -> None:
    """Write the result.

    Args:
        outcome: of the check.
        own: the user's settings in force.
        file: to write to.
    """
    page = Page(file)
    violated = outcome.violated
    library = f"{outcome.library.label} {outcome.library.number}".strip()
    where = f"{library}, {outcome.processes} processes on {_nodes(outcome.hosts)}"
    verdict = f"{len(violated)} of {len(outcome.compared)} guidelines are violated"
    if not outcome.compared:
        verdict = "nothing was compared"
    page.write(*page.wrapped(f"{where}: {verdict}", "bold", indent=2))
    if violated:
        page.write(Text(), *table_lines(page, _COLUMNS, violated, fold=True), Text())
    for note in _notes(outcome, own):
        page.write(*page.wrapped(note, indent=2, units=True))


def _nodes(hosts: Sequence[str]) -> str:
    return "1 node" if len(hosts) == 1 else f"{len(hosts)} nodes"


def _what(compared: Compared) -> str:
    call = call_name(compared.procedure)
    return call if compared.procedure == "MPI_Barrier" else f"{call} of {byte_text(compared.size)}"


def _against(compared: Compared) -> str:
    return (
        f"{call_name(compared.procedure)} of {byte_text(compared.larger)}"
        if compared.larger
        else compared.against
    )


def _span(interval: Interval) -> str:
    return f"{ratio_text(interval.ratio)} ({ratio_text(interval.low)}-{ratio_text(interval.high)})"


def _cure(compared: Compared) -> str:
    return (
        f"{algorithm_name(compared.cure[0].label)}: {ratio_text(compared.cure[1].evidence.ratio)} x"
        if compared.cure
        else "-"
    )


_COLUMNS: list[TextColumn[Compared]] = [
    label("call", _what),
    TextColumn("takes", lambda compared: second_text(1e-6 * compared.own_us), right=True),
    TextColumn("x (interval)", lambda compared: _span(compared.interval), right=True),
    label("as long as", _against),
    TextColumn("with", lambda compared: second_text(1e-6 * compared.other_us), right=True),
    label("faster by", _cure),
]


def _too_short(outcome: Outcome) -> list[str]:
    """Return a sentence on the inconclusive comparisons."""
    if not (short := outcome.too_short):
        return []
    worst = min(short, key=lambda compared: min(compared.own_us, compared.other_us))
    times = f"{second_text(1e-6 * worst.own_us)} and {second_text(1e-6 * worst.other_us)}"
    return [
        f"{number_of(len(short), 'comparison')} {'was' if len(short) == 1 else 'were'} inconclusive, such as "
        f"{_what(worst)} and {_against(worst)} ({times}): a time below {second_text(1e-6 * worst.least_us)}"
        " is too short for a message between two ranks here, so the ranks did not run at the same time."
    ]


def _notes(outcome: Outcome, own: Sequence[str]) -> list[str]:
    violated, compared = outcome.violated, outcome.compared
    notes = []
    if violated:
        notes.append(
            f"{_what(violated[0])} on {outcome.processes} processes takes "
            f"{_span(violated[0].interval).replace(' ', ' x ')} as long as {_against(violated[0])}."
        )
    if any(violation.cure for violation in violated):
        notes.append(
            '"faster by" names an algorithm of the library and its speed-up over the one that '
            "the library chooses by itself, measured afresh."
        )
    if violated:
        notes.append(
            "Next: profile a program with `rankwise run -o F.rankwise -- ...`, then `rankwise tune "
            "F.rankwise -- ...` chooses other algorithms where the program gains from them."
        )
    notes += _too_short(outcome)
    if held := len(compared) - len(violated) - len(outcome.too_short):
        notes.append(f"The other {held} show no violation.")
    if controls := outcome.controls:
        differ = [control for control in controls if control.verdict != "no difference shown"]
        worst_ratio = max(max(control.ratio, 1 / control.ratio) for control in controls)
        notes.append(
            f"Control: {len(controls)} calls compared with themselves, {len(differ)} differ; the largest "
            f"ratio is {ratio_text(worst_ratio)}."
        )
    if compared:
        notes.append(
            f"A violation means that the interval is above {ratio_text(1 + MARGIN)}; all intervals hold "
            f"together with {confidence_text(outcome.confidence)} % confidence."
        )
    notes += [f"{what} could not be compared: {why}." for what, why in outcome.unfit.items()]
    if outcome.too_large:
        notes.append(f"Excluded because of their memory: {', '.join(outcome.too_large)}.")
    if own:
        notes.append(f"Your own settings are in force and were part of the measurement: {'; '.join(own)}.")
    if outcome.ended:
        not_made = f" {outcome.left} comparisons were not made." if outcome.left else ""
        notes.append(f"{outcome.ended}{not_made}")
    return notes

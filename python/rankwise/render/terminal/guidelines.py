"""What guidelines showed, on the terminal: the violations, the worst first."""

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


def print_guidelines(found: Outcome, own: Sequence[str], file: TextIO) -> None:
    """Write all of it.

    Args:
        found: what came out.
        own: settings of the user's that are in force.
        file: to write to.
    """
    page = Page(file)
    violated = found.violated
    library = f"{found.library.label} {found.library.number}".strip()
    where = f"{library}, {found.processes} processes on {_nodes(found.hosts)}"
    verdict = f"{len(violated)} of {len(found.compared)} guidelines are violated"
    if not found.compared:
        verdict = "nothing was compared"
    page.write(*page.wrapped(f"{where}: {verdict}", "bold", indent=2))
    if violated:
        page.write(Text(), *table_lines(page, _COLUMNS, violated, fold=True), Text())
    for note in _notes(found, own):
        page.write(*page.wrapped(note, indent=2, units=True))


def _nodes(hosts: Sequence[str]) -> str:
    return "1 node" if len(hosts) == 1 else f"{len(hosts)} nodes"


def _what(one: Compared) -> str:
    call = call_name(one.procedure)
    return call if one.procedure == "MPI_Barrier" else f"{call} of {byte_text(one.size)}"


def _against(one: Compared) -> str:
    return f"{call_name(one.procedure)} of {byte_text(one.larger)}" if one.larger else one.against


def _span(one: Interval) -> str:
    return f"{ratio_text(one.ratio)} ({ratio_text(one.low)}-{ratio_text(one.high)})"


def _cure(one: Compared) -> str:
    return (
        f"{algorithm_name(one.cure[0].label)}: {ratio_text(one.cure[1].evidence.ratio)} x"
        if one.cure
        else "-"
    )


_COLUMNS: list[TextColumn[Compared]] = [
    label("call", _what),
    TextColumn("takes", lambda one: second_text(1e-6 * one.own_us), right=True),
    TextColumn("x (interval)", lambda one: _span(one.interval), right=True),
    label("as long as", _against),
    TextColumn("with", lambda one: second_text(1e-6 * one.other_us), right=True),
    label("faster by", _cure),
]


def _too_short(found: Outcome) -> list[str]:
    """Return what is not concluded from."""
    if not (short := found.too_short):
        return []
    worst = min(short, key=lambda one: min(one.own_us, one.other_us))
    times = f"{second_text(1e-6 * worst.own_us)} and {second_text(1e-6 * worst.other_us)}"
    return [
        f"{number_of(len(short), 'comparison')} {'was' if len(short) == 1 else 'were'} inconclusive, such as "
        f"{_what(worst)} and {_against(worst)} ({times}): a time below {second_text(1e-6 * worst.least_us)}"
        " is too short for a message between two ranks here, so the ranks did not run at the same time."
    ]


def _notes(found: Outcome, own: Sequence[str]) -> list[str]:
    violated, compared = found.violated, found.compared
    notes = []
    if violated:
        notes.append(
            f"{_what(violated[0])} on {found.processes} processes takes "
            f"{_span(violated[0].interval).replace(' ', ' x ')} as long as {_against(violated[0])}."
        )
    if any(one.cure for one in violated):
        notes.append(
            '"faster by" names an algorithm of the library and its speed-up over the one that '
            "the library chooses by itself, measured afresh."
        )
    if violated:
        notes.append(
            "Next: profile a program with `rankwise run -o F.rankwise -- ...`, then `rankwise tune "
            "F.rankwise -- ...` chooses other algorithms where the program gains from them."
        )
    notes += _too_short(found)
    if held := len(compared) - len(violated) - len(found.too_short):
        notes.append(f"The other {held} show no violation.")
    if controls := found.controls:
        differ = [one for one in controls if one.verdict != "no difference shown"]
        worst_ratio = max(max(one.ratio, 1 / one.ratio) for one in controls)
        notes.append(
            f"Control: {len(controls)} calls compared with themselves, {len(differ)} differ; the largest "
            f"ratio is {ratio_text(worst_ratio)}."
        )
    if compared:
        notes.append(
            f"A violation means that the interval is above {ratio_text(1 + MARGIN)}; all intervals hold "
            f"together with {confidence_text(found.confidence)} % confidence."
        )
    notes += [f"{what} could not be compared: {why}." for what, why in found.unfit.items()]
    if found.too_large:
        notes.append(f"Excluded because of their memory: {', '.join(found.too_large)}.")
    if own:
        notes.append(f"Your own settings are in force and were part of the measurement: {'; '.join(own)}.")
    if found.ended:
        left = f" {found.left} comparisons were not made." if found.left else ""
        notes.append(f"{found.ended}{left}")
    return notes

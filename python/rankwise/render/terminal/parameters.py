"""A race of parameters on the terminal: tried and kept values, and their total gain."""

from __future__ import annotations

from typing import NamedTuple, TextIO

from rich.text import Text

from rankwise.render.terminal.page import Page
from rankwise.render.terminal.tables import TextColumn, label, table_lines
from rankwise.text.units import change_range_text, change_text, confidence_text, percent_text
from rankwise.trials.interval import Interval
from rankwise.tuning.parameters.outcome import Outcome, Step, Tried


class _Row(NamedTuple):
    name: str
    value: str
    runs: str
    change: str
    interval: str
    verdict: str


def print_parameters(outcome: Outcome, file: TextIO) -> None:
    """Write the results.

    Args:
        outcome: of the race.
        file: to write to.
    """
    page = Page(file)
    if outcome.layers:
        page.write(*page.wrapped(f"{outcome.layers}.", indent=2))
    if not outcome.steps:
        text = "Nothing was tried: no known parameter matters for the messages in this profile."
        page.write(*page.wrapped(text, "bold", indent=2))
        return
    rows = [row for step in outcome.steps for row in _rows(step)]
    page.write(Text(), *table_lines(page, _COLUMNS, rows), Text())
    for step in outcome.steps:
        if step.ended:
            page.write(*page.wrapped(f"{step.parameter.name}: {step.ended}", indent=2))
    for note in filter(None, [outcome.ended, *outcome.notes]):
        page.write(*page.wrapped(note, indent=2))
    page.write(*page.wrapped(_verdict(outcome), "bold", indent=2))
    for variable, value in outcome.environment.items():
        page.write(page.text(f"    {variable}={value}"))


_COLUMNS: list[TextColumn[_Row]] = [
    label("parameter", lambda row: row.name),
    TextColumn("value", lambda row: row.value, right=True),
    TextColumn("rounds", lambda row: row.runs, right=True),
    TextColumn("time", lambda row: row.change, right=True),
    TextColumn("interval", lambda row: row.interval, right=True),
    label("", lambda row: row.verdict),
]


def _rows(step: Step) -> list[_Row]:
    present = step.parameter.present or "current"
    first = _Row(step.parameter.name, present, "", "", "", step.skipped or "current")
    return [first, *(_row(step, tried) for tried in step.tried)]


def _row(step: Step, tried: Tried) -> _Row:
    kept = ", kept" if step.kept == tried.setting else ""
    in_force = ", confirmed in force" if tried.seen and not tried.why_not else ""
    said = tried.why_not or tried.verdict + kept + in_force
    value = str(tried.setting.value)
    if tried.interval is None:
        return _Row("", value, "", "", "", said)
    low, high = _change(tried.interval.high), _change(tried.interval.low)
    return _Row(
        "",
        value,
        str(tried.interval.pairs),
        f"{change_text(_change(tried.interval.ratio))} %",
        f"{change_range_text(low, high)} %",
        said,
    )


def _verdict(outcome: Outcome) -> str:
    interval = outcome.interval
    if interval is None:
        if outcome.verdict == "not proven":
            return "Nothing is proven."
        if outcome.verdict == "not tried":
            return "The possible gain is unknown: no value could be tried."
        return "No gain: nothing is changed."
    range_text = _range_text(interval)
    if outcome.gains:
        less = f"Faster: the program takes {percent_text(-_change(interval.ratio))} % less time"
        return f"{less} ({range_text}), measured again in {interval.pairs} pairs of runs, with"
    if outcome.verdict == "not proven":
        so_far = f"{change_text(_change(interval.ratio))} % ({range_text})"
        return f"Not decided: the kept values change the time by {so_far} so far."
    below = " Any difference is below the requested resolution." if outcome.equivalent else ""
    change = f"{change_text(_change(interval.ratio))} % ({range_text})"
    return f"No gain: the kept values change the time by {change}, measured again.{below}"


def _range_text(interval: Interval) -> str:
    low, high = _change(interval.high), _change(interval.low)
    return f"{confidence_text(interval.confidence)} % confidence: {change_range_text(low, high)} %"


def _change(ratio: float) -> float:
    """Return the change of the time in percent, from the ratio before / after."""
    return 100 * (1 / ratio - 1)

"""The sentences of a comparison: its sides, its result, and how sure that is."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rankwise.comparison.change import ALIKE_PERCENT, CONFIDENCE, UNKNOWN, Change
from rankwise.comparison.compare import Changed, Comparison, Figure, Side
from rankwise.comparison.estimates import Range
from rankwise.text.names import call_name, program_text, quoted_name
from rankwise.text.units import byte_text, count_text, percent_text, second_text
from rankwise.views.view import MISSING

NAMES = {
    "wall": "wall",
    "mpi": "in MPI",
    "other": "compute, other",
    "init_finalize": "Init, Finalize",
    "mpi_percent": "MPI, % of run",
    "calls": "calls",
    "bytes_sent": "sent",
    "messages": "messages",
}
PARTS = {
    "collectives": "late at collectives",
    "late senders": "late senders",
    "late receivers": "late receivers",
    "transfer": "transfer",
    "files": "files",
    "not known": "not known",
}
"""Of the time in MPI."""
_TEXTS = {"s": second_text, "B": byte_text, "%": percent_text, "": count_text}
_EXPLAINS_PERCENT = 20.0  # of the difference in wall time: causes with more are named in the title
_WHOLE_PERCENT = 99.95  # from here on without decimals
_NAMED = 3  # communicators on one side only


def amount_text(value: float, unit: str) -> str:
    """Return a value with its unit."""
    return _TEXTS[unit](value)


def change_text(value: float, unit: str) -> str:
    """Return a difference, with its sign."""
    return f"{'-' if value < 0 else '+'}{_TEXTS[unit](abs(value))}" if value else "0"


def percent_change_text(percent: float) -> str:
    """Return a difference in percent, with its sign, without the word; the least are `<0.1` and `>-0.1`."""
    size = abs(percent)
    text = percent_text(size, decimals=1 if size < _WHOLE_PERCENT else 0)
    if text.startswith("<"):
        return text if percent > 0 else f">-{text[1:]}"
    return f"{'-' if percent < 0 else '+'}{text}" if percent else "0"


def side_lines(comparison: Comparison) -> list[str]:
    """Return a line on what the runs of each side are, with their programs if these differ."""
    before, after = comparison.before, comparison.after
    return [
        _side_line(name, side, program=before.program != after.program)
        for name, side in (("before", before), ("after", after))
    ]


def limit_lines(comparison: Comparison) -> list[str]:
    """Return a line on what limits the runs of each side."""
    return [
        _limit_line(name, side) for name, side in (("before", comparison.before), ("after", comparison.after))
    ]


def _limit_line(name: str, side: Side) -> str:
    runs = len(side.profiles)
    some = f"in {side.limited_runs} of {runs} runs: " if side.limited_runs < runs else ""
    return f"{name:7}{some}{side.verdict}"


def _side_line(name: str, side: Side, *, program: bool) -> str:
    more = f" and {len(side.profiles) - 1} more" if len(side.profiles) > 1 else ""
    facts = [
        f"{name:7}{side.profiles[0]}{more}",
        f"{side.ranks} rank{'s' * (side.ranks != 1)} / {side.nodes} node{'s' * (side.nodes != 1)}",
        side.mpi_library,
        side.started[:16].replace("T", " "),
        program_text(side.program) if program else "",
    ]
    return "  ".join(filter(None, facts))


def noise_note(comparison: Comparison) -> str:
    """Say how noise was determined, or why it could not be."""
    before, after = len(comparison.before.profiles), len(comparison.after.profiles)
    if before == after == 1:
        return (
            "To separate changes from noise, give several runs per side: rankwise diff A1 A2 A3 -- B1 B2 B3"
        )
    if not comparison.noise_known:
        return "At least three runs per side are needed to estimate the noise"
    sure = f"{100 * CONFIDENCE:.0f} %"
    return (
        f"noise: confidence interval of the change from the runs of both sides ({before} and {after}), by "
        f"the Mann-Whitney test (Hodges-Lehmann interval). better, worse: at {sure} confidence; same: "
        f"within {ALIKE_PERCENT:.0f} % at that confidence; unknown: the noise is larger"
    )


def title(comparison: Comparison) -> str:
    """Return what came out of the wall time, and what explains it, without a full stop."""
    wall = comparison.figure("wall").value
    text = f"{_WORDS[wall.verdict]}wall {_both(wall)}"
    if comparison.noise_known:
        text += f", noise {interval_text(wall)} %"
    if reasons := _reasons(comparison) if wall.change else []:
        text += f": {', '.join(reasons)}"
    if comparison.noise_known or not wall.change:
        return text
    runs = len(comparison.before.profiles), len(comparison.after.profiles)
    return f"{text}; {'one run each' if runs == (1, 1) else 'too few runs'}: noise is unknown"


def median_notes(comparison: Comparison, rows: Sequence[Changed]) -> list[str]:
    """Say why the total of calls differs from the run's time in MPI, where tables show it.

    Args:
        comparison: the comparison.
        rows: all calls, by something; each value is the median of the runs, and medians do not add up.
    """
    whole = comparison.figure("mpi").value.change
    total = sum(row.seconds.change for row in rows)
    texts = change_text(total, "s"), change_text(whole, "s")
    runs = max(len(comparison.before.profiles), len(comparison.after.profiles))
    if len(rows) < 2 or runs < 3 or texts[0] == texts[1]:  # the median of two is their mean
        return []
    return [
        f"Medians of several runs do not add up: the changes here sum to {texts[0]}, while the time in MPI "
        f"of a run changed by {texts[1]}"
    ]


_APART_FROM_CALLS = {"other": "outside of MPI", "init_finalize": "in MPI_Init and MPI_Finalize"}
_WORDS = {"better": "Faster: ", "worse": "Slower: ", "same": "The same: ", UNKNOWN: ""}


def interval_text(value: Change) -> str:
    """Return what the noise leaves possible, in percent of the value before."""
    if value.low is None or value.high is None or not value.before:
        return "-"
    low, high = (percent_change_text(100 * end / value.before) for end in (value.low, value.high))
    return f"{low} to {high}"


def _both(value: Change) -> str:
    change = "" if value.percent is None else f" ({percent_change_text(value.percent)} %)"
    return f"{second_text(value.before)} to {second_text(value.after)}{change}"


def _reasons(comparison: Comparison) -> list[str]:
    """Return what explains the difference in wall time, the largest part first."""
    wall = comparison.figure("wall").value.change
    parts = [(comparison.figure(name).value.change, where) for name, where in _APART_FROM_CALLS.items()]
    parts += [
        (row.seconds.change, f"in {call_name(row.procedure)} on {row.communicator}")
        for row in comparison.rows["communicator_calls"]
    ]
    same_way = sorted((part for part in parts if part[0] * wall > 0), key=lambda part: -abs(part[0]))
    reasons = [part for part in same_way[:2] if 100 * abs(part[0] / wall) >= _EXPLAINS_PERCENT]
    return [f"{change_text(change, 's')} a rank {where}" for change, where in reasons]


def only_lines(comparison: Comparison) -> list[str]:
    """Name the communicators and the calls that are on one side only."""
    lines = []
    for side in ("before", "after"):
        communicators = [
            quoted_name(row.communicator, row.user_name)
            for row in comparison.rows["communicators"]
            if row.only == side
        ]
        calls = [call_name(row.procedure) for row in comparison.rows["calls"] if row.only == side]
        texts = [
            f"{noun} {_listed(names)}"
            for noun, names in (("on", communicators), ("calls of", calls))
            if names
        ]
        if texts:
            lines.append(f"Only {side}: {'; '.join(texts)}")
    lines += [f"{late} after is matched with {early} before" for late, early in comparison.renamed.items()]
    return lines


def gate_line(figure: Figure, percent: float, *, failed: bool) -> str:
    """Say whether a figure is worse by more than the limit."""
    value = figure.value
    change = change_text(value.change, figure.unit)
    if value.percent is not None:
        change = f"{percent_change_text(value.percent)} %"
    above = value.percent is None or value.percent > percent
    if failed:
        limit = f"more than {percent:g} %"
    elif value.change > 0 and above:
        limit = f"more than {percent:g} %, but this may be noise"
    else:
        limit = f"not more than {percent:g} %"
    return f"{'FAILED' if failed else 'passed'}: {NAMES[figure.name]} {change}, {limit}"


def signed_ratio_text(value: float) -> str:
    """Return a difference of efficiencies, with its sign."""
    return f"{value:+.2f}" if round(value, 2) else "0"


def may_be_text(change: Range, text: Callable[[float], str]) -> str:
    """Return what the ranges of the sides leave possible of a change."""
    low, high = text(change.low), text(change.high)
    if low == high:
        return MISSING
    unit = f" {high.rpartition(' ')[2]}"
    return f"{low.removesuffix(unit)} to {high}"


def seconds_change_text(value: float) -> str:
    """Return a difference of times, with its sign."""
    return change_text(value, "s")


def split_notes(comparison: Comparison) -> list[str]:
    """Say why an efficiency is unknown on a side."""
    lacking = [
        name
        for name in ("before", "after")
        if any(getattr(row, name) is None for row in comparison.efficiency)
    ]
    if not lacking:
        return []
    return [
        f"Unknown {' and '.join(lacking)}: the causes of lost communication efficiency; `rankwise explain` "
        "says why"
    ]


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more

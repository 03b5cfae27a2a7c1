"""A verification on the terminal: times and messages before and after, and the verdict."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple, TextIO

from rich.text import Text

from rankwise.placement.verification.measured import Measured
from rankwise.placement.verification.verify import Verified
from rankwise.render.terminal.page import Page
from rankwise.render.terminal.statements import statement_lines
from rankwise.render.terminal.tables import TextColumn, label, table_lines
from rankwise.text.units import byte_text, count_text, percent_range_text, percent_text, second_text
from rankwise.trials.interval import Interval

_KEPT = "The present order stays: no files are written."


class _Row(NamedTuple):
    name: str
    before: str
    after: str
    predicted: str


def print_verified(
    verified: Verified, profile: Path, command: str, output: Path | None, file: TextIO
) -> None:
    """Write the results.

    Args:
        verified: the results.
        profile: behind the placement.
        command: that starts the job in the new order, with the written files; '' if none were.
        output: directory of the files; None if the user gave none.
        file: to write to.
    """
    page = Page(file)
    if verified.again:
        page.write(
            *page.wrapped(f"Mapped again from the first run: {verified.again} in {profile}.", indent=2)
        )
    if not verified.mapping.gains:
        was = "present placement" if verified.mapping.present else "natural order"
        runs = "" if verified.again else "; nothing was run"
        page.write(*page.wrapped(f"No better placement than the {was} was found{runs}.", "bold", indent=2))
        page.write(*page.wrapped(_KEPT))
        return
    if verified.interval is not None:
        pairs = verified.interval.pairs
        page.write(
            page.text(f"{pairs} pair{'s' * (pairs > 1)} of runs, with one warm-up run per side", "bold")
        )
        page.write(Text(), *table_lines(page, _columns(), _rows(verified)), Text())
        page.write(*statement_lines(page, verified.certainty()), Text())
    for note in filter(None, [verified.ended, _unresolved(verified), *verified.notes]):
        page.write(*page.wrapped(note, indent=2))
    page.write(*page.wrapped(_verdict(verified.interval, equivalent=verified.equivalent), "bold", indent=2))
    if verified.verdict != "faster":
        page.write(*page.wrapped(_KEPT))
    elif verified.by_order:
        page.write(
            *page.wrapped("The launcher places no rank: Rankwise changed the order of MPI_COMM_WORLD.")
        )
        page.write(page.text(f"    {command}"))
    elif output is None:
        again = "the same with -o DIR" if verified.again else f"rankwise map {profile} -o DIR"
        page.write(*page.wrapped(f"No files are written without -o DIR: {again} writes them."))
    else:
        page.write(*page.wrapped(f"The files are in {output}. The job in the new order:"))
        page.write(page.text(f"    {command}"))


def _columns() -> list[TextColumn[_Row]]:
    return [
        label("median", lambda row: row.name),
        TextColumn("before", lambda row: row.before, right=True),
        TextColumn("after", lambda row: row.after, right=True),
        TextColumn("predicted", lambda row: row.predicted, right=True),
    ]


def _rows(verified: Verified) -> list[_Row]:
    predicted = verified.mapping.found

    def row(
        name: str, value: Callable[[Measured], float], text: Callable[[float], str], said: str = ""
    ) -> _Row:
        return _Row(name, _median(verified.before, value, text), _median(verified.after, value, text), said)

    return [
        row("time from MPI_Init to MPI_Finalize", lambda run: run.seconds, second_text),
        row("time in MPI, mean of the ranks", lambda run: run.mpi_seconds, second_text),
        row("bytes off node", lambda run: run.bytes_off_node, byte_text, byte_text(predicted.bytes_off_node)),
        row(
            "messages off node",
            lambda run: run.messages_off_node,
            count_text,
            count_text(predicted.messages_off_node or 0),  # a recorded run knows them
        ),
    ]


def _median(
    runs: Sequence[Measured], value: Callable[[Measured], float], text: Callable[[float], str]
) -> str:
    return text(statistics.median(map(value, runs)))


def _unresolved(verified: Verified) -> str:
    """Return that there were fewer pairs than needed."""
    pairs = verified.interval.pairs if verified.interval else 0
    if verified.needed is None or verified.needed <= pairs:
        return ""
    return f"{verified.needed} pairs would be needed for the requested resolution: see --pairs and --resolve."


def _verdict(interval: Interval | None, *, equivalent: bool) -> str:
    """Return the result of the runs, as a change of the job's time."""
    if interval is None:
        return "No difference shown: no pair of runs was completed."
    change = _change(interval.ratio)
    low, high = _change(interval.high), _change(interval.low)
    confidence = f"{_percent(interval.confidence)} confidence"
    ratio = f"before / after = {interval.ratio:.3f}"
    if interval.verdict == "faster":
        less = f"Faster: the job takes {percent_text(-change)} % less time"
        return f"{less} ({confidence}: {percent_range_text(-high, -low)} %), {ratio}."
    if interval.verdict == "slower":
        more = f"Slower: the job takes {percent_text(change)} % more time"
        return f"{more} ({confidence}: {percent_range_text(low, high)} %), {ratio}."
    below = " Any difference is below the requested resolution." if equivalent else ""
    few = "" if interval.reached else f" So few pairs can't give {_percent(interval.wanted)}."
    none = f"No difference shown: the time changes by {change:+.1f} %"
    return f"{none} ({confidence}: {low:+.1f} to {high:+.1f} %), {ratio}.{few}{below}"


def _change(ratio: float) -> float:
    """Return the change of the time in percent, from the ratio before / after."""
    return 100 * (1 / ratio - 1)


def _percent(confidence: float) -> str:
    return f"{percent_text(100 * confidence)} %"

"""Two measurements side by side: the changes, and their places."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from rich.text import Text

from rankwise.latency.measurement import Measurement
from rankwise.render.terminal.page import Page
from rankwise.render.terminal.tables import TextColumn, cut, label, table_lines
from rankwise.text.names import library_name, shown_path
from rankwise.text.units import byte_text, digits_text, number_of, percent_text
from rankwise.topology.pairs.difference import ClassChange, Difference, NodeChange, PairChange
from rankwise.topology.pairs.resampling import CONFIDENCE
from rankwise.views.latency.texts import factor_text, value_text

_INDENT = 2
Row = TypeVar("Row")


def difference_lines(
    page: Page,
    paths: tuple[Path, Path],
    both: tuple[Measurement, Measurement],
    difference: Difference,
    limit: int,
) -> list[Text]:
    """Return the head, the levels, and at most `limit` changed pairs and nodes (0 = all)."""
    lines = []
    for name, path, measurement in zip(("before", "after"), paths, both, strict=True):
        lines += page.wrapped(f"{name}: {_described(path, measurement)}", "bold", _INDENT)
    lines += page.wrapped(_matched(difference), indent=_INDENT)
    for warning in warnings(both, difference):
        lines += page.wrapped(f"! {warning}", "yellow", _INDENT)
    lines += [Text(), *table_lines(page, _level_columns(), difference.levels)]
    lines += page.wrapped(_caption(difference), "dim")
    lines += [Text(), *page.wrapped(verdict(difference), "bold")]
    if difference.outliers:
        lines += [Text(), *_cut_table(page, _pair_columns(), difference.outliers, limit)]
    if difference.changed:
        lines += [Text(), *_cut_table(page, _node_columns(), difference.nodes, limit)]
    return lines


def warnings(both: tuple[Measurement, Measurement], difference: Difference) -> list[str]:
    """Return why the two are hard to compare."""
    lines = []
    for sizes, which in ((difference.only_before, "first"), (difference.only_after, "second")):
        if sizes:
            names = ", ".join(map(byte_text, sizes))
            lines.append(f"only the {which} has messages of {names}: not compared")
    for key, what in (("mode", "modes"), ("mpi", "MPI libraries")):
        before, after = (library_name(str(measurement.about.get(key) or "")) for measurement in both)
        if before and after and before != after:
            lines.append(f"the {what} differ: {before}; {after}")
    for key in ("interrupted", "oversubscribed"):
        named = zip(("first", "second"), both, strict=True)
        marked = [name for name, measurement in named if measurement.about.get(key) is True]
        if marked:
            lines.append(f"{key}: the {' and the '.join(marked)}; compare whole, undisturbed measurements")
    return lines


def verdict(difference: Difference) -> str:
    """Return the finding in one sentence."""
    if all(level.interval is None for level in difference.levels):
        return "Too few pairs to separate a change from noise: measure more ranks."
    if not difference.changed:
        return "No change beyond noise."
    changed = [level for level in difference.levels if level.change]
    if not changed:
        few = number_of(len(difference.outliers), "pair")
        return f"No change of a level beyond noise, but {few} changed unlike the others."
    most = max(changed, key=lambda level: max(level.slowness, 1 / level.slowness))
    factor = factor_text(max(most.slowness, 1 / most.slowness))
    return (
        f"{len(changed)} of {number_of(len(difference.levels), 'value')} changed beyond noise; the largest "
        f"change is {most.what} of {byte_text(most.size)} messages, {most.name}: {factor} {most.change}."
    )


def _described(path: Path, measurement: Measurement) -> str:
    nodes = len({rank.host for rank in measurement.ranks})
    date = str(measurement.about.get("date") or "")[:16].replace("T", " ")
    facts = f"{number_of(len(measurement.ranks), 'rank')} / {number_of(nodes, 'node')}"
    return "  ".join(filter(None, (shown_path(path), facts, date)))


def _matched(difference: Difference) -> str:
    moved = f"; {number_of(difference.moved, 'rank')} on another host than before" if difference.moved else ""
    ends = "" if difference.by == "rank" else " of hosts"
    matched = f"{number_of(difference.pairs, 'pair')}{ends} matched by {difference.by}{moved}"
    return f"{matched}; latency: {difference.statistic}"


def _caption(difference: Difference) -> str:
    return (
        "slower: factor by which the value got slower, median over the pairs, with its "
        f"{percent_text(100 * CONFIDENCE, 0)} % confidence interval. It counts as a change if the interval "
        f"excludes 1 and the median differs by more than {percent_text(100 * difference.threshold, 0)} % "
        "(--threshold)."
    )


def _level_columns() -> list[TextColumn[ClassChange]]:
    return [
        label("pairs", lambda row: row.name),
        TextColumn("n", lambda row: str(row.pairs), right=True),
        label("what", lambda row: f"{row.what}, {byte_text(row.size)}"),
        TextColumn("before", lambda row: value_text(row.what, row.before), right=True),
        TextColumn("after", lambda row: value_text(row.what, row.after), right=True),
        TextColumn("slower", lambda row: factor_text(row.slowness), right=True),
        TextColumn("interval", lambda row: _interval(row.interval), right=True),
        label("", lambda row: row.change or ("no change" if row.interval else "one pair: unknown")),
    ]


def _pair_columns() -> list[TextColumn[PairChange]]:
    return [
        label("changed unlike others", lambda row: " - ".join(map(str, row.ends))),
        label("hosts", lambda row: " - ".join(dict.fromkeys(row.hosts))),
        label("what", lambda row: f"{row.what}, {byte_text(row.size)}"),
        TextColumn("before", lambda row: value_text(row.what, row.before), right=True),
        TextColumn("after", lambda row: value_text(row.what, row.after), right=True),
        TextColumn("slower", lambda row: factor_text(row.slowness), right=True),
        TextColumn("others", lambda row: factor_text(row.others), right=True),
    ]


def _node_columns() -> list[TextColumn[NodeChange]]:
    return [
        label("node", lambda row: row.host),
        label("what", lambda row: f"{row.what}, {byte_text(row.size)}"),
        TextColumn("pairs", lambda row: str(row.pairs), right=True),
        TextColumn("slower", lambda row: factor_text(row.slowness), right=True),
    ]


def _cut_table(page: Page, columns: Sequence[TextColumn[Row]], rows: Sequence[Row], limit: int) -> list[Text]:
    shown, rest = cut(rows, limit)
    more = page.wrapped("--limit 0 shows all rows.", "dim") if rest else []
    return [*table_lines(page, columns, shown, rest), *more]


def _interval(interval: tuple[float, float] | None) -> str:
    return "-" if interval is None else f"{digits_text(interval[0])} to {digits_text(interval[1])}"

"""Two measurements side by side: what changed, and where."""

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
    page: Page, paths: tuple[Path, Path], both: tuple[Measurement, Measurement], found: Difference, limit: int
) -> list[Text]:
    """Return what was compared, the levels, and at most `limit` pairs and nodes that changed (0 = all)."""
    lines = []
    for name, path, measurement in zip(("before", "after"), paths, both, strict=True):
        lines += page.wrapped(f"{name}: {_described(path, measurement)}", "bold", _INDENT)
    lines += page.wrapped(_matched(found), indent=_INDENT)
    for warning in warnings(both, found):
        lines += page.wrapped(f"! {warning}", "yellow", _INDENT)
    lines += [Text(), *table_lines(page, _level_columns(), found.levels)]
    lines += page.wrapped(_caption(found), "dim")
    lines += [Text(), *page.wrapped(verdict(found), "bold")]
    if found.outliers:
        lines += [Text(), *_cut_table(page, _pair_columns(), found.outliers, limit)]
    if found.changed:
        lines += [Text(), *_cut_table(page, _node_columns(), found.nodes, limit)]
    return lines


def warnings(both: tuple[Measurement, Measurement], found: Difference) -> list[str]:
    """Return what makes the two hard to compare."""
    lines = []
    for sizes, which in ((found.only_before, "first"), (found.only_after, "second")):
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


def verdict(found: Difference) -> str:
    """Return the finding in one sentence."""
    if all(level.interval is None for level in found.levels):
        return "Too few pairs to separate a change from noise: measure more ranks."
    if not found.changed:
        return "No change beyond noise."
    changed = [level for level in found.levels if level.change]
    if not changed:
        few = number_of(len(found.outliers), "pair")
        return f"No change of a level beyond noise, but {few} changed unlike the others."
    most = max(changed, key=lambda level: max(level.slowness, 1 / level.slowness))
    factor = factor_text(max(most.slowness, 1 / most.slowness))
    return (
        f"{len(changed)} of {number_of(len(found.levels), 'value')} changed beyond noise; the largest "
        f"change is {most.what} of {byte_text(most.size)} messages, {most.name}: {factor} {most.change}."
    )


def _described(path: Path, measurement: Measurement) -> str:
    nodes = len({rank.host for rank in measurement.ranks})
    date = str(measurement.about.get("date") or "")[:16].replace("T", " ")
    facts = f"{number_of(len(measurement.ranks), 'rank')} / {number_of(nodes, 'node')}"
    return "  ".join(filter(None, (shown_path(path), facts, date)))


def _matched(found: Difference) -> str:
    moved = f"; {number_of(found.moved, 'rank')} on another host than before" if found.moved else ""
    ends = "" if found.by == "rank" else " of hosts"
    return f"{number_of(found.pairs, 'pair')}{ends} matched by {found.by}{moved}; latency: {found.statistic}"


def _caption(found: Difference) -> str:
    return (
        "slower: factor by which the value got slower, median over the pairs, with its "
        f"{percent_text(100 * CONFIDENCE, 0)} % confidence interval. It counts as a change if the interval "
        f"excludes 1 and the median differs by more than {percent_text(100 * found.threshold, 0)} % "
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

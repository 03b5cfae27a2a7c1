"""A machine on the terminal: its tree, its levels with their costs, its sources, and their contradictions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TextIO

from rich.text import Text

from rankwise.render.terminal.page import Page
from rankwise.render.terminal.tables import TextColumn, cut, label, table_lines
from rankwise.text.units import byte_text
from rankwise.topology.machine.hosts import folded
from rankwise.topology.machine.model import NODE, Level, Machine, Outlier, Source
from rankwise.topology.machine.objects import Object
from rankwise.topology.machine.shape import Shapes, counted, object_counts, slot_count

if TYPE_CHECKING:
    from rankwise.topology.hierarchy.compare import Agreement  # imports modules that only measurements need

_INDENT = "  "
_MOST_RANKS = 20


def print_machine(machine: Machine, file: TextIO, limit: int) -> None:
    """Write a machine; lists of objects and outliers have at most `limit` rows, 0 for all."""
    page = Page(file)
    shapes = Shapes(machine)
    nodes, slots = counted(len(machine.nodes), NODE), counted(slot_count(machine), "slot")
    page.write(page.text(f"Machine of {nodes} with {slots}", "bold"))
    page.write(*page.wrapped(shapes.inside(machine.root), indent=2), Text())
    shown, rest = cut(_tree_lines(machine, machine.root, shapes), limit)
    page.write(*(line for text in shown for line in page.wrapped(text, indent=2 + _depth(text))))
    _say_rest(page, rest)
    if machine.network:
        page.write(Text(), *page.wrapped(f"Between nodes: {machine.network}", indent=2))
    page.write(Text(), *_level_lines(page, machine))
    if machine.outliers:
        shown_outliers, rest_outliers = cut(machine.outliers, limit)
        page.write(Text(), page.text("Slower than the rest of their level", "bold"))
        page.write(*table_lines(page, _OUTLIERS, shown_outliers))
        _say_rest(page, rest_outliers)
    if machine.sources:
        page.write(Text(), page.text("Known from", "bold"))
        page.write(
            *(line for source in machine.sources for line in page.wrapped(_source_text(source), indent=2))
        )


def _say_rest(page: Page, rest: Sequence[object]) -> None:
    if rest:
        page.write(*page.wrapped(f"{len(rest)} more; --limit 0 shows all.", "dim"))


def _depth(text: str) -> int:
    return len(text) - len(text.lstrip())


def _tree_lines(machine: Machine, top: Object, shapes: Shapes, depth: int = 0) -> list[str]:
    """Return a line for each object around nodes, and one for each group of equal nodes in it."""
    node = machine.depth(NODE)
    names = machine.level_names()
    lines: list[str] = []
    hosts_by_inside: dict[str, list[str]] = {}
    for child in top.children:
        if child.level == node:
            hosts_by_inside.setdefault(shapes.inside(child), []).append(child.name)
        else:
            level = names[child.level]
            name = child.name if child.name.startswith(level) else f"{level} {child.name}".rstrip()
            lines.append(f"{_INDENT * depth}{name}")
            lines += _tree_lines(machine, child, shapes, depth + 1)
    for inside, hosts in hosts_by_inside.items():
        own = f"{_INDENT * depth}{counted(len(hosts), NODE)} {folded(hosts)}"
        lines.append(f"{own}: {inside}" if inside else own)
    return lines


def _level_lines(page: Page, machine: Machine) -> list[Text]:
    rows = list(zip(machine.levels, object_counts(machine), strict=True))
    columns: list[TextColumn[tuple[Level, int]]] = [
        label("level", lambda row: row[0].name),
        TextColumn("objects", lambda row: str(row[1]), right=True),
        TextColumn("latency us", lambda row: _text(row[0].cost.latency_us), right=True),
        TextColumn("overhead us", lambda row: _text(row[0].cost.overhead_us), right=True),
        TextColumn("us per byte", lambda row: _text(row[0].cost.us_per_byte), right=True),
        TextColumn("MB/s", lambda row: _text(row[0].cost.bandwidth_mb_s), right=True),
        TextColumn("link MB/s", lambda row: _text(row[0].link_mb_s), right=True),
    ]
    lines = table_lines(page, columns, rows)
    caption = "Costs of a message between ranks whose smallest common object is of this level."
    return lines + page.wrapped(caption, "dim")


_OUTLIERS: list[TextColumn[Outlier]] = [
    label("what", lambda outlier: outlier.kind),
    label("where", lambda outlier: outlier.where),
    label("of", lambda outlier: f"{outlier.what}, {byte_text(outlier.size)}"),
    TextColumn("is", lambda outlier: _text(outlier.value), right=True),
    TextColumn("its level", lambda outlier: _text(outlier.expected), right=True),
    label("level", lambda outlier: outlier.level),
    label("verdict", lambda outlier: outlier.verdict or "-"),
]


def _source_text(source: Source) -> str:
    place = f" in {source.file}" if source.file else ""
    what = f": {source.what}" if source.what else ""
    date = f", {source.date}" if source.date else ""
    return f"{source.kind}{place}{date}{what}"


def _text(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}" if value < 1000 else f"{value:.0f}"


def print_agreement(agreements: Sequence[Agreement], hosts: Sequence[str], file: TextIO) -> None:
    """Write a row for each level, if there are any.

    Args:
        agreements: of the levels.
        hosts: of each rank.
        file: to write to.
    """
    if not agreements:
        return
    columns: list[TextColumn[Agreement]] = [
        label("level", lambda agreement: agreement.given),
        label("measured", lambda agreement: agreement.level or "-"),
        TextColumn("agreement", lambda agreement: f"{agreement.index:.2f}", right=True),
        label("ranks that differ", lambda agreement: _ranks(agreement.differ, hosts)),
    ]
    page = Page(file)
    page.write(*table_lines(page, columns, agreements))
    caption = "Agreement: adjusted Rand index with the most similar measured level; 1: the same groups."
    page.write(*page.wrapped(caption, "dim"))


def _ranks(ranks: Sequence[int], hosts: Sequence[str]) -> str:
    shown = [f"{rank} on {hosts[rank]}" for rank in ranks[:_MOST_RANKS]]
    if len(ranks) > _MOST_RANKS:
        shown.append(f"{len(ranks) - _MOST_RANKS} more")
    return ", ".join(shown) or "none"

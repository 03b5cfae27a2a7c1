"""Several machines on the terminal: their costs, and the off-node traffic on each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TextIO

from rich.text import Text

from rankwise.analysis.messages.traffic import RunTraffic
from rankwise.analysis.percent import percent
from rankwise.placement.placement_cost import LevelTraffic
from rankwise.placement.what_if.compare import Comparison
from rankwise.placement.what_if.outlook import Outlook
from rankwise.records import dataclass
from rankwise.render.terminal.page import Page
from rankwise.render.terminal.tables import TextColumn, label, table_lines
from rankwise.text.units import byte_text, count_text, percent_text
from rankwise.topology.machine.shape import slot_count

_NONE = "-"


@dataclass(frozen=True)
class _Row:
    """A machine, or the run itself, which has no natural order."""

    name: str
    nodes: int
    slots: int
    natural: Outlook | None
    found: Outlook | None
    best: bool = False


def print_what_if(of: Comparison, run_traffic: RunTraffic, notes: Sequence[str], file: TextIO) -> None:
    """Write the comparison.

    Args:
        of: the machines.
        run_traffic: between the ranks.
        notes: on the reliability of the results.
        file: to write to.
    """
    page = Page(file)
    rows = _rows(of)
    placed = [row for row in rows if row.found]
    tiered = [row for row in placed if row.found and len(row.found.outer) > 1]

    def section(title: str, columns: Sequence[TextColumn[_Row]], shown: Sequence[_Row]) -> None:
        page.write(Text(), page.text(title, "bold"), *table_lines(page, [_NAMES, *columns], shown))

    page.write(page.text(f"{of.ranks} ranks on {len(of.candidates)} machines", "bold"))
    for note in notes:
        page.write(*page.wrapped(note, indent=2))
    section(f"Cost, {of.unit}", _COSTS, rows)
    section("Off node, bytes", _bytes(run_traffic), placed)
    if run_traffic.messages:
        section("Off node, messages", _messages(run_traffic), placed)
    for name in dict.fromkeys(level.level for row in tiered if row.found for level in row.found.outer):
        section(f"Meeting at {name}", _level(name), [row for row in tiered if _meeting(row.found, name)])


def _rows(of: Comparison) -> list[_Row]:
    run = [_Row("as it was run", of.present.nodes, of.ranks, None, of.present)] if of.present else []
    return run + [
        _Row(
            each.name,
            len(each.machine.nodes),
            slot_count(each.machine),
            each.natural,
            each.found,
            best=place in of.best,
        )
        for place, each in enumerate(of.candidates)
    ]


def _text(outlook: Outlook | None, text: Callable[[Outlook], str]) -> str:
    return _NONE if outlook is None else text(outlook)


def _both(head: str, text: Callable[[Outlook], str]) -> list[TextColumn[_Row]]:
    return [
        TextColumn(f"{head}natural order", lambda row: _text(row.natural, text), right=True),
        _found("found", text),
    ]


def _found(head: str, text: Callable[[Outlook], str]) -> TextColumn[_Row]:
    return TextColumn(head, lambda row: _text(row.found, text), right=True)


def _nodes(row: _Row) -> str:
    some = row.found is not None and row.found.nodes < row.nodes
    return (
        f"{_text(row.found, lambda outlook: str(outlook.nodes))} of {row.nodes}" if some else str(row.nodes)
    )


def _cost(outlook: Outlook) -> str:
    return _NONE if outlook.cost is None else count_text(outlook.cost)


def _saved(row: _Row) -> str:
    before, after = (None if each is None else each.cost for each in (row.natural, row.found))
    return _NONE if before is None or after is None else percent_text(percent(before - after, before))


_NAMES: TextColumn[_Row] = label("machine", lambda row: row.name)
_COSTS: list[TextColumn[_Row]] = [
    TextColumn("nodes", _nodes, right=True),
    TextColumn("slots", lambda row: str(row.slots), right=True),
    *_both("", _cost),
    TextColumn("% saved", _saved, right=True),
    TextColumn("", lambda row: "best" * row.best if row.found else "too small"),
]


def _bytes(run_traffic: RunTraffic) -> list[TextColumn[_Row]]:
    return [
        *_both("", lambda outlook: byte_text(outlook.bytes_off_node)),
        _found("% of all", lambda outlook: percent_text(percent(outlook.bytes_off_node, run_traffic.bytes))),
        _found("most loaded node", lambda outlook: byte_text(outlook.most_loaded.bytes)),
        _found("x mean", _imbalance),
    ]


def _imbalance(outlook: Outlook) -> str:
    known = outlook.most_loaded.imbalance
    return _NONE if known is None else f"{known:.2f}"


def _number(messages: int | None) -> str:
    return _NONE if messages is None else count_text(messages)


def _messages(run_traffic: RunTraffic) -> list[TextColumn[_Row]]:
    def share(outlook: Outlook) -> str:
        number = outlook.messages_off_node
        return _NONE if number is None else percent_text(percent(number, run_traffic.messages))

    return [
        *_both("", lambda outlook: _number(outlook.messages_off_node)),
        _found("% of all", share),
    ]


def _level(name: str) -> list[TextColumn[_Row]]:
    def text(of: Callable[[LevelTraffic], str]) -> Callable[[Outlook], str]:
        return lambda outlook: next(map(of, _meeting(outlook, name)), _NONE)

    return [
        *_both("bytes, ", text(lambda level: byte_text(level.bytes))),
        *_both("messages, ", text(lambda level: _number(level.messages))),
    ]


def _meeting(outlook: Outlook | None, name: str) -> list[LevelTraffic]:
    return [level for level in outlook.outer if level.level == name] if outlook else []

"""A placement on the terminal: its costs level by level, which ranks move, files and commands to paste."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TextIO

from rich.text import Text

from rankwise.analysis.messages.traffic import RunTraffic
from rankwise.analysis.percent import percent
from rankwise.cpulist import cpu_text
from rankwise.placement.files import Written
from rankwise.placement.mapping import Mapping
from rankwise.placement.placement_cost import PlacementCost
from rankwise.render.terminal.page import Page
from rankwise.render.terminal.tables import TextColumn, label, table_lines
from rankwise.text.units import byte_text, count_text, percent_text, second_text
from rankwise.topology.machine.shape import Shapes

_LONGEST_LIST = 200  # characters
_INDENT = "    "
_US = 1e6  # in a second
_LONGEST_COMMAND = 1000  # characters; lists of all ranks are for files, not for eyes

Row = tuple[str, Callable[[PlacementCost], str]]


def print_mapping(found: Mapping, seen: RunTraffic, notes: Sequence[str], file: TextIO) -> None:
    """Write all of it.

    Args:
        found: the placement.
        seen: what the ranks sent each other.
        notes: what a reader must know to trust it.
        file: to write to.
    """
    page = Page(file)
    shape = Shapes(found.machine).inside(found.machine.root)
    page.write(page.text(f"Placement of {len(found.bindings)} ranks on {shape}", "bold"))
    for note in notes:
        page.write(*page.wrapped(note, indent=2))
    page.write(Text(), *table_lines(page, _columns(found), _rows(found, seen)))
    page.write(Text(), *page.wrapped(verdict(found), "bold", indent=2))
    if found.present and found.moved:
        which = cpu_text(found.moved)
        told = f": {which}" if len(which) <= _LONGEST_LIST else " (see --json)"
        moved = f"{len(found.moved)} of {len(found.bindings)} ranks move{told}"
        page.write(*page.wrapped(moved, indent=2))


def _columns(found: Mapping) -> list[TextColumn[Row]]:
    shown = {"present": found.present, "natural order": found.natural, "found": found.found}
    return [
        label("", lambda row: row[0]),
        *(_column(head, each) for head, each in shown.items() if each is not None),
    ]


def _column(head: str, each: PlacementCost) -> TextColumn[Row]:
    return TextColumn(head, lambda row: row[1](each), right=True)


def _rows(found: Mapping, seen: RunTraffic) -> list[Row]:
    rows: list[Row] = [
        ("cost", lambda each: second_text(each.cost / _US))
        if found.unit == "us"
        else (f"cost, {found.unit}", lambda each: count_text(each.cost)),
        ("bytes off node", lambda each: byte_text(each.bytes_off_node)),
        ("% of bytes", lambda each: percent_text(percent(each.bytes_off_node, seen.bytes))),
        ("% of messages", lambda each: percent_text(percent(each.messages_off_node, seen.messages))),
    ]
    if any(each and each.bottleneck for each in (found.present, found.natural, found.found)):
        rows += [("most loaded link", _bottleneck), ("load of it", _load)]
    return rows + [_level_row(place, level.level) for place, level in enumerate(found.found.levels)]


def _bottleneck(each: PlacementCost) -> str:
    return each.bottleneck.where if each.bottleneck else "-"


def _load(each: PlacementCost) -> str:
    if each.bottleneck is None:
        return "-"
    if each.bottleneck.unit == "bytes":
        return byte_text(round(each.bottleneck.load))
    return second_text(each.bottleneck.load / _US)


def _level_row(place: int, name: str) -> Row:
    return f"bytes that meet at {name}", lambda each: byte_text(each.levels[place].bytes)


def verdict(found: Mapping) -> str:
    """Say in a sentence what there is to gain."""
    before = found.present or found.natural
    if len(found.machine.nodes) == len(found.found.levels) == 1:
        return (
            "All slots are equivalent: nothing to gain. Describe the inside of the node with --machine, or "
            "try other nodes with --shape 2x4."
        )
    if not found.gains:
        which = "present placement" if found.present else "natural order"
        return f"No better placement than the {which} was found."
    saved = percent_text(percent(before.cost - found.found.cost, before.cost))
    off = byte_text(before.bytes_off_node), byte_text(found.found.bytes_off_node)
    if off[0] == off[1]:
        return f"The cost falls by {saved} %; {off[0]} stay off node."
    return f"The cost falls by {saved} %; {off[0]} off node become {off[1]}."


def print_files(written: Sequence[Written], directory: Path, program_known: bool, file: TextIO) -> None:
    """Write a paragraph for each launcher; commands are on one line each, however long.

    Args:
        written: the files.
        directory: that they are in.
        program_known: the commands have the program at their end.
        file: to write to.
    """
    page = Page(file)
    page.write(Text(), page.text(f"Files in {directory}", "bold"))
    for one in written:
        page.write(*page.wrapped(f"  {one.launcher}: {one.path.name}", indent=4))
        if one.words:
            page.write(page.text(f"{_INDENT}{_command(one, program_known)}"))
        if one.note:
            page.write(*(Text(_INDENT) + line for line in page.wrapped(one.note, "dim")))


def _command(one: Written, program_known: bool) -> str:
    text = one.command_line + ("" if program_known else " PROGRAM")
    if len(text) <= _LONGEST_COMMAND:
        return text
    return f"(a command of {len(text)} characters: see --json)"

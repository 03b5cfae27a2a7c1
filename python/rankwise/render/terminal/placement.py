"""A placement on the terminal: its costs level by level, the moved ranks, files and commands to paste."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TextIO

from rich.text import Text

from rankwise.analysis.messages.traffic import RunTraffic
from rankwise.analysis.percent import percent
from rankwise.cpulist import cpu_text
from rankwise.placement.files import Written
from rankwise.placement.mapping import WORTH, Mapping, spared_percent
from rankwise.placement.placement_cost import LinkLoad, PlacementCost
from rankwise.placement.where.predicted import Predicted
from rankwise.render.terminal.page import Page
from rankwise.render.terminal.tables import TextColumn, label, table_lines
from rankwise.text.units import byte_text, count_text, percent_text, second_text
from rankwise.topology.machine.shape import Shapes

_LONGEST_LIST = 200  # characters
_INDENT = "    "
_US = 1e6  # in a second
_LONGEST_COMMAND = 1000  # characters; lists of all ranks are for files, not for readers

Row = tuple[str, Callable[[PlacementCost], str]]


def print_mapping(mapping: Mapping, run_traffic: RunTraffic, notes: Sequence[str], file: TextIO) -> None:
    """Write a placement.

    Args:
        mapping: the placement.
        run_traffic: between the ranks.
        notes: on the reliability of the result.
        file: to write to.
    """
    page = Page(file)
    shape = Shapes(mapping.machine).inside(mapping.machine.root)
    page.write(page.text(f"Placement of {len(mapping.bindings)} ranks on {shape}", "bold"))
    for note in notes:
        page.write(*page.wrapped(note, indent=2))
    page.write(Text(), *table_lines(page, _columns(mapping), _rows(mapping, run_traffic)))
    page.write(Text(), *page.wrapped(verdict(mapping), "bold", indent=2))
    if mapping.present and mapping.moved:
        which = cpu_text(mapping.moved)
        ranks_text = f": {which}" if len(which) <= _LONGEST_LIST else " (see --json)"
        moved = f"{len(mapping.moved)} of {len(mapping.bindings)} ranks move{ranks_text}"
        page.write(*page.wrapped(moved, indent=2))


def _columns(mapping: Mapping) -> list[TextColumn[Row]]:
    shown = {"present": mapping.present, "natural order": mapping.natural, "found": mapping.found}
    return [
        label("", lambda row: row[0]),
        *(_column(head, each) for head, each in shown.items() if each is not None),
    ]


def _column(head: str, each: PlacementCost) -> TextColumn[Row]:
    return TextColumn(head, lambda row: row[1](each), right=True)


def _rows(mapping: Mapping, run_traffic: RunTraffic) -> list[Row]:
    rows: list[Row] = [
        ("cost", lambda each: second_text(each.cost / _US))
        if mapping.unit == "us"
        else (f"cost, {mapping.unit}", lambda each: count_text(each.cost)),
        ("bytes off node", lambda each: byte_text(each.bytes_off_node)),
        ("% of bytes", lambda each: percent_text(percent(each.bytes_off_node, run_traffic.bytes))),
    ]
    if run_traffic.messages:
        rows.append(
            (
                "% of messages",
                lambda each: percent_text(percent(each.messages_off_node or 0, run_traffic.messages)),
            )
        )
    if any(each and each.bottleneck for each in (mapping.present, mapping.natural, mapping.found)):
        rows += [
            ("most loaded link", lambda each: _where(each.bottleneck)),
            ("load of it", lambda each: _load(each.bottleneck)),
        ]
    if any(each and each.between_switches for each in (mapping.present, mapping.natural, mapping.found)):
        rows += [
            ("most loaded link between switches", lambda each: _where(each.between_switches)),
            ("load of it", lambda each: _load(each.between_switches)),
        ]
    for place, level in enumerate(mapping.found.levels):
        rows.append(_level_row(place, level.level))
        if level.us is not None:
            rows.append(_time_row(place, level.level))
    return rows


def _where(link: LinkLoad | None) -> str:
    return link.where if link else "-"


def _load(link: LinkLoad | None) -> str:
    if link is None:
        return "-"
    return byte_text(round(link.load)) if link.unit == "bytes" else second_text(link.load / _US)


def _level_row(place: int, name: str) -> Row:
    return f"bytes that meet at {name}", lambda each: byte_text(each.levels[place].bytes)


def _time_row(place: int, name: str) -> Row:
    return f"estimated time at {name}", lambda each: second_text((each.levels[place].us or 0) / _US)


def verdict(mapping: Mapping) -> str:
    """Return the possible gain: a sentence on the objective, and one on the links between switches."""
    return " ".join(filter(None, (_of_objective(mapping), _of_switch_links(mapping))))


def _of_objective(mapping: Mapping) -> str:
    before = mapping.present or mapping.natural
    if len(mapping.machine.nodes) == len(mapping.found.levels) == 1:
        return (
            "All slots are equivalent: nothing to gain. Describe the inside of the node with --machine, or "
            "try other nodes with --shape 2x4."
        )
    is_both = mapping.objective == "both" and mapping.gains
    if mapping.found.cost >= before.cost and not is_both:
        which = "present placement" if mapping.present else "natural order"
        better = "placement of lower cost" if mapping.gains else "better placement"
        return f"No {better} than the {which} was found."
    change = f"The cost {_change(before.cost, mapping.found.cost)}"
    if is_both and before.load > 0:
        change += f", the load of the most loaded link {_change(before.load, mapping.found.load)}"
    off = byte_text(before.bytes_off_node), byte_text(mapping.found.bytes_off_node)
    if off[0] == off[1]:
        return f"{change}; {off[0]} stay off node."
    return f"{change}; {off[0]} off node become {off[1]}."


def _change(before: float, after: float) -> str:
    if after == before:
        return "stays the same"
    verb = "falls" if after < before else "grows"
    return f"{verb} by {percent_text(percent(abs(before - after), before))} %"


def _of_switch_links(mapping: Mapping) -> str:
    """Return how the load of the links between switches changes; '' if it hardly does."""
    before = mapping.present or mapping.natural
    spared = spared_percent(before, mapping.found)
    if abs(spared) < WORTH:
        return ""
    after = _load(mapping.found.between_switches) if mapping.found.between_switches else "nothing"
    loads = f"{_load(before.between_switches)} to {after}"
    falls = "falls" if spared > 0 else "rises"
    return (
        f"The load of the most loaded link between switches {falls} by {percent_text(abs(spared))} %, from "
        f"{loads}."
    )


def print_predicted(near: Predicted, profile: Path, file: TextIO) -> None:
    """Write which distribution of the launcher comes close to the placement.

    Args:
        near: the distribution.
        profile: of the run.
        file: to write to.
    """
    page = Page(file)
    option, share = " ".join(near.distribution.words), percent_text(100 * near.share)
    text = f"Predicted: {option} alone brings {share} % of this saving, without a file. To check it:"
    page.write(*page.wrapped(text, indent=2))
    page.write(page.text(f"{_INDENT}rankwise where --for {profile} -- LAUNCH"))


def print_files(written: Sequence[Written], directory: Path, program_known: bool, file: TextIO) -> None:
    """Write a paragraph for each launcher; each command is on a single line of any length.

    Args:
        written: the files.
        directory: of the files.
        program_known: whether the commands end with the program.
        file: to write to.
    """
    page = Page(file)
    page.write(Text(), page.text(f"Files in {directory}", "bold"))
    for file_written in written:
        page.write(*page.wrapped(f"  {file_written.launcher}: {file_written.path.name}", indent=4))
        if file_written.words:
            page.write(page.text(f"{_INDENT}{_command(file_written, program_known)}"))
        if file_written.note:
            page.write(*(Text(_INDENT) + line for line in page.wrapped(file_written.note, "dim")))


def _command(written: Written, program_known: bool) -> str:
    text = written.command_line + ("" if program_known else " PROGRAM")
    if len(text) <= _LONGEST_COMMAND:
        return text
    return f"(a command of {len(text)} characters: see --json)"

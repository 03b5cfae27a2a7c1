"""The inside of nodes: packages, memory domains, caches and cores, with the ranks on each core."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from rich.text import Text

from rankwise.analysis.nodes.binding import NodePlace, Processor
from rankwise.analysis.nodes.kinds import kinds, ranks_on_cores
from rankwise.profile.join.members import compact
from rankwise.render.terminal.page import Page
from rankwise.render.terminal.tables import cut
from rankwise.text.summary import kernels_text
from rankwise.topology.machine.hosts import folded
from rankwise.views.node_inside import inside_text

_FREE = "."
_SEEN = "~"  # before ranks that are not bound
_EFFICIENT = "e"  # behind efficiency cores
_LONGEST = 9  # of the ranks of a core
_INDENT = 2

Key = tuple[int, ...]


def node_lines(page: Page, nodes: Sequence[NodePlace], limit: int) -> list[Text]:
    """Return a picture of each kind of node: nodes of a kind are equal, with ranks in the same places.

    Args:
        page: to write to.
        nodes: with a known inside.
        limit: of the pictures; 0 = all.
    """
    shown, rest = cut(kinds(nodes), limit)
    lines = [line for group in shown for line in _group_lines(page, group)]
    if rest:
        lines += page.wrapped(f"{len(rest)} other kinds of nodes; --limit 0 shows all.", "dim")
    marks = f"{_FREE}: no rank. {_SEEN}: seen there, not bound."
    if any(processor.kind == "efficiency" for node in nodes for processor in node.processors):
        marks += f" {_EFFICIENT}: efficiency core."
    what = (
        "Each number is a core with its ranks; cores in [ ] share an L3 cache"
        if _any_cache(nodes)
        else ("Each number is a core with its ranks")
    )
    return [*lines, *page.wrapped(f"{what}. {marks}", "dim")]


def _any_cache(nodes: Sequence[NodePlace]) -> bool:
    return any(processor.l3 is not None for node in nodes for processor in node.processors)


def _group_lines(page: Page, group: Sequence[NodePlace]) -> list[Text]:
    node = group[0]
    hosts = folded([member.host for member in group]) if len(group) > 1 else node.host
    what = f"{hosts}: {inside_text(node)}"
    if releases := {member.kernel for member in group if member.kernel}:
        what += f"; {kernels_text(sorted(releases))}"
    if len(group) > 1:
        what += f"; {len(group)} identical nodes, {node.host} is shown"
    lines = [Text(), *page.wrapped(what, "bold", indent=_INDENT)]
    cells = _cells(node)
    width = max(map(len, cells.values()))
    rows = list(_rows(node))
    heads = [head for head, _ in rows]
    room = max(map(len, heads))
    bracketed = _any_cache([node])
    for head, caches in rows:
        drawn = [[cells[core].rjust(width) for core in cores] for cores in caches]
        texts = [_in_brackets(line_cells) for line_cells in drawn] if bracketed else drawn
        for number, text in enumerate(_filled(texts, max(page.width - _INDENT - room - 1, width + 2))):
            lines.append(page.text(f"{'':{_INDENT}}{head if not number else '':{room}} {text}".rstrip()))
    return lines


def _cells(node: NodePlace) -> Mapping[int, str]:
    """Return the text for each core."""
    bound, seen_ranks = ranks_on_cores(node)
    cells = {}
    for processor in node.processors:
        core = node.core_of[processor.processor]
        texts = [_ranks(bound[core])] if core in bound else []
        texts += [f"{_SEEN}{_ranks(seen_ranks[core])}"] if core in seen_ranks else []
        cells[core] = (",".join(texts) or _FREE) + (_EFFICIENT if processor.kind == "efficiency" else "")
    return cells


def _ranks(ranks: Sequence[int]) -> str:
    text = compact(ranks)
    return text if len(text) <= _LONGEST else f"{len(ranks)} ranks"


def _rows(node: NodePlace) -> Iterator[tuple[str, list[list[int]]]]:
    """Yield a row for each memory domain of each package: its name, and the cores of each of its caches."""
    numas = {processor.numa for processor in node.processors}
    in_order = sorted(node.processors, key=lambda processor: _place(node, processor))
    for (package, numa), some in groupby(in_order, key=lambda processor: _place(node, processor)[:2]):
        names = [f"package {package}"] if package >= 0 else []
        names += [f"NUMA {numa}"] if len(numas) > 1 and numa >= 0 else []
        caches = [
            list(dict.fromkeys(node.core_of[processor.processor] for processor in sharing))
            for _, sharing in groupby(some, key=lambda processor: _place(node, processor)[2])
        ]
        yield ", ".join(names), caches


def _place(node: NodePlace, processor: Processor) -> Key:
    numbers = (processor.package, processor.numa, processor.l3)
    return (
        *(-1 if number is None else number for number in numbers),
        node.core_of[processor.processor],
        processor.processor,
    )


def _in_brackets(cells: Sequence[str]) -> list[str]:
    """Return the cells of a cache, in brackets."""
    first, *others = cells
    bracketed = [f"[{first}", *others]
    bracketed[-1] += "]"
    return bracketed


def _filled(caches: Sequence[Sequence[str]], width: int) -> Iterator[str]:
    """Yield lines of at most this width: a cache is broken only if it is longer than a line."""
    line = ""
    for cells in caches:
        whole = " ".join(cells)
        if line and len(line) + 1 + len(whole) > width:
            yield line
            line = ""
        if len(whole) <= width:
            line = f"{line} {whole}".lstrip() if line else whole
            continue
        for cell in cells:
            if line and len(line) + 1 + len(cell) > width:
                yield line
                line = ""
            line = f"{line} {cell}" if line else cell
    if line:
        yield line

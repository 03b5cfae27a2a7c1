"""The heat map as text: numbers if they fit, else coloured or shaded cells."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil

import numpy as np
from rich.cells import cell_len, set_cell_size
from rich.text import Text

from rankwise.latency.measurement import Measurement
from rankwise.render.figures.heatmap.hostnames import short_names
from rankwise.render.figures.heatmap.pooling import Pooled, pooled
from rankwise.render.figures.heatmap.scale import END, colour, ink
from rankwise.render.figures.heatmap.view import View, view
from rankwise.render.terminal.page import Page
from rankwise.render.terminal.shades import shade, shades_of, ticks
from rankwise.text.units import byte_text, digits_text, two_digits_text
from rankwise.topology.hierarchy.levels import Hierarchy

_LONGEST_NAME = 16  # columns
_COLOUR_STEPS = 5  # in the legend
_SELF = "·", "\\"  # on the diagonal; the first one that the page can show
_NONE = "?"  # not measured


def heatmap_lines(
    page: Page, measurement: Measurement, hierarchy: Hierarchy | None, statistic: str, size: int
) -> list[Text]:
    """Return title, heat map and legend.

    Args:
        page: to write to.
        measurement: to draw.
        hierarchy: of the measurement, which puts near ranks together; None: by host.
        statistic: one of `rankwise.render.figures.heatmap.view.DRAWN`.
        size: of the messages, one of the measurement's.

    Raises:
        RankwiseError: this statistic and size was not measured.
    """
    chosen = view(measurement, hierarchy, statistic, size)
    kind = "bandwidth from row to column" if chosen.smallest else f"{statistic} of half a round trip"
    title = f"{byte_text(size)} messages: {kind}, {chosen.unit}"
    return [*page.wrapped(title, "bold", indent=2), *(_numbers(page, chosen) or _cells(page, chosen))]


def _numbers(page: Page, chosen: View) -> list[Text]:
    """Return a number for each pair; empty if they do not fit."""
    ranks = chosen.ordering.ranks
    if 2 * len(ranks) > page.width:  # a digit and a blank
        return []
    names = _names(page, chosen)
    hosts = max(map(cell_len, names)) + 1
    margin = hosts + len(str(max(ranks)))
    # Numbers are first set wide, then close together, then with two digits.
    for digits, apart in ((digits_text, 2), (digits_text, 1), (two_digits_text, 1)):
        texts = [
            [_number(page, value, row == column, digits) for column, value in enumerate(line)]
            for row, line in enumerate(chosen.matrix.tolist())
        ]
        wide = max(len(str(max(ranks))), *(len(text) for line in texts for text in line)) + apart
        if margin + wide * len(ranks) <= page.width:
            break
    else:
        return []
    behind = " " * (apart - 1)
    head = " " * margin + "".join(f"{rank:>{wide - len(behind)}}{behind}" for rank in ranks)
    lines = [page.text(head.rstrip(), "dim")]
    heights = chosen.scale.height(chosen.matrix).tolist()
    for name, rank, line, row in zip(names, ranks, texts, heights, strict=True):
        shown = page.text(set_cell_size(name, hosts) + f"{rank:>{margin - hosts}}")
        for text, height in zip(line, row, strict=True):
            shown.append(f"{text:>{wide - len(behind)}}{behind}", _style(height))
        shown.rstrip()
        lines.append(shown)
    return lines


def _number(page: Page, value: float, own: bool, digits: Callable[[float], str]) -> str:
    if own:
        return _self(page)
    return _NONE if np.isnan(value) else digits(value)


def _cells(page: Page, chosen: View) -> list[Text]:
    """Return a cell for some pairs each, by colour if the page has colours, else by shade."""
    size = len(chosen.ordering.ranks)
    names = _names(page, chosen)
    margin = max(map(cell_len, names)) + 1
    room = page.width - margin
    pooled_cells = pooled(chosen.matrix, room, smallest=chosen.smallest, block=chosen.ordering.node_size())
    rows = ceil(size / pooled_cells.together)
    wide = 2 if 2 * rows <= room else 1
    shades = " " if page.colours else shades_of(page)
    within = shades[:-1] if chosen.scale.cut and not page.colours else shades
    heights = chosen.scale.height(pooled_cells.values)
    lines = [page.text(" " * margin + ticks(rows, pooled_cells.together, wide), "dim")]
    for row in range(rows):
        begin = names[row * pooled_cells.together : (row + 1) * pooled_cells.together]
        line = page.text(set_cell_size(next(filter(None, begin), ""), margin))
        for column, height in enumerate(heights[row].tolist()):
            if np.isnan(height):
                line.append((_NONE if pooled_cells.missing[row, column] else _self(page)) * wide, "dim")
            else:
                cell = shades[-1] if height > END else shade(height, within)
                line.append(cell * wide, _style(height))
        lines.append(line)
    return [*lines, *_legend(page, chosen, pooled_cells, within, shades[-1])]


def _legend(page: Page, chosen: View, pooled_cells: Pooled, within: str, beyond: str) -> list[Text]:
    """Return the legend of the cells."""
    swatches = [" " * 2] * _COLOUR_STEPS if page.colours else list(within)
    steps = len(swatches)
    entries = [
        (swatch, (step + 0.5) / steps, chosen.scale.value((step + 1) / steps))
        for step, swatch in enumerate(swatches)
    ]
    if chosen.scale.cut:
        entries.append((beyond * len(swatches[0]), 2.0, chosen.scale.slowest))
    lines = [Text()]
    for swatch, height, end in entries:
        words = page.text(f" {'from' if chosen.smallest else 'to'} {digits_text(end)} {chosen.unit}   ")
        if lines[-1].cell_len + len(swatch) + words.cell_len > page.width:
            lines.append(Text())
        lines[-1].append(swatch, _style(height)).append_text(words)
    pairs = f"{pooled_cells.together} x {pooled_cells.together} pairs"
    in_order = bool((np.diff(chosen.ordering.ranks) > 0).all())
    notes = [
        "numbers: ranks" if in_order else "numbers: positions in the order of the machine, not ranks",
        f"each cell: the worst of {pairs}" if pooled_cells.together > 1 else "",
        f"{_NONE} not measured" if pooled_cells.missing.any() else "",
    ]
    return [*lines, *page.joined(notes, "   ")]


def _names(page: Page, chosen: View) -> list[str]:
    """Return the name of the host for each row in which a host begins, '' for the others."""
    hosts = chosen.measurement.host_names()
    short = short_names(hosts)
    names = [short[hosts[rank]] for rank in chosen.ordering.ranks]
    starts = [place == 0 or names[place] != names[place - 1] for place in range(len(names))]
    return [
        page.shortened(page.text(name), _LONGEST_NAME).plain if start else ""
        for name, start in zip(names, starts, strict=True)
    ]


def _self(page: Page) -> str:
    return next((mark for mark in _SELF if page.shows(mark)), _SELF[-1])


def _style(height: float) -> str:
    """Return the colours of a cell; a page without colours ignores them."""
    if np.isnan(height):
        return "dim"
    background = colour(height)
    return f"{ink(background)} on {background}"

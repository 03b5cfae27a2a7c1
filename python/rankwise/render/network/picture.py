"""Loads of links as a drawing: levels of the fabric, matrices of its two lowest levels, classes of links."""

from __future__ import annotations

import io
from collections.abc import Sequence
from textwrap import wrap
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.network.loads import JobLoads, RailLoads
from rankwise.render.figures.heatmap.picture import METADATA
from rankwise.render.figures.heatmap.scale import BEYOND, amount_colours
from rankwise.render.figures.heatmap.style import FAINT, INK, PAPER, SETTINGS, shown
from rankwise.render.network.bundles import Bundles, bundles
from rankwise.render.network.layout import layout
from rankwise.render.network.part import part_of
from rankwise.text.units import byte_text, ratio_text

FORMATS = ("svg", "pdf", "png")

_HOT = BEYOND
_EXCESS = 1.5
"""Links with more than this times both bound and mean of their class are _HOT, as on the page.

The bound alone means little if it can't be reached, as in dragonflies.
"""

_WIDTH, _HEIGHT = 12.6, 8.9  # inches
_DOTS = 160  # an inch
_MOST_LINES = 20_000  # as vectors
_MOST_NAMES = 40
_ROW = 0.17  # inches of a line of text
_TITLE_ROW = 0.2
_TITLE_LINE, _TITLE_LINES = 112, 3  # characters; lines at most


def links_picture(loads: JobLoads, title: str, about: Sequence[str], kind: str) -> bytes:
    """Draw the loads of links in a job's part of the fabric; of several rails, the one with the hottest link.

    Args:
        loads: of the job.
        title: the finding.
        about: lines on the drawing.
        kind: one of FORMATS.

    Returns:
        The content of the file.
    """
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    number = int(np.argmax([rail.bytes.max(initial=0.0) for rail in loads.rails]))
    rail = loads.rails[number]
    part = part_of(rail.subnet, loads.places.rails[number], rail.bytes)
    cables = bundles(rail.subnet, part.links, rail.bytes, _too_much(rail))
    with rc_context(SETTINGS):
        figure = Figure(figsize=(_WIDTH, _HEIGHT), dpi=_DOTS, facecolor=PAPER)
        finding = wrap(shown(title, _TITLE_LINES * _TITLE_LINE), _TITLE_LINE)
        left, head = 0.3 / _WIDTH, 1 - 0.2 / _HEIGHT
        figure.text(left, head, "\n".join(finding), fontsize=12, fontweight="bold", va="top")
        below = _TITLE_ROW * (len(finding) - 1)
        name = f"{rail.subnet.name}. " if len(loads.rails) > 1 else ""
        for line, text in enumerate(about):
            height = 1 - (0.5 + below + _ROW * line) / _HEIGHT
            figure.text(left, height, shown(name * (not line) + text, 190), color=FAINT, va="top")
        top = _HEIGHT - 0.75 - below - _ROW * len(about)
        _levels(_axes(figure, 1.0, 4.05, 11.2, top - 4.05), rail, part.switches, part.ports, cables)
        where = layout(rail.subnet, *_drawn(rail, part.switches, part.ports)).switches
        for up, at in ((True, 1.3), (False, 5.4)):
            _matrix(_axes(figure, at, 0.75, 3.2, 2.3), rail, cables, where, up=up)
        _scale(_axes(figure, 9.3, 2.9, 2.8, 0.12), rail)
        _classes(figure, rail)
        buffer = io.BytesIO()
        figure.savefig(buffer, format=kind, metadata=METADATA[kind])
    return buffer.getvalue()


def _axes(figure: Any, left: float, bottom: float, width: float, height: float) -> Any:
    return figure.add_axes((left / _WIDTH, bottom / _HEIGHT, width / _WIDTH, height / _HEIGHT))


def _drawn(
    rail: RailLoads, switches: NDArray[np.int64], ports: NDArray[np.int64]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    subnet = rail.subnet
    of = np.zeros(len(subnet.switches.names), bool), np.zeros(len(subnet.ports.hosts), bool)
    of[0][switches] = of[1][ports] = True
    return of


def _levels(
    axes: Any, rail: RailLoads, switches: NDArray[np.int64], ports: NDArray[np.int64], cables: Bundles
) -> None:
    """Draw hosts at the bottom, switches above them, and the links with traffic."""
    from matplotlib.collections import LineCollection

    subnet, count = rail.subnet, len(rail.subnet.switches.names)
    where = layout(subnet, *_drawn(rail, switches, ports))
    x = np.concatenate([where.switches, where.ports])
    level = np.concatenate([subnet.switches.levels, np.zeros(len(subnet.ports.hosts), np.int32)])
    most: NDArray[np.float64] = cables.most.max(axis=0)
    hot = np.logical_or(cables.hot[0], cables.hot[1])
    order = np.argsort(most, kind="stable")
    order = order[most[order] > 0]
    low, high = cables.low[order], cables.high[order]
    lines = [
        _line(float(x[a]), float(x[b]), int(level[a]), int(level[b]))
        for a, b in zip(low.tolist(), high.tolist(), strict=True)
    ]
    colours = amount_colours()(most[order] / max(float(rail.bytes.max(initial=0.0)), 1.0))
    colours[hot[order]] = _rgba(_HOT)
    widths = np.where(cables.cables[order] > 1, 1.3, 0.7)
    many = len(lines) > _MOST_LINES
    axes.add_collection(LineCollection(lines, colors=colours, linewidths=widths, rasterized=many, zorder=2))
    for ends, size in ((switches, 16), (count + ports, 4)):
        axes.scatter(
            x[ends], level[ends], s=size, marker="s", color=INK, linewidths=0, zorder=3, rasterized=many
        )
    top = int(level[switches].max(initial=1))
    for of in range(top + 1):
        ends = switches[level[switches] == of] if of else count + ports
        _names(axes, [subnet.name_of(int(end)) for end in ends], x[ends], of)
    axes.set_xlim(-0.01, 1.01)
    axes.set_ylim(-0.25, top + (0.3 if (level[cables.low] < level[cables.high]).all() else 0.6))
    counts = [
        f"hosts ({len(ports)})",
        *(
            f"{'switches' if subnet.topology else f'level {of}'} ({int((level[switches] == of).sum())})"
            for of in range(1, top + 1)
        ),
    ]
    axes.set_yticks(range(top + 1), counts)
    axes.set_xticks([])
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)


def _line(x1: float, x2: float, low: int, high: int) -> list[tuple[float, float]]:
    """Return a straight line; between switches of the same level a bow above it."""
    if low != high:
        return [(x1, low), (x2, high)]
    height = 0.06 + 0.45 * abs(x2 - x1)
    return [(x1 + t * (x2 - x1), low + 4 * t * (1 - t) * height) for t in np.linspace(0, 1, 13).tolist()]


def _names(axes: Any, names: list[str], x: NDArray[np.float64], level: int) -> None:
    """Write as many names as fit."""
    texts = [shown(name, 14) for name in names]
    room = max((len(text) for text in texts), default=1) * 0.075 / 11.2 + 0.008
    free = -1.0
    for place in np.argsort(x, kind="stable").tolist():
        if x[place] < free:
            continue
        axes.text(
            x[place],
            level + (0.1 if level else -0.1),
            texts[place],
            ha="center",
            va="bottom" if level else "top",
            fontsize=7,
            zorder=4,
            bbox={"facecolor": PAPER, "edgecolor": "none", "alpha": 0.75, "pad": 0.6},
        )
        free = x[place] + room


def _matrix(axes: Any, rail: RailLoads, cables: Bundles, where: NDArray[np.float64], *, up: bool) -> None:
    """Draw a direction between the two lowest levels of switches, or within the only one."""
    subnet, count = rail.subnet, len(rail.subnet.switches.names)
    levels = subnet.switches.levels
    inside = np.flatnonzero((cables.low < count) & (cables.high < count))
    inside = inside[levels[cables.low[inside]] == 1]
    title = "up" if up else "down"
    if not len(inside):
        axes.set_axis_off()
        axes.text(0, 1, f"No links between switches, {title}", color=FAINT, va="top")
        return
    across = bool((levels[cables.high[inside]] == 1).all())
    rows, columns = (_ordered(ends[inside], where) for ends in (cables.low, cables.high))
    if across:
        rows = columns = _ordered(np.concatenate([cables.low[inside], cables.high[inside]]), where)
    cells = np.broadcast_to(np.array(_rgba(PAPER)), (len(rows), len(columns), 4)).copy()
    at_row = {end: place for place, end in enumerate(rows)}
    at_column = {end: place for place, end in enumerate(columns)}
    most, hot = (of[0 if up else 1] for of in (cables.most, cables.hot))
    colours = amount_colours()(most / max(float(rail.bytes.max(initial=0.0)), 1.0))
    colours[hot] = _rgba(_HOT)
    for place in inside[most[inside] > 0].tolist():
        cells[at_row[int(cables.low[place])], at_column[int(cables.high[place])]] = colours[place]
    axes.imshow(cells, aspect="auto", interpolation="nearest")
    names = ("Up: level 1 to 2", "Down: level 2 to 1") if not across else ("Switch to switch", "And back")
    axes.set_title(names[0 if up else 1], fontsize=8.5)
    axes.set_yticks(*_ticks([subnet.switches.names[end] for end in rows]), fontsize=6.5)
    axes.set_xticks(*_ticks([subnet.switches.names[end] for end in columns]), fontsize=6.5, rotation=90)
    for spine in axes.spines.values():
        spine.set_visible(True)


def _ordered(ends: NDArray[np.int64], where: NDArray[np.float64]) -> list[int]:
    return sorted(set(ends.tolist()), key=lambda end: float(where[end]))


def _ticks(names: list[str]) -> tuple[list[int], list[str]]:
    step = max(1, -(-len(names) // (_MOST_NAMES // 2)))
    return list(range(0, len(names), step)), [shown(name, 14) for name in names[::step]]


def _scale(axes: Any, rail: RailLoads) -> None:
    """Draw the scale of colours."""
    most = float(rail.bytes.max(initial=0.0))
    axes.imshow(np.linspace(0, 1, 256)[np.newaxis], cmap=amount_colours(), aspect="auto", extent=(0, 1, 0, 1))
    axes.set_yticks([])
    axes.set_xticks([0, 0.5, 1], [byte_text(most * share) for share in (0, 0.5, 1)])
    axes.set_title("Bytes over a link", fontsize=8.5)
    axes.text(
        0,
        -2.6,
        f"red: more than {_EXCESS} x both bound and mean of its class",
        color=_HOT,
        fontsize=7.5,
        va="top",
    )


def _classes(figure: Any, rail: RailLoads) -> None:
    """Write the loads of the classes of links."""
    columns = (9.3, 10.55, 11.1, 11.65, 12.4)
    heads = ("class", "most", "x mean", "x bound", "used")
    rows = [
        (
            each.name,
            byte_text(each.max),
            "-" if each.times_mean is None else ratio_text(each.times_mean),
            "-" if each.excess is None else ratio_text(each.excess),
            f"{each.used}/{each.links}",
        )
        for each in rail.classes
        if each.used
    ]
    for line, row in enumerate([heads, *rows]):
        for place, (text, left) in enumerate(zip(row, columns, strict=True)):
            figure.text(
                left / _WIDTH,
                (2.2 - _ROW * line) / _HEIGHT,
                text,
                ha="right" if place else "left",
                color=INK if line else FAINT,
                fontsize=7.5,
                va="top",
            )


def _rgba(colour: str) -> tuple[float, float, float, float]:
    from matplotlib.colors import to_rgba

    parts: tuple[float, float, float, float] = to_rgba(colour)
    return parts


def _too_much(rail: RailLoads) -> NDArray[np.int64]:
    """Return the links that carry much more than others of their class, and than their bound."""
    limits = np.full(int(rail.subnet.classes.max(initial=0)) + 1, np.inf)
    for each in rail.classes:
        if each.bound:
            limits[each.link_class] = _EXCESS * max(each.bound, each.mean_used)
    return np.flatnonzero(rail.bytes > limits[rail.subnet.classes])

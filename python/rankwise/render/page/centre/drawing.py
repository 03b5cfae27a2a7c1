"""Charts as SVG inside of a page: its style colours them, for light and dark."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rankwise.render.page.centre.markup import paragraph, scrolled
from rankwise.render.page.html import html_text
from rankwise.views.centre.common import hours_text

_WIDTH = 900
_LEFT, _TOP, _HEIGHT, _BELOW = 70, 24, 180, 24
_TICKS = 4
_MOST_COLUMNS = 36  # months
_GAP = 0.25  # of the width of a column
_LABEL_WIDTH = 60  # of 2026-11
_BAR, _BAR_GAP, _NAMES, _VALUES = 18, 8, 130, 90


class Month(NamedTuple):
    """A column of a chart.

    Attributes:
        name: 2026-11.
        hours: node hours of all runs.
        lost: node hours of these that could be saved.
    """

    name: str
    hours: float
    lost: float


def months_chart(months: Sequence[Month]) -> str:
    """Return the last three years as columns: node hours, and what could be saved; '' if all are 0."""
    months = months[-_MOST_COLUMNS:]
    top = _round_up(max((month.hours for month in months), default=0.0))
    if not top:
        return ""
    step = (_WIDTH - _LEFT) / len(months)
    bottom = _TOP + _HEIGHT
    parts = []
    for tick in range(_TICKS + 1):
        value = top * tick / _TICKS
        y = bottom - _HEIGHT * tick / _TICKS
        parts.append(f'<line class="rule" x1="{_LEFT}" x2="{_WIDTH}" y1="{y:g}" y2="{y:g}"/>')
        parts.append(_label(_LEFT - 8, y + 4, hours_text(value), "end"))
    every = -(-_LABEL_WIDTH // step)  # rounded up
    for place, month in enumerate(months):
        x = _LEFT + step * (place + _GAP / 2)
        parts.append(
            f"<g><title>{html_text(_said(month))}</title>"
            f"{_column(x, step, bottom, _HEIGHT * month.hours / top, 'used')}"
            f"{_column(x, step, bottom, _HEIGHT * month.lost / top, 'lost')}</g>"
        )
        if place % every == 0:
            parts.append(_label(x + step * (1 - _GAP) / 2, bottom + 18, month.name, "middle"))
    said = f"Node hours by month: {'; '.join(_said(month) for month in months)}"
    return _figure(
        "Chart of months",
        "".join(parts),
        bottom + _BELOW,
        said,
        "Node hours by month of the start. Findings of high confidence promise the lower part of a column.",
    )


def kinds_chart(kinds: Sequence[tuple[str, float]], caption: str) -> str:
    """Return node hours by kind of waste as bars, in the given order; '' without kinds."""
    most = max((hours for _, hours in kinds), default=0.0)
    if not most:
        return ""
    parts = []
    for place, (name, hours) in enumerate(kinds):
        y = place * (_BAR + _BAR_GAP)
        length = (_WIDTH - _NAMES - _VALUES) * hours / most
        parts.append(_label(_NAMES - 8, y + _BAR - 5, name, "end"))
        parts.append(f'<rect class="lost" x="{_NAMES}" y="{y}" width="{length:.1f}" height="{_BAR}"/>')
        parts.append(_label(_NAMES + length + 8, y + _BAR - 5, hours_text(hours), "start"))
    said = f"Node hours by kind of waste: {'; '.join(f'{name} {hours_text(hours)}' for name, hours in kinds)}"
    return _figure("Chart of kinds", "".join(parts), len(kinds) * (_BAR + _BAR_GAP), said, caption)


def _said(month: Month) -> str:
    return f"{month.name}: {hours_text(month.hours)}; {hours_text(month.lost)} could be saved"


def _column(x: float, step: float, bottom: float, height: float, kind: str) -> str:
    return (
        f'<rect class="{kind}" x="{x:.1f}" y="{bottom - height:.1f}" width="{step * (1 - _GAP):.1f}"'
        f' height="{height:.1f}"/>'
    )


def _label(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{html_text(text)}</text>'


def _figure(name: str, content: str, height: float, said: str, caption: str) -> str:
    svg = f'<svg role="img" aria-label="{html_text(said)}" viewBox="0 0 {_WIDTH} {height:g}">{content}</svg>'
    return scrolled(svg, name) + paragraph(caption, "note")


def _round_up(value: float) -> float:
    """Return the next of 1, 2, 4 and 8 times a power of ten, which can be divided into four."""
    if value <= 0:
        return 0.0
    power = 1.0
    while power > value:
        power /= 10
    while power * 10 < value:
        power *= 10
    return next(power * factor for factor in (1, 2, 4, 8, 10) if power * factor >= value)

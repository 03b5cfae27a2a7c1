"""The outliers of levels, in plain words, and what to do about them."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from rankwise.render.terminal.page import Page
from rankwise.render.terminal.tables import Footnotes, TextColumn, cut, label, table_lines
from rankwise.text.units import byte_text
from rankwise.topology.hierarchy.levels import Outlier
from rankwise.topology.hierarchy.slow_nodes import SLOW_LINK_OF_NODE, SLOW_NODE_OR_LINK
from rankwise.views.latency.texts import factor_text, value_text

_ALONE = "slow alone"
_LOADED = "slow under load"
_VERDICTS = {
    _ALONE: "a fault: slow alone",
    _LOADED: "contention: fast alone",
}
_RATE = (
    "its bandwidth is low: check the rate that its adapter and port negotiated, the PCIe width of the "
    "adapter, and the error counters at both ends of the cable"
)
_DELAY = (
    "its messages are late: check the routes to it, retransmissions, and the interrupt moderation and "
    "power saving of its adapter"
)
_CURES = {
    "slow node": "check the node: its clock frequency, power limit and other jobs; exclude it from the job "
    "until then",
    SLOW_NODE_OR_LINK: "check the node: its clock frequency, power limit, other jobs, adapter, cable and "
    "port",
    "slow rank": "check the binding of the rank: another rank or process may share its core, or it may be "
    "far from its memory or network adapter; bind each rank to its own core",
    "slow link": "check the cables, ports and routes between the two",
    "slow pair": "measure again; if it stays slow, check the route between the two nodes, or the binding "
    "of the two ranks if they share a node",
}
_TELL_WHICH = "; measure with several ranks on each node to find out which"
_CONTENTION = (
    "fast without other traffic: look for traffic of other jobs and for too many ranks behind one link"
)


def outlier_lines(page: Page, outliers: Sequence[Outlier], limit: int) -> list[Text]:
    """Return the outliers, the worst first, at most `limit` (0 = all), and the cures."""
    if not outliers:
        return page.wrapped("No outliers: no pair is much slower than the others of its level.")
    shown, rest = cut(outliers, limit)
    notes = Footnotes()
    marks = {id(outlier): notes.mark(cure(outlier)) for outlier in shown}
    columns: list[TextColumn[Outlier]] = [
        label("outlier", lambda outlier: f"{outlier.kind}: {outlier.where}"),
        label("level", lambda outlier: outlier.level),
        label("what", lambda outlier: f"{outlier.what}, {byte_text(outlier.size)}"),
        TextColumn("value", lambda outlier: value_text(outlier.what, outlier.value), right=True),
        TextColumn("expected", lambda outlier: value_text(outlier.what, outlier.expected), right=True),
        TextColumn("slower", lambda outlier: factor_text(slowness(outlier)), right=True),
        label(
            "verdict",
            lambda outlier: (
                f"{_VERDICTS.get(outlier.verdict, outlier.verdict)} {marks[id(outlier)]}".lstrip()
            ),
        ),
    ]
    lines = table_lines(page, columns, shown)
    if rest:
        lines += page.wrapped(f"{len(rest)} more: --limit 0 shows all.", "dim")
    return [*lines, *page.wrapped(notes.text(), "dim")]


def slowness(outlier: Outlier) -> float | None:
    """Return how many times slower than expected an outlier is."""
    low, high = (outlier.expected, outlier.value)[:: 1 if outlier.what == "latency" else -1]
    return high / low if low else None


def cure(outlier: Outlier) -> str:
    """Return what to do about an outlier."""
    if outlier.verdict == _LOADED:
        return _CONTENTION
    if outlier.kind == SLOW_LINK_OF_NODE:
        return _RATE if outlier.what == "bandwidth" else _DELAY
    advice = _CURES.get(outlier.kind, "measure again")
    return advice + _TELL_WHICH if outlier.kind == SLOW_NODE_OR_LINK and len(outlier.ranks) == 1 else advice

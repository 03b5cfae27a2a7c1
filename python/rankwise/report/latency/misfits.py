"""What does not fit into its level, in plain words, and what to do about it."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from rankwise.report.latency.texts import factor_text, value_text
from rankwise.report.terminal.page import Page
from rankwise.report.terminal.tables import Footnotes, TextColumn, cut, label, table_lines
from rankwise.report.units import byte_text
from rankwise.topology.hierarchy.levels import Misfit
from rankwise.topology.hierarchy.slow_nodes import SLOW_LINK_OF_NODE, SLOW_NODE_OR_LINK

_ALONE = "slow alone"
_LOADED = "slow under load"
_VERDICTS = {
    _ALONE: "a fault: slow alone",
    _LOADED: "contention: fast alone",
}
_RATE = (
    "its rate is low: look at the rate that its adapter and port agreed on, at the adapter's PCIe width, "
    "and at the error counters of both ends of the cable"
)
_DELAY = (
    "its messages are late: look at the routes to it, at retransmissions, and at the adapter's interrupt "
    "moderation and power saving"
)
_CURES = {
    "slow node": "look at the node: its clock and power limit, and other jobs on it; leave it out of the job "
    "until then",
    SLOW_NODE_OR_LINK: "look at the node: its clock and power limit, other jobs on it, its adapter, "
    "cable and port",
    "slow rank": "look where the rank is bound: two ranks or another process may share its core, or it may "
    "be far from the memory or the network adapter that it uses; bind each rank to a core of its own",
    "slow link": "look at the cables, ports and routes between the two",
    "slow pair": "measure once more; if it stays slow, look at the route between the two nodes, or at the "
    "binding of the two ranks if they share a node",
}
_TELL_WHICH = "; measure with several ranks on each node to tell which"
_CONTENTION = (
    "fast as long as nothing else is going on: look for traffic of other jobs, and for too many ranks behind "
    "one link"
)


def misfit_lines(page: Page, misfits: Sequence[Misfit], limit: int) -> list[Text]:
    """Return the misfits, the worst first, at most `limit` (0 = all), and the cures."""
    if not misfits:
        return page.wrapped("All pairs fit: none is much slower than the others of its level.")
    shown, rest = cut(misfits, limit)
    notes = Footnotes()
    marks = {id(misfit): notes.mark(cure(misfit)) for misfit in shown}
    columns: list[TextColumn[Misfit]] = [
        label("does not fit", lambda misfit: f"{misfit.kind}: {misfit.where}"),
        label("level", lambda misfit: misfit.level),
        label("what", lambda misfit: f"{misfit.what}, {byte_text(misfit.size)}"),
        TextColumn("value", lambda misfit: value_text(misfit.what, misfit.value), right=True),
        TextColumn("expected", lambda misfit: value_text(misfit.what, misfit.expected), right=True),
        TextColumn("slower", lambda misfit: factor_text(slowness(misfit)), right=True),
        label(
            "verdict",
            lambda misfit: f"{_VERDICTS.get(misfit.verdict, misfit.verdict)} {marks[id(misfit)]}".lstrip(),
        ),
    ]
    lines = table_lines(page, columns, shown)
    if rest:
        lines += page.wrapped(f"{len(rest)} more: --limit 0 shows all.", "dim")
    return [*lines, *page.wrapped(notes.text(), "dim")]


def slowness(misfit: Misfit) -> float | None:
    """Return how many times slower than expected it is."""
    low, high = (misfit.expected, misfit.value)[:: 1 if misfit.what == "latency" else -1]
    return high / low if low else None


def cure(misfit: Misfit) -> str:
    """Return what to do about a misfit."""
    if misfit.verdict == _LOADED:
        return _CONTENTION
    if misfit.kind == SLOW_LINK_OF_NODE:
        return _RATE if misfit.what == "bandwidth" else _DELAY
    told = _CURES.get(misfit.kind, "measure once more")
    return told + _TELL_WHICH if misfit.kind == SLOW_NODE_OR_LINK and len(misfit.ranks) == 1 else told

"""The measured levels, compared with the kernels' data and the host names."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from rich.text import Text

from rankwise.latency.measurement import Measurement
from rankwise.render.terminal.page import Page
from rankwise.text.units import number_of
from rankwise.topology.hierarchy.compare import Agreement, compare, hwloc_partitions
from rankwise.topology.hierarchy.levels import Hierarchy
from rankwise.views.latency.texts import ranks_text

_SAME = 0.999
_LEAST_SIMILAR = 0.5  # below, naming single ranks makes no sense
_MOST_RANKS = 60  # characters


def agreements(measurement: Measurement, hierarchy: Hierarchy) -> tuple[Agreement, ...]:
    """Return the agreement with the levels of each part of the machine that distinguishes ranks."""
    known = {name: keys for name, keys in hwloc_partitions(measurement).items() if _distinguishes(keys)}
    return compare(hierarchy, known)


def agreement_lines(page: Page, agreements_found: Sequence[Agreement]) -> list[Text]:
    """Return a sentence for each part of the machine."""
    lines = []
    for agreement in agreements_found:
        lines += page.wrapped(_sentence(agreement), indent=2)
    return lines


def _distinguishes(keys: Sequence[Hashable]) -> bool:
    """Return whether there are several groups, not all of a single rank."""
    return 1 < len(set(keys)) < len(keys)


def _sentence(agreement: Agreement) -> str:
    if agreement.index < _LEAST_SIMILAR:
        return f"No measured level groups the ranks by {agreement.given}: messages cost about the same there."
    given = "node" if agreement.given == "node" else f"{agreement.given} (from the kernel)"
    if agreement.index >= _SAME:
        return f"Grouping the ranks by {given} gives the measured level {agreement.level}."
    ranks = ranks_text(agreement.differ)
    shown = ranks if len(ranks) <= _MOST_RANKS else f"{ranks[:_MOST_RANKS].rpartition(',')[0]}, ..."
    return (
        f"Grouping the ranks by {given} differs from the measured level {agreement.level} (agreement "
        f"{agreement.index:.2f}): {number_of(len(agreement.differ), 'rank')} elsewhere, {shown}."
    )

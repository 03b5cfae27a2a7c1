"""How the levels that were measured compare with those that hwloc, Slurm or the kernel tell of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TextIO

from rankwise.report.terminal.page import Page
from rankwise.report.terminal.tables import TextColumn, label, table_lines
from rankwise.topology.hierarchy.compare import Agreement

_MOST_RANKS = 20


def print_agreement(agreements: Sequence[Agreement], hosts: Sequence[str], file: TextIO) -> None:
    """Write a row for each level; nothing if there is none.

    Args:
        agreements: of the levels.
        hosts: of each rank.
        file: to write to.
    """
    if not agreements:
        return
    columns: list[TextColumn[Agreement]] = [
        label("level", lambda one: one.given),
        label("measured", lambda one: one.level or "-"),
        TextColumn("agreement", lambda one: f"{one.index:.2f}", right=True),
        label("ranks that differ", lambda one: _ranks(one.differ, hosts)),
    ]
    page = Page(file)
    page.write(*table_lines(page, columns, agreements))
    caption = "Agreement: adjusted Rand index with the measured level that is most alike; 1: the same groups."
    page.write(*page.wrapped(caption, "dim"))


def _ranks(ranks: Sequence[int], hosts: Sequence[str]) -> str:
    shown = [f"{rank} on {hosts[rank]}" for rank in ranks[:_MOST_RANKS]]
    if len(ranks) > _MOST_RANKS:
        shown.append(f"{len(ranks) - _MOST_RANKS} more")
    return ", ".join(shown) or "none"

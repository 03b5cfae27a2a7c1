"""The places of a launch's ranks on the terminal, and the launcher's distributions compared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TextIO

from rich.text import Text

from rankwise.analysis.percent import percent
from rankwise.cpulist import cpu_text
from rankwise.placement.where.distributions import Compared
from rankwise.placement.where.places import Places
from rankwise.placement.where.rows import OfferedRow, RankRow, offered_rows, rank_rows
from rankwise.render.terminal.node_picture import node_lines
from rankwise.render.terminal.page import Page
from rankwise.render.terminal.statements import statement_lines
from rankwise.render.terminal.tables import TextColumn, cut, label, table_lines
from rankwise.text.units import byte_text, count_text, percent_text

_INDENT = 2
_PICTURES = 4
_UNKNOWN = "-"


def print_where(places: Places, compared: Compared | None, limit: int, file: TextIO) -> None:
    """Write where the ranks are, problems of these places, and the cost of distributions.

    Args:
        places: of the launch as given.
        compared: None: nothing was compared.
        limit: of rows of ranks, 0 = all.
        file: to write to.
    """
    page, rows = Page(file), rank_rows(places)
    page.write(page.text(headline(places, rows), "bold"), Text())
    shown, rest = cut(rows, limit)
    page.write(*table_lines(page, _rank_columns(rows), shown))
    if rest:
        page.write(page.text(f"{len(rest)} other ranks; --limit 0 shows all.", "dim"))
    page.write(*node_lines(page, [node for node in places.nodes if node.processors], _PICTURES))
    faults = places.faults()
    for fault in faults:
        sentence = f"{fault.what[0].upper()}{fault.what[1:]}{f': {fault.cure}' if fault.cure else ''}."
        page.write(Text(), *page.wrapped(sentence, "bold", indent=_INDENT))
    if not faults:
        page.write(Text(), page.text("No fault of the places was found."))
    if compared:
        _print_compared(page, compared)


def headline(places: Places, rows: Sequence[RankRow]) -> str:
    """Return what the launch does, as a sentence without its full stop."""
    counts = sorted({len(node.ranks) for node in places.nodes})
    on_each = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    where = f"{len(places.nodes)} nodes, {on_each} on each" if len(places.nodes) > 1 else "1 node"
    bound = [row for row in rows if row.is_bound]
    cores = sorted({row.cores for row in bound})
    if not bound:
        how = "not bound"
    else:
        number = f"{cores[0]} core{'s' * (cores[0] > 1)}"
        if len(cores) > 1:
            number = f"{cores[0]} to {cores[-1]} cores"
        how = f"each bound to {number}" if len(rows) > 1 else f"bound to {number}"
        if len(bound) < len(rows):
            how = f"{len(bound)} of them bound to {number}"
    return f"{len(rows)} rank{'s' * (len(rows) > 1)} on {where}, {how}"


def _rank_columns(rows: Sequence[RankRow]) -> list[TextColumn[RankRow]]:
    columns = [
        TextColumn[RankRow]("rank", lambda row: str(row.rank), right=True),
        label("node", lambda row: row.host),
        TextColumn[RankRow]("package", lambda row: cpu_text(row.packages) or _UNKNOWN, right=True),
        TextColumn[RankRow]("NUMA domain", lambda row: cpu_text(row.numa) or _UNKNOWN, right=True),
        TextColumn[RankRow]("cores", lambda row: str(row.cores) if row.cores else _UNKNOWN, right=True),
        TextColumn[RankRow]("processors", lambda row: cpu_text(row.processors) or _UNKNOWN, right=True),
    ]
    if any(row.threads for row in rows):
        columns.append(
            TextColumn("threads", lambda row: str(row.threads) if row.threads else _UNKNOWN, right=True)
        )
    if any(row.memory and not {*row.numa} <= {*row.memory} for row in rows):
        columns.append(
            TextColumn(
                "memory from", lambda row: cpu_text(row.memory) if row.memory else _UNKNOWN, right=True
            )
        )
    return columns


def _print_compared(page: Page, compared: Compared) -> None:
    columns: list[TextColumn[OfferedRow]] = [
        label("launch", lambda row: " ".join(row.options) or "as given"),
        TextColumn("nodes", lambda row: _UNKNOWN if row.nodes is None else str(row.nodes), right=True),
        TextColumn(
            f"cost, {compared.unit}",
            lambda row: _UNKNOWN if row.cost is None else count_text(row.cost),
            right=True,
        ),
        TextColumn(
            "bytes off node",
            lambda row: _UNKNOWN if row.bytes_off_node is None else byte_text(row.bytes_off_node),
            right=True,
        ),
        TextColumn(
            "% of best saving",
            lambda row: _share_text(row.percent_of_best_saving),
            right=True,
        ),
        label("", lambda row: row.problem),
    ]
    rows = offered_rows([compared.given, *compared.others])
    page.write(
        Text(), page.text("What the messages of the run cost", "bold"), *table_lines(page, columns, rows)
    )
    page.write(Text(), *page.wrapped(verdict(compared), "bold", indent=_INDENT))
    page.write(Text(), *statement_lines(page, compared.certainty))


def _share_text(percent_of_best: float | None) -> str:
    return _UNKNOWN if percent_of_best is None else percent_text(percent_of_best)


def verdict(compared: Compared) -> str:
    """Return which distribution to take, as sentences."""
    given = compared.given.cost
    assert given is not None
    saving = percent_text(percent(given.cost - compared.best.cost, given.cost))
    if compared.best.cost >= given.cost:
        return "No distribution and no placement costs less than the launch as given."
    best = f"The best placement costs {saving} % less than the launch as given."
    chosen = compared.recommended
    if chosen is None or chosen.share is None:
        return f"{best} No distribution of the launcher comes near it; `rankwise map` writes a file for it."
    option, share = " ".join(chosen.words), percent_text(100 * chosen.share)
    return f"{best} The option {option} alone brings {share} % of this saving."

"""The results as a plain table and as JSON."""

from __future__ import annotations

import statistics
from dataclasses import asdict

from common.mpis import Mpi
from common.results import Result
from common.rows import Row


def _aim(row: Row) -> str:
    if row.aim is None:
        return ""
    return f"<= {row.aim:g} x" if row.aim_in_reads else f"<= {row.aim:g}"


def table(results: list[Result], mpi: Mpi) -> str:
    """Lay the lines out as plain text; rows of one unit have the same number of digits."""
    head = (
        "row",
        "unit",
        "without",
        "with",
        "added",
        "lowest",
        "highest",
        "smallest",
        "x reads",
        "aim",
        "",
        "peer*",
    )
    lines: list[tuple[str, ...]] = [head]
    marks = head.index("")
    for result in results:
        row = result.row
        digits = 1 if row.unit in ("ns", "ms") else 2
        values = (
            statistics.median(result.without),
            statistics.median(result.with_),
            result.added,
            min(result.differences),
            max(result.differences),
        )
        peer = row.peers.get(mpi.family)
        lines.append(
            (
                row.key,
                row.unit,
                *(f"{value:.{digits}f}" for value in values),
                f"{statistics.median(result.added_to_smallest):.{digits}f}"
                if result.added_to_smallest
                else "",
                "" if result.ratio is None else f"{result.ratio:.2f}",
                _aim(row),
                result.mark,
                "" if peer is None else f"{peer:g}",
            )
        )
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    text = []
    for line in lines:
        cells = [
            cell.ljust(width) if column in (0, 1, marks) else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        text.append("  ".join(cells).rstrip())
    return "\n".join(text)


def as_json(results: list[Result], mpi: Mpi, recorded: bool) -> dict[str, object]:
    """Make the same for programs, with the values of each pair."""
    rows = []
    for result in results:
        row: dict[str, object] = {
            "row": result.row.key,
            "unit": result.row.unit,
            "without": result.without,
            "with": result.with_,
            "two_clock_reads_ns": result.reads,
            "added": result.added,
            "added_to_smallest_batches": result.added_to_smallest,
            "added_in_two_clock_reads": result.ratio,
            "aim": result.row.aim,
            "aim_in_two_clock_reads": result.row.aim_in_reads,
            "mark": result.mark,
            "best_peer_measured_elsewhere": result.row.peers.get(mpi.family),
        }
        rows.append(row)
    return {**asdict(mpi), "recorded": recorded, "rows": rows}

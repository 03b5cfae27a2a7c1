"""Draws the messages of one call of each collective in a profile, rank by rank.

    mpicc examples/inside/collectives.c -o collectives
    rankwise run -o collectives.rankwise -- mpirun -n 16 ./collectives
    pip install matplotlib
    python examples/inside/figure.py collectives.rankwise -o docs/figures/inside-openmpi.png

One panel for each procedure named by --call, from left to right: its call on the largest
communicator with the most bytes sent. If messages are missing, it draws nothing and prints the reason.
"""

from __future__ import annotations

import argparse
import sqlite3
import sys
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import LogNorm

from rankwise.analysis.collectives.patterns import UNKNOWN, Algorithm, algorithms, matrices
from rankwise.analysis.opened import opened_profile
from rankwise.analysis.overview import run_facts
from rankwise.errors import RankwiseError
from rankwise.text.names import call_name, library_name
from rankwise.text.units import byte_text

_PANEL_INCHES = 3.1
_MOST_TICKS = 4


def main() -> int:
    """Draw the figure; 1 without a figure, with one line that says why."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("profile", type=Path, metavar="F.rankwise")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FIGURE", help="png, svg or pdf")
    parser.add_argument("--call", default="Bcast,Allreduce,Alltoall", metavar="NAME,...")
    arguments = parser.parse_args()
    try:
        save_figure(arguments.profile, arguments.call.split(","), arguments.output)
    except RankwiseError as error:
        sys.stderr.write(f"figure.py: {error}\n")
        return 1
    return 0


def save_figure(profile: Path, names: list[str], output: Path) -> None:
    """Draw one panel for each name of a procedure; raises RankwiseError if messages are missing."""
    mpl.rcParams["font.size"] = 9
    with opened_profile(profile) as connection:
        found = [chosen(connection, name) for name in names]
        figure, panels = plt.subplots(
            1, len(names), figsize=(_PANEL_INCHES * len(names), _PANEL_INCHES + 1.1), layout="constrained"
        )
        for panel, row in zip(np.atleast_1d(panels), found, strict=True):
            draw(figure, panel, connection, row)
        figure.suptitle(library_name(run_facts(connection).mpi_library))
    figure.savefig(output, dpi=120)


def chosen(connection: sqlite3.Connection, name: str) -> Algorithm:
    """Find the call to draw; raises RankwiseError if no call has all its messages."""
    rows = [row for row in algorithms(connection) if call_name(row.procedure) == name]
    drawable = [row for row in rows if row.algorithm is not None or row.text == UNKNOWN]
    if not drawable:
        raise RankwiseError(f"{name}: {rows[0].text if rows else 'was not called'}")
    return max(drawable, key=lambda row: (row.processes, row.bytes or 0))


def draw(figure: Any, panel: Any, connection: sqlite3.Connection, row: Algorithm) -> None:
    """Draw one call: a coloured cell for each pair of ranks with messages between them."""
    assert row.pattern is not None
    messages, volume = matrices(connection, row.pattern, row.processes)
    cells = np.where(messages > 0, np.maximum(volume, 1), np.nan)
    least, most = np.nanmin(cells), np.nanmax(cells)
    norm = LogNorm(least / 2, most) if least == most else LogNorm(least, most)
    mesh = panel.pcolormesh(cells, cmap="viridis_r", norm=norm, edgecolors="white", linewidth=0.4)
    panel.set_aspect("equal")
    panel.invert_yaxis()
    ticks = np.arange(0, row.processes, max(1, row.processes // 4))
    panel.set_xticks(ticks + 0.5, ticks)
    panel.set_yticks(ticks + 0.5, ticks)
    panel.set_xlabel("to rank")
    panel.set_ylabel("from rank")
    for side in ("top", "right", "bottom", "left"):
        panel.spines[side].set_color("0.8")
    size = byte_text(row.size) if row.size is not None else "several sizes"
    title = f"{call_name(row.procedure)}, {size}: {row.messages} messages"
    panel.set_title(f"{title}\n{row.algorithm or 'unknown algorithm'}", fontsize=9)
    sizes = np.unique(cells[~np.isnan(cells)])
    shown = sizes if len(sizes) <= _MOST_TICKS else sizes[[0, len(sizes) // 2, -1]]
    bar = figure.colorbar(mesh, ax=panel, location="bottom", shrink=0.8, ticks=shown)
    bar.ax.minorticks_off()
    bar.ax.set_xticklabels([byte_text(size) for size in shown], fontsize=7)
    bar.outline.set_visible(False)
    if len(sizes) == 1:  # nothing to compare
        bar.ax.clear()
        bar.ax.axis("off")
        bar.ax.text(0.5, 0.5, f"each pair {byte_text(sizes[0])}", ha="center", va="center", fontsize=8)


if __name__ == "__main__":
    sys.exit(main())

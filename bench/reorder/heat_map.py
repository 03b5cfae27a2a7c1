"""A picture of what reordering gains, by buffer size and iterations: as the figure of Inria RR-9292."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from common.errors import BenchError
from reorder.inside import Gain

_LIMIT = 100  # % at which the colours end


def draw(all_gains: Sequence[Gain], path: Path, title: str) -> None:
    """Draw two maps, with reordering in any case and only if it is profitable.

    Raises:
        BenchError: matplotlib is missing.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise BenchError("--heat-map needs matplotlib: run `make extras`") from None
    sizes = list(dict.fromkeys(gain.bytes for gain in all_gains))
    numbers = list(dict.fromkeys(gain.iterations for gain in all_gains))
    figure = Figure(figsize=(10, 1.5 + 0.6 * len(sizes)), layout="constrained")
    figure.suptitle(title)
    axes = figure.subplots(1, 2, sharey=True)
    for axis, name, figures in (
        (axes[0], "MPI_M_reorder", [gain.gain for gain in all_gains]),
        (axes[1], "MPI_M_reorder_if_profitable", [gain.gain_if_profitable for gain in all_gains]),
    ):
        rows = [figures[start : start + len(numbers)] for start in range(0, len(figures), len(numbers))]
        image = axis.imshow(rows, cmap="RdBu", vmin=-_LIMIT, vmax=_LIMIT, origin="lower", aspect="auto")
        axis.set_title(name)
        axis.set_xlabel("iterations")
        axis.set_xticks(range(len(numbers)), [str(number) for number in numbers])
        axis.set_yticks(range(len(sizes)), [str(size) for size in sizes])
        for row, of_size in enumerate(rows):
            for column, figure_of in enumerate(of_size):
                colour = "white" if abs(figure_of) > 0.6 * _LIMIT else "black"
                axis.text(column, row, f"{figure_of:+.0f}", ha="center", va="center", color=colour)
    axes[0].set_ylabel("bytes of each rank")
    figure.colorbar(image, ax=axes, label="gain, %")
    figure.savefig(path)

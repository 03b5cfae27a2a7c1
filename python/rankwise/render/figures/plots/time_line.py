"""The time line: a heat map of rank and time, with the phases."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.analysis.timing.time_line import TimeLine
from rankwise.render.figures.heatmap.scale import amount_colours
from rankwise.render.figures.heatmap.style import INK
from rankwise.render.figures.plots.canvas import drawing, seconds_on, texts_on
from rankwise.text.empty import NO_CALL_BETWEEN
from rankwise.text.units import byte_text, count_text, percent_text, second_text, second_texts

_BYTES = ("bytes_sent", "bytes_received")
MEASURES = ("mpi", *_BYTES, "messages", "calls")
"""The measures that can be drawn."""

_MOST_ROWS = 512  # more of them are finer than pixels
_MOST_STEPS = 5  # between ticks


def draw_time_line(time_line: TimeLine, measure: str, axes: Any = None) -> Any:
    """Draw the time line; row = rank, column = interval. It is white before and after a rank's run.

    Args:
        time_line: to draw.
        measure: one of MEASURES.
        axes: to draw on; None = new ones.

    Returns:
        The axes.
    """
    with drawing(axes, 8.0, 3.8) as on:
        if not time_line.ranks:
            on.set_title("No time line was recorded")
            return on
        cells = _cells(time_line, measure)
        together = max(1, -(-len(cells) // _MOST_ROWS))
        cells = _merged(cells, together)
        end = time_line.begin_seconds + len(time_line.intervals) * time_line.width_seconds
        rows = len(cells) * together
        image = on.imshow(
            np.ma.masked_invalid(cells),
            cmap=amount_colours(),
            vmin=0.0,
            vmax=100.0 if measure == "mpi" else None,
            interpolation="nearest",
            aspect="auto",
            extent=(time_line.begin_seconds, end, rows - 0.5, -0.5),
        )
        names = [line.rank for line in time_line.ranks]
        if names == list(range(len(names))):
            on.yaxis.get_major_locator().set_params(integer=True, min_n_ticks=1)
        else:
            step = -(-len(names) // 16)
            on.set_yticks(range(0, len(names), step), names[::step])
        on.set_ylim(len(time_line.ranks) - 0.5, -0.5)
        on.set_xlim(time_line.phases[0].begin_seconds, time_line.phases[-1].end_seconds)
        on.set_xlabel("time")
        on.set_ylabel("rank")
        seconds_on(on.xaxis)
        for phase in time_line.phases[1:]:
            on.axvline(phase.begin_seconds, color="white", linewidth=2.2)
            on.axvline(phase.begin_seconds, color=INK, linewidth=0.9)
        on.set_title(_title(time_line) if measure == "mpi" else _amount_title(time_line, measure))
        bar = on.figure.colorbar(image, ax=on)
        bar.outline.set_visible(False)
        bar.set_label(_label(measure))
        texts_on(bar.ax.yaxis, _text(measure))
        if measure in _BYTES:
            bar.set_ticks(_binary_ticks(float(image.norm.vmax)))
    return on


def _cells(time_line: TimeLine, measure: str) -> NDArray[np.float64]:
    inside = np.array([line.inside_seconds for line in time_line.ranks])
    if measure == "mpi":
        # The times of several threads are added up.
        values = np.array(
            [[100 * s / max(line.threads, 1) for s in line.mpi_seconds] for line in time_line.ranks]
        )
    else:
        values = np.array([getattr(line, measure) for line in time_line.ranks], np.float64)
    rates: NDArray[np.float64] = np.divide(
        values, inside, out=np.full(values.shape, np.nan), where=inside > 0
    )
    most = 100.0 if measure == "mpi" else np.inf
    return np.minimum(rates, most, out=rates)


def _merged(cells: NDArray[np.float64], together: int) -> NDArray[np.float64]:
    """Return the means of neighbouring ranks, without missing ones."""
    starts = np.arange(0, len(cells), together)
    known = np.isfinite(cells)
    sums = np.add.reduceat(np.where(known, cells, 0.0), starts, axis=0)
    counts = np.add.reduceat(known.astype(np.float64), starts, axis=0)
    means: NDArray[np.float64] = np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0)
    return means


def _title(time_line: TimeLine) -> str:
    whole = sum(phase.seconds for phase in time_line.phases)
    most = max(time_line.phases, key=lambda phase: phase.percent_of_mpi * phase.seconds)
    share = percent_text(100 * most.seconds / whole if whole else 0.0)
    begin, end = second_texts([most.begin_seconds, most.end_seconds])
    if not any(phase.percent_of_mpi or phase.calls for phase in time_line.phases):
        return f"{NO_CALL_BETWEEN}, from {begin} to {end}"
    several = f"{len(time_line.phases)} phases; most time in MPI is in phase {most.number}:\n"
    return (
        f"{several if len(time_line.phases) > 1 else ''}"
        f"{percent_text(most.percent_of_mpi)} % in MPI from {begin} to {end}, {share} % of the run"
    )


def _amount_title(time_line: TimeLine, measure: str) -> str:
    amounts = [getattr(phase, measure) for phase in time_line.phases]
    whole, place = sum(amounts), int(np.argmax(amounts))
    name, text, most = measure.replace("_", " "), _text(measure), time_line.phases[place]
    if not whole:
        return f"No {name}"
    span = f"from {second_text(most.begin_seconds)} to {second_text(most.end_seconds)}"
    if len(amounts) == 1:
        return f"{text(whole)} summed over ranks {span}: {name}"
    share = percent_text(100 * amounts[place] / whole)
    return (
        f"{len(amounts)} phases; the most {name} are in phase {most.number}:\n{text(amounts[place])} summed "
        f"over ranks {span}, {share} % of all"
    )


def _binary_ticks(most: float) -> list[float]:
    """Return at most six multiples of a power of two, from 0: sizes are read in powers of two."""
    step = 2.0 ** np.ceil(np.log2(max(most, 1.0) / _MOST_STEPS))
    return [float(tick) for tick in np.arange(0.0, most * (1 + 1e-9), step)]


def _label(measure: str) -> str:
    return "% of the time in MPI" if measure == "mpi" else f"{measure.replace('_', ' ')}, a second"


def _text(measure: str) -> Any:
    if measure == "mpi":
        return lambda value: f"{value:.0f}"
    return byte_text if measure in _BYTES else count_text

"""Which calls, communicators or regions stop scaling, and from how many ranks on.

The ideal time of a row is its time at the reference: with strong scaling divided by the ratio of the ranks,
with weak scaling unchanged. Time beyond it is lost. The time outside of MPI is a row, too, so the losses of
all rows add up to the loss of the run.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from rankwise.runs.models import LEAST_VALUES, Fit, fit
from rankwise.runs.scaling_figures import NAMES_OF_KEYS, Amount, Key, ScalingRun
from rankwise.runs.scaling_kind import Kind, slope
from rankwise.runs.scaling_noise import Noise, noise_of
from rankwise.runs.scaling_points import Point

LEAST_LOST_PERCENT = 2.0
"""Of the run: a row that surely loses more from some number of ranks on does not scale."""
STOPS_RATIO = 1.5
"""Of the time and the ideal time with most ranks: a row that does not scale stops if it is at least this."""
LEAST_MODELLED_PERCENT = 1.0
"""Of the run, at any number of ranks: rows with less have no model."""
MORE_BYTES: dict[Kind, float] = {"strong": 0.25, "weak": 0.5}
"""Exponent of the bytes per rank from which on they are said to grow. In an exchange with a fixed number of
neighbours they do not grow: they are constant with weak scaling, and fall with strong scaling."""
OUTSIDE = "(outside of MPI)"
OTHERS = "(others)"

State = Literal["scales", "slows", "stops"]

_NOTHING = Amount(0.0, 0.0)


@dataclass(frozen=True, kw_only=True)
class Row:
    """Calls of one kind at each number of ranks of the series.

    Attributes:
        communicator: family, '' = calls on all.
        user_name: that the program gave to communicators of the family.
        call: MPI procedure, '' = all.
        region: path of the region, '' = outside of regions, or all.
        site: place of the call, '' = all.
        function: that calls, '' = all.
        outside: it is the time outside of MPI, which has no calls.
        seconds: mean per rank, median of the runs, by point.
        percent_of_run: the same in percent of the ranks' mean time between MPI_Init and MPI_Finalize.
        lost_percent: of the run, beyond ideal scaling; below 0 it scales better.
        bytes_sent: per rank, by point.
        plus_minus_percent: half of the 95 % interval of `percent_of_run` with most ranks; None = unknown.
        ratio: time / ideal time with most ranks; None = no time at the reference.
        state: with most ranks: `scales`, `slows` (it loses time) or `stops`.
        since: number of ranks from which on it loses time; None = it scales.
        bytes_exponent: of the bytes per rank as a power of the number of ranks; None = nothing is sent.
        bytes_grow: `bytes_exponent` is too large for an exchange with a fixed number of neighbours.
        seconds_fit: model of the seconds; None = none.
        bytes_fit: model of the bytes; None = none.
    """

    communicator: str = ""
    user_name: str = ""
    call: str = ""
    region: str = ""
    site: str = ""
    function: str = ""
    outside: bool = False
    seconds: list[float]
    percent_of_run: list[float]
    lost_percent: list[float]
    bytes_sent: list[float]
    plus_minus_percent: float | None
    ratio: float | None
    state: State
    since: int | None
    bytes_exponent: float | None
    bytes_grow: bool
    seconds_fit: Fit | None = field(default=None, repr=False)
    bytes_fit: Fit | None = field(default=None, repr=False)


@dataclass(frozen=True)
class Setting:
    """What rows are made from.

    Attributes:
        series: points that scaling is judged by, by ascending number of ranks.
        reference: one of these.
        kind: strong or weak.
        all_points: for models; they may have a second parameter.
    """

    series: Sequence[Point]
    reference: Point
    kind: Kind
    all_points: Sequence[Point]


def rows_of(setting: Setting, by: str, *, modelled: bool) -> list[Row]:
    """Return the time outside of MPI and the calls by one of their keys, most lost time first.

    Args:
        setting: the runs.
        by: one of `BY`.
        modelled: rows with `LEAST_MODELLED_PERCENT` have models.
    """
    names: dict[str, str] = {}
    keys: dict[Key, None] = {}
    for point in setting.series:
        for run in point.runs:
            keys.update(dict.fromkeys(run.amounts[by]))
            names.update(run.user_names)
    least = LEAST_MODELLED_PERCENT if modelled else math.inf
    rows = [_outside(setting, least)]
    for key in keys:
        labels = dict(zip(NAMES_OF_KEYS[by], key, strict=True))
        user_name = names.get(labels.get("communicator", ""), "")
        rows.append(_row(setting, _amount_of(by, key), {**labels, "user_name": user_name}, least))
    return sorted(rows, key=lambda row: -row.lost_percent[-1])


def others(setting: Setting, by: str, rows: Sequence[Row]) -> Row | None:
    """Return all rows without a model as one row; None if all have one, or models are impossible."""
    left = [row for row in rows if row.seconds_fit is None]
    if not left or not any(row.seconds_fit for row in rows):
        return None
    keys = [tuple(getattr(row, name) for name in NAMES_OF_KEYS[by]) for row in left if not row.outside]

    def amount(run: ScalingRun) -> Amount:
        return sum((run.amounts[by].get(key, _NOTHING) for key in keys), _NOTHING)

    return _row(setting, amount, {NAMES_OF_KEYS[by][0]: OTHERS}, 0.0)


def _amount_of(by: str, key: Key) -> Callable[[ScalingRun], Amount]:
    return lambda run: run.amounts[by].get(key, _NOTHING)


def _outside(setting: Setting, least: float) -> Row:
    return _row(setting, lambda run: Amount(run.efficiency.useful_mean_seconds, 0.0), {}, least, outside=True)


def _row(
    setting: Setting,
    amount: Callable[[ScalingRun], Amount],
    labels: dict[str, str],
    least_percent: float,
    *,
    outside: bool = False,
) -> Row:
    series, reference = setting.series, setting.reference

    def seconds(run: ScalingRun) -> float:
        return amount(run).seconds

    def share(run: ScalingRun) -> float:
        return 100 * seconds(run) / run.mean_seconds

    medians = [statistics.median(point.values(seconds)) for point in series]
    shares = [statistics.median(point.values(share)) for point in series]
    sent = [statistics.median(point.values(lambda run: amount(run).bytes_sent)) for point in series]
    at_reference = medians[series.index(reference)]
    ideals = [
        at_reference * (reference.ranks / point.ranks if setting.kind == "strong" else 1.0)
        for point in series
    ]
    lost = [
        statistics.median(100 * (seconds(run) - ideal) / run.mean_seconds for run in point.runs)
        for point, ideal in zip(series, ideals, strict=True)
    ]
    # (A disturbed run takes longer everywhere: shares of it scatter less than times.)
    noise = noise_of([point.values(share) for point in series])
    since = _since(setting, noise, noise_of([point.values(seconds) for point in series]), shares, lost)
    ratio = medians[-1] / ideals[-1] if ideals[-1] > 0 else None
    half = noise.half_width(len(series[-1].runs)) if noise.known else None
    exponent = _bytes_exponent(series, sent)
    is_modelled = max(shares) >= least_percent
    return Row(
        **labels,
        outside=outside,
        seconds=medians,
        percent_of_run=shares,
        lost_percent=lost,
        bytes_sent=sent,
        plus_minus_percent=None if half is None else half * shares[-1],
        ratio=ratio,
        state=_state(since, ratio),
        since=since,
        bytes_exponent=exponent,
        bytes_grow=exponent is not None and exponent >= MORE_BYTES[setting.kind],
        seconds_fit=_fit(setting, seconds, outside=outside) if is_modelled else None,
        bytes_fit=_fit(setting, lambda run: amount(run).bytes_sent) if is_modelled and any(sent) else None,
    )


def _since(
    setting: Setting,
    noise: Noise,
    time_noise: Noise,
    shares: Sequence[float],
    lost: Sequence[float],
) -> int | None:
    """Return the number of ranks from which on time is surely lost; None = not even with most ranks.

    Args:
        setting: the runs.
        noise: of shares.
        time_noise: of times, since the ideal time is a time of other runs.
        shares: of the run, by point.
        lost: of the run, by point.
    """
    since = None
    reference_half = time_noise.half_width(len(setting.reference.runs))
    for point, share, percent in reversed([*zip(setting.series, shares, lost, strict=True)]):
        ideal_share = max(share - percent, 0.0)
        half = math.hypot(
            noise.half_width(len(point.runs)) * share,
            math.hypot(reference_half, time_noise.half_width(len(point.runs))) * ideal_share,
        )
        if percent < LEAST_LOST_PERCENT or percent <= half:
            break
        since = point.ranks
    return since


def _state(since: int | None, ratio: float | None) -> State:
    if since is None:
        return "scales"
    return "stops" if ratio is None or ratio >= STOPS_RATIO else "slows"


def _bytes_exponent(series: Sequence[Point], sent: Sequence[float]) -> float | None:
    """Return the exponent of the bytes per rank; None if they are 0 with more than one rank."""
    pairs = zip(series, sent, strict=True)
    points = [(point.ranks, value) for point, value in pairs if value > 0 and point.ranks > 1]
    if len(points) < 2 or sent[-1] <= 0:
        return None
    return slope([float(ranks) for ranks, _ in points], [value for _, value in points])


def _fit(setting: Setting, figure: Callable[[ScalingRun], float], *, outside: bool = False) -> Fit | None:
    # (A single rank communicates with none: its calls are no part of the law of the others.)
    points = [point for point in setting.all_points if point.ranks > 1 or outside]
    if len({point.ranks for point in points}) < LEAST_VALUES:
        return None
    return fit(
        [point.at for point in points],
        [point.values(figure) for point in points],
        falls=setting.kind == "strong",
    )

"""Scaling of a program: its factors, what stops scaling, and predictions for other numbers of ranks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from rankwise.errors import RankwiseError
from rankwise.runs.models import LEAST_VALUES, Fit, Prediction
from rankwise.runs.scaling_factors import Factors, factors_of
from rankwise.runs.scaling_figures import BY, ScalingRun
from rankwise.runs.scaling_kind import Kind, KindFound, kind_of
from rankwise.runs.scaling_points import Point, different_arguments, points_of, series_of
from rankwise.runs.scaling_rows import Row, Setting, others, rows_of
from rankwise.runs.scaling_shortage import Shortage, shortage_of


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What a user asks for.

    Attributes:
        kind: strong or weak; None = it is found.
        reference: number of ranks; None = the fewest.
        program: name; '' = the profiles are of one.
        parameter: name of a tag; '' = none.
        by: one of `BY`.
        at: number of ranks to predict; None = none.
    """

    kind: Kind | None = None
    reference: int | None = None
    program: str = ""
    parameter: str = ""
    by: str = BY[0]
    at: int | None = None


@dataclass(frozen=True, kw_only=True)
class PredictedRow:
    """A row with a number of ranks that did not run.

    Attributes:
        row: the row; None = all rows together.
        seconds: mean per rank.
        percent_of_run: share of all rows together.
        bytes_sent: per rank; None = nothing is sent, or the row is all rows.
    """

    row: Row | None
    seconds: Prediction
    percent_of_run: Prediction
    bytes_sent: Prediction | None


@dataclass(frozen=True, kw_only=True)
class Scaling:
    """How a program scales.

    Attributes:
        program: its name.
        mpi_library: name and version.
        kind: strong or weak, and why.
        reference: number of ranks.
        by: of the table that the verdict is on.
        parameter: name of the second parameter; '' = none.
        parameter_value: that `factors` and `rows` have; None = several, or there is no parameter.
        factors: by ascending number of ranks.
        runs: with these factors, by ascending number of ranks.
        rows: by each of `BY`, most lost time first; only the rows by `by` have models.
        at: number of ranks of `predicted`.
        predicted: all rows together, then rows by descending time; empty = not asked for, or impossible.
        can_predict: there are enough numbers of ranks for models, and ranks had their processors.
        different_arguments: numbers of ranks whose runs have different arguments.
        shortage: of processors with most ranks; None = ranks had theirs nearly always.
    """

    program: str
    mpi_library: str
    kind: KindFound
    reference: int
    by: str
    parameter: str
    parameter_value: float | None
    factors: list[Factors]
    runs: list[ScalingRun]
    rows: dict[str, list[Row]]
    at: int | None
    predicted: list[PredictedRow]
    can_predict: bool
    different_arguments: list[int]
    shortage: Shortage | None

    @property
    def most_ranks(self) -> int:
        """The largest number of ranks."""
        return self.factors[-1].ranks


def scaling_of(runs: Sequence[ScalingRun], asked: Asked) -> Scaling:
    """Return how a program scales.

    Raises:
        RankwiseError: the runs can't be compared, their kind of scaling is unclear, or no run has the ranks
            of the reference.
    """
    points = points_of(runs, program=asked.program, parameter=asked.parameter)
    series = series_of(points)
    kind = kind_of(series, asked.kind)
    reference = _reference(series, asked.reference)
    setting = Setting(series, reference, kind.kind, points)
    rows = {by: rows_of(setting, by, modelled=by == asked.by) for by in BY if by in series[0].runs[0].amounts}
    lost = [row.lost_percent[-1] for row in rows[asked.by] if row.since is not None]
    configuration = series[0].runs[0].configuration
    values = {point.parameter for point in series}
    shortage = shortage_of(series[-1], reference, max(lost, default=None))
    can_predict = not (shortage and shortage.explains) and all(
        len({point.at[number] for point in points if point.ranks > 1}) >= LEAST_VALUES
        for number in range(len(points[0].at))
    )
    return Scaling(
        program=configuration.program,
        mpi_library=configuration.mpi_library,
        kind=kind,
        reference=reference.ranks,
        by=asked.by,
        parameter=asked.parameter,
        parameter_value=values.pop() if len(values) == 1 else None,
        factors=factors_of(series, reference, kind.kind),
        runs=[run for point in series for run in point.runs],
        rows=rows,
        at=asked.at,
        predicted=_predicted(setting, rows[asked.by], asked) if asked.at and can_predict else [],
        can_predict=can_predict,
        different_arguments=different_arguments(points),
        shortage=shortage,
    )


def _reference(series: Sequence[Point], ranks: int | None) -> Point:
    if ranks is None:
        return series[0]
    for point in series:
        if point.ranks == ranks:
            return point
    numbers = ", ".join(str(point.ranks) for point in series)
    raise RankwiseError(f"no run has {ranks} ranks, the reference: there are {numbers}")


def _predicted(setting: Setting, rows: Sequence[Row], asked: Asked) -> list[PredictedRow]:
    """Return the rows with the number of ranks that is asked for; with a parameter, for its largest value."""
    assert asked.at
    rest = others(setting, asked.by, rows)
    modelled = [row for row in (*rows, rest) if row and row.seconds_fit]
    if not modelled:
        return []
    largest = max((point.parameter for point in setting.all_points if point.parameter), default=None)
    at = (asked.at,) if largest is None else (asked.at, largest)
    seconds = [_prediction(row.seconds_fit, at) for row in modelled]
    total = Prediction(
        sum(each.value for each in seconds),
        sum(each.value for each in seconds) - math.hypot(*(each.value - each.low for each in seconds)),
        sum(each.value for each in seconds) + math.hypot(*(each.high - each.value for each in seconds)),
    )
    predicted = [
        PredictedRow(
            row=row,
            seconds=each,
            percent_of_run=_share(each, total.value - each.value),
            bytes_sent=row.bytes_fit.predict(at) if row.bytes_fit else None,
        )
        for row, each in zip(modelled, seconds, strict=True)
    ]
    whole = PredictedRow(
        row=None, seconds=total, percent_of_run=Prediction(100.0, 100.0, 100.0), bytes_sent=None
    )
    return [whole, *sorted(predicted, key=lambda each: -each.seconds.value)]


def _prediction(fitted: Fit | None, at: Sequence[float]) -> Prediction:
    assert fitted
    return fitted.predict(at)


def _share(part: Prediction, rest: float) -> Prediction:
    """Return the share of a row in percent, if the rest is as predicted."""
    value, low, high = (
        100 * seconds / (seconds + rest) if seconds + rest > 0 else 0.0
        for seconds in (part.value, part.low, part.high)
    )
    return Prediction(value, low, high)

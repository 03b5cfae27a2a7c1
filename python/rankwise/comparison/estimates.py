"""Parts of the time in MPI, and efficiency, on both sides: estimates, and whether they surely differ."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from rankwise.analysis.account import Account
from rankwise.analysis.timing.efficiency import Efficiency
from rankwise.comparison.change import SAME, Change, amounted, efficient, timed
from rankwise.comparison.change import UNKNOWN as NOT_SURE

Compared = Callable[[Sequence[float], Sequence[float]], Change]

UNKNOWN = "not known"

TIME_IN_MPI: dict[str, Compared] = {
    "collectives": timed,
    "late senders": timed,
    "late receivers": timed,
    "transfer": timed,
    "files": timed,
    UNKNOWN: amounted,
}
"""The parts of the time in MPI, and how each is compared; the first three are waiting."""

FACTORS: dict[str, Compared] = dict.fromkeys(
    ("parallel", "load balance", "communication", "serialisation", "transfer"), efficient
)
"""Efficiencies, and how each is compared."""


_DIGITS = 9
"""Digits of seconds and of efficiencies; smaller differences are rounding."""


@dataclass(frozen=True)
class Range:
    """An estimate with its bounds.

    Attributes:
        value: the estimate.
        low: lower bound.
        high: upper bound.
    """

    value: float
    low: float
    high: float

    @property
    def may_be_zero(self) -> bool:
        """Whether the range includes 0."""
        return self.low <= 0 <= self.high


Ranges = Mapping[str, Range]


@dataclass(frozen=True, kw_only=True)
class Estimated:
    """A figure on both sides, for which each run gives a range.

    Attributes:
        name: one of `TIME_IN_MPI` or `FACTORS`.
        before: medians over the runs of the value and of both bounds; None = unknown in some run.
        after: the same after.
        value: change of the values; None = unknown on some side.
        change: of the values, with the bounds that follow from both ranges; None = unknown on some side.
    """

    name: str
    before: Range | None
    after: Range | None
    value: Change | None
    change: Range | None

    @property
    def exceeds_error(self) -> bool:
        """Whether the ranges of the sides do not overlap; the noise between runs is not considered."""
        return self.change is not None and not self.change.may_be_zero


def time_in_mpi_ranges(known: Account, ranks: int) -> dict[str, Range]:
    """Return the parts of the time in MPI by the names of `TIME_IN_MPI`, in seconds, mean per rank.

    The values add up to the time in MPI. The upper bound of a part includes the unknown time that may belong
    to it.

    Args:
        known: of the run.
        ranks: their number.
    """
    time, waiting, messages = known.time, known.waiting, known.messages
    collectives = waiting.seconds if waiting else 0.0
    senders, receivers = (
        (messages.late_sender_seconds, messages.late_receiver_seconds) if messages else (0.0, 0.0)
    )
    waited = collectives + senders + receivers
    scale = min(time.waiting_seconds / waited, 1.0) if waited else 1.0
    error = waiting.waiting.error_seconds if waiting else 0.0
    error_of_messages = messages.error_seconds if messages else 0.0
    in_collectives = _unknown_in_collectives(known)
    elsewhere = time.unknown_seconds - in_collectives

    def of_rank(seconds: float, error: float, unknown: float) -> Range:
        ends = seconds, max(seconds - error, 0.0), seconds + error + unknown
        return Range(*(round(end / ranks, _DIGITS) for end in ends))

    return {
        "collectives": of_rank(scale * collectives, error, in_collectives),
        "late senders": of_rank(scale * senders, error_of_messages, elsewhere),
        "late receivers": of_rank(scale * receivers, error_of_messages, elsewhere),
        "transfer": of_rank(time.moving_seconds, time.error_seconds, time.unknown_seconds),
        "files": of_rank(time.files_seconds, 0.0, 0.0),
        UNKNOWN: of_rank(time.unknown_seconds, 0.0, 0.0),
    }


def _unknown_in_collectives(known: Account) -> float:
    """Return the time in blocking collectives for which it is unknown which ranks waited."""
    if known.waiting:
        seconds = known.waiting.percent_not_known_of_mpi / 100 * known.time.seconds
    else:
        seconds = known.waiting_unknown.seconds if known.waiting_unknown else 0.0
    return min(seconds, known.time.unknown_seconds)


def factor_ranges(efficiency: Efficiency | None) -> dict[str, Range]:
    """Return efficiencies by the names of `FACTORS`, as far as they are known."""
    if efficiency is None:
        return {}
    measured = (efficiency.parallel, efficiency.load_balance, efficiency.communication)
    ranges = [Range(value, value, value) for value in measured]
    if split := efficiency.split:
        ranges += [
            Range(split.serialisation, split.serialisation_low, split.serialisation_high),
            Range(split.transfer, split.transfer_low, split.transfer_high),
        ]
    return dict(zip(FACTORS, ranges, strict=False))


def estimated(
    names: Mapping[str, Compared], before: Sequence[Ranges], after: Sequence[Ranges]
) -> list[Estimated]:
    """Compare the estimates of the runs of two sides.

    Args:
        names: of the figures, and how each is compared.
        before: estimates of each run before.
        after: estimates of each run after.
    """
    return [_estimated(name, compared, before, after) for name, compared in names.items()]


def _estimated(name: str, compared: Compared, before: Sequence[Ranges], after: Sequence[Ranges]) -> Estimated:
    early, late = ([run[name] for run in side if name in run] for side in (before, after))
    early_range = _median(early) if len(early) == len(before) else None
    late_range = _median(late) if len(late) == len(after) else None
    if early_range is None or late_range is None:
        return Estimated(name=name, before=early_range, after=late_range, value=None, change=None)
    value = compared([estimate.value for estimate in early], [estimate.value for estimate in late])
    change = Range(
        round(late_range.value - early_range.value, _DIGITS),
        round(late_range.low - early_range.high, _DIGITS),
        round(late_range.high - early_range.low, _DIGITS),
    )
    if change.may_be_zero and value.verdict != SAME:
        value = replace(value, verdict=NOT_SURE)
    return Estimated(name=name, before=early_range, after=late_range, value=value, change=change)


def _median(ranges: Sequence[Range]) -> Range:
    return Range(
        *(
            statistics.median(getattr(estimate, end) for estimate in ranges)
            for end in ("value", "low", "high")
        )
    )

"""Numbers as text, with three significant digits and their unit."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rankwise.analysis.calls.bins import bin_range

_BYTES = ("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")
_COUNTS = ("", " k", " M", " G", " T", " P")
_SECONDS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns"))
_KIB = 1024
_WHOLE = 100.0  # percent
_DIGITS, _MOST_DIGITS = 3, 12

# At and above it, three digits would round up to 1000: the next unit takes over.
_NEXT_UNIT = 999.5


def byte_text(size: float) -> str:
    """Return a size in bytes: `0 B`, `1023 B` (exact below 1 KiB), `1.00 KiB`, `12.3 MiB`."""
    if size < _KIB:
        return f"{size:.0f} B"
    step = 1
    value = size / _KIB
    while value >= _NEXT_UNIT and step < len(_BYTES) - 1:
        value /= _KIB
        step += 1
    return f"{digits_text(value)} {_BYTES[step]}"


def exact_byte_text(size: int) -> str:
    """Return a size in bytes that must not be rounded: `1023 B`, `64 KiB`, `65,535 B`.

    For limits, and for ranges of sizes, where every byte counts. A whole number of
    KiB, MiB and so on is shown as such, everything else in bytes.
    """
    if size < _KIB:
        return f"{size} B"
    step = 0
    while size % _KIB == 0 and step < len(_BYTES) - 1:
        size //= _KIB
        step += 1
    return f"{size:,} {_BYTES[step]}"


def exact_byte_range_text(low: int, high: int) -> str:
    """Return a range of sizes in bytes, with both ends and none rounded: `8 to 64 B`, `1 KiB to 65,535 B`."""
    least, most = exact_byte_text(low), exact_byte_text(high)
    if low == high:
        return least
    number, _, unit = least.partition(" ")
    return f"{number if most.endswith(f' {unit}') else least} to {most}"


def count_text(number: float) -> str:
    """Return a count: exact below 10 000, then `12.3 k`, `4.56 M`."""
    if number < 10_000:
        return f"{number:.0f}"
    step = 0
    value = float(number)
    while value >= _NEXT_UNIT and step < len(_COUNTS) - 1:
        value /= 1000
        step += 1
    return f"{digits_text(value)}{_COUNTS[step]}"


def rate_text(number: float) -> str:
    """Return a count a second: as a count, below 10 with three digits, and never 0 for something."""
    if number <= 0 or number >= 10:
        return count_text(number)
    return "<0.001" if number < 0.0005 else digits_text(number)


def second_text(seconds: float) -> str:
    """Return a duration in seconds as `78.2 s`, `1.23 ms`, `45.6 us`, `7.00 ns`; `0 s` for none."""
    if seconds <= 0:
        return "0 s"
    for unit, name in _SECONDS:
        if seconds >= unit * 0.9995:
            return f"{digits_text(seconds / unit)} {name}"
    return f"{seconds / 1e-9:.2f} ns"


def second_texts(values: Sequence[float]) -> list[str]:
    """Return durations in seconds, all with as many digits as tell them apart, three at least."""
    for digits in range(_DIGITS, _MOST_DIGITS):
        texts = [_second_text(value, digits) for value in values]
        if len(set(texts)) == len(set(values)):
            return texts
    return [second_text(value) for value in values]


def _second_text(seconds: float, digits: int) -> str:
    if digits == _DIGITS or seconds < _SECONDS[-1][0]:
        return second_text(seconds)
    unit, name = next((unit, name) for unit, name in _SECONDS if seconds >= unit * 0.9995)
    whole = len(f"{seconds / unit:.0f}")
    return f"{seconds / unit:.{max(digits - whole, 0)}f} {name}"


def percent_text(share: float, decimals: int = 1) -> str:
    """Return a percentage without its sign: `19.4`; a share too small for the decimals is `<0.1`, never 0."""
    least = 10.0**-decimals
    if 0 < share < least / 2:
        return f"<{least:.{decimals}f}"
    return f"{round(share, decimals) + 0.0:.{decimals}f}"


def share_error_text(share: float, low: float, high: float, decimals: int = 1) -> str:
    """Return what follows a share of a whole in percent: ` +- 1.3`, never 0; nothing if it is exact.

    Where 0 or 100 is within the error, it is the interval, which ends there: ` (66 to 100)`.

    Args:
        share: in percent.
        low: lower end of its interval, which may be below 0.
        high: upper end, which may be above 100.
        decimals: of the share.
    """
    half = max(share - low, high - share)
    if half <= 0:
        return ""
    least = 10.0**-decimals
    half = max(half, least)
    if half <= share <= _WHOLE - half:
        return f" +- {half:.{decimals}f}"
    ends = max(min(low, share - least), 0.0), min(max(high, share + least), _WHOLE)
    return f" ({' to '.join(f'{end:.{decimals}f}' for end in ends)})"


def percent_range_text(low: float, high: float) -> str:
    """Return an interval of percentages, which may hold 0: `-0.2 to 0.1`."""
    return " to ".join(map(estimate_text, (low, high)))


def estimate_text(percent: float) -> str:
    """Return a percentage that may be 0 or below, without its sign: `-0.3`, `0.0`."""
    return f"{round(percent, 1) + 0.0:.1f}"


def confidence_text(share: float) -> str:
    """Return a confidence between 0 and 1 in percent, without its sign: `95`, `96.9`; never 100 below 1."""
    for decimals in range(1, _MOST_DIGITS):
        text = f"{100 * share:.{decimals}f}"
        if share >= 1 or float(text) < 100:
            break
    return text.rstrip("0").rstrip(".")


def change_text(percent: float) -> str:
    """Return a change in percent with its direction, without the sign of percent: `+1.5`, `-0.3`, `0.0`."""
    rounded = round(percent, 1) + 0.0
    return f"{rounded:+.1f}" if rounded else "0.0"


def change_range_text(low: float, high: float) -> str:
    """Return an interval of changes in percent, each with its direction: `-0.2 to +0.1`."""
    return f"{change_text(low)} to {change_text(high)}"


def ratio_text(factor: float) -> str:
    """Return a ratio: `3.00`, `0.88`, from 10 on without decimals."""
    return f"{factor:.2f}" if factor < 10 else f"{factor:.0f}"


def byte_range_text(low: int, high: int) -> str:
    """Return a range of sizes in bytes, both ends included: `8 B`, `1.00 KiB - 64.0 KiB`."""
    least, most = byte_text(low), byte_text(high)
    return least if least == most else f"{least} - {most}"


def byte_rate_text(rate: float) -> str:
    """Return bytes a second, less their `/s`: as a size, and never 0 for something."""
    return "<1 B" if 0 < rate < 0.5 else byte_text(rate)


def bit_rate_text(rate: float) -> str:
    """Return the rate of a link, in bytes a second, as `100 Gbit/s`, `50 Mbit/s`; `-` if it is unknown."""
    if math.isnan(rate):
        return "-"
    mbit = rate * 8 / 1e6
    number, unit = (mbit / 1e3, "Gbit/s") if mbit >= 999.5 else (mbit, "Mbit/s")
    return f"{number:.0f} {unit}" if number >= 100 else f"{number:.3g} {unit}"


def bin_text(size_bin: int) -> str:
    """Return the sizes of a bin: `0 B`, `1 B`, `64-127 B`, `1-2 KiB`, `512-1024 KiB`, `other`.

    Below 1 KiB both ends belong to the bin. From 1 KiB on, the range is half open: `1-2 KiB` holds 1 KiB and
    everything below 2 KiB, and the next bin begins with 2 KiB.
    """
    low, high = bin_range(size_bin)
    if low is None or high is None:
        return "other"
    if low == high:
        return f"{low} B"
    step = 0
    while low >= _KIB and step < len(_BYTES) - 1:
        low //= _KIB
        high //= _KIB
        step += 1
    # high // 1024 of 2^k - 1 is one less than the end of the half-open range.
    return f"{low}-{high + 1 if step else high} {_BYTES[step]}"


def sized_calls(size_bin: int, returned: int) -> str:
    """Return what the calls of a bin are, as a sentence begins: `Calls of 64-127 B`, `Calls without data`.

    Args:
        size_bin: number of the bin.
        returned: how many of them returned. The size of the others is not known: they are in the bin `other`.
    """
    if not size_bin:
        return "Calls without data"
    name = bin_text(size_bin)
    return f"Calls of {name}" if returned or name != "other" else "Calls that never returned"


def digits_text(value: float) -> str:
    """Return `value` with three significant digits, all digits before the point, and no exponent."""
    for limit, decimals in ((0.9995, 3), (9.995, 2), (99.95, 1)):
        if value < limit:
            return f"{value:.{decimals}f}"
    return f"{value:.0f}"


def two_digits_text(value: float) -> str:
    """Return `value` with two significant digits, all digits before the point, and no exponent."""
    decimals = 2 if value < 0.995 else 1 if value < 9.95 else 0
    return f"{value:.{decimals}f}"


def number_of(number: int, noun: str) -> str:
    """Return `1 rank`, `2 ranks`."""
    return f"{number} {noun}{'s' * (number != 1)}"

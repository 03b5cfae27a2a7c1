"""The printed table: a line for each exchange."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from traffic.exchanges import Exchanged

_AS_BUSY = 0.999


@dataclass(frozen=True)
class Row:
    """An exchange and its name."""

    name: str
    exchanged: Exchanged


def head() -> str:
    """Return the names of the columns."""
    times = f"{'predicted ms':>12} {'measured ms':>12} {'least':>8} {'most':>8}"
    return f"{'pattern':<28} {'hottest link':<26} {times} {'ratio':>6} {'other MB':>9}"


def line(row: Row) -> str:
    """Return the line of an exchange; other MB: on the hottest link during the job, without headers."""
    exchanged, predicted = row.exchanged, row.exchanged.predicted
    source, destination = predicted.hottest
    most = predicted.seconds[predicted.hottest]
    as_busy = sum(seconds >= _AS_BUSY * most for seconds in predicted.seconds.values()) - 1
    link = f"{source} > {destination}" + (f", {as_busy} more" if as_busy else "")
    other = exchanged.carried[predicted.hottest] - predicted.bytes[predicted.hottest]
    median, least, longest = (1e3 * seconds for seconds in exchanged.seconds)
    expected = 1e3 * exchanged.predicted_seconds
    return (
        f"{row.name:<28} {link:<26} {expected:>12.1f} {median:>12.1f} {least:>8.1f} {longest:>8.1f}"
        f" {median / expected:>6.2f} {other / 1e6:>9.2f}"
    )

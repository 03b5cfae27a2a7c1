"""The caption of a picture: the measurement, its time and method, and warnings."""

from __future__ import annotations

from rankwise.latency.measurement import Measurement
from rankwise.render.figures.heatmap.ordering import Ordering, measured_pairs
from rankwise.render.figures.heatmap.view import BANDWIDTH, View
from rankwise.text.names import library_name
from rankwise.text.units import byte_text, count_text, digits_text
from rankwise.topology.hierarchy.levels import Outlier

_STATISTICS = {
    "min": "minimum",
    "median": "median",
    "p95": "95th percentile",
    "mean": "mean",
    "std": "standard deviation",
}


def title(view: View) -> str:
    """Return the title of the drawing."""
    if view.statistic == BANDWIDTH:
        return f"Bandwidth between all pairs: {byte_text(view.size)} messages, from row to column"
    return f"Latency between all pairs: {byte_text(view.size)} messages, {statistic_name(view.statistic)}"


def statistic_name(statistic: str) -> str:
    """Return the statistic in words."""
    return _STATISTICS.get(statistic, statistic)


def quantity(view: View) -> str:
    """Return the quantity on an axis of values, with its unit."""
    return "bandwidth, MB/s" if view.statistic == BANDWIDTH else "half a round trip, us"


def about(measurement: Measurement) -> list[str]:
    """Return the number of ranks, the method, the library and the time, as phrases."""
    header = measurement.about
    ranks, hosts = len(measurement.ranks), len({rank.host for rank in measurement.ranks})
    mode = str(header.get("mode") or "")
    return [
        phrase
        for phrase in (
            f"{_counted(ranks, 'rank')} on {_counted(hosts, 'node')}",
            f"mode {mode}" if mode else "",
            f"repeats: {measurement.repeats_text()}",
            library_name(str(header.get("mpi") or "")),
            str(header.get("date") or "").replace("T", " ")[:16],
        )
        if phrase
    ]


def warnings(measurement: Measurement, ordering: Ordering) -> list[str]:
    """Return warnings, as phrases."""
    header = measurement.about
    phrases = []
    if header.get("oversubscribed"):
        phrases.append("more ranks than processors: times are inaccurate")
    if header.get("interrupted"):
        done, rounds = header.get("rounds_done"), header.get("rounds")
        phrases.append(f"interrupted: {done} of {rounds} rounds were measured")
    missing = _missing(measurement, ordering)
    if missing:
        phrases.append(f"not measured: {_counted(missing, 'pair')} (grey)")
    unseen = len(measurement.ranks) - len(ordering.ranks)
    if unseen:
        phrases.append(f"not shown: {_counted(unseen, 'rank')} without a measured pair")
    return phrases


def _counted(number: int, what: str) -> str:
    return f"{count_text(number)} {what}{'s' * (number != 1)}"


def _missing(measurement: Measurement, ordering: Ordering) -> int:
    shown = len(ordering.ranks)
    return shown * (shown - 1) // 2 - int(measured_pairs(measurement).sum())


def outlier_words(outlier: Outlier) -> tuple[str, str]:
    """Return an outlier, and its difference, in words."""
    unit = "MB/s" if outlier.what == BANDWIDTH else "us"
    size = byte_text(outlier.size)
    verdict = f", {outlier.verdict}" if outlier.verdict else ""
    value, expected = digits_text(outlier.value), digits_text(outlier.expected)
    return (
        f"{outlier.kind}: {outlier.where}",
        f"{size}: {value} {unit}, others {expected} {unit}{verdict}",
    )

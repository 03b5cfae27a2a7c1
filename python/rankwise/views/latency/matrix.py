"""One statistic of one message size as a matrix: plain values for other programs."""

from __future__ import annotations

from rankwise.views.latency.found import Found


def data(latency: Found, statistic: str, size: int) -> dict[str, object]:
    """Return the matrix with its unit: rows and columns by rank, of a bandwidth from row to column."""
    measurement = latency.measurement
    return {
        "file": str(latency.path),
        "statistic": statistic,
        "size": size,
        "unit": "MB/s" if statistic == "bandwidth" else "us",
        "hosts": [host.name for host in measurement.hosts],
        "host_of_rank": [rank.host for rank in measurement.ranks],
        "order": latency.hierarchy.order,
        "matrix": measurement.matrix(statistic, size),
    }

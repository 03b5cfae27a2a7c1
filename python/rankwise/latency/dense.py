"""Measurements made from whole matrices: of files that hold such, and of synthetic machines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankwise.latency.measurement import BANDWIDTHS, STATISTICS, Host, Measurement, Pairs, Rank

Statistics = Mapping[str, Mapping[int, ArrayLike]]


def from_matrices(
    hosts_of_ranks: Sequence[str],
    times: Mapping[int, ArrayLike],
    bandwidths: Mapping[int, ArrayLike] | None = None,
    *,
    statistics: Statistics | None = None,
    overhead: ArrayLike | None = None,
    repeats: int = 1,
    hosts: Sequence[Host] | None = None,
    ranks: Sequence[Rank] | None = None,
    about: Mapping[str, object] | None = None,
) -> Measurement:
    """Make a measurement from matrices.

    Args:
        hosts_of_ranks: name of the host of each of the N ranks.
        times: half a round trip in us by size in bytes, shape (N, N), with the same values for all
            statistics; only the part above the diagonal counts. NaN for unmeasured pairs.
        bandwidths: MB/s by size, shape (N, N), row = sender.
        statistics: times of single statistics (STATISTICS) by size, in place of those in `times`.
        overhead: us in MPI_Send, shape (N, N); above the diagonal.
        repeats: round trips counted for each pair and size.
        hosts: the hosts, if more than their names is known; each name once.
        ranks: where the ranks ran, if more than their hosts is known.
        about: further keys of the header.

    Returns:
        All pairs, for all sizes of `times` and `bandwidths`, ascending.

    Raises:
        ValueError: a matrix has another shape than (N, N).
    """
    count = len(hosts_of_ranks)
    sizes = tuple(sorted({*times, *(bandwidths or {})}))
    first, second = np.triu_indices(count, 1)

    def upper(matrix: ArrayLike | None) -> NDArray[np.float64]:
        if matrix is None:
            return np.full(len(first), np.nan)
        return _square(matrix, count)[first, second]

    def columns(matrices: Mapping[int, ArrayLike], turned: bool = False) -> NDArray[np.float64]:
        chosen_matrices = [matrices.get(size) for size in sizes]
        chosen = [upper(np.asarray(m).T if turned and m is not None else m) for m in chosen_matrices]
        return np.stack(chosen, axis=1) if chosen else np.empty((len(first), 0))

    given = statistics or {}
    of_times = {name: columns({**times, **given.get(name, {})}) for name in STATISTICS}
    of_bandwidths = {name: columns(bandwidths or {}, turned=name == "backward") for name in BANDWIDTHS}
    known = ~np.isnan(np.stack([*of_times.values(), *of_bandwidths.values()])).all(axis=0)
    pairs = Pairs(
        first=first.astype(np.int64),
        second=second.astype(np.int64),
        overhead=upper(overhead),
        repeats=np.where(known, repeats, 0).astype(np.int64),
        times=of_times,
        bandwidths=of_bandwidths,
    )
    hosts = tuple(hosts or map(Host, dict.fromkeys(hosts_of_ranks)))
    places = {host.name: place for place, host in enumerate(hosts)}
    return Measurement(
        sizes=sizes,
        hosts=hosts,
        ranks=tuple(ranks or (Rank(places[name]) for name in hosts_of_ranks)),
        pairs=pairs,
        alone=no_pairs(len(sizes)),
        about=dict(about or {}),
    )


def no_pairs(sizes: int) -> Pairs:
    """Return a table without pairs, for so many message sizes."""
    return Pairs(
        first=np.empty(0, np.int64),
        second=np.empty(0, np.int64),
        overhead=np.empty(0),
        repeats=np.empty((0, sizes), np.int64),
        times={name: np.empty((0, sizes)) for name in STATISTICS},
        bandwidths={name: np.empty((0, sizes)) for name in BANDWIDTHS},
    )


def _square(matrix: ArrayLike, count: int) -> NDArray[np.float64]:
    values = np.asarray(matrix, dtype=np.float64)
    if values.shape != (count, count):
        raise ValueError(f"a matrix of {count} ranks has the shape {(count, count)}, not {values.shape}")
    return values

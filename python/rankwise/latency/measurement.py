"""The measured pairs of ranks, from a file of any format."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

STATISTICS = ("min", "median", "p95", "mean", "std")
"""Of half a blocking round trip, in us."""

BANDWIDTHS = ("forward", "backward")
"""Of a window of messages from the first rank to the second, and back, in MB/s (10^6 bytes)."""


@dataclass(frozen=True)
class Processor:
    """One processor that a kernel schedules on; numbers are the kernel's, -1 where it does not say."""

    os: int
    core: int = -1
    package: int = -1
    numa: int = -1
    l3: int = -1


@dataclass(frozen=True)
class Host:
    """A node."""

    name: str
    processors: tuple[Processor, ...] = ()


@dataclass(frozen=True)
class Rank:
    """Where a rank of MPI_COMM_WORLD was.

    Attributes:
        host: place in Measurement.hosts.
        cpus: processors that it may run on; empty if unknown.
        cpu: where it ran at the start; -1 if unknown.
    """

    host: int
    cpus: tuple[int, ...] = ()
    cpu: int = -1


@dataclass(frozen=True)
class Pairs:
    """Values of pairs of ranks: P pairs, S message sizes.

    Attributes:
        first, second: ranks, first < second, shape (P,); sorted by both.
        overhead: shape (P,), us in MPI_Send of the smallest size; NaN if unknown.
        repeats: shape (P, S), round trips counted; 0 = not measured.
        times: one array of shape (P, S) for each of STATISTICS; NaN if unknown.
        bandwidths: one array of shape (P, S) for each of BANDWIDTHS; NaN if unknown.
    """

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    overhead: NDArray[np.float64]
    repeats: NDArray[np.int64]
    times: Mapping[str, NDArray[np.float64]]
    bandwidths: Mapping[str, NDArray[np.float64]]

    def __len__(self) -> int:
        return len(self.first)


@dataclass(frozen=True)
class Measurement:
    """A whole measurement.

    Attributes:
        sizes: message sizes in bytes, ascending or as asked for.
        hosts: nodes, each once.
        ranks: N ranks of MPI_COMM_WORLD.
        pairs: the measured ones.
        alone: suspicious pairs, measured once more without other traffic.
        about: the other keys of the header (docs/reference/latency-file.md): mode, mpi, date, command, ...
    """

    sizes: tuple[int, ...]
    hosts: tuple[Host, ...]
    ranks: tuple[Rank, ...]
    pairs: Pairs
    alone: Pairs
    about: Mapping[str, object] = field(default_factory=dict)

    def matrix(self, statistic: str, size: int) -> NDArray[np.float64]:
        """Spread one statistic over all pairs.

        Args:
            statistic: one of STATISTICS (symmetric) or `bandwidth` (row = sender).
            size: one of `sizes`.

        Returns:
            shape (N, N), us or MB/s; NaN where nothing was measured; the diagonal is 0 for times, else NaN.
        """
        count = len(self.ranks)
        column = self.sizes.index(size)
        rates = np.full((count, count), np.nan)
        first, second = self.pairs.first, self.pairs.second
        if statistic == "bandwidth":
            rates[first, second] = self.pairs.bandwidths["forward"][:, column]
            rates[second, first] = self.pairs.bandwidths["backward"][:, column]
            return rates
        rates[first, second] = rates[second, first] = self.pairs.times[statistic][:, column]
        np.fill_diagonal(rates, 0.0)
        return rates

    def repeats(self, size: int | None = None) -> tuple[int, int]:
        """Return the fewest and the most round trips of a measured pair, with a size or any; 0, 0: none."""
        counts = self.pairs.repeats if size is None else self.pairs.repeats[:, self.sizes.index(size)]
        measured = counts[counts > 0]
        return (int(measured.min()), int(measured.max())) if measured.size else (0, 0)

    def repeats_text(self, size: int | None = None) -> str:
        """Return the repeats of a measured pair as `10 to 93`, or `100` if all have as many."""
        least, most = self.repeats(size)
        return str(least) if least == most else f"{least} to {most}"

    def host_names(self) -> list[str]:
        """Return the name of each rank's host."""
        return [self.hosts[rank.host].name for rank in self.ranks]

"""A measurement with the hierarchy that was found in it: what all views start from."""

from __future__ import annotations

from pathlib import Path

from rankwise.latency.formats.detect import read
from rankwise.latency.measurement import Measurement
from rankwise.records import dataclass
from rankwise.topology.hierarchy.find import find_hierarchy
from rankwise.topology.hierarchy.levels import Hierarchy


@dataclass(frozen=True)
class Found:
    """Attributes:
    path: of the file.
    measurement: its content.
    hierarchy: computed from the measurement.
    """

    path: Path
    measurement: Measurement
    hierarchy: Hierarchy


def found_in(path: Path) -> Found:
    """Read a file of any kind that is known, and find the hierarchy.

    Raises:
        RankwiseError: the file can't be read, or holds no measured pair.
    """
    measurement = read(path)
    return Found(path, measurement, find_hierarchy(measurement))

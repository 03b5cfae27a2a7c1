"""The arms of a race: the library's own choice, and every algorithm that it offers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rankwise.tuning.libraries.base import TunableLibrary
from rankwise.tuning.settings.rule import Algorithm

DEFAULT = "default"
"""The baseline: the library's own choice."""

_SEGMENTS = (8 << 10, 64 << 10)  # bytes


def arms_of(
    library: TunableLibrary, procedure: str, size: int, offered: Sequence[Algorithm]
) -> dict[str, Algorithm | None]:
    """Return the arms by name, the library's own choice first.

    Args:
        library: that offers them.
        procedure: such as MPI_Bcast.
        size: bytes of the message.
        offered: its algorithms for the collective.
    """
    arms: dict[str, Algorithm | None] = {DEFAULT: None}
    for algorithm in offered:
        arms[algorithm.label] = algorithm
        if algorithm.name in library.segmented.get(procedure, ()):
            cut = [replace(algorithm, segment=segment) for segment in _SEGMENTS if segment < size]
            arms |= {variant.label: variant for variant in cut}
    return arms

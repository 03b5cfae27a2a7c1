"""The arms of a race: the library's own choice, and every algorithm that it offers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rankwise.tuning.settings.rule import Algorithm

DEFAULT = "default"
"""The baseline: the library's own choice."""

# Algorithms that can cut messages into segments and send the first on before the last has come. (Names of
# Open MPI, which does not cut if it is given no size.)
_SEGMENTED = {
    "MPI_Bcast": ("chain", "pipeline", "split_binary_tree", "binary_tree"),
    "MPI_Reduce": ("chain", "pipeline", "binary"),
    "MPI_Allreduce": ("segmented_ring",),
}
_SEGMENTS = (8 << 10, 64 << 10)  # bytes


def arms_of(procedure: str, size: int, offered: Sequence[Algorithm]) -> dict[str, Algorithm | None]:
    """Return the arms by name, the library's own choice first.

    Args:
        procedure: such as MPI_Bcast.
        size: bytes of the message.
        offered: what the library offers for it.
    """
    arms: dict[str, Algorithm | None] = {DEFAULT: None}
    for algorithm in offered:
        arms[algorithm.label] = algorithm
        if algorithm.name in _SEGMENTED.get(procedure, ()):
            cut = [replace(algorithm, segment=segment) for segment in _SEGMENTS if segment < size]
            arms |= {variant.label: variant for variant in cut}
    return arms

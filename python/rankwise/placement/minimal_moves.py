"""The placement with the fewest moves among those that are equally good because parts of the
machine are equal.

`engine.place` gives that one already; this is its first step (src/placement/moves.cpp) alone.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankwise.placement.engine_arguments import EngineArguments


def minimal_moves(
    objects: NDArray[np.int32], proposed: ArrayLike, present: ArrayLike, fixed: int = 0
) -> NDArray[np.int64]:
    """Exchange equal parts of the machine, with all ranks in them, so that the most ranks stay.

    Ranks that had a level in common still have it, so no cost that depends on levels alone changes.

    Args:
        objects: shape (N, D): the object of each level, from the outermost, that a slot belongs to.
        proposed: shape (R,): place of each rank in `objects`, no two the same.
        present: where they are now, in the same form.
        fixed: number of levels, from the outermost, whose objects keep their places.

    Returns:
        as `found`. The number of ranks that stay is the largest that such exchanges can reach.

    Raises:
        RankwiseError: the input contradicts itself.
    """
    arguments = EngineArguments()
    slots = arguments.new("struct rankwise_slots *")
    slots.slots, slots.depth = objects.shape
    slots.object = arguments.integers(objects, objects.size)
    slot = np.array(proposed, dtype=np.int32)
    now = arguments.integers(present, slot.size)
    arguments.check(
        arguments.library.rankwise_minimal_moves(
            slots, fixed, slot.size, now, arguments.ffi.cast("int32_t *", slot.ctypes.data)
        )
    )
    return slot.astype(np.int64)

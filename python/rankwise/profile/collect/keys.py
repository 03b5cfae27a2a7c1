"""The parts of the keys that number the rows of calls, messages and accesses."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.profile.collect.layout import CONSTANTS


def part(keys: NDArray[np.uint64], table: str, name: str) -> NDArray[np.int64]:
    """Extract a part of each key.

    Args:
        keys: of the rows of a table.
        table: ``CALLS``, ``MESSAGES`` or ``ACCESSES``.
        name: ``SITE``, ``REGION``, ``COMMUNICATOR``, ``PROCEDURE``, ``BIN``, ``PEER``, ``KIND`` or ``FILE``,
            where the table has it.
    """
    shift = CONSTANTS[f"{table}_{name}_SHIFT"]
    mask = (1 << CONSTANTS[f"{table}_{name}_BITS"]) - 1
    numbers: NDArray[Any] = (keys >> np.uint64(shift)) & np.uint64(mask)
    return numbers.astype(np.int64)


def calls_key(region: int, communicator: int, procedure: int, size_bin: int, site: int = 0) -> int:
    """Make the key of a row of calls; ``communicator`` and ``site`` are indices on the process."""
    return (
        site << CONSTANTS["CALLS_SITE_SHIFT"]
        | region << CONSTANTS["CALLS_REGION_SHIFT"]
        | communicator << CONSTANTS["CALLS_COMMUNICATOR_SHIFT"]
        | procedure << CONSTANTS["CALLS_PROCEDURE_SHIFT"]
        | size_bin << CONSTANTS["CALLS_BIN_SHIFT"]
    )


def messages_key(kind: int, communicator: int, procedure: int, peer: int) -> int:
    """Make the key of a row of messages; ``communicator`` is an index on the process, ``peer`` a rank."""
    return (
        kind << CONSTANTS["MESSAGES_KIND_SHIFT"]
        | communicator << CONSTANTS["MESSAGES_COMMUNICATOR_SHIFT"]
        | procedure << CONSTANTS["MESSAGES_PROCEDURE_SHIFT"]
        | peer << CONSTANTS["MESSAGES_PEER_SHIFT"]
    )


def accesses_key(file: int, procedure: int) -> int:
    """Make the key of a row of accesses; ``file`` is an index on the process."""
    return file << CONSTANTS["ACCESSES_FILE_SHIFT"] | procedure << CONSTANTS["ACCESSES_PROCEDURE_SHIFT"]

"""Which messages: the flags of MPI_Monitoring.h, by name."""

from __future__ import annotations

FLAGS = {
    "MPI_M_P2P_ONLY": 1,
    "MPI_M_COLL_ONLY": 2,
    "MPI_M_OSC_ONLY": 4,
    "MPI_M_ALL_COMM": 7,
    "MPI_M_USER_ONLY": 8,
    "MPI_M_INSIDE_ONLY": 16,
}

VISIBLE = {
    "MPI_M_VISIBLE_NONE": 0,
    "MPI_M_VISIBLE_PART": 1,
    "MPI_M_VISIBLE_ALL": 2,
}

KINDS = {
    "sent": FLAGS["MPI_M_P2P_ONLY"] | FLAGS["MPI_M_OSC_ONLY"],
    "asked": FLAGS["MPI_M_USER_ONLY"] | FLAGS["MPI_M_COLL_ONLY"] | FLAGS["MPI_M_OSC_ONLY"],
    "user": FLAGS["MPI_M_USER_ONLY"],
    "inside": FLAGS["MPI_M_INSIDE_ONLY"],
    "p2p": FLAGS["MPI_M_P2P_ONLY"],
    "collective": FLAGS["MPI_M_COLL_ONLY"],
    "one-sided": FLAGS["MPI_M_OSC_ONLY"],
    "all": FLAGS["MPI_M_ALL_COMM"],
}


def has_inside(flags: int) -> bool:
    """Return whether flags include messages inside collectives."""
    return flags & (FLAGS["MPI_M_P2P_ONLY"] | FLAGS["MPI_M_INSIDE_ONLY"]) != 0


def flags(kind: str) -> int:
    """Look up the flags of a kind.

    Raises:
        ValueError: there is no such kind.
    """
    if kind not in KINDS:
        raise ValueError(f"there is no kind of messages {kind!r}; the kinds are {', '.join(KINDS)}")
    return KINDS[kind]

"""Kinds of waste: what kind of cure a finding needs, and who in a computing centre can apply it."""

from __future__ import annotations

from rankwise.records import dataclass

WAITING = "waiting"
OVERSUBSCRIPTION = "oversubscription"
BINDING = "binding"
PLACEMENT = "placement"
ALGORITHMS = "algorithms"
PROGRAM = "program"
NETWORK = "network"
HANG = "hang"
FILES = "files"
START = "start"


@dataclass(frozen=True)
class Kind:
    """A kind of waste.

    Attributes:
        name: in the data set.
        meaning: what happens, as a clause without its full stop.
        cure: what helps, as an imperative without its full stop.
    """

    name: str
    meaning: str
    cure: str


KINDS = {
    kind.name: kind
    for kind in (
        Kind(
            WAITING, "ranks wait for late ranks", "distribute the work evenly, or find what slows the ranks"
        ),
        Kind(
            OVERSUBSCRIPTION,
            "more ranks and threads than processors, or other programs on them",
            "start fewer ranks and threads, or use more nodes",
        ),
        Kind(BINDING, "ranks have fewer processors than threads", "bind each rank to enough cores"),
        Kind(PLACEMENT, "ranks that exchange much are on different nodes", "place ranks with `rankwise map`"),
        Kind(
            ALGORITHMS,
            "the MPI library could use faster algorithms or limits",
            "let `rankwise tune` find them",
        ),
        Kind(PROGRAM, "the program calls MPI more often than necessary", "change the program"),
        Kind(NETWORK, "network ports are blocked, shared or faulty", "look at the ports and their cables"),
        Kind(HANG, "ranks wait for calls that never come", "correct the program"),
        Kind(FILES, "few ranks read and write for all", "let all ranks access files"),
        Kind(
            START, "MPI_Init and MPI_Finalize take long", "look at file systems, name lookups, the launcher"
        ),
    )
}
"""By name."""

KIND_OF_RULE: dict[str, str] = {
    "badly-bound": BINDING,
    "blocked-ports": NETWORK,
    "collective-algorithm": ALGORITHMS,
    "communicators-again": PROGRAM,
    "communicators-not-freed": PROGRAM,
    "eager-threshold": ALGORITHMS,
    "hang": HANG,
    "late-ranks": WAITING,
    "load-imbalance": WAITING,
    "off-node-traffic": PLACEMENT,
    "other-traffic": NETWORK,
    "oversubscribed": OVERSUBSCRIPTION,
    "polling": PROGRAM,
    "port-errors": NETWORK,
    "preempted": OVERSUBSCRIPTION,
    "reorder-not-done": PLACEMENT,
    "small-collectives": PROGRAM,
    "start-and-end": START,
    "tiny-messages": PROGRAM,
    "unbalanced-files": FILES,
    "waiting-collective": WAITING,
    "window-synchronisation": PROGRAM,
}
"""Id of a rule of `rankwise explain` -> name of the kind."""

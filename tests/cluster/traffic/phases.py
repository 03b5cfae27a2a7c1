"""Operations one after the other: what nodes sent each other by the profile, and by their interfaces."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from launching import launch, record_success
from libraries import Mpi
from nodes import Cluster
from traffic.interface import SEGMENT_BYTES, payload

PROGRAM = Path(__file__).parents[1] / "programs" / "phases.c"


@dataclass(frozen=True)
class Traffic:
    """Of one node and one operation, in bytes, to and from other nodes.

    Attributes:
        operation: name of the procedure, or ``none``: what runs between the operations, measured alone.
        size: of the operation, as its arguments say.
        claimed: sent and received, by the profile.
        carried: sent and received, by the interface, without the headers of TCP and what is below.
        repeated: those of them that were sent a second time, at most: by this node, by the others.
    """

    node: str
    operation: str
    size: int
    claimed: tuple[int, int]
    carried: tuple[int, int]
    repeated: tuple[int, int]


def measure(mpi: Mpi, cluster: Cluster, place: Path) -> tuple[list[Traffic], set[tuple[str, str]]]:
    """Run programs/phases.c on all nodes.

    Returns:
        What each node sent and received in each phase; of the hooks that see messages inside collectives,
        their states and names, as the ranks tell.
    """
    program = place / "phases"
    mpi.compile(program, PROGRAM)
    words = launch(mpi, cluster, len(cluster.names), "block", program, place / "phases")
    done = record_success(mpi, cluster, place, words)
    sent: Counter[tuple[object, ...]] = Counter()
    received: Counter[tuple[object, ...]] = Counter()
    rows = done.rows(
        """SELECT procedures.name, user_name, sender.host, receiver.host, sum(bytes)
           FROM messages JOIN procedures ON procedures.id = messages.procedure
           JOIN communicators ON communicators.id = messages.communicator
           JOIN ranks AS sender ON sender.rank = source JOIN ranks AS receiver ON receiver.rank = destination
           WHERE sender.host != receiver.host GROUP BY 1, 2, 3, 4"""
    )
    for procedure, size, source, destination, volume in rows:
        assert isinstance(volume, int)
        sent[procedure, size, source] += volume
        received[procedure, size, destination] += volume
    counted: dict[tuple[str, str, str], list[int]] = {}
    for node in cluster.names:
        for line in (place / f"phases.{node}").read_text().splitlines():
            operation, size, *figures = line.split()
            counted[operation, size, node] = [int(figure) for figure in figures]
    traffic = []
    for (operation, size, node), (out, out_packets, in_, in_packets, segments) in counted.items():
        by_all = sum(counted[operation, size, other][-1] for other in cluster.names)
        traffic.append(
            Traffic(
                node,
                operation,
                int(size),
                claimed=(sent[operation, size, node], received[operation, size, node]),
                carried=(payload(out, out_packets), payload(in_, in_packets)),
                repeated=(SEGMENT_BYTES * segments, SEGMENT_BYTES * (by_all - segments)),
            )
        )
    hooks = done.rows("SELECT DISTINCT transport_state, transport FROM ranks")
    return traffic, {(str(state), str(hook)) for state, hook in hooks}

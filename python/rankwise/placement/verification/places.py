"""Whether a job's ranks were where they were meant to be."""

from __future__ import annotations

from collections.abc import Sequence

from rankwise.analysis.traffic import Whereabouts
from rankwise.launchers.seats import Seat
from rankwise.placement.present import known_hosts, nodes_of
from rankwise.topology.machine.model import Machine


def moved(where: Whereabouts, meant: Whereabouts) -> str:
    """Say that ranks were on other hosts than in another run; '' if they were not."""
    ranks = len(where.hosts), len(meant.hosts)
    if ranks[0] != ranks[1]:
        return f"there were {ranks[0]} ranks and not {ranks[1]}"
    for rank, (host, other) in enumerate(zip(where.hosts, meant.hosts, strict=True)):
        if host != other:
            return f"rank {rank} was on {host} and not on {other}"
    return ""


def misplaced(where: Whereabouts, seats: Sequence[Seat], machine: Machine) -> str:
    """Say which rank was not in its seat; '' if all were.

    Args:
        where: the ranks were.
        seats: of ranks 0, 1, ...
        machine: whose nodes the hosts are.

    Raises:
        RankwiseError: a rank was on a host that the machine does not have.
    """
    if len(where.hosts) != len(seats):
        return f"there were {len(where.hosts)} ranks and not {len(seats)}"
    nodes = zip(
        nodes_of(known_hosts(where), machine), nodes_of([seat.host for seat in seats], machine), strict=True
    )
    for seat, (node, meant) in zip(seats, nodes, strict=True):
        if node != meant:
            return f"rank {seat.rank} was on {where.hosts[seat.rank]} and not on {seat.host}"
    for seat in seats:
        allowed = set(where.cpus[seat.rank])
        others = {s.cpu for s in seats if s.host == seat.host and s.core != seat.core}
        if seat.cpu >= 0 and allowed and (seat.cpu not in allowed or allowed & others):
            return f"rank {seat.rank} was not bound to processor {seat.cpu} of {seat.host}"
    return ""


def bound_otherwise(before: Whereabouts, after: Whereabouts) -> str:
    """Say that ranks may run on more or fewer processors than before; '' if not."""
    counts = [sorted({len(cpus) for cpus in where.cpus if cpus}) for where in (before, after)]
    if counts[0] == counts[1]:
        return ""
    old, new = (" or ".join(map(str, each)) or "an unknown number of" for each in counts)
    return (
        f"Ranks were bound to {old} processors before and to {new} after: a part of the difference may come "
        "from that, not from the order."
    )

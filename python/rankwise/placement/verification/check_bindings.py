"""Checks whether the ranks of a job were bound as they were meant to be."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rankwise.analysis.messages.traffic import Whereabouts
from rankwise.analysis.opened import opened_profile
from rankwise.errors import RankwiseError
from rankwise.launchers.binding import Binding
from rankwise.placement.present_placement import known_hosts, nodes_of
from rankwise.placement.relaunch import PlacementError
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


def order_kept(profile: Path) -> str:
    """Say why MPI_COMM_WORLD has no new order in a run that asked for one; '' if it has."""
    with opened_profile(profile) as connection:
        if connection.execute("SELECT 1 FROM communicators WHERE name = 'W' AND reordered").fetchone():
            return ""
        row = connection.execute(
            "SELECT text FROM warnings WHERE text LIKE 'MPI_COMM_WORLD kept%'"
        ).fetchone()
    return str(row[0]) if row else "MPI_COMM_WORLD kept its order"


def misplaced(where: Whereabouts, bindings: Sequence[Binding], machine: Machine) -> str:
    """Say which rank had a wrong binding; '' if none had.

    Args:
        where: the ranks were.
        bindings: of ranks 0, 1, ...
        machine: whose nodes the hosts are.

    Raises:
        RankwiseError: a rank was on a host that the machine does not have.
    """
    if len(where.hosts) != len(bindings):
        return f"there were {len(where.hosts)} ranks and not {len(bindings)}"
    nodes = zip(
        nodes_of(known_hosts(where), machine),
        nodes_of([binding.host for binding in bindings], machine),
        strict=True,
    )
    for binding, (node, meant) in zip(bindings, nodes, strict=True):
        if node != meant:
            return f"rank {binding.rank} was on {where.hosts[binding.rank]} and not on {binding.host}"
    for binding in bindings:
        allowed = set(where.cpus[binding.rank])
        others = {s.cpu for s in bindings if s.host == binding.host and s.core != binding.core}
        if binding.cpu >= 0 and allowed and (binding.cpu not in allowed or allowed & others):
            return f"rank {binding.rank} was not bound to processor {binding.cpu} of {binding.host}"
    return ""


def each_bound(where: Whereabouts) -> bool:
    """Whether each rank had processors that no other rank of its node had."""
    used: set[tuple[str | None, int]] = set()
    for host, cpus in zip(where.hosts, where.cpus, strict=True):
        own = {(host, cpu) for cpu in cpus}
        if not own or own & used:
            return False
        used |= own
    return True


def refuse_unfit(where: Whereabouts, bindings: Sequence[Binding], machine: Machine) -> None:
    """Refuse bindings that a launcher can't apply: they would seem useless.

    Args:
        where: the ranks are without the bindings.
        bindings: of ranks 0, 1, ..., as the launcher gets them.
        machine: whose nodes the hosts are.

    Raises:
        PlacementError: ranks have their own processors, so another order of them has the effect.
        RankwiseError: they have not; or see misplaced.
    """
    hosts_only = all(binding.core < 0 and binding.cpu < 0 for binding in bindings)
    if hosts_only and not misplaced(where, bindings, machine):
        why = (
            "ranks change places within their nodes alone, and the launcher is told no more than hosts: "
            "let it bind ranks to cores"
        )
        raise PlacementError(why) if each_bound(where) else RankwiseError(why)


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

"""Lists of hosts as Slurm writes them: `node[01-16,20]`, `a[1-2]b[3-4]`, `login1,login2`."""

from __future__ import annotations

from collections.abc import Sequence

from rankwise.errors import RankwiseError
from rankwise.native import Arguments


def hosts_of(text: str) -> list[str]:
    """Return the names in the order they are written in; a name may come twice.

    Raises:
        RankwiseError: it is no list of hosts, or of more than 2^20.
    """
    if not text.isprintable():
        raise RankwiseError(f"{text!r} is not a list of hosts such as node[01-16,20]")
    given = Arguments()
    problem = given.problem()
    hosts = given.library.rankwise_read_hosts(given.new("char[]", text.encode()), problem, len(problem))
    if not hosts:
        raise RankwiseError(given.said(problem))
    try:
        return [given.said(hosts.name[place]) for place in range(hosts.count)]
    finally:
        given.library.rankwise_free_hosts(hosts)


def folded(hosts: Sequence[str]) -> str:
    """Return the shortest list of hosts with these names, sorted."""
    from ClusterShell.NodeSet import RESOLVER_NOGROUP, NodeSet, NodeSetException
    from ClusterShell.RangeSet import RangeSetException

    try:
        return str(NodeSet.fromlist(hosts, resolver=RESOLVER_NOGROUP))
    except (NodeSetException, RangeSetException):  # names that look like something else, such as `a[`
        return ",".join(hosts)


def checked(hosts: Sequence[str]) -> list[str]:
    """Return names of nodes; RankwiseError if a name occurs twice or is invalid in launchers' files."""
    names_so_far: set[str] = set()
    for host in hosts:
        if not host or not host.isprintable() or " " in host:
            raise RankwiseError(f"{host!r} can't be the name of a node")
        if host in names_so_far:
            raise RankwiseError(f"the node {host!r} is given twice")
        names_so_far.add(host)
    return list(hosts)

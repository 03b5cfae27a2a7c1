"""Lists of hosts as Slurm writes them: `node[01-16,20]`, `a[1-2]b[3-4]`, `login1,login2`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rankwise.errors import RankwiseError

MOST_HOSTS = 1 << 20

_RANGE = re.compile(r"(\d+)-(\d+)")
_OPERATORS = re.compile(r"[!&^@/%*?\s\x00-\x1f]")  # ClusterShell's own, which Slurm does not know


def hosts_of(text: str) -> list[str]:
    """Return the names in the order they are written in; a name may come twice.

    Raises:
        RankwiseError: it is no list of hosts, or of more than MOST_HOSTS.
    """
    from ClusterShell.NodeSet import RESOLVER_NOGROUP, NodeSet, NodeSetException
    from ClusterShell.RangeSet import RangeSetException

    found: list[str] = []
    for part in re.split(r",(?![^\[]*\])", text.strip()):
        word = part.strip()
        if not word.isprintable() or not word or _OPERATORS.search(word):
            raise RankwiseError(f"{text!r} is no list of hosts such as node[01-16,20]")
        if len(found) + _most(word) > MOST_HOSTS:
            raise RankwiseError(f"{word!r} names more than {MOST_HOSTS} hosts")
        try:
            found += NodeSet(word, resolver=RESOLVER_NOGROUP)
        except (NodeSetException, RangeSetException) as error:
            raise RankwiseError(f"{word!r} is no list of hosts: {error}") from error
    return found


def folded(hosts: Sequence[str]) -> str:
    """Return the shortest list of hosts with these names, sorted."""
    from ClusterShell.NodeSet import RESOLVER_NOGROUP, NodeSet, NodeSetException
    from ClusterShell.RangeSet import RangeSetException

    try:
        return str(NodeSet.fromlist(hosts, resolver=RESOLVER_NOGROUP))
    except (NodeSetException, RangeSetException):  # names that look like something else, such as `a[`
        return ",".join(hosts)


def checked(hosts: Sequence[str]) -> list[str]:
    """Return names of nodes; RankwiseError if one comes twice or can't be a name in a launcher's files."""
    seen: set[str] = set()
    for host in hosts:
        if not host or not host.isprintable() or " " in host:
            raise RankwiseError(f"{host!r} can't be the name of a node")
        if host in seen:
            raise RankwiseError(f"the node {host!r} is there twice")
        seen.add(host)
    return list(hosts)


def _most(word: str) -> int:
    """Return a bound of how many hosts the word names, without naming them."""
    product = 1
    for inside in re.findall(r"\[([^\]]*)\]", word):
        sizes = [abs(int(last[:18]) - int(first[:18])) + 1 for first, last in _RANGE.findall(inside)]
        product *= sum(sizes) + inside.count(",") + 1
    return product

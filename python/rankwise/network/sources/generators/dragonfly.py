"""Dragonflies with minimal routing.

Kim, Dally, Scott and Abts, "Technology-driven, highly-scalable dragonfly topology", ISCA 2008.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.network.fabric.model import EVEN_SPLIT, MODELLED, Routing, Subnet
from rankwise.network.sources.generators.even import even_tables
from rankwise.network.sources.generators.plan import Numbers, Plan, check_tables, subnet_of
from rankwise.network.sources.generators.words import MOST, Words

_KEYS = ("a", "p", "h", "g", "names", "gbit", "routing")
_ROUTINGS = ("minimal", "even")


class _Shape:
    """Groups of routers that are all linked, with as many links between each two groups as ports allow.

    A group's global links are numbered: link k of the first ones leads to group k, or k + 1 from its own
    number on, and the next ones do so again. They are dealt out to its routers in blocks of equal length.
    """

    def __init__(self, words: Words) -> None:
        self.routers, self.hosts, self.ports = (
            int(words.sizes(key, 1, least=0 if key == "h" else 1)[0]) for key in ("a", "p", "h")
        )
        most = self.routers * self.ports + 1
        self.groups = words.whole("g", most)
        if self.groups > most:
            raise words.error(
                f"g={self.groups}: a group has {most - 1} global links, so there can be {most} groups"
            )
        self.others = self.groups - 1
        self.copies = (most - 1) // self.others if self.others else 0
        self.block = max(1, -(-self.others * self.copies // self.routers))

    def link(self, group: Numbers, other: Numbers, copy: Numbers) -> Numbers:
        """Return the number of a link within its group."""
        return copy * self.others + other - (other > group)

    def router(self, link: Numbers) -> Numbers:
        """Return the router of a link, within its group."""
        return link // self.block

    def global_port(self, link: Numbers) -> Numbers:
        """Return its port there: after those of hosts, and of the other routers of the group."""
        return self.hosts + self.routers + link % self.block

    def local_port(self, router: Numbers, other: Numbers) -> Numbers:
        """Return the port from a router to another router of its group."""
        return self.hosts + 1 + other - (other > router)


def dragonfly(text: str) -> Subnet:
    """Make a dragonfly.

    Args:
        text: `dragonfly:a=4,p=2,h=2[,g=9]`: routers of a group, hosts of a router, global links of a router,
            groups.

    Raises:
        RankwiseError: that can't be made.
    """
    words = Words(text, _KEYS)
    shape = _Shape(words)
    routers = shape.groups * shape.routers
    hosts = words.hosts(routers * shape.hosts)
    if routers > MOST:
        raise words.error(f"would have {routers} routers; at most {MOST} are possible")
    check_tables(routers, len(hosts))
    names = tuple(
        f"router{group}.{number}" for group in range(shape.groups) for number in range(shape.routers)
    )
    number = np.arange(len(hosts))
    at, port = number // shape.hosts, number % shape.hosts + 1
    plan = Plan(names, hosts, at, port, _cables(shape), words.rate())
    if words.choice("routing", _ROUTINGS) == "even":
        return subnet_of(plan, even_tables(plan), Routing(EVEN_SPLIT))
    return subnet_of(plan, _minimal(shape, plan), Routing(MODELLED, "minimal"))


def dragonfly_sizes(text: str) -> tuple[int, int, int] | None:
    """Return groups, routers of a group and hosts of a router, of such words.

    None if there are several links between two groups.
    """
    shape = _Shape(Words(text, _KEYS))
    return (shape.groups, shape.routers, shape.hosts) if shape.copies <= 1 else None


def _cables(shape: _Shape) -> Numbers:
    group, router, other = np.indices((shape.groups, shape.routers, shape.routers)).reshape(3, -1)[
        :, np.triu(np.ones((shape.groups, shape.routers, shape.routers), bool), 1).reshape(-1)
    ]
    first = group * shape.routers
    local = [first + router, shape.local_port(router, other), first + other, shape.local_port(other, router)]
    copy, group, other = np.indices((shape.copies, shape.groups, shape.groups)).reshape(3, -1)
    copy, group, other = (array[group < other] for array in (copy, group, other))
    ends = []
    for here, there in ((group, other), (other, group)):
        link = shape.link(here, there, copy)
        ends += [here * shape.routers + shape.router(link), shape.global_port(link)]
    return np.concatenate([np.stack(local, axis=1), np.stack(ends, axis=1)])


def _minimal(shape: _Shape, plan: Plan) -> NDArray[np.uint16]:
    """Return shape (S, P, 1): to the router with the link to the other group, over it, and to the host.

    Of several links between the two groups, messages for host j take number j mod how many there are.
    """
    switch = np.arange(len(plan.switches))[:, None]
    group, router = switch // shape.routers, switch % shape.routers
    to_group, to_router = plan.at // shape.routers, plan.at % shape.routers
    is_here = group == to_group
    copy = np.arange(len(plan.hosts)) % max(1, shape.copies)
    link = shape.link(group, to_group, copy)
    gate = np.where(is_here, to_router, shape.router(link))
    at_gate = np.where(is_here, plan.port, shape.global_port(link))
    ports = np.where(router == gate, at_gate, shape.local_port(router, gate))
    return ports.astype(np.uint16)[:, :, None]

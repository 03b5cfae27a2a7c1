"""Small fabrics made by rule or at random, and a walk through them that goes message by message."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from rankwise.network.fabric.draft import Draft, DraftPort, DraftSwitch, finished
from rankwise.network.fabric.model import EVEN_SPLIT, MEASURED, MODELLED, NO_PORT, Routing, Subnet

_HOST_GUIDS = 1 << 32
Ways = Callable[[int, int], Sequence[int]]


def made(
    hosts: Sequence[int], cables: Sequence[tuple[int, int]], ways: Ways, *, lmc: int = 0, rate: float = 1e9
) -> Subnet:
    """Return a subnet of switches 0, 1, ...

    Args:
        hosts: the switch of each host; its port there is its number from 1 on that switch.
        cables: between switches, which take the next ports of both.
        ways: switch, host → ports; several are an even split.
        lmc: of all host ports.
        rate: of all cables.
    """
    switches = max([*hosts, *(end for cable in cables for end in cable)]) + 1
    free = [1] * switches
    draft = Draft(routing=Routing(MEASURED))
    for number in range(switches):
        draft.switches[number + 1] = DraftSwitch(f"switch{number}", lid=number + 1)

    def taken(switch: int) -> tuple[int, int]:
        free[switch] += 1
        return switch + 1, free[switch] - 1

    for host, switch in enumerate(hosts):
        key = (_HOST_GUIDS + host, 1)
        lid = ((switches >> lmc) + 1 + host) << lmc
        draft.ports[key] = DraftPort(f"host{host:03}", "hca0", key[0], lid, 1 << lmc)
        draft.link(key, taken(switch), rate)
    for first, second in cables:
        draft.link(taken(first), taken(second), rate)
    for number in range(switches):
        lids, rows = [], []
        for host in range(len(hosts)):
            for offset in range(1 << lmc):
                lids.append((((switches >> lmc) + 1 + host) << lmc) + offset)
                rows.append(list(ways(number, host + (offset << 20))))
        width = max(map(len, rows))
        table = np.array([row + [NO_PORT] * (width - len(row)) for row in rows])
        draft.tables[number + 1] = (np.array(lids), table)
        if width > 1:
            draft.routing = Routing(EVEN_SPLIT)
    return finished(draft)


def tree(leaves: int = 4, hosts: int = 3, spines: int = 2, *, split: bool = False, lmc: int = 0) -> Subnet:
    """Return two levels, a cable from every leaf to every spine; the ways up by d-mod-k, or all alike.

    With LMC the n-th LID of a host takes the n-th spine after its own.
    """

    def ways(switch: int, host: int) -> list[int]:
        host, offset = host % (1 << 20), host >> 20
        if switch >= leaves:
            return [1 + host // hosts]
        if host // hosts == switch:
            return [1 + host % hosts]
        if split:
            return [hosts + 1 + spine for spine in range(spines)]
        return [hosts + 1 + (host + offset) % spines]

    cables = [(leaf, leaves + spine) for spine in range(spines) for leaf in range(leaves)]
    # the ports of a leaf are in the order of the spines, those of a spine in that of the leaves
    subnet = made([host // hosts for host in range(leaves * hosts)], cables, ways, lmc=lmc)
    kind = Routing(EVEN_SPLIT) if split else Routing(MODELLED, "d-mod-k")
    return Subnet(
        *(getattr(subnet, name) for name in ("name", "switches", "ports", "links", "forward")), kind
    )


def at_random(seed: int, *, split: bool = False, lmc: int = 0, broken: bool = False) -> Subnet:
    """Return switches linked at random, with shortest ways chosen at random; broken: or with any ports."""
    random = np.random.default_rng(seed)
    switches = int(random.integers(3, 9))
    cables = [(int(random.integers(each)), each) for each in range(1, switches)]
    cables += [
        (int(a), int(b)) for a, b in random.integers(0, switches, (int(random.integers(2, 12)), 2)) if a != b
    ]
    hosts = [int(each) for each in random.integers(0, switches, int(random.integers(4, 12)))]
    free = [1 + hosts.count(each) for each in range(switches)]
    exits: list[list[tuple[int, int]]] = [[] for _ in range(switches)]
    for first, second in cables:
        for here, there in ((first, second), (second, first)):
            exits[here].append((free[here], there))
            free[here] += 1
    far = _distances(switches, cables)

    def ways(switch: int, host: int) -> list[int]:
        host %= 1 << 20
        if broken and random.random() < 0.1:
            return [int(random.choice([0, NO_PORT, 50, *(port for port, _ in exits[switch])]))]
        if hosts[host] == switch:
            return [1 + hosts[:host].count(switch)]
        good = [port for port, there in exits[switch] if far[there, hosts[host]] < far[switch, hosts[host]]]
        return good if split else [int(random.choice(good))]

    return made(hosts, cables, ways, lmc=lmc)


def _distances(switches: int, cables: Sequence[tuple[int, int]]) -> NDArray[np.float64]:
    far = np.full((switches, switches), np.inf)
    np.fill_diagonal(far, 0)
    for first, second in cables:
        far[first, second] = far[second, first] = 1
    for over in range(switches):
        far = np.minimum(far, far[:, over, None] + far[None, over])
    return far


def route(subnet: Subnet, source: int, destination: int, offset: int = 0) -> dict[int, float] | None:
    """Follow a message: the share of it on each link, in any order; None: not all of it arrives."""
    switches = len(subnet.switches.names)
    lid = int(subnet.ports.lids[destination]) + offset
    by_exit = {
        (int(subnet.links.source[link]), int(subnet.links.source_port[link])): link
        for link in range(len(subnet.links))
    }
    first = next(link for link in range(len(subnet.links)) if subnet.links.source[link] == switches + source)
    shares: dict[int, float] = {}

    def follow(link: int, share: float, seen: tuple[int, ...]) -> bool:
        shares[link] = shares.get(link, 0.0) + share
        end = int(subnet.links.destination[link])
        if end >= switches:
            return end == switches + destination
        ports = [int(port) for port in subnet.forward[end, lid] if port != NO_PORT]
        if end in seen or not ports or any(port == 0 or (end, port) not in by_exit for port in ports):
            return False
        return all(follow(by_exit[end, port], share / len(ports), (*seen, end)) for port in ports)

    return shares if follow(first, 1.0, ()) else None

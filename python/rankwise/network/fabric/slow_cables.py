"""Cables that are slower than their parallels: a lane or a speed was lost, or the wrong cable was plugged."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from rankwise.network.fabric.model import HOST_DOWN, HOST_UP, Subnet
from rankwise.text.units import bit_rate_text

_ROUNDING = 1e-6
_MOST_NAMED = 3


@dataclass(frozen=True)
class SlowCable:
    """A cable that is slower than its parallels.

    Attributes:
        link: one of its directed links.
        parallel: a directed link of a cable that is as fast as most of them.
    """

    link: int
    parallel: int


def slow_cables(subnet: Subnet) -> list[SlowCable]:
    """Return the cables that are slower than most of their parallels, in the order of the links.

    Parallels are the cables between the same two switches, and the cables of a switch whose links are of one
    class, such as all uplinks of a leaf. Of as many cables of two rates, the slower ones count; of links of
    hosts, which may have adapters of two kinds, only those slower than more than half of the others.
    """
    links, switches = subnet.links, len(subnet.switches.names)
    groups: dict[tuple[int, int, int], list[int]] = {}
    known = np.flatnonzero(np.isfinite(links.rates) & (links.source < switches))
    if len(np.unique(links.rates[known])) < 2:
        return []
    for link in known.tolist():
        source, destination = int(links.source[link]), int(links.destination[link])
        groups.setdefault((source, -1, int(subnet.classes[link])), []).append(link)
        if destination < switches:
            groups.setdefault((source, destination, -1), []).append(link)
    slow: dict[int, int] = {}
    for members in groups.values():
        usual = _usual(subnet, members)
        if usual is None:
            continue
        least = links.rates[usual] * (1 - _ROUNDING)
        for link in members:
            if links.rates[link] < least:
                slow.setdefault(link // 2, usual)
    return [SlowCable(2 * cable, parallel) for cable, parallel in sorted(slow.items())]


def _usual(subnet: Subnet, members: list[int]) -> int | None:
    """Return a link with the most frequent rate; None if no rate is usual."""
    rates = subnet.links.rates
    counts = Counter(float(rates[link]) for link in members)
    rate, count = max(counts.items(), key=lambda item: (item[1], item[0]))
    if subnet.classes[members[0]] in (HOST_UP, HOST_DOWN) and 2 * count <= len(members):
        return None
    return next(link for link in members if rates[link] == rate)


def slow_cables_text(subnet: Subnet) -> str:
    """Return which cables are slower than their parallels, a phrase; '' if none is."""
    slow = slow_cables(subnet)
    if not slow:
        return ""
    named = [
        f"{_name(subnet, each.link)} has {rate_and_width(subnet, each.link)}, others "
        f"{rate_and_width(subnet, each.parallel)}"
        for each in slow[:_MOST_NAMED]
    ]
    more = f"; {len(slow) - _MOST_NAMED} more" if len(slow) > _MOST_NAMED else ""
    several = (
        "cables are slower than their parallels" if len(slow) > 1 else "cable is slower than its parallels"
    )
    return f"{len(slow)} {several}: {'; '.join(named)}{more}"


def rate_and_width(subnet: Subnet, link: int) -> str:
    """Return the rate of a link and its width if it is known: `200 Gbit/s (4x)`."""
    return rate_and_width_text(float(subnet.links.rates[link]), int(subnet.links.widths[link]))


def rate_and_width_text(rate: float, width: int) -> str:
    """Return the same of a rate in bytes a second, and a number of lanes, 0: unknown."""
    return f"{bit_rate_text(rate)} ({width}x)" if width else bit_rate_text(rate)


def _name(subnet: Subnet, link: int) -> str:
    links = subnet.links
    return (
        f"{subnet.name_of(int(links.source[link]))} [{links.source_port[link]}] - "
        f"{subnet.name_of(int(links.destination[link]))} [{links.destination_port[link]}]"
    )

"""Whether the fabric or the links of the hosts limit a job."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.network.fabric.model import HOST_DOWN, HOST_UP, Subnet


@dataclass(frozen=True)
class Slowest:
    """The link that needs the most time for its load.

    Attributes:
        rail: index of its subnet.
        link: index of the link.
        bytes: on it.
        seconds: bytes by rate; None if rates are not known.
    """

    rail: int
    link: int
    bytes: float
    seconds: float | None


@dataclass(frozen=True)
class Bottleneck:
    """Lower bounds on the transfer time, if all links are used at once without interference.

    Attributes:
        fabric: the slowest link between switches; None: none has a load.
        hosts: the slowest link of a host; None: none has a load.
        times: the fabric's time divided by the hosts'; None: one of them has no load. If rates are
            unknown, all links count as equally fast.
    """

    fabric: Slowest | None
    hosts: Slowest | None
    times: float | None


def bottleneck(subnets: Sequence[Subnet], loads: Sequence[NDArray[np.float64]]) -> Bottleneck:
    """Find the slowest links.

    Args:
        subnets: of the fabric.
        loads: bytes on the links of each, shape (L,).
    """
    known = all(
        bool(np.isfinite(subnet.links.rates[load > 0]).all())
        for subnet, load in zip(subnets, loads, strict=True)
    )
    fabric = _slowest(subnets, loads, of_hosts=False, rates=known)
    hosts = _slowest(subnets, loads, of_hosts=True, rates=known)
    times = None
    if fabric and hosts:
        times = fabric.bytes / hosts.bytes
        if fabric.seconds and hosts.seconds:
            times = fabric.seconds / hosts.seconds
    return Bottleneck(fabric, hosts, times)


def seconds_of(subnet: Subnet, loads: NDArray[np.float64], *, rates: bool = True) -> NDArray[np.float64]:
    """Return the seconds that each link needs for its load, shape (L,); with rates=False, the load itself."""
    return loads / subnet.links.rates if rates else loads


def rates_known(subnets: Sequence[Subnet]) -> bool:
    """Return whether the rate of every link is known."""
    return all(bool(np.isfinite(subnet.links.rates).all()) for subnet in subnets)


def _slowest(
    subnets: Sequence[Subnet], loads: Sequence[NDArray[np.float64]], *, of_hosts: bool, rates: bool
) -> Slowest | None:
    best, slowest = 0.0, None
    for rail, (subnet, load) in enumerate(zip(subnets, loads, strict=True)):
        at_host = (subnet.classes == HOST_UP) | (subnet.classes == HOST_DOWN)
        takes = np.where((at_host == of_hosts) & (load > 0), seconds_of(subnet, load, rates=rates), 0.0)
        if takes.max(initial=0.0) > best:
            link = int(takes.argmax())
            best = float(takes[link])
            slowest = Slowest(rail, link, float(load[link]), best if rates else None)
    return slowest

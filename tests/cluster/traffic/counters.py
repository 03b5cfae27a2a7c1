"""The counters of the links of a virtual fabric."""

from __future__ import annotations

import json
import subprocess

from nodes import Cluster
from traffic.interface import payload, repeated_by

Link = tuple[str, str]
"""A directed link: the names of the node or switch that it leads from, and to."""

Carried = dict[Link, int]
"""Bytes on each link, without headers."""


def carried_by(cluster: Cluster) -> Carried:
    """Return what each link has carried so far.

    Both directions of a cable are read at its upper device, at a switch: the lower device may be in a node.
    """
    assert cluster.links
    words = cluster.inside("ip", "-statistics", "-json", "link")
    shown = subprocess.run(words, capture_output=True, text=True, check=True, timeout=15).stdout
    counters = {device["ifname"]: device["stats64"] for device in json.loads(shown)}
    carried = {}
    for cable in cluster.links.cables:
        received, sent = (counters[cable.upper_device][way] for way in ("rx", "tx"))
        carried[cable.lower, cable.upper] = payload(received["bytes"], received["packets"])
        carried[cable.upper, cable.lower] = payload(sent["bytes"], sent["packets"])
    return carried


def repeated(cluster: Cluster) -> int:
    """Return how many bytes TCP has sent again so far, at most, on all nodes."""
    return sum(
        repeated_by(
            subprocess.run(
                cluster.on(number, "cat", "/proc/net/snmp"), capture_output=True, text=True, check=True
            ).stdout
        )
        for number in range(len(cluster.names))
    )

"""Switches and links between a cluster's nodes, with rates and delays; links and nodes can be made slow.

Nodes are linked with leaf switches, and each leaf switch with all spines. Every link is a pair of devices
joined by a delay line (delay_line.py), and each of its ends lets frames out at the link's rate. Switches are
bridges that neither learn nor flood: static entries alone say where frames for a node go, as forwarding
tables do, so several spines make no loop.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from wiring import Cable, Tables, cables_of, leaf, tables_of

if TYPE_CHECKING:
    from nodes import Cluster

_DELAY_LINE = Path(__file__).with_name("delay_line.py")
_LIMIT_SECONDS = 15
# The queue is longer than any window of messages: nothing is ever dropped.
_SHAPER = "tbf burst 20kb limit 8mb rate"
_BY_TABLE_ALONE = "type bridge_slave learning off flood off mcast_flood off bcast_flood off"


@dataclass(frozen=True)
class Fabric:
    """How nodes are joined.

    Attributes:
        per_switch: nodes on a leaf switch, the first ones on the first.
        rate, uplink_rate: of the link of each node and of each link between switches, in either direction,
            for tc.
        delay_us, uplink_delay_us: the same, one way.
        spines: switches that each leaf switch has one link to.
    """

    per_switch: int
    rate: str
    uplink_rate: str
    delay_us: float = 0
    uplink_delay_us: float = 0
    spines: int = 1

    def switch_of(self, number: int) -> int:
        """Return the number of a node's leaf switch."""
        return number // self.per_switch

    def spine_of(self, number: int) -> int:
        """Return the number of the spine that messages for a node take from other leaf switches: d-mod-k."""
        return number % self.spines

    def port_up(self, spine: int) -> int:
        """Return the port to a spine of each leaf switch."""
        return self.per_switch + 1 + spine


@dataclass(frozen=True)
class Links:
    """The links of a running cluster.

    Attributes:
        cables: with the rates and delays that they have unless something is slow.
        tables: of the switches.
    """

    cluster: Cluster
    fabric: Fabric
    cables: tuple[Cable, ...]
    tables: Tables
    delay_line: subprocess.Popen[str]

    @contextlib.contextmanager
    def slow_link(self, number: int, rate: str) -> Iterator[None]:
        """Give a node's link another rate, in both directions, for a while."""
        with self._slow(self.cables[number], rate):
            yield

    @contextlib.contextmanager
    def slow_uplink(self, switch: int, spine: int, rate: str) -> Iterator[tuple[Cable, ...]]:
        """Give the link of a leaf switch and a spine another rate for a while.

        Yields:
            All cables, with the rates that they have then.
        """
        ends = leaf(switch), self.fabric.port_up(spine)
        [cable] = [each for each in self.cables if (each.lower, each.lower_port) == ends]
        with self._slow(cable, rate) as slower:
            yield tuple(slower if each == cable else each for each in self.cables)

    @contextlib.contextmanager
    def slow_node(self, number: int, delay_us: float) -> Iterator[None]:
        """Make a node answer later by so much, each way, for a while."""
        self._set_delay(number, self.fabric.delay_us + delay_us)
        try:
            yield
        finally:
            self._set_delay(number, self.fabric.delay_us)

    @contextlib.contextmanager
    def _slow(self, cable: Cable, rate: str) -> Iterator[Cable]:
        slower = replace(cable, rate=rate)
        _shape(self.cluster, [slower], "change")
        try:
            yield slower
        finally:
            _shape(self.cluster, [cable], "change")

    def _set_delay(self, number: int, delay_us: float) -> None:
        assert self.delay_line.stdin
        self.delay_line.stdin.write(f"{self.cluster.names[number]} {delay_us}\n")
        self.delay_line.stdin.flush()
        _await_ready(self.delay_line)


@contextlib.contextmanager
def joined(cluster: Cluster, fabric: Fabric) -> Iterator[Links]:
    """Put switches and links in the place of a cluster's one bridge.

    Raises:
        OSError: not possible here; the text says why.
    """
    cables, tables = tuple(cables_of(fabric, cluster.names)), tables_of(fabric, cluster.names)
    _batch(cluster.inside("ip"), [f"link delete {name}" for name in ("fabric", *cluster.names)])
    words: list[str | Path] = [sys.executable, _DELAY_LINE]
    for cable in cables:
        words += [cable.upper_device, cable.lower_device, str(cable.delay_us)]
    delay_line = subprocess.Popen(
        cluster.inside(*words),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        _await_ready(delay_line)
        _batch(cluster.inside("ip"), _devices(cluster, cables, tables))
        for number in range(len(cluster.names)):
            _batch(cluster.on(number, "ip"), _addresses(number))
        _shape(cluster, cables, "add")
        link_addresses = _link_addresses(cluster)
        _batch(cluster.inside("bridge"), _entries(cables, tables, link_addresses))
        _introduce(cluster, link_addresses)
        yield Links(cluster, fabric, cables, tables, delay_line)
    finally:
        delay_line.communicate(timeout=_LIMIT_SECONDS)


def _devices(cluster: Cluster, cables: Iterable[Cable], switches: Iterable[str]) -> Iterator[str]:
    for switch in switches:
        yield f"link add {switch} type bridge forward_delay 0"
        yield f"link set {switch} up"
    for cable in cables:
        yield from _plugged(cable.upper_device, cable.upper)
        if cable.lower in cluster.names:
            node = cluster.pid(cluster.names.index(cable.lower))
            yield f"link set {cable.lower_device} netns {node} name eth0"
        else:
            yield from _plugged(cable.lower_device, cable.lower)


def _plugged(device: str, switch: str) -> Iterator[str]:
    yield f"link set {device} master {switch}"
    yield f"link set {device} {_BY_TABLE_ALONE}"
    yield f"link set {device} up"


def _addresses(number: int) -> Iterator[str]:
    yield f"address add {address(number)}/24 dev eth0"
    # Segments that are larger than what a shaper lets out at once would be cut up again there.
    yield "link set eth0 gso_max_size 16384 up"


def _shape(cluster: Cluster, cables: Iterable[Cable], verb: str) -> None:
    """Add the shapers of both ends of cables, or change them."""
    between = []
    for cable in cables:
        between.append(f"qdisc {verb} dev {cable.upper_device} root {_SHAPER} {cable.rate}")
        if cable.lower in cluster.names:
            node = cluster.names.index(cable.lower)
            _batch(cluster.on(node, "tc"), [f"qdisc {verb} dev eth0 root {_SHAPER} {cable.rate}"])
        else:
            between.append(f"qdisc {verb} dev {cable.lower_device} root {_SHAPER} {cable.rate}")
    _batch(cluster.inside("tc"), between)


def _link_addresses(cluster: Cluster) -> dict[str, str]:
    """Return the link address of each node, by its name."""
    found = {}
    for number, name in enumerate(cluster.names):
        words = cluster.on(number, "ip", "link", "show", "eth0")
        shown = subprocess.run(words, capture_output=True, text=True, check=True)
        found[name] = shown.stdout.split("link/ether ")[1].split()[0]
    return found


def _entries(cables: Iterable[Cable], tables: Tables, link_addresses: dict[str, str]) -> Iterator[str]:
    """Put the tables into the bridges."""
    device_of = {}
    for cable in cables:
        device_of[cable.lower, cable.lower_port] = cable.lower_device
        device_of[cable.upper, cable.upper_port] = cable.upper_device
    for switch, table in tables.items():
        for name, port in table.items():
            yield f"fdb add {link_addresses[name]} dev {device_of[switch, port]} master static"


def _introduce(cluster: Cluster, link_addresses: dict[str, str]) -> None:
    """Tell the nodes each other's link addresses: a question for them would reach no node."""
    for number in range(len(cluster.names)):
        neighbours = [
            f"neighbour add {address(other)} lladdr {link_addresses[name]} dev eth0 nud permanent"
            for other, name in enumerate(cluster.names)
            if other != number
        ]
        _batch(cluster.on(number, "ip"), neighbours)


def address(number: int) -> str:
    """Return the address of a node."""
    return f"10.99.0.{number + 1}"


def _batch(tool: list[str], lines: Iterator[str] | Sequence[str]) -> None:
    """Have ip, tc or bridge carry out some lines."""
    done = subprocess.run(
        [*tool, "-batch", "-"],
        input="".join(f"{line}\n" for line in lines),
        capture_output=True,
        text=True,
        timeout=_LIMIT_SECONDS,
    )
    if done.returncode != 0:
        raise OSError(done.stderr.strip().splitlines()[0])


def _await_ready(delay_line: subprocess.Popen[str]) -> None:
    assert delay_line.stdout
    if delay_line.stdout.readline() != "ready\n":
        _, said = delay_line.communicate(timeout=_LIMIT_SECONDS)
        raise OSError(said.strip().splitlines()[-1] if said else "the delay line has ended")

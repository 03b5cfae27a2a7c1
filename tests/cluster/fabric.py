"""Switches and links between a cluster's nodes, with rates and delays; links and nodes can be made slow.

Nodes hang on leaf switches, these on one core switch. Every link is a pair of devices joined by a delay line
(delay_line.py), and each of its ends lets frames out at the link's rate.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nodes import Cluster

_DELAY_LINE = Path(__file__).with_name("delay_line.py")
_LIMIT_SECONDS = 15
# The queue is longer than any window of messages: nothing is ever dropped.
_SHAPER = "tbf burst 20kb limit 8mb rate"


@dataclass(frozen=True)
class Fabric:
    """How nodes are joined.

    Attributes:
        per_switch: nodes on a leaf switch, the first ones on the first.
        rate, uplink_rate: of the link of each node and of each leaf switch, in either direction, for tc.
        delay_us, uplink_delay_us: the same, one way.
    """

    per_switch: int
    rate: str
    uplink_rate: str
    delay_us: float = 0
    uplink_delay_us: float = 0

    def switch_of(self, number: int) -> int:
        """Return the number of a node's switch."""
        return number // self.per_switch


@dataclass(frozen=True)
class Links:
    """The links of a running cluster."""

    cluster: Cluster
    fabric: Fabric
    delay_line: subprocess.Popen[str]

    @contextlib.contextmanager
    def slow_link(self, number: int, rate: str) -> Iterator[None]:
        """Give a node's link another rate, in both directions, for a while."""
        self._set_rate(number, rate)
        try:
            yield
        finally:
            self._set_rate(number, self.fabric.rate)

    @contextlib.contextmanager
    def slow_node(self, number: int, delay_us: float) -> Iterator[None]:
        """Make a node answer later by so much, each way, for a while."""
        self._set_delay(number, self.fabric.delay_us + delay_us)
        try:
            yield
        finally:
            self._set_delay(number, self.fabric.delay_us)

    def _set_rate(self, number: int, rate: str) -> None:
        name = self.cluster.names[number]
        _batch(self.cluster.inside("tc"), [f"qdisc change dev {name} root {_SHAPER} {rate}"])
        _batch(self.cluster.on(number, "tc"), [f"qdisc change dev eth0 root {_SHAPER} {rate}"])

    def _set_delay(self, number: int, delay_us: float) -> None:
        assert self.delay_line.stdin
        self.delay_line.stdin.write(f"{self.cluster.names[number]} {delay_us}\n")
        self.delay_line.stdin.flush()
        _await_ready(self.delay_line)


@contextlib.contextmanager
def joined(cluster: Cluster, fabric: Fabric) -> Iterator[Links]:
    """Put switches and links in the place of a cluster's one bridge, which becomes the core switch.

    Raises:
        OSError: not possible here; the text says why.
    """
    numbers = range(len(cluster.names))
    switches = sorted({fabric.switch_of(number) for number in numbers})
    _batch(cluster.inside("ip"), [f"link delete {name}" for name in cluster.names])
    words: list[str | Path] = [sys.executable, _DELAY_LINE]
    for number, name in enumerate(cluster.names):
        words += [name, f"end{number}", str(fabric.delay_us)]
    for switch in switches:
        words += [f"up{switch}", f"down{switch}", str(fabric.uplink_delay_us)]
    delay_line = subprocess.Popen(
        cluster.inside(*words),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        _await_ready(delay_line)
        _batch(cluster.inside("ip"), _devices(cluster, fabric, switches))
        for number in numbers:
            _batch(cluster.on(number, "ip"), _addresses(number))
        _batch(cluster.inside("tc"), _shapers(cluster, fabric, switches))
        for number in numbers:
            _batch(cluster.on(number, "tc"), [f"qdisc add dev eth0 root {_SHAPER} {fabric.rate}"])
        _introduce(cluster)
        yield Links(cluster, fabric, delay_line)
    finally:
        delay_line.communicate(timeout=_LIMIT_SECONDS)


def _devices(cluster: Cluster, fabric: Fabric, switches: list[int]) -> Iterator[str]:
    for switch in switches:
        yield f"link add leaf{switch} type bridge forward_delay 0"
        yield f"link set leaf{switch} up"
        yield f"link set up{switch} master leaf{switch} up"
        yield f"link set down{switch} master fabric up"
    for number, name in enumerate(cluster.names):
        yield f"link set {name} master leaf{fabric.switch_of(number)} up"
        yield f"link set end{number} netns {cluster.pid(number)} name eth0"


def _addresses(number: int) -> Iterator[str]:
    yield f"address add {address(number)}/24 dev eth0"
    # Segments that are larger than what a shaper lets out at once would be cut up again there.
    yield "link set eth0 gso_max_size 16384 up"


def _shapers(cluster: Cluster, fabric: Fabric, switches: list[int]) -> Iterator[str]:
    for name in cluster.names:
        yield f"qdisc add dev {name} root {_SHAPER} {fabric.rate}"
    for switch in switches:
        for end in ("up", "down"):
            yield f"qdisc add dev {end}{switch} root {_SHAPER} {fabric.uplink_rate}"


def _introduce(cluster: Cluster) -> None:
    """Tell the nodes each other's link addresses: the first message is not to pay for asking."""
    numbers = range(len(cluster.names))
    link_addresses = {}
    for number in numbers:
        shown = subprocess.run(
            cluster.on(number, "ip", "link", "show", "eth0"), capture_output=True, text=True, check=True
        )
        link_addresses[number] = shown.stdout.split("link/ether ")[1].split()[0]
    for number in numbers:
        others = [other for other in numbers if other != number]
        neighbours = [
            f"neighbour add {address(other)} lladdr {link_addresses[other]} dev eth0 nud permanent"
            for other in others
        ]
        _batch(cluster.on(number, "ip"), neighbours)


def address(number: int) -> str:
    """Return the address of a node."""
    return f"10.99.0.{number + 1}"


def _batch(tool: list[str], lines: Iterator[str] | list[str]) -> None:
    """Have ip or tc carry out some lines."""
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

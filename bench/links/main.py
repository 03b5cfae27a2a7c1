"""How long it takes to read a fabric, and to send messages through its tables in one thread."""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

from common.errors import BenchError
from common.options import positive
from links.large import measure
from links.rows import row
from rankwise.network.everyone import everyone
from rankwise.network.fabric.model import Subnet
from rankwise.network.hot_links import hot_links
from rankwise.network.job.given_hosts import GivenHost
from rankwise.network.job.hosts import HostsByName
from rankwise.network.job.rank_ports import places_on
from rankwise.network.routes.all_to_all import all_to_all
from rankwise.network.routes.ideal import EvenSplit
from rankwise.network.routes.quality import bisection_bandwidth
from rankwise.network.routes.walk import link_loads
from rankwise.network.sources.generators.generate import generated
from rankwise.network.sources.open import open_fabric

_RECORDED = Path(__file__).parents[2] / "tests" / "fabrics" / "tsubame-r1-ftree"
_LARGE = "fattree:k=36,levels=3,pods=32"
_PARSE_S, _PAIRS_S, _ALL_S = 2.0, 0.1, 3.0


def _all_pairs(subnet: Subnet) -> Callable[[], object]:
    ports = len(subnet.ports.hosts)
    source, destination = np.divmod(np.arange(ports * ports), ports)
    weight = np.ones(len(source))
    return lambda: link_loads(subnet, source, destination, weight)


def main(arguments: list[str]) -> None:
    """Print a table, a line for each step."""
    parser = argparse.ArgumentParser(prog="bench", description="How long link loads take.")
    parser.add_argument("--rounds", type=positive, default=5, help="of each step (default: %(default)s)")
    parser.add_argument(
        "--directory", help="for the files of the large fabric, 4.3 GB (default: a temporary one)"
    )
    parts = parser.add_mutually_exclusive_group()
    parts.add_argument("--large", action="store_true", help="only the large fabric")
    parts.add_argument("--small", action="store_true", help="all but the large fabric")
    options = parser.parse_args(arguments)
    print(f"{'seconds':<58} {'median':>9} {'lowest':>9} {'highest':>9} {'aim':>6}", flush=True)
    if options.large:
        measure(options.directory)
        return
    _small(options.rounds)
    if not options.small:  # in a process that had no other memory
        where = ["--directory", options.directory] if options.directory else []
        command = [sys.executable, str(Path(__file__).parents[1]), "links", "--large", *where]
        if subprocess.run(command, check=False).returncode:
            raise BenchError("the large fabric could not be measured")


def _small(rounds: int) -> None:
    files = [str(_RECORDED / name) for name in ("ibdiagnet.lst.gz", "ibdiagnet.fdbs.gz")]
    fabric = open_fabric(files)
    subnet, large = fabric.subnets[0], generated(_LARGE)
    hosts, many = len(subnet.ports.hosts), len(large.ports.hosts)
    places = places_on(fabric, [GivenHost(name) for name in HostsByName(fabric).ports])
    loads = everyone(fabric, places, 1)
    random = np.random.default_rng(1)
    ends, million = random.integers(0, many, (2, 1_000_000)), np.ones(1_000_000)
    row(
        f"read {hosts} hosts, {len(subnet.switches.names)} switches",
        rounds,
        lambda: open_fabric(files),
        _PARSE_S,
    )
    row(f"{hosts} x {hosts} pairs, one by one in a list", rounds, _all_pairs(subnet), _PAIRS_S)
    row(f"{hosts} hosts, all to all", rounds, lambda: all_to_all(subnet, np.arange(hosts)))
    row("all of it by causes, classes and hops", rounds, lambda: everyone(fabric, places, 1))
    row("20 hot links, with what is on them", rounds, lambda: hot_links(loads, 20))
    row("200 bisections", rounds, lambda: bisection_bandwidth(subnet, np.arange(hosts)))
    row("shortest ways on the same cables", rounds, lambda: EvenSplit(subnet))
    row(
        f"{many} hosts, {len(large.switches.names)} switches, all to all",
        rounds,
        lambda: all_to_all(large, np.arange(many)),
        _ALL_S,
    )
    row("1,000,000 pairs of these at random", rounds, lambda: link_loads(large, ends[0], ends[1], million))
    row("shortest ways on the same cables", rounds, lambda: EvenSplit(large))

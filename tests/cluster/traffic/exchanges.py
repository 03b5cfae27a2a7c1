"""Exchanges over a virtual fabric: the loads of its links, predicted and counted, and the time."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fabric_file import write_fabric
from launching import launch_in_order, record_success
from libraries import Mpi
from nodes import Cluster
from recording import RANKWISE, Recording
from traffic.counters import Carried, Link, carried_by, repeated
from wiring import Cable

PROGRAM = Path(__file__).parents[1] / "programs" / "exchange.c"


@dataclass(frozen=True)
class Predicted:
    """What `rankwise links` says of the messages of the exchanges.

    Attributes:
        bytes: on each directed link that is used.
        seconds: that each of them needs at full rate.
        hottest: the directed link that needs most; of several the first one.
        warnings: about the fabric.
    """

    bytes: dict[Link, float]
    seconds: dict[Link, float]
    hottest: Link
    warnings: list[str]


@dataclass(frozen=True)
class Exchanged:
    """One job.

    Attributes:
        predicted: for all repetitions.
        carried: bytes on each directed link, without headers, and without what a job carries that exchanges
            nothing.
        repeated: bytes of them that TCP sent again, at most, on all links.
        predicted_seconds: of one exchange.
        seconds: of one exchange: median, least, most.
    """

    predicted: Predicted
    carried: Carried
    repeated: int
    predicted_seconds: float
    seconds: tuple[float, float, float]


@dataclass(frozen=True)
class Exchanges:
    """Starts exchanges of one process on each of some nodes.

    Attributes:
        mpi: the library.
        cluster: of nodes that are joined by a fabric.
        hosts: of the ranks.
        idle: bytes on each link, by a job that exchanges nothing.
    """

    mpi: Mpi
    cluster: Cluster
    hosts: tuple[str, ...]
    idle: Carried

    def run(
        self, pattern: str, size: int, repetitions: int, cables: Sequence[Cable] | None = None
    ) -> Exchanged:
        """Record a job; the prediction is for the fabric with these cables, or as it was made."""
        place = Path(tempfile.mkdtemp(dir=self.cluster.directory))
        done, carried, again = _watched(self.mpi, self.cluster, self.hosts, place, pattern, size, repetitions)
        links = self.cluster.links
        assert links
        fabric = place / "fabric.json"
        write_fabric(fabric, cables or links.cables, links.tables)
        predicted = predict(done.path, fabric)
        median, least, most = map(float, done.process.stdout.split("\n")[0].split())
        return Exchanged(
            predicted,
            {link: size - self.idle[link] for link, size in carried.items()},
            again,
            predicted.seconds[predicted.hottest] / repetitions,
            (median, least, most),
        )


def exchanges(mpi: Mpi, cluster: Cluster, hosts: Sequence[str]) -> Exchanges:
    """Measure what a job on these hosts carries that exchanges nothing."""
    place = Path(tempfile.mkdtemp(dir=cluster.directory))
    _, carried, _ = _watched(mpi, cluster, hosts, place, "incast", 1, 0)
    return Exchanges(mpi, cluster, tuple(hosts), carried)


def predict(profile: Path, fabric: Path) -> Predicted:
    """Ask `rankwise links` for the loads of the exchanges."""
    words = [str(RANKWISE), "links", str(profile), "--fabric", str(fabric), "--communicator", "exchange"]
    words += ["--by", "link", "--limit", "0", "--json"]
    answer = json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
    loads = [link["load"] for link in answer["links"]]
    slowest = [answer["bottleneck"][where] for where in ("fabric", "hosts")]
    hottest = max(filter(None, slowest), key=lambda each: each["seconds"])
    links: list[Link] = [(load["source"], load["destination"]) for load in loads]
    return Predicted(
        {link: load["bytes"] for link, load in zip(links, loads, strict=True)},
        {link: load["seconds"] for link, load in zip(links, loads, strict=True)},
        next(link for link, load in zip(links, loads, strict=True) if load["link"] == hottest["link"]),
        answer["fabric"]["warnings"],
    )


def route(fabric: Path, source: str, destination: str) -> list[Link]:
    """Ask `rankwise links` for the way from one node to another."""
    words = [str(RANKWISE), "links", "--fabric", str(fabric), "--route", source, destination, "--json"]
    answer = json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
    return [(hop["source"], hop["destination"]) for hop in answer["traces"][0]["hops"]]


def _watched(
    mpi: Mpi,
    cluster: Cluster,
    hosts: Sequence[str],
    place: Path,
    pattern: str,
    size: int,
    repetitions: int,
) -> tuple[Recording, Carried, int]:
    """Record a job; what the links carried meanwhile, and what TCP sent again."""
    program = cluster.directory / f"exchange.{mpi.name}"
    if not program.exists():
        mpi.compile(program, PROGRAM)
    words = launch_in_order(mpi, cluster, hosts, program, pattern, str(size), str(repetitions))
    before, again = carried_by(cluster), repeated(cluster)
    done = record_success(mpi, cluster, place, words)
    after = carried_by(cluster)
    return done, {link: after[link] - before[link] for link in after}, repeated(cluster) - again

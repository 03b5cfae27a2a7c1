"""A program in a bad order, mapped, started again: pairs of runs of both orders, without a profiler."""

from __future__ import annotations

import statistics
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from launching import ConnectionFails, record_success, run
from libraries import Mpi
from nodes import Cluster
from recording import RANKWISE
from traffic.relaunch import carried, counted, map_profile

from common.errors import BenchError
from rankwise.trials.interval import Interval, ratio_interval
from rankwise.trials.race import order
from reorder.programs import SEED, SIDES, Program, Side
from reorder.told import seconds

_TRIES = 3


@dataclass
class Runs:
    """Of one order.

    Attributes:
        predicted: bytes between nodes, by `rankwise map`.
        counted: the same, by the profile of a run in this order.
        seconds: of the runs in pairs, as the program tells them.
        carried: bytes between nodes in each of these runs, by the interfaces.
    """

    predicted: int
    counted: int
    seconds: list[float] = field(default_factory=list)
    carried: list[int] = field(default_factory=list)

    @property
    def wire(self) -> float:
        """Median of the bytes on the wire."""
        return statistics.median(self.carried)


@dataclass(frozen=True)
class Relaunched:
    """A program before and after it was mapped.

    Attributes:
        before: in its bad order.
        after: in the places that the launcher got in a file.
        ordered: started as before, by `rankwise run --place`, which changes the order of MPI_COMM_WORLD.
    """

    name: str
    before: Runs
    after: Runs
    ordered: Runs

    @property
    def ratio(self) -> Interval:
        """How much faster it has become."""
        return ratio_interval(self.before.seconds, self.after.seconds)

    @property
    def by_order(self) -> Interval:
        """How much faster it is by the file than by the order of MPI_COMM_WORLD, which is recorded, too."""
        return ratio_interval(self.ordered.seconds, self.after.seconds)

    @property
    def fall_beside_prediction(self) -> float:
        """Fall of the bytes on the wire / fall that was predicted - 1."""
        return (self.before.wire - self.after.wire) / (self.before.predicted - self.after.predicted) - 1


def measure(mpi: Mpi, cluster: Cluster, program: Program, pairs: int) -> Relaunched:
    """Profile it in its bad order, map it, profile it there, and run pairs, each with a third run."""
    place = Path(tempfile.mkdtemp(dir=cluster.directory))
    words = program.launch(mpi, cluster)
    with program.links(cluster):
        profile = record_success(mpi, cluster, place, words)
        mapped = map_profile(mpi, profile, place / "placement")
        (place / "after").mkdir()
        again = record_success(mpi, cluster, place / "after", mapped.words)
        (place / "ordered").mkdir()
        placing = ["--place", str(profile.path)]
        third = record_success(mpi, cluster, place / "ordered", words, *placing)
        ordered = Runs(mapped.found, counted(third))
        rankwise = [str(RANKWISE), "run", "--quiet", "--force", *placing]
        in_order = [*rankwise, "-o", str(place / "ordered.rankwise"), "--", *words]
        runs: dict[Side, Runs] = {
            "before": Runs(mapped.present, counted(profile)),
            "after": Runs(mapped.found, counted(again)),
        }
        for pair in range(pairs):
            for side in order(SIDES, pair, SEED):
                run_seconds, bytes_ = _run(mpi, cluster, place, words if side == "before" else mapped.words)
                runs[side].seconds.append(run_seconds)
                runs[side].carried.append(bytes_)
            run_seconds, bytes_ = _run(mpi, cluster, place, in_order)
            ordered.seconds.append(run_seconds)
            ordered.carried.append(bytes_)
    return Relaunched(program.name, runs["before"], runs["after"], ordered)


def _run(mpi: Mpi, cluster: Cluster, place: Path, words: list[str]) -> tuple[float, int]:
    """Return the time that the program tells, and the bytes that went between nodes."""
    for _ in range(_TRIES):
        start = carried(cluster)
        try:
            done = run(mpi, cluster, place, words)
        except ConnectionFails:
            continue
        if done.returncode != 0:
            raise BenchError(f"exit status {done.returncode}: {done.stderr.strip()}")
        return seconds(done.stdout), carried(cluster) - start
    raise BenchError("Open MPI could not connect its processes, again and again")

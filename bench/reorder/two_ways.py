"""Programs that reorder themselves or ask MPI to, in a bad order, with and without. All are profiled."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path

from launching import record_success
from libraries import Mpi
from nodes import Cluster
from traffic.relaunch import counted

from rankwise.trials.interval import Interval, ratio_interval
from rankwise.trials.race import order
from reorder.programs import HALO, LONG_SOLVER, SEED, SIDES, SOLVER, Program, Side
from reorder.told import seconds

_Words = dict[Side, tuple[str, ...]]


@dataclass
class TwoWays:
    """Times of the runs, and bytes between nodes, by side: after is with reordering."""

    name: str
    seconds: dict[Side, list[float]] = field(default_factory=lambda: {"before": [], "after": []})
    off_node: dict[Side, int] = field(default_factory=dict)

    @property
    def ratio(self) -> Interval:
        """How much faster it has become."""
        return ratio_interval(self.seconds["before"], self.seconds["after"])


def measure(mpi: Mpi, cluster: Cluster, pairs: int) -> list[TwoWays]:
    """The solver, which reorders itself after its first iterations and counts the time of that, and the halo.

    The solver runs 200 and 600 iterations: what reordering costs must come in again. With -p, it reorders
    only if that is profitable.

    The halo's grid is made with reorder=1, which MPI libraries ignore and `run --reorder` honours.
    """
    results = [
        _measure(mpi, cluster, solver, pairs, arguments={"before": ("-k",), "after": ()})
        for solver in (SOLVER, LONG_SOLVER)
        if solver.runs_on(mpi)
    ]
    results += [
        replace(
            _measure(mpi, cluster, solver, pairs, arguments={"before": ("-k",), "after": ("-p",)}),
            name=f"{solver.name} -p",
        )
        for solver in (SOLVER, LONG_SOLVER)
        if solver.runs_on(mpi)
    ]
    results.append(_measure(mpi, cluster, HALO, pairs, options={"before": (), "after": ("--reorder",)}))
    return results


def _measure(
    mpi: Mpi,
    cluster: Cluster,
    program: Program,
    pairs: int,
    options: _Words | None = None,
    arguments: _Words | None = None,
) -> TwoWays:
    result = TwoWays(program.name)
    with program.links(cluster):
        for pair in range(pairs):
            for side in order(SIDES, pair, SEED):
                place = Path(tempfile.mkdtemp(dir=cluster.directory))
                words = program.launch(mpi, cluster, *(arguments[side] if arguments else ()))
                done = record_success(mpi, cluster, place, words, *(options[side] if options else ()))
                result.seconds[side].append(seconds(done.process.stdout))
                result.off_node[side] = counted(done)
    return result

"""Algorithms that the probe chooses on communicators that span nodes: they run there, too."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from launching import across_nodes, launch, record_success, run, version
from libraries import Mpi
from nodes import Cluster
from patterns import seen

from rankwise.tuning.cells.cell import Cell, Grouping
from rankwise.tuning.libraries.openmpi import OpenMpi
from rankwise.tuning.racing.batch import Batch
from rankwise.tuning.racing.offers import Offers, control_variables

ROOT = Path(__file__).parents[2]
PROBE = ROOT / "src" / "probes" / "collective"
NODES, RANKS, LIMIT = 3, 6, "60"
CELL = Cell(
    procedure="MPI_Allreduce",
    processes=RANKS,
    low=8000,
    high=8000,
    size=8000,
    calls=1,
    seconds=1.0,
    tunable_seconds=1.0,
    groupings=(Grouping((tuple(range(RANKS)),)),),
)
LIBRARIES = [mpi for mpi in across_nodes() if mpi.family == "openmpi"]
LOOKS = {"ring": "ring", "recursive_doubling": "recursive doubling"}


def program(mpi: Mpi, cluster: Cluster) -> Path:
    made = cluster.directory / f"collective.{mpi.name}"
    if not made.exists():
        sources = [*sorted(PROBE.glob("*.c")), *sorted((PROBE.parent / "common").glob("*.c"))]
        mpi.compile(made, *sources, "-lm", options=["-O2"])
    return made


def served(place: Path, name: str, texts: Sequence[str]) -> Path:
    """A directory in which the probe finds all that it has to do."""
    directory = place / name
    directory.mkdir()
    for number, text in enumerate(texts):
        (directory / f"batch.{number}").write_text(text)
    (directory / "stop").touch()
    return directory


def looks(mpi: Mpi, cluster: Cluster, place: Path, offers: Offers, name: str) -> dict[str, set[str]]:
    """Names of the algorithms that each arm may have run, by its messages."""
    offered = {algorithm.name: algorithm for algorithm in offers.choices[CELL.procedure].algorithms}
    arms = {"default": None, **{name: offered[name] for name in LOOKS}}
    batch = Batch(CELL, arms, [list(arms)], 2)
    directory = served(place, name, [batch.text(offers)])
    words = launch(mpi, cluster, NODES, "block", program(mpi, cluster), directory, LIMIT)
    recording = record_success(mpi, cluster, directory, words)
    assert set(batch.times((directory / "times.0").read_text())[0]) == set(arms)
    candidates: dict[str, set[str]] = {name: set() for name in arms}
    for call in seen(recording, RANKS):
        if call.on.startswith("arm ") and call.collective == "Allreduce" and call.named:
            candidates[list(arms)[int(call.on.split()[1])]] |= {call.named.name, *call.named.also}
    return candidates


@pytest.mark.parametrize("mpi", LIBRARIES, ids=lambda mpi: mpi.name)
def test_a_chosen_algorithm_runs_across_nodes(mpi: Mpi, cluster: Cluster, place: Path) -> None:
    """Open MPI 5 would have coll/han take over: without the probe's care the variable has no effect."""
    mpi = replace(mpi, environment={**mpi.environment, **OpenMpi.launched_with})
    first = served(place, "first", [])
    done = run(mpi, cluster, place, launch(mpi, cluster, NODES, "block", program(mpi, cluster), first, LIMIT))
    assert done.returncode == 0, done.stderr
    hosts = json.loads((first / "about").read_text())["hosts"]
    assert hosts == [name for name in cluster.names[:NODES] for _ in range(RANKS // NODES)]
    offers = OpenMpi().offers(control_variables(json.loads((first / "offers").read_text())["variables"]))
    assert offers.overruled == (version(mpi) >= (5,))
    candidates = looks(mpi, cluster, place, offers, "second")
    assert all(look in candidates[name] for name, look in LOOKS.items()), candidates
    if offers.overruled:
        candidates = looks(mpi, cluster, place, replace(offers, overruled=False), "third")
        assert not any(look in candidates[name] for name, look in LOOKS.items()), candidates

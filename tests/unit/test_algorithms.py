"""The models of algorithms move what the collective has to move, and messages get the right names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from exhaustive import few
from rankwise.analysis.collectives.algorithms import Named, name_of
from rankwise.analysis.collectives.algorithms.model import Model, Shape
from rankwise.analysis.collectives.algorithms.schedule import Schedule, Traffic
from rankwise.analysis.collectives.algorithms.table import MODELS

SIZES = {"Barrier": 0}
PROCESSES = (*range(2, 18), 31, 32, 33)
ROOTED = {"Bcast", "Reduce", "Gather", "Gatherv", "Scatter", "Scatterv"}
EVERY = [
    pytest.param(collective, model, id=f"{collective}-{model.name}-{index}")
    for collective, models in MODELS.items()
    if not collective.endswith(("v", "w"))
    for index, model in enumerate(models)
]


def roots(collective: str, processes: int) -> list[int]:
    return sorted({0, 1, processes - 1}) if collective in ROOTED else [0]


@pytest.fixture(scope="module", autouse=True)
def built_once() -> Iterator[None]:
    """All models are built once for each shape: each test compares its messages with theirs."""
    with pytest.MonkeyPatch.context() as patch:
        for collective, models in MODELS.items():
            patch.setitem(MODELS, collective, [replace(model, build=cache(model.build)) for model in models])
        yield


@cache
def schedule_of(model: Model, processes: int, root: int, size: int) -> Schedule | None:
    """Build the messages of a model once for all that is asked of them."""
    return model.build(Shape(processes, root, size))


def knowledge(schedule: Schedule) -> np.ndarray:
    """[who, of whom]: what each can know at the end, if all pass on what they knew before each round."""
    known = np.eye(schedule.processes, dtype=bool)
    for part in schedule.rounds:
        np.logical_or.at(known, part.destination, known[part.source])
    return known


def needed(collective: str, processes: int, root: int) -> np.ndarray:
    """[who, of whom]: whose data, or whose word, a process has to get."""
    must = np.eye(processes, dtype=bool)
    if collective in ("Bcast", "Scatter"):
        must[:, root] = True
    elif collective in ("Reduce", "Gather"):
        must[root] = True
    elif collective in ("Scan", "Exscan"):
        must = np.tri(processes, dtype=bool)
    else:
        must[:] = True
    return must


@pytest.mark.parametrize(("collective", "model"), EVERY)
def test_everybody_can_know_what_it_has_to(collective: str, model: Model) -> None:
    for processes in PROCESSES:
        for root in roots(collective, processes):
            schedule = schedule_of(model, processes, root, SIZES.get(collective, 1000))
            if schedule is not None:
                missing = needed(collective, processes, root) & ~knowledge(schedule)
                assert not missing.any(), (processes, root, np.argwhere(missing))


@pytest.mark.parametrize(("collective", "model"), EVERY)
def test_everybody_gets_enough_bytes(collective: str, model: Model) -> None:
    size = SIZES.get(collective, 1000)
    for processes in PROCESSES:
        for root in roots(collective, processes):
            schedule = schedule_of(model, processes, root, size)
            if schedule is None:
                continue
            traffic = schedule.traffic()
            received = traffic.bytes.sum(axis=0)
            others = np.arange(processes) != root
            if collective in ("Bcast", "Scatter"):
                assert (received[others] >= size).all()
            elif collective == "Reduce":
                assert received[root] >= size * (processes > 1) // 2
            elif collective == "Gather":
                assert received[root] == (processes - 1) * size
            elif collective == "Allgather":
                assert (received == (processes - 1) * size).all()
            elif collective == "Alltoall":
                assert (traffic.bytes.sum(axis=1) >= (processes - 1) * size).all()
            elif collective == "Allreduce":
                assert (received >= size).all()


def built(
    collective: str, name: str, processes: int, size: int = 1024, root: int = 0, segments: int = 1
) -> Traffic:
    for model in MODELS[collective]:
        schedule = (
            model.build(Shape(processes, root, size, segments=segments)) if model.name == name else None
        )
        if schedule is not None:
            return schedule.traffic()
    raise LookupError(name)


@pytest.mark.parametrize("processes", [2, 3, 8, 13, 16, 33])
@pytest.mark.parametrize(
    ("collective", "name", "blocks"),
    [
        ("Bcast", "binomial tree", lambda n: n - 1),
        ("Bcast", "chain", lambda n: n - 1),
        ("Bcast", "scatter + ring allgather", lambda n: (scattered(n) + n * (n - 1)) / n),
        ("Bcast", "scatter + recursive doubling allgather", lambda n: (scattered(n) + n * (n - 1)) / n),
        ("Gather", "binomial tree", lambda n: scattered(n)),
        ("Allgather", "ring", lambda n: n * (n - 1)),
        ("Allgather", "recursive doubling", lambda n: n * (n - 1)),
        ("Allgather", "Bruck", lambda n: n * (n - 1)),
        ("Allreduce", "ring", lambda n: 2 * (n - 1)),
        ("Alltoall", "Bruck", lambda n: n * sum(i.bit_count() for i in range(n))),
        ("Reduce_scatter", "ring", lambda n: n * (n - 1)),
        ("Scan", "linear", lambda n: n - 1),
    ],
)
def test_total_bytes(collective: str, name: str, blocks: object, processes: int) -> None:
    size = 48 * processes
    assert callable(blocks)
    assert built(collective, name, processes, size).bytes.sum() == blocks(processes) * size


def scattered(processes: int) -> int:
    """Blocks that a binomial scatter sends: each travels as many edges as its number has bits set."""
    return sum(position.bit_count() for position in range(processes))


@pytest.mark.parametrize("processes", [2, 4, 8, 16, 32])
def test_rabenseifner_total(processes: int) -> None:
    """Each process sends all but its own block in the reduce-scatter; so it does in the allgather."""
    assert built("Allreduce", "Rabenseifner", processes, 4096).bytes.sum() == 2 * (processes - 1) * 4096
    # In the gather, block i travels as many edges as i has bits that differ from the root's.
    gathered = scattered(processes) * 4096 // processes
    assert (
        built("Reduce", "Rabenseifner", processes, 4096, 1).bytes.sum() == (processes - 1) * 4096 + gathered
    )


@pytest.mark.parametrize("processes", few([4, 7, 8, 12, 16], 3))
@pytest.mark.parametrize(("collective", "model"), EVERY)
def test_every_model_is_recognised(collective: str, model: Model, processes: int) -> None:
    size = SIZES.get(collective, 72)
    for root in roots(collective, processes)[-2:]:
        for segments in (1, 3) if model.segmented else (1,):
            schedule = model.build(Shape(processes, root, size, element=8, segments=segments))
            if schedule is None:
                continue
            seen = schedule.traffic()
            asked = root if collective in ROOTED else None
            named = name_of(f"MPI_{collective}", processes, asked, size, seen.messages, seen.bytes)
            name = model.name if segments == 1 else f"{model.name}, {segments} segments"
            assert named is not None
            assert named.exact
            assert name in (named.name, *named.also)


def test_counts_only_where_the_size_is_not_known() -> None:
    seen = built("Alltoall", "linear or pairwise", 5)
    ragged = seen.bytes + np.triu(np.full((5, 5), 8), 1)
    assert name_of("MPI_Alltoallv", 5, None, None, seen.messages, ragged) == Named(
        "linear or pairwise", exact=False
    )
    assert name_of("MPI_Alltoall", 5, None, 1024, seen.messages, ragged) is None


@pytest.mark.parametrize(
    ("collective", "model"), [row for row in EVERY if row.values[1].build(Shape(12, 0, 864, element=8))]
)
def test_perturbed_messages_have_no_name(collective: str, model: Model) -> None:
    schedule = model.build(Shape(12, 0, SIZES.get(collective, 72 * 12), element=8))
    assert schedule is not None
    seen = schedule.traffic()
    root = 0 if collective in ROOTED else None
    source, destination = (int(where) for where in np.argwhere(seen.messages)[-1])
    elsewhere = (destination + 5) % 12
    moved = seen.messages.copy()
    moved[source, destination] -= 1
    moved[source, elsewhere] += 1
    size = SIZES.get(collective, 72 * 12)
    assert name_of(f"MPI_{collective}", 12, root, size, moved, seen.bytes) is None
    longer = seen.bytes.copy()
    longer[source, destination] += 100_000
    assert name_of(f"MPI_{collective}", 12, root, size, seen.messages, longer) is None
    longer[source, destination] -= 99_999
    named = name_of(f"MPI_{collective}", 12, root, size, seen.messages, longer)
    assert named is None or not named.exact


def test_the_first_of_several_names_is_stable() -> None:
    seen = built("Bcast", "binomial tree, doubling", 4)
    assert name_of("MPI_Bcast", 4, 0, 1024, seen.messages, seen.bytes) == Named(
        "binomial tree, doubling", exact=True, also=("binary tree", "binary tree by level")
    )
    seen = built("Bcast", "linear", 2)
    named = name_of("MPI_Bcast", 2, 0, 1024, seen.messages, seen.bytes)
    assert named is not None
    assert named.name == "linear"


def test_two_collectives_together() -> None:
    reduced, sent = built("Reduce", "binomial tree", 7), built("Bcast", "chain", 7, segments=4)
    named = name_of(
        "MPI_Allreduce", 7, None, 1024, reduced.messages + sent.messages, reduced.bytes + sent.bytes
    )
    assert named == Named("reduce (binomial tree) + bcast (chain, 4 segments)", exact=True)


def test_algorithms_for_several_nodes_on_one() -> None:
    """As on MPICH: the root tells process 0, which broadcasts; a barrier ends with a byte for everybody."""
    sent = built("Bcast", "binomial tree", 7)
    messages, size = sent.messages.copy(), sent.bytes.copy()
    messages[3, 0] += 1
    size[3, 0] += 1024
    name = "node-aware: root to process 0 + bcast (binomial tree)"
    assert name_of("MPI_Bcast", 7, 3, 1024, messages, size) == Named(name, exact=True)
    assert name_of("MPI_Bcast", 7, 4, 1024, messages, size) is None
    waited, broadcast = built("Barrier", "dissemination", 7, 0), built("Bcast", "chain", 7, 1)
    name = "node-aware: dissemination + bcast (chain)"
    messages, size = waited.messages + broadcast.messages, broadcast.bytes
    assert name_of("MPI_Barrier", 7, None, 0, messages, size) == Named(name, exact=True)


def test_the_root_may_change_places_with_process_0() -> None:
    shifted = built("Bcast", "binomial tree", 7)
    place = np.array([3, 1, 2, 0, 4, 5, 6])
    messages, size = shifted.messages[np.ix_(place, place)], shifted.bytes[np.ix_(place, place)]
    assert name_of("MPI_Ibcast", 7, 3, 1024, messages, size) == Named("binomial tree", exact=True)


@pytest.mark.parametrize("procedure", ["MPI_Bcast", "MPI_Ibcast", "MPI_Bcast_init"])
def test_forms_of_a_procedure(procedure: str) -> None:
    seen = built("Bcast", "chain", 7, root=3)
    assert name_of(procedure, 7, 3, 1024, seen.messages, seen.bytes) == Named("chain", exact=True)


@pytest.mark.parametrize("procedure", ["MPI_Send", "MPI_Init", "MPI_Neighbor_alltoall", "MPI_Comm_dup"])
def test_procedures_without_models(procedure: str) -> None:
    seen = built("Bcast", "chain", 7)
    assert name_of(procedure, 7, None, 1024, seen.messages, seen.bytes) is None


def test_no_message_has_no_name() -> None:
    none = Traffic.none(4)
    assert name_of("MPI_Barrier", 4, None, 0, none.messages, none.bytes) is None
    assert name_of("MPI_Bcast", 1, 0, 8, np.zeros((1, 1), np.int64), np.zeros((1, 1), np.int64)) is None


def test_trees_by_hand() -> None:
    """Bcast from rank 2 of 7, drawn by hand from the descriptions of the algorithms."""
    edges = {
        "binomial tree": "23 24 26 45 60 61",
        "binomial tree, doubling": "23 24 26 30 35 41",
        "binary tree": "23 24 30 35 41 46",
        "binary tree by level": "23 24 35 36 40 41",
        "chain": "23 34 45 56 60 01",
        "4-nomial tree": "23 24 25 26 60 61",
        "4 chains": "23 34 25 56 20 21",
    }
    for name, drawn in edges.items():
        messages = built("Bcast", name, 7, root=2).messages
        assert sorted(f"{source}{destination}" for source, destination in np.argwhere(messages)) == sorted(
            drawn.split()
        )


def test_fold_by_hand() -> None:
    """Of 6 processes, 0 and 2 wait: they give to 1 and 3, which exchange with 4 and 5."""
    messages = built("Allreduce", "recursive doubling", 6).messages
    drawn = "01 10 23 32 13 31 45 54 14 41 35 53"
    assert sorted(f"{a}{b}" for a, b in np.argwhere(messages)) == sorted(drawn.split())


def test_the_documentation_has_every_name() -> None:
    text = (Path(__file__).parents[2] / "docs" / "reference" / "algorithms.md").read_text()
    for models in MODELS.values():
        for model in models:
            plain = re.sub(
                r"^node-aware: |, (growing|backwards|itself included|radix \d)$| by level$", "", model.name
            )
            assert plain in text or re.fullmatch(r"[2-8] chains", plain), model.name

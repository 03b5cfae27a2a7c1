"""Phases and traces of programs/two_patterns.c, on every MPI: what is sent where and when is known."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from libraries import Mpi
from recording import Record, Recording

from rankwise.__main__ import main
from rankwise.analysis.messages.kinds import IN_COLLECTIVE
from rankwise.analysis.opened import opened_profile
from rankwise.network.fabric.model import Fabric
from rankwise.network.job.flows import flows
from rankwise.network.job.phases import FlowsByPhase, flows_by_phase
from rankwise.network.job.rank_ports import given_places
from rankwise.network.loads import job_loads
from rankwise.network.phases import loads_by_phase
from rankwise.network.sources.generators.generate import generated
from traced_files import PerfettoFile

RANKS = 8
RECORDED: dict[str, Recording] = {}  # once for all tests here


@pytest.fixture
def done(record: Record, mpi: Mpi) -> Recording:
    if mpi.name not in RECORDED:
        RECORDED[mpi.name] = record("two_patterns.c", RANKS)
    return RECORDED[mpi.name]


@pytest.fixture
def connection(done: Recording) -> Iterator[sqlite3.Connection]:
    with opened_profile(done.path) as connection:
        yield connection


def figures_of(done: Recording) -> dict[int, list[float]]:
    """Of each rank: the pause, bytes of a block and calls, bytes of a message and messages."""
    lines = re.findall(r"^pause (\d+)((?: [0-9.]+){6})$", done.process.stdout, re.MULTILINE)
    assert len(lines) == RANKS
    return {int(rank): [*map(float, numbers.split())] for rank, numbers in lines}


def middle(done: Recording) -> float:
    """When all rest between the two phases, seconds after the start of the run."""
    begins = dict(done.rows("SELECT rank, begin FROM time_lines"))
    first, last = figures_of(done)[0][:2]
    return float(str(begins[0])) + (first + last) / 2


def of_kind(by_phase: FlowsByPhase, kind: str, procedure: str) -> np.ndarray:
    """Bytes by phase of a procedure's messages, shape (K + 1,)."""
    groups = [
        at
        for at, group in enumerate(by_phase.flows.groups)
        if (group.kind, group.procedure) == (kind, procedure)
    ]
    return by_phase.bytes[:, np.isin(by_phase.flows.group, groups)].sum(axis=1)


def test_what_is_sent_is_in_the_phase_in_which_it_is(done: Recording, connection: sqlite3.Connection) -> None:
    by_phase = flows_by_phase(connection, flows(connection))
    assert (by_phase.bytes.sum(axis=0) == by_phase.flows.bytes).all()
    assert (by_phase.messages.sum(axis=0) == by_phase.flows.messages).all()
    rest = middle(done)
    later = np.array([phase.begin_seconds > rest for phase in by_phase.phases])
    earlier = np.array([phase.end_seconds < rest for phase in by_phase.phases])
    assert earlier.any()
    assert later.any()
    ring = of_kind(by_phase, "point-to-point", "MPI_Sendrecv")
    *_, size, number = figures_of(done)[RANKS - 1]
    assert ring.sum() == RANKS // 2 * size * number
    assert ring[:-1][earlier].sum() == 0
    assert ring[-1] == 0
    exchange = of_kind(by_phase, IN_COLLECTIVE, "MPI_Alltoall")
    assert exchange[:-1][later].sum() == 0
    assert exchange[-1] == 0


def test_the_link_that_is_hot_in_one_phase_is_found(done: Recording, connection: sqlite3.Connection) -> None:
    """Two hosts a leaf: the links of the last leaf carry the ring alone."""
    fabric = Fabric((generated("fattree:leaf=4x2,spine=2"),), ())
    whole = flows(connection)
    run = job_loads(fabric, whole, given_places(connection, fabric, "node000[1-8]"))
    by_phase = loads_by_phase(run, flows_by_phase(connection, whole), 0)
    rest = middle(done)
    alltoall = of_kind(by_phase.flows, IN_COLLECTIVE, "MPI_Alltoall").sum()
    size, calls = figures_of(done)[0][2:4]
    visible = alltoall >= 30 * size * calls  # 6 x 5 pairs
    hot = [
        (each.phase, link)
        for each in by_phase.phases
        for link in each.links
        if link.is_hot and "leaf04" in (link.hot.load.source, link.hot.load.destination)
    ]
    assert {(link.hot.load.source, link.hot.load.destination)[0][:4] for _, link in hot} == {"leaf", "spin"}
    for phase, link in hot:
        assert phase.end_seconds > rest
        assert link.hot.causes[0].cause.procedure == "MPI_Sendrecv"
        assert link.hidden == visible
    if visible:
        for each in by_phase.phases:
            if each.phase.end_seconds < rest:
                assert each.hidden == 0
    outside = job_loads(fabric, by_phase.flows.of(len(by_phase.phases)), run.places)
    parts = [*(each.loads for each in by_phase.phases), outside]
    assert sum(part.rails[0].bytes for part in parts) == pytest.approx(run.rails[0].bytes)


def test_its_traces_are_what_it_did(done: Recording, tmp_path: Path) -> None:
    target = tmp_path / "out.json"
    assert main(["export", str(done.path), "--format", "perfetto", "-o", str(target)]) == 0
    file = PerfettoFile(target)
    rest = middle(done)
    calls = [event for event in file.of("X", "sampled collective") if event["name"] == "MPI_Alltoall"]
    waits = [event for event in file.of("X", "sampled wait") if event["name"] == "MPI_Sendrecv"]
    assert calls
    assert waits
    assert all(event["ts"] / 1e6 < rest for event in calls)
    assert all(event["ts"] / 1e6 > rest for event in waits)
    messages = [(begin, end) for begin, end in file.arrows() if begin["args"]["bytes"] == 1000]
    assert messages
    for begin, _ in messages:
        source, destination = begin["args"]["from_rank"], begin["args"]["to_rank"]
        assert destination == RANKS // 2 + (source - RANKS // 2 + 1) % (RANKS // 2)
    for rank, numbers in figures_of(done).items():
        levels = file.counter(f"rank {rank}: messages")
        sent = sum(float(after - at) * value for (at, value), (after, _) in pairwise(levels))
        assert sent == pytest.approx(numbers[5])


def test_an_archive_has_all_events_of_its_trace(done: Recording, tmp_path: Path) -> None:
    otf2 = pytest.importorskip("otf2")
    assert main(["export", str(done.path), "--format", "otf2", "-o", str(tmp_path / "out")]) == 0
    sends: list[object] = []
    receives: list[object] = []
    enters = 0
    with otf2.reader.open(str(tmp_path / "out" / "traces.otf2")) as trace:
        for location, event in trace.events:
            enters += isinstance(event, otf2.events.Enter)
            if isinstance(event, otf2.events.MpiSend):
                to = event.communicator.group.members[event.receiver].name
                sends.append((location.name, to, event.msg_tag, event.msg_length))
            if isinstance(event, otf2.events.MpiRecv):
                of = event.communicator.group.members[event.sender].name
                receives.append((of, location.name, event.msg_tag, event.msg_length))
    assert sorted(sends) == sorted(receives)
    assert ("rank 4", "rank 5", 5, 1000) in sends
    with closing(sqlite3.connect(done.path)) as connection:
        [(calls,)] = connection.execute(
            "SELECT (SELECT COUNT(*) FROM arrivals) + (SELECT COUNT(*) FROM waits)"
        )
    assert enters == calls

"""Link loads by phases: a link that is hot in one phase alone is found, and nothing is counted twice."""

from __future__ import annotations

import numpy as np
import pytest
from phased_run import PAIR, STEP, run_of_eight

from rankwise.network.fabric.model import Fabric
from rankwise.network.job.flows import flows
from rankwise.network.job.phases import flows_by_phase
from rankwise.network.job.rank_ports import given_places
from rankwise.network.loads import job_loads
from rankwise.network.phases import LoadsByPhase, loads_by_phase
from rankwise.network.sources.generators.generate import generated

GBIT = 0.8  # 100,000,000 bytes a second


def on_fabric(rule: str) -> LoadsByPhase:
    """A rank on each of the first hosts."""
    fabric = Fabric((generated(rule),), ())
    connection = run_of_eight().connection
    whole = flows(connection)
    run = job_loads(fabric, whole, given_places(connection, fabric, "node000[1-8]"))
    return loads_by_phase(run, flows_by_phase(connection, whole), 0)


@pytest.fixture
def by_phase() -> LoadsByPhase:
    """Leaf 1 has ranks 0 and 1, ..., leaf 4 has ranks 6 and 7."""
    return on_fabric("fattree:leaf=4x2,spine=2")


def names(by_phase: LoadsByPhase, phase: int) -> dict[tuple[str, str], float]:
    return {
        (link.hot.load.source, link.hot.load.destination): link.hot.load.bytes
        for link in by_phase.phases[phase].links
    }


def test_each_phase_has_its_loads(by_phase: LoadsByPhase) -> None:
    first, second = names(by_phase, 0), names(by_phase, 1)
    # Each of the three leaves sends to four other ranks, over two spines.
    assert sorted(first) == sorted(
        pair
        for leaf in ("leaf01", "leaf02", "leaf03")
        for spine in ("spine01", "spine02")
        for pair in ((leaf, spine), (spine, leaf))
    )
    assert set(first.values()) == {4 * PAIR}
    # Of the ring two messages leave their leaf: from rank 5 to 6 and from rank 7 to 4.
    assert len(second) == 4
    assert {pair for pair in second if "leaf04" in pair} == {pair for pair in second if pair not in first}
    assert set(second.values()) == {STEP}


def test_a_link_that_is_hot_in_one_phase_alone_is_found(by_phase: LoadsByPhase) -> None:
    hidden = by_phase.hidden
    assert {phase.phase.number for phase, _ in hidden} == {2}
    own = [link for _, link in hidden]
    assert all("leaf04" in (link.hot.load.source, link.hot.load.destination) for link in own)
    assert len(own) == by_phase.phases[1].hidden == 2
    for link in own:
        assert (link.percent_of_run, link.hot_in, link.hot_in_run) == (100, (2,), False)
        assert [(caused.cause.procedure, caused.cause.kind) for caused in link.hot.causes] == [
            ("MPI_Send", "point-to-point")
        ]
    # Those of leaf 3 carry more of the Alltoall.
    others = [link for link in by_phase.phases[1].links if not link.hidden]
    assert len(others) == 2
    assert {link.hot_in_run for link in others} == {True}
    assert {round(link.percent_of_run, 3) for link in others} == {round(100 * STEP / (STEP + 4 * PAIR), 3)}
    assert by_phase.phases[0].hidden == 0
    assert by_phase.phases[0].hot == 12
    assert by_phase.phases[1].hot == 4


def test_over_the_phases_loads_are_those_of_the_run(by_phase: LoadsByPhase) -> None:
    outside = job_loads(by_phase.run.fabric, by_phase.flows.of(2), by_phase.run.places)
    for of_run, *parts in zip(
        by_phase.run.rails, *(each.loads.rails for each in by_phase.phases), outside.rails, strict=True
    ):
        assert np.array_equal(sum(part.bytes for part in parts), of_run.bytes)
        assert np.array_equal(sum(part.messages for part in parts), of_run.messages)
    assert by_phase.flows.bytes[2].sum() == 77


def test_phases_need_longer_than_the_run(by_phase: LoadsByPhase) -> None:
    assert (by_phase.seconds, by_phase.run_seconds) == (None, None)  # no rates are known
    assert by_phase.phases[0].percent_of_phase is None
    fast = on_fabric(f"fattree:leaf=4x2,spine=2,gbit={GBIT}")
    assert [phase.seconds for phase in fast.phases] == [pytest.approx(0.04), pytest.approx(0.005)]
    assert fast.phases[0].percent_of_phase == pytest.approx(2)
    assert fast.seconds == pytest.approx(0.045)
    assert fast.run_seconds == pytest.approx(0.045, abs=1e-5)  # leaf 3 is the hottest in both


def test_a_fabric_of_one_switch_has_no_such_links() -> None:
    switched = on_fabric("fattree:down=8,gbit=1")
    assert [(phase.links, phase.hot, phase.seconds) for phase in switched.phases] == [((), 0, 0.0)] * 2
    assert not switched.hidden


def test_only_the_first_links_are_told() -> None:
    fabric = Fabric((generated("fattree:leaf=4x2,spine=2"),), ())
    connection = run_of_eight().connection
    whole = flows(connection)
    run = job_loads(fabric, whole, given_places(connection, fabric, "node000[1-8]"))
    limited = loads_by_phase(run, flows_by_phase(connection, whole), 3)
    assert [(len(phase.links), phase.hot, phase.hidden) for phase in limited.phases] == [
        (3, 12, 0),
        (3, 4, 2),
    ]
    # The slowest links of the second phase are hot over the run, too: hidden ones come after them.
    limited = loads_by_phase(run, flows_by_phase(connection, whole), 1)
    [(phase, link)] = limited.hidden
    assert (phase, phase.hidden, link.hidden) == (limited.phases[1], 2, True)

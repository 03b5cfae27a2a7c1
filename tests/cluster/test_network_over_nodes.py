"""Bytes at the network ports of nodes, as profiles have them: the messages, and nearly nothing else."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from launching import across_nodes, launch, record_success
from libraries import Mpi, first_of_each
from neighbour import stream
from nodes import Cluster

from rankwise.analysis.evidence import Evidence
from rankwise.analysis.nodes.network import LEAST_BYTES
from rankwise.findings.finding import NoAnswer
from rankwise.findings.rules.other_traffic import RULE
from rankwise.profile.store.database import open_profile

PARTNERS = Path(__file__).parent / "programs" / "partners.c"
NODES, SIZE, ROUNDS = 2, 1 << 20, 40
A_NODE = 2  # ranks, each with its partner on the other node
ALL = across_nodes()
FIRST = list(first_of_each(ALL, lambda mpi: mpi.family))
LIBRARIES = [pytest.param(mpi, marks=() if mpi in FIRST else pytest.mark.exhaustive) for mpi in ALL]


def recorded(mpi: Mpi, cluster: Cluster, place: Path, rounds: int = ROUNDS) -> Evidence:
    program = cluster.directory / f"partners.{mpi.name}"
    if not program.exists():
        mpi.compile(program, PARTNERS)
    words = launch(mpi, cluster, NODES, "round-robin", program, str(SIZE), str(rounds))
    return Evidence(open_profile(record_success(mpi, cluster, place, words).path))


@pytest.mark.parametrize("mpi", LIBRARIES, ids=lambda mpi: mpi.name)
def test_ports_agree_with_messages_within_one_percent(mpi: Mpi, cluster: Cluster, place: Path) -> None:
    use, sent = recorded(mpi, cluster, place).network, A_NODE * SIZE * ROUNDS
    assert use.incomplete == ""
    assert [node.host for node in use.nodes] == list(cluster.names[:NODES])
    assert {port.name for port in use.ports} == {"eth0"}
    for node in use.nodes:
        assert (node.messages_sent, node.messages_received) == (sent, sent)
        assert node.ports_sent == pytest.approx(sent, rel=0.01)
        assert node.ports_received == pytest.approx(sent, rel=0.01)
        assert not node.has_much_other


def test_a_neighbour_is_found_at_its_node(slow: Cluster) -> None:
    """Another program sends from one of the nodes to a node that the job does not use."""
    place = Path(tempfile.mkdtemp(prefix="test-", dir=slow.directory))
    with stream(slow, 0, 2) as neighbour:
        evidence = recorded(FIRST[0], slow, place, rounds=16)
    assert neighbour.bytes > LEAST_BYTES
    [first, second] = evidence.network.nodes
    assert (first.host, first.has_much_other) == (slow.names[0], True)
    assert first.other_sent is not None
    assert LEAST_BYTES <= first.other_sent <= neighbour.bytes * 1.01
    assert not second.has_much_other
    answer = RULE.find(evidence)
    assert not isinstance(answer, NoAnswer)
    [finding] = answer
    assert slow.names[0] in finding.title

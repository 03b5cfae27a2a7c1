"""The use of the nodes' network ports: sums, the view, and the rules. All numbers are known."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from made_profile import Made

from golden import Golden
from rankwise.analysis.nodes.network import HEADER_BYTES, network_use
from rankwise.findings.finding import Finding, NoAnswer
from rankwise.findings.rules import blocked_ports, other_traffic, port_errors
from rankwise.text.network import error_text, network_fields
from rankwise.views.by import view
from rankwise.views.view import Detail

MIB = 1 << 20
SENT, PACKETS = 100 * MIB, 1000
HOSTS = ("a", "a", "b", "b")


class Network(Made):
    """4 ranks on 2 nodes; rank 0 sends to rank 2 and to its neighbour."""

    def __init__(self) -> None:
        super().__init__(hosts=HOSTS)
        self.connection.execute("UPDATE ranks SET transport_state = 'active'")
        self.message(0, 2, SENT)
        self.message(0, 1, 7)
        for rank in range(4):
            self.call(rank, "MPI_Send", 2.0)
        self._ports = 0

    def port(
        self, host: str, *, sent: int = 0, received: int = 0, kind: str = "ethernet", **counted: int
    ) -> None:
        self._ports += 1
        names = {"ethernet": "eth0", "infiniband": "mlx5_0", "slingshot": "cxi0", "tcp": "TCP"}
        values = {"sent_bytes": sent, "received_bytes": received, **counted}
        if kind == "tcp":
            values = counted
        number = 1 if kind == "infiniband" else None
        self.insert(
            "network_ports",
            id=self._ports,
            host=host,
            device=names[kind],
            port=number,
            kind=kind,
            end=9.0,
            **values,
        )


def only(answer: object) -> Finding:
    assert isinstance(answer, list)
    [finding] = answer
    assert isinstance(finding, Finding)
    return finding


@pytest.mark.parametrize("kind", ["ethernet", "infiniband", "slingshot"])
def test_messages_and_other_bytes(kind: str) -> None:
    made = Network()
    header = HEADER_BYTES.get(kind, 0) * PACKETS
    made.port(
        "a",
        sent=SENT + header + 50 * MIB,
        received=header,
        kind=kind,
        sent_packets=PACKETS,
        received_packets=PACKETS,
    )
    made.port("b", received=SENT + header, kind=kind, received_packets=PACKETS)
    use = network_use(made.connection)
    assert [(node.messages_sent, node.ports_sent, node.other_sent) for node in use.nodes] == [
        (SENT, SENT + 50 * MIB, 50 * MIB),
        (0, 0, 0),
    ]
    assert [(node.messages_received, node.other_received) for node in use.nodes] == [(0, 0), (SENT, 0)]
    assert use.nodes[0].other_percent == pytest.approx(100 / 3)
    assert use.incomplete == ""


def test_a_counter_that_is_not_known() -> None:
    made = Network()
    made.port("a", sent=SENT)
    made.connection.execute("UPDATE network_ports SET sent_bytes = NULL")
    [node] = network_use(made.connection).nodes
    assert (node.ports_sent, node.other_sent, node.other_percent) == (None, None, None)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE run SET partial = 1, partial_reason = 'x'",
        "UPDATE ranks SET transport_state = 'none' WHERE rank = 1",
        "UPDATE run SET only = '[\"MPI_Bcast\"]'",
        "UPDATE run SET worlds = 2",
        "INSERT INTO dropped VALUES (0, 'messages', 1)",
    ],
)
def test_other_bytes_are_no_more_than_a_bound_where_messages_may_be_missing(change: str) -> None:
    made = Network()
    made.port("a", sent=3 * SENT)
    made.connection.execute(change)
    assert network_use(made.connection).incomplete
    assert isinstance(other_traffic.RULE.find(made.seen), NoAnswer)
    shown = view("network", made.connection, Detail.ALL)
    assert "at least" in shown.title
    assert shown.tables[0].notes


def test_other_traffic_is_found_at_its_node(golden: Golden) -> None:
    made = Network()
    made.port("a", sent=SENT)
    made.port("b", received=4 * SENT)
    finding = only(other_traffic.RULE.find(made.seen))
    assert finding.saved_seconds == pytest.approx(4.0 * 0.75)  # of two ranks
    golden.says(view("network", made.connection, Detail.ALL).title, "100.0 .. b")
    golden.says(finding.title, "75.0 .. b")


@pytest.mark.parametrize(("sent", "received"), [(SENT, SENT), (SENT * 6 // 5, SENT), (SENT + MIB, SENT)])
def test_little_other_traffic(sent: int, received: int) -> None:
    made = Network()
    made.port("a", sent=sent)
    made.port("b", received=received)
    assert other_traffic.RULE.find(made.seen) == []


@pytest.mark.parametrize("rule", [other_traffic.RULE, blocked_ports.RULE, port_errors.RULE])
def test_no_samples_and_a_single_node(rule: object) -> None:
    find: Callable[[object], object] = rule.find  # type: ignore[attr-defined]
    assert isinstance(find(Network().seen), NoAnswer)
    alone = Made()
    assert find(alone.seen) == []


def test_blocked_ports(golden: Golden) -> None:
    made = Network()
    made.port("a", sent=SENT, kind="infiniband", wait_ticks=3 * SENT // 4)
    made.port("b", sent=SENT, received=SENT, kind="infiniband", wait_ticks=0)
    finding = only(blocked_ports.RULE.find(made.seen))
    golden.says(finding.title, "mlx5_0/1 .. a .. 75.0")
    assert finding.saved_seconds == pytest.approx(4.0 * 0.75)


def test_ports_that_are_not_blocked_and_ports_that_do_not_tell() -> None:
    made = Network()
    made.port("a", sent=SENT, kind="infiniband", wait_ticks=SENT // 40)
    assert blocked_ports.RULE.find(made.seen) == []
    ethernet = Network()
    ethernet.port("a", sent=SENT)
    assert isinstance(blocked_ports.RULE.find(ethernet.seen), NoAnswer)


@pytest.mark.parametrize(
    "error", ["symbol_errors", "receive_errors", "send_errors", "discards", "link_downs", "link_recoveries"]
)
def test_errors_of_a_port(error: str, golden: Golden) -> None:
    made = Network()
    made.port("a", sent=SENT, kind="infiniband", sent_packets=PACKETS)
    made.port("b", received=SENT, kind="infiniband", received_packets=PACKETS, **{error: 3})
    finding = only(port_errors.RULE.find(made.seen))
    golden.says(finding.title, "mlx5_0/1 .. b .. 3")
    assert error_text({error: 3}) in finding.title
    assert finding.saved_seconds == pytest.approx(4.0 * 3 / PACKETS)


def test_discards_on_ethernet_are_usual() -> None:
    made = Network()
    made.port("a", sent=SENT, discards=3)
    assert port_errors.RULE.find(made.seen) == []


@pytest.mark.parametrize(("again", "findings"), [(20, 1), (5, 0)])
def test_segments_that_are_sent_again(again: int, findings: int) -> None:
    made = Network()
    made.port("a", sent=SENT)
    made.port("a", kind="tcp", sent_packets=PACKETS, retransmissions=again)
    answer = port_errors.RULE.find(made.seen)
    assert not isinstance(answer, NoAnswer)
    assert len(answer) == findings


def test_the_summary_has_a_line_only_if_something_stands_out(golden: Golden) -> None:
    made = Network()
    made.port("a", sent=SENT)
    made.port("b", received=SENT)
    assert network_fields(network_use(made.connection)) == []
    made.port("b", received=4 * SENT, kind="infiniband", symbol_errors=2)
    made.port("a", kind="tcp", sent_packets=PACKETS, retransmissions=20)
    other, errors, again = network_fields(network_use(made.connection))
    golden.says(other, "80.0 .. b")
    golden.says(errors, "mlx5_0/1 .. b .. 2")
    golden.says(again, "a .. 2.0")


def test_the_view_shows_used_ports_only() -> None:
    made = Network()
    made.port("a", sent=SENT)
    made.port("a", kind="infiniband")
    nodes, ports = view("network", made.connection, Detail.ALL).tables
    assert len(nodes.rows) == 1
    assert [row.name for row in ports.rows] == ["eth0"]
    assert not view("network", Network().connection, Detail.ALL).tables[0].rows

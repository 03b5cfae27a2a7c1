"""Names and sentences for the use of network ports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rankwise.analysis.nodes.network import NetworkUse, PortUse
from rankwise.text.units import count_text, percent_text

_ERRORS = {
    "symbol_errors": "symbol error",
    "receive_errors": "receive error",
    "send_errors": "send error",
    "discards": "discarded packet",
    "link_downs": "loss of the link",
    "link_recoveries": "recovery of the link",
}
_PLURALS = {"link_downs": "losses of the link", "link_recoveries": "recoveries of the link"}


def error_text(errors: Mapping[str, int]) -> str:
    """Return the errors of a port with their numbers; '' without any."""
    return ", ".join(f"{count_text(count)} {_name(name, count)}" for name, count in errors.items())


def blocked_text(port: PortUse) -> str:
    """Return how long a port was blocked, a predicate."""
    return f"could not send for {percent_text(port.wait_percent or 0.0)} % of the time in which it had data"


def network_fields(use: NetworkUse) -> list[str]:
    """Return what stands out at the network ports, shortly; none if nothing does."""
    fields = []
    busy = [node for node in use.nodes if node.has_much_other]
    if use.has_messages and busy and not use.incomplete:
        most = max(busy, key=lambda node: node.other_bytes)
        share = percent_text(most.other_percent or 0.0)
        fields.append(f"{share} % of the bytes at {most.host} are other traffic{_others(busy, 'node')}")
    fields += port_fields(use)
    if repeating := [node for node in use.nodes if node.repeats_much]:
        worst_node = max(repeating, key=lambda node: node.retransmitted_percent or 0.0)
        share = percent_text(worst_node.retransmitted_percent or 0.0)
        fields.append(f"{worst_node.host} sent {share} % of TCP again{_others(repeating, 'node')}")
    return fields


def port_fields(use: NetworkUse) -> list[str]:
    """Return which single ports stand out, and by what; none if none does."""
    fields = []
    if blocked := [port for port in use.ports if port.is_blocked]:
        worst = max(blocked, key=lambda port: port.wait_percent or 0.0)
        share = percent_text(worst.wait_percent or 0.0)
        fields.append(f"{worst.name} of {worst.host} blocked {share} % of its time{_others(blocked, 'port')}")
    if faulty := [port for port in use.ports if port.faults]:
        first = max(faulty, key=lambda port: sum(port.faults.values()))
        fields.append(f"{first.name} of {first.host}: {error_text(first.faults)}{_others(faulty, 'port')}")
    return fields


def _others(some: Sequence[object], noun: str) -> str:
    return f" (and {len(some) - 1} other {noun}{'s' * (len(some) > 2)})" if len(some) > 1 else ""


def _name(error: str, count: int) -> str:
    singular = _ERRORS[error]
    return singular if count == 1 else _PLURALS.get(error, f"{singular}s")

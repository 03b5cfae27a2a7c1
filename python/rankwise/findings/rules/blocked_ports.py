"""Network ports have data to send, and can't send it."""

from __future__ import annotations

from collections.abc import Sequence

from rankwise.analysis.evidence import Evidence
from rankwise.analysis.nodes.network import LEAST_BYTES, MUCH_BLOCKED_PERCENT, NetworkUse
from rankwise.findings.finding import MEDIUM, Command, Fact, Finding, NoAnswer, Rule
from rankwise.findings.network import if_sampled, seconds_in_mpi
from rankwise.text.network import blocked_text


def _find(profile: Evidence, use: NetworkUse) -> Sequence[Finding] | NoAnswer:
    if not use.has_messages:
        return []
    if all(port.wait_percent is None for port in use.ports):
        return NoAnswer("the ports do not count how long they are blocked")
    blocked = [port for port in use.ports if port.is_blocked]
    if not blocked:
        return []
    blocked.sort(key=lambda port: port.wait_percent or 0.0, reverse=True)
    worst, seconds = blocked[0], seconds_in_mpi(profile)
    by_host = {port.host: port for port in reversed(blocked)}
    others = f", and {len(blocked) - 1} other ports are blocked" if len(blocked) > 1 else ""
    return [
        Finding(
            rule=RULE.id,
            title=f"port {worst.name} of {worst.host} {blocked_text(worst)}{others}",
            saved_seconds=sum(
                seconds.get(host, 0.0) * (port.wait_percent or 0.0) / 100 for host, port in by_host.items()
            ),
            upper_bound=True,
            formula=RULE.formula,
            inputs=[
                Fact(f"time in MPI of the ranks of {worst.host}", seconds.get(worst.host, 0.0), "s"),
                Fact("blocked", worst.wait_percent or 0.0, "%"),
            ],
            evidence=[Fact("ports", len(blocked)), Fact("sent by this port", worst.sent_bytes or 0, "B")],
            confidence=MEDIUM,
            why_confidence="a tick of this counter is taken for the time of 4 bytes, as most adapters count",
            command=Command("links"),
        )
    ]


RULE = Rule(
    "blocked-ports",
    "Network ports that could not send although they had data: congestion behind them.",
    f"A port could not send in at least {MUCH_BLOCKED_PERCENT:.0f} % of the time in which it had data, and "
    f"sent at least {LEAST_BYTES >> 20} MiB.",
    "time in MPI of the ranks of these nodes x share of the time in which the port was blocked",
    "`rankwise links` shows which links the messages share, and whether another placement avoids them.",
    if_sampled(_find),
    order=42,
)

"""Network ports count errors, or packets are sent again."""

from __future__ import annotations

from collections.abc import Sequence

from rankwise.analysis.evidence import Evidence
from rankwise.analysis.nodes.network import MUCH_REPEATED_PERCENT, NetworkUse, PortUse
from rankwise.findings.finding import HIGH, Fact, Finding, NoAnswer, Rule
from rankwise.findings.network import SHOW, if_sampled, seconds_in_mpi
from rankwise.text.network import error_text
from rankwise.text.units import percent_text


def _find(profile: Evidence, use: NetworkUse) -> Sequence[Finding] | NoAnswer:
    faulty = [port for port in use.ports if port.faults]
    faulty.sort(key=lambda port: sum(port.faults.values()), reverse=True)
    repeating = [node for node in use.nodes if node.repeats_much]
    repeating.sort(key=lambda node: node.retransmitted_percent or 0.0, reverse=True)
    seconds = seconds_in_mpi(profile)
    findings = []
    if faulty:
        first = faulty[0]
        others = f"; {len(faulty) - 1} other ports have errors, too" if len(faulty) > 1 else ""
        findings.append(
            _finding(
                "ports",
                f"port {first.name} of {first.host} had {error_text(first.faults)}{others}",
                sum(seconds.get(port.host, 0.0) * _share(port) for port in faulty),
                [Fact(f"{port.host} {port.name}", error_text(port.faults)) for port in faulty[:8]],
            )
        )
    if repeating:
        worst = repeating[0]
        share = worst.retransmitted_percent or 0.0
        others = f", and {len(repeating) - 1} other nodes repeat many" if len(repeating) > 1 else ""
        findings.append(
            _finding(
                "TCP",
                f"{worst.host} sent {percent_text(share)} % of its TCP segments again{others}",
                sum(
                    seconds.get(node.host, 0.0) * (node.retransmitted_percent or 0.0) / 100
                    for node in repeating
                ),
                [Fact("nodes", len(repeating)), Fact(f"sent again by {worst.host}", share, "%")],
            )
        )
    return findings


def _finding(subject: str, title: str, seconds: float, evidence: Sequence[Fact]) -> Finding:
    return Finding(
        rule=RULE.id,
        subject=subject,
        title=title,
        saved_seconds=seconds,
        upper_bound=False,
        formula=RULE.formula,
        inputs=[],
        evidence=evidence,
        confidence=HIGH,
        why_confidence="the adapter or the kernel counted them during the job",
        command=SHOW,
    )


def _share(port: PortUse) -> float:
    packets = (port.sent_packets or 0) + (port.received_packets or 0)
    return min((sum(port.faults.values()) + (port.retransmissions or 0)) / packets, 1.0) if packets else 0.0


RULE = Rule(
    "port-errors",
    "Errors of network ports and cables, and packets that were sent again.",
    "A port counted an error, lost its link, or discarded packets (on Ethernet, discarded packets do not "
    f"count), or TCP sent at least {MUCH_REPEATED_PERCENT:.0f} % of its segments again.",
    "time in MPI of the ranks of these nodes x share of packets with errors, or of repeated segments",
    "Tell the staff of the computing centre the node and the port; exclude the node until then.",
    if_sampled(_find),
    order=43,
)

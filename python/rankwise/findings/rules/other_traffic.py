"""Network ports move much beside the messages of the ranks."""

from __future__ import annotations

from collections.abc import Sequence

from rankwise.analysis.evidence import Evidence
from rankwise.analysis.nodes.network import LEAST_BYTES, MUCH_OTHER_PERCENT, NetworkUse
from rankwise.findings.finding import MEDIUM, Fact, Finding, NoAnswer, Rule
from rankwise.findings.network import SHOW, if_sampled, seconds_in_mpi
from rankwise.text.units import byte_text, percent_text


def _find(profile: Evidence, use: NetworkUse) -> Sequence[Finding] | NoAnswer:
    if not use.has_messages:
        return []
    if use.incomplete:
        return NoAnswer(f"{use.incomplete}, so other traffic is unknown")
    busy = [node for node in use.nodes if node.has_much_other]
    if not busy:
        return []
    busy.sort(key=lambda node: node.other_bytes, reverse=True)
    most, seconds = busy[0], seconds_in_mpi(profile)
    share = percent_text(most.other_percent or 0)
    others = f", and much at {len(busy) - 1} other nodes" if len(busy) > 1 else ""
    return [
        Finding(
            rule=RULE.id,
            title=f"{share} % of the bytes at the network ports of {most.host} are not messages of the ranks"
            f" ({byte_text(most.other_bytes)}){others}",
            saved_seconds=sum(
                seconds.get(node.host, 0.0) * (node.other_percent or 0.0) / 100 for node in busy
            ),
            upper_bound=True,
            formula=RULE.formula,
            inputs=[
                Fact(f"time in MPI of the ranks of {most.host}", seconds.get(most.host, 0.0), "s"),
                Fact(f"other bytes at {most.host}", most.other_percent or 0.0, "%"),
            ],
            evidence=[
                Fact("nodes", len(busy)),
                Fact(f"messages sent by {most.host}", most.messages_sent, "B"),
                Fact(f"other bytes sent by {most.host}", most.other_sent or 0, "B"),
                Fact(f"messages received by {most.host}", most.messages_received, "B"),
                Fact(f"other bytes received by {most.host}", most.other_received or 0, "B"),
            ],
            confidence=MEDIUM,
            why_confidence="the ports count all bytes, but how long they delayed messages is not known",
            command=SHOW,
        )
    ]


RULE = Rule(
    "other-traffic",
    "Network ports that carry much beside the messages of the ranks.",
    f"At least {MUCH_OTHER_PERCENT:.0f} % of the bytes at a node's ports, and at least {LEAST_BYTES >> 20} "
    "MiB, are not messages between ranks. Headers of packets do not count.",
    "time in MPI of the ranks of these nodes x share of other bytes at the node's ports",
    "Find out its origin: files (`show --by file`), another job on the node, a service. Write large files "
    "when the program communicates little.",
    if_sampled(_find),
    order=41,
)

"""Messages leave their nodes although another order of the ranks would keep them there."""

from __future__ import annotations

from collections.abc import Sequence

from rankwise.analysis.evidence import Evidence
from rankwise.findings.finding import Command, Fact, Finding, NoAnswer, Rule
from rankwise.findings.point_to_point import (
    FORMULA,
    LEAST_KEPT,
    LEAST_OFF_NODE,
    could_be_reordered,
    how_sure,
    spared,
)
from rankwise.text.units import byte_text, percent_text


def _find(profile: Evidence) -> Sequence[Finding] | NoAnswer:
    traffic = spared(profile)
    if traffic is None or could_be_reordered(profile):
        return []  # (If the program allows another order, "reorder-not-done" reports the same bytes.)
    if isinstance(traffic, NoAnswer):
        return traffic
    share = percent_text(100 * traffic.off_node_bytes / traffic.bytes)
    kept = percent_text(100 * traffic.kept_bytes / traffic.off_node_bytes)
    confidence, why = how_sure(
        profile, "a simple order was tried; `map` searches for the best, `map verify` measures it"
    )
    return [
        Finding(
            rule=RULE.id,
            title=f"{share} % of {byte_text(traffic.bytes)} leave their nodes;"
            f" another order keeps {kept} % of that",
            saved_seconds=traffic.seconds,
            upper_bound=True,
            formula=FORMULA,
            inputs=traffic.inputs,
            evidence=[Fact("nodes", profile.run.nodes), Fact("ranks", profile.run.ranks)],
            confidence=confidence,
            why_confidence=why,
            command=Command("map"),
        )
    ]


RULE = Rule(
    "off-node-traffic",
    "Bytes that leave their nodes although another placement would keep them there.",
    f"At least {100 * LEAST_OFF_NODE:.0f} % of the bytes of the program's messages leave their nodes, and a "
    f"simple reordering of the ranks keeps at least {100 * LEAST_KEPT:.0f} % of these on their nodes. If "
    "the program allows communicators to be reordered, reorder-not-done reports it instead.",
    FORMULA,
    "Let `rankwise map` find a better placement.",
    _find,
    order=40,
)

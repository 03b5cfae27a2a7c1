"""Messages leave their nodes that another order of the ranks would keep there."""

from __future__ import annotations

from collections.abc import Sequence

from rankwise.analysis.evidence import Evidence
from rankwise.findings.finding import Command, Fact, Finding, NotTold, Rule
from rankwise.findings.point_to_point import (
    FORMULA,
    LEAST_KEPT,
    LEAST_OFF_NODE,
    could_be_reordered,
    how_sure,
    spared,
)
from rankwise.text.units import byte_text, percent_text


def _find(seen: Evidence) -> Sequence[Finding] | NotTold:
    found = spared(seen)
    if found is None or could_be_reordered(seen):
        return []  # (Where the program asks for another order, "reorder-not-done" speaks of the same bytes.)
    if isinstance(found, NotTold):
        return found
    share = percent_text(100 * found.off_node_bytes / found.bytes)
    kept = percent_text(100 * found.kept_bytes / found.off_node_bytes)
    confidence, why = how_sure(
        seen, "a simple order was tried; `map` searches for the best, `map verify` measures it"
    )
    return [
        Finding(
            rule=RULE.id,
            title=f"{share} % of {byte_text(found.bytes)} leave their nodes;"
            f" another order keeps {kept} % of that",
            saved_seconds=found.seconds,
            upper_bound=True,
            formula=FORMULA,
            inputs=found.inputs,
            evidence=[Fact("nodes", seen.run.nodes), Fact("ranks", seen.run.ranks)],
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

"""The program allows its communicators to be reordered, but they were not."""

from __future__ import annotations

from collections.abc import Sequence

from rankwise.analysis.evidence import Evidence
from rankwise.findings.finding import Command, Fact, Finding, NoAnswer, Rule
from rankwise.findings.point_to_point import FORMULA, could_be_reordered, how_sure, spared
from rankwise.text.names import family_name
from rankwise.text.units import percent_text


def _find(profile: Evidence) -> Sequence[Finding] | NoAnswer:
    asked = could_be_reordered(profile)
    if not asked:
        return []
    traffic = spared(profile)
    if traffic is None:
        return []
    if isinstance(traffic, NoAnswer):
        return traffic
    kept = percent_text(100 * traffic.kept_bytes / traffic.off_node_bytes)
    first = asked[0]
    more = f" and {len(asked) - 1} more" if len(asked) > 1 else ""
    confidence, why = how_sure(
        profile, "a simple order of all ranks was tried; the communicator's ranks may be in another order"
    )
    return [
        Finding(
            rule=RULE.id,
            title=f"{family_name(first)}{more} may be reordered but is not: another order would keep {kept} "
            "% of the off-node bytes on their nodes",
            saved_seconds=traffic.seconds,
            upper_bound=True,
            formula=FORMULA,
            inputs=traffic.inputs,
            evidence=[Fact("communicators that allow it", sum(family.communicators for family in asked))],
            confidence=confidence,
            why_confidence=why,
            command=Command("run", ("--reorder",)),
        )
    ]


RULE = Rule(
    "reorder-not-done",
    "Communicators that the program allows to be reordered (reorder = 1) but that were not.",
    "Neither Rankwise nor the MPI library reordered the ranks, and off-node-traffic finds that another "
    "order would keep bytes on their nodes.",
    FORMULA,
    "Let Rankwise reorder them: rankwise run --reorder.",
    _find,
    order=50,
)

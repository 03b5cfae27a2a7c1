"""The program lets its communicators be reordered to suit the machine, and nobody did."""

from __future__ import annotations

from collections.abc import Sequence

from rankwise.analysis.evidence import Evidence
from rankwise.findings.finding import Command, Fact, Finding, NotTold, Rule
from rankwise.findings.point_to_point import FORMULA, could_be_reordered, how_sure, spared
from rankwise.text.names import family_name
from rankwise.text.units import percent_text


def _find(seen: Evidence) -> Sequence[Finding] | NotTold:
    asked = could_be_reordered(seen)
    if not asked:
        return []
    found = spared(seen)
    if found is None:
        return []
    if isinstance(found, NotTold):
        return found
    kept = percent_text(100 * found.kept_bytes / found.off_node_bytes)
    first = asked[0]
    more = f" and {len(asked) - 1} more" if len(asked) > 1 else ""
    confidence, why = how_sure(
        seen, "a simple order of all ranks was tried; the communicator's ranks may be in another order"
    )
    return [
        Finding(
            rule=RULE.id,
            title=f"{family_name(first)}{more} may be reordered but is not: another order would keep {kept} "
            "% of the off-node bytes on their nodes",
            saved_seconds=found.seconds,
            upper_bound=True,
            formula=FORMULA,
            inputs=found.inputs,
            evidence=[Fact("communicators that allow it", sum(one.communicators for one in asked))],
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

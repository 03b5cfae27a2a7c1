"""Groups of late ranks and late roots of programs that are late by construction: programs/late_groups.c."""

from __future__ import annotations

import libraries
import pytest
from recording import Record, Recording

from rankwise.analysis.evidence import Evidence
from rankwise.findings.finding import Finding
from rankwise.findings.search import findings

RANKS, STEPS = 4, "12"
NEAR = 0.3  # of what is planted: other jobs of the machine delay ranks, too
mpi = libraries.in_turn(libraries.ONE_OF_EACH)


def found_in(done: Recording) -> dict[str, Finding]:
    with done.database as database:
        return {entry.finding.rule: entry.finding for entry in findings(Evidence(database)).found}


def computed_in(done: Recording) -> list[float]:
    """How long each rank computed, as it says itself."""
    computed = dict(line.split() for line in done.process.stdout.splitlines())
    return [float(computed[str(rank)]) for rank in range(RANKS)]


@pytest.mark.reported("verdict/two_late")
def test_two_equally_late_ranks(record: Record) -> None:
    done = record("late_groups.c", RANKS, "two", STEPS)
    late, computed = found_in(done)["late-ranks"], computed_in(done)
    assert late.title.startswith("Ranks 2-3 arrive late")
    # Two ranks that wait for both; and a little for one of these.
    saved = 2 * (min(computed[2:]) - max(computed[:2]))
    assert late.saved_seconds == pytest.approx(saved, rel=NEAR)


def test_a_late_root_of_reductions(record: Record) -> None:
    """Intel MPI keeps the others in the reduction until its root comes: they wait for it there."""
    done = record("late_groups.c", RANKS, "root", STEPS)
    by_rule, computed = found_in(done), computed_in(done)
    planted = sum(computed[0] - seconds for seconds in computed[1:])
    late = by_rule["late-ranks"]
    assert "rank 0 " in late.title.lower()
    assert late.saved_seconds == pytest.approx(planted, rel=NEAR)

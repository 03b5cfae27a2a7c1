"""`rankwise diff` of real jobs: late ranks are mended, and waiting, efficiency and findings show it."""

from __future__ import annotations

import libraries
import pytest
from recording import Record, Recording
from test_late_programs import NEAR, RANKS, computed_in

import rankwise

STEPS = "12"
mpi = libraries.in_turn(libraries.ONE_OF_EACH)


def waited_in(done: Recording) -> float:
    """How long the other ranks waited for those that computed for longer, by the program's own clocks."""
    computed = computed_in(done)
    return sum(max(computed) - seconds for seconds in computed) / RANKS


@pytest.mark.parametrize("mended", [True, False])
def test_what_was_planted_is_what_changes(record: Record, mended: bool) -> None:
    first = record("late_groups.c", RANKS, "two", STEPS)
    # (The next one has the same name.)
    late = Recording(first.process, first.path.rename(first.path.with_name("late.rankwise")))
    even = record("late_groups.c", RANKS, "none", STEPS)
    before, after = (late, even) if mended else (even, late)
    comparison = rankwise.diff(before.path, after.path)
    planted = waited_in(after) - waited_in(before)
    changes = {metric.name: metric.change for metric in comparison.found.time_in_mpi}
    waiting = changes["collectives"]
    assert waiting is not None
    assert waiting.value == pytest.approx(planted, rel=NEAR)
    assert (waiting.high < 0) is mended
    assert (waiting.low > 0) is not mended
    states = {(finding.rule, finding.subject): finding.state for finding in comparison.found.findings}
    state = states["late-ranks", "2-3"]
    if state == "stays":  # Without a processor at once, they sleep for longer in the other run, too.
        computed = computed_in(even)
        assert max(computed[2:]) > max(computed[:2])
    else:
        assert state == ("gone" if mended else "new")
    balance = next(factor for factor in comparison.found.efficiency if factor.name == "load balance")
    assert balance.change is not None
    assert (balance.change.value > 0.2) is mended
    # The same line calls Allreduce in both, and no other one came or went.
    assert {row.only for row in comparison.found.rows["sites"]} == {""}
    assert {row.procedure for row in comparison.found.rows["sites"]} == {"MPI_Allreduce", "MPI_Barrier"}

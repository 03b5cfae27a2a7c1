"""The rule on MPI_Init and MPI_Finalize."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pytest
from made_profile import Made
from the_finding import the_finding

from golden import Golden
from rankwise.findings.finding import LOW
from rankwise.findings.rules.start_and_end import RULE
from rankwise.findings.search import findings
from rankwise.findings.texts import saved_text

RUN = 4.0


def opened(
    init: Sequence[float] = (),
    finalize: Sequence[float] = (),
    late: Sequence[float] = (),
    hosts: Sequence[str] = (),
    run: float = RUN,
) -> Made:
    """Ranks that run for so long between the two, and that were started so much later than the first."""
    number = len(init or finalize)
    made = Made(number, hosts)
    for rank in range(number):
        walls = [run]
        for name, seconds in (("MPI_Init", init), ("MPI_Finalize", finalize)):
            if seconds:
                made.call(rank, name, seconds[rank])
                walls.append(seconds[rank])
        made.connection.execute(
            "UPDATE ranks SET wall = ?, run = ?, started = ? WHERE rank = ?",
            (sum(walls), run, f"2026-11-21T10:00:{late[rank] if late else 0:09.6f}+00:00", rank),
        )
    return made


found_in = partial(the_finding, RULE)


def test_a_long_init(golden: Golden) -> None:
    made = opened(init=[4.0, 4.0, 3.0, 5.0])
    finding = found_in(made)
    assert finding.saved_seconds == pytest.approx(16.0)
    golden.says(finding.title, "MPI_Init .. 4.00 s .. 50.0 %")
    assert finding.evidence[0].what.endswith(" 3")
    assert finding.evidence[0].value == pytest.approx(5.0)
    assert finding.confidence == LOW
    [shown] = findings(made.seen).found
    assert shown.saved_percent_of_run == pytest.approx(50.0)  # of the wall time, not of the run
    golden.says(saved_text(shown), "16.0 s .. 50.0 %")


def test_ranks_that_are_started_late_make_the_others_wait(golden: Golden) -> None:
    """Rank 2 is started 3 s after the others, and takes 0.5 s."""
    finding = found_in(opened(init=[3.5, 3.5, 0.5, 3.5], late=[0, 0, 3, 0]))
    golden.says(finding.title, "MPI_Init .. rank 2 .. 3.00 s")
    assert [fact.value for fact in finding.evidence] == pytest.approx([3.5, 3.0, 9.0])


def test_a_rank_that_ends_late(golden: Golden) -> None:
    made = opened(finalize=[3.0, 3.0, 0.1, 3.0])
    made.connection.execute("UPDATE ranks SET wall = 7.1, run = 7.0 WHERE rank = 2")
    made.connection.execute("UPDATE ranks SET wall = 7.0 WHERE rank <> 2")
    finding = found_in(made)
    golden.says(finding.title, "MPI_Finalize .. 2.27 s .. rank 2 .. 3.00 s")


def test_clocks_that_were_not_compared_tell_nothing(golden: Golden) -> None:
    hosts = ["a", "a", "b", "b"]
    made = opened(init=[3.5, 3.5, 0.5, 3.5], late=[0, 0, 3, 0], hosts=hosts)
    assert len(found_in(made).evidence) == 1
    made.connection.execute("UPDATE ranks SET clock_offset = CASE host WHEN 'b' THEN 3.0 ELSE 0.0 END")
    golden.says(found_in(made).evidence[1].what, "0")


def test_the_start_of_a_short_test_is_none() -> None:
    assert RULE.find(opened(init=[0.5] * 4, finalize=[0.1] * 4, run=0.1).seen) == []


def test_of_a_long_run_the_start_is_little_and_yet_long() -> None:
    assert RULE.find(opened(init=[10.0] * 4, run=190.0).seen) == []
    assert found_in(opened(init=[40.0] * 4, run=560.0)).saved_seconds == pytest.approx(160.0)


def test_no_rank_came_out_of_it() -> None:
    assert RULE.find(Made().seen) == []

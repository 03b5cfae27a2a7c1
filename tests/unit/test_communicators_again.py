"""The rule on communicators that are made and freed again and again."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pytest
from made_profile import Made
from the_finding import the_finding

from golden import Golden
from rankwise.findings.finding import NoAnswer
from rankwise.findings.rules.communicators_again import RULE


def made_in_a_loop(
    count: int,
    dup: Sequence[float],
    free: float = 0.0,
    *,
    freed: float | None = 1.0,
    window: bool = False,
    sites: int = 1,
) -> Made:
    """So many of all four ranks, made at so many places; each rank takes so long for all of them."""
    made = Made()
    making = "MPI_Win_create" if window else "MPI_Comm_dup"
    kind = "window" if window else "communicator"
    made.insert("objects", id=1, path="/opt/app", is_program=1)
    for site in range(1, sites + 1):
        made.insert("sites", id=site, object=1, offset=8 * site, file="solve.c", line=10 + site)
    for number in range(count):
        made.communicator(
            10 + number,
            f"W_d{number}",
            family="W_d*",
            type=kind,
            procedure=making,
            parent=3,
            freed=freed,
            created_in="app",
            site=number % sites + 1,
        )
    for rank, seconds in enumerate(dup):
        made.call(rank, making, seconds, calls=count)
        for number in range(count):
            name = "MPI_Win_free" if window else "MPI_Comm_free"
            if freed is not None:
                made.call(rank, name, free / count, communicator=10 + number)
    made.connection.execute("UPDATE call_places SET site = 1 WHERE communicator = 3")
    return made


found_in = partial(the_finding, RULE)


def test_made_and_freed_in_a_loop(golden: Golden) -> None:
    finding = found_in(made_in_a_loop(100, [2.0] * 4, 1.0))
    assert finding.saved_seconds == pytest.approx(4 * 3.0 * 99 / 100)  # one of them is needed
    assert finding.upper_bound
    golden.says(finding.title, "99 .. Comm_dup .. solve.c:11 .. 10 .. 30.0 ms")
    assert finding.command.options == ("--by", "site", "--call", "Comm_dup")


def test_waiting_for_a_late_rank_is_not_saved() -> None:
    """Rank 1 comes late to each: the others wait for it for 3 of their 3.5 s, and would do so elsewhere."""
    finding = found_in(made_in_a_loop(100, [3.5, 0.5, 3.5, 3.5]))
    assert finding.saved_seconds == pytest.approx(4 * 0.5 * 99 / 100)


def test_windows_in_a_loop() -> None:
    assert found_in(made_in_a_loop(100, [2.0] * 4, window=True)).title.startswith("99 windows ")


@pytest.mark.parametrize(
    "made",
    [
        made_in_a_loop(100, [0.01] * 4),  # it takes next to nothing
        made_in_a_loop(10, [2.0] * 4),  # few
        made_in_a_loop(100, [2.0] * 4, freed=None),  # of those the rule communicators-not-freed tells
        made_in_a_loop(60, [2.0] * 4, sites=60),  # each is made at a place of its own
    ],
)
def test_no_loop_or_one_that_takes_nothing(made: Made) -> None:
    assert RULE.find(made.seen) == []


def test_nothing_ran() -> None:
    assert isinstance(RULE.find(Made(runs=[0.0] * 4).seen), NoAnswer)

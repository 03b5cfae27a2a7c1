"""The rule on the synchronisation of one-sided communication."""

from __future__ import annotations

from functools import partial

import pytest
from made_profile import Made
from the_finding import the_finding

from golden import Golden
from rankwise.findings.finding import LOW, NoAnswer
from rankwise.findings.rules import communicators_again
from rankwise.findings.rules.window_synchronisation import RULE

WINDOW = 10


def windows(procedure: str, *seconds: float, number: int = 1, beside: str = "") -> Made:
    """Calls of one procedure on a window, of which each rank makes 100; `beside`: a few of another one."""
    made = Made(len(seconds))
    for window in range(number):
        made.communicator(
            WINDOW + window, f"W_w{window}", type="window", procedure="MPI_Win_create", parent=3
        )
    for rank, took in enumerate(seconds):
        made.call(rank, procedure, took, calls=100, communicator=WINDOW)
        if beside:
            made.call(rank, beside, 0.1, calls=2, communicator=WINDOW)
    return made


found_in = partial(the_finding, RULE)


def test_flushes(golden: Golden) -> None:
    finding = found_in(windows("MPI_Win_flush_all", 3.0, 2.0, beside="MPI_Win_lock_all"))
    assert finding.saved_seconds == pytest.approx(5.2)
    assert finding.confidence == LOW
    golden.says(finding.title, "Locks .. 26.0 % .. Win_flush_all .. 10 .. 25.5 ms")
    assert finding.command.options == ("--by", "site", "--call", "Win_flush_all,Win_lock_all")


def test_of_fences_waiting_for_a_late_rank_is_not_saved() -> None:
    """Rank 1 comes late to each fence, and the other waits for it."""
    finding = found_in(windows("MPI_Win_fence", 6.0, 1.0))
    assert finding.saved_seconds == pytest.approx(2.0)
    assert finding.title.startswith("Fences take 35.0 % ")


def test_post_start_complete_wait() -> None:
    assert " Win_wait: " in found_in(windows("MPI_Win_wait", 3.0, 2.0, beside="MPI_Win_post")).title


def test_making_windows() -> None:
    finding = found_in(windows("MPI_Win_allocate", 3.0, 3.0, number=4))
    assert finding.saved_seconds == pytest.approx(6.0 * 3 / 4)  # one of them is needed
    assert " Win_allocate: " in finding.title


def test_windows_that_are_made_again_are_counted_once() -> None:
    made = windows("MPI_Win_allocate", 3.0, 3.0, number=40)
    made.connection.execute("UPDATE communicators SET procedure = 'MPI_Win_allocate' WHERE type = 'window'")
    made.connection.execute("UPDATE communicators SET freed = 1 WHERE type = 'window'")
    assert communicators_again.RULE.find(made.seen) != []
    assert RULE.find(made.seen) == []


@pytest.mark.parametrize(
    "made",
    [
        windows("MPI_Win_flush_all", 0.4, 0.4),
        windows("MPI_Win_fence", 9.0, 0.1),
        windows("MPI_Win_allocate", 3.0, 3.0),
        windows("MPI_Put", 9.0, 9.0),
    ],
)
def test_little_of_it_or_waiting_for_a_late_rank_or_a_single_window_or_other_calls(made: Made) -> None:
    assert RULE.find(made.seen) == []


def test_nothing_ran() -> None:
    assert isinstance(RULE.find(Made(runs=[0.0] * 4).seen), NoAnswer)

"""What the summary tells of waiting, in short."""

from __future__ import annotations

import pytest
from made_profile import Made

from rankwise.analysis.evidence import Evidence
from rankwise.analysis.summary import summary
from rankwise.analysis.waiting.totals import MessageTotals


def test_waiting_for_messages() -> None:
    made = Made()
    for rank in (0, 2, 3):
        made.call(rank, "MPI_Recv", 3.0, size_bin=4)
        made.wait(rank, "MPI_Recv", 1, 1.0, 4.0, 3.5)
    made.connection.execute("UPDATE ranks SET mpi = 3.0")
    totals = summary(made.connection, made.seen)
    # 2.5 of 3 s of three ranks, of the 12 s that four are in MPI, all for rank 1.
    assert totals.messages == MessageTotals(
        waiting_seconds=pytest.approx(7.5),
        percent_waiting_of_mpi=pytest.approx(62.5),
        late=made.seen.late,
        percent_for_late=pytest.approx(100.0),
        percent_not_known_of_mpi=pytest.approx(0.0),
        error_seconds=0.0,
        late_sender_seconds=pytest.approx(7.5),
        late_receiver_seconds=0.0,
    )
    assert made.seen.late is not None
    assert (made.seen.late.ranks, made.seen.late.host) == ((1,), "node")
    assert totals.waiting is None


def test_waits_of_which_nothing_is_known() -> None:
    made = Made()
    made.call(0, "MPI_Recv", 3.0, size_bin=4)
    made.connection.execute("UPDATE ranks SET mpi = 3.0")
    messages = summary(made.connection, Evidence(made.connection)).messages
    assert messages is not None
    assert messages.percent_not_known_of_mpi == pytest.approx(25.0)  # 3 of 12 s: there is no sample
    made.connection.execute("INSERT INTO waits VALUES (1, 0, 3, 0, 1, 1.0, 4.0, 1, 1, 0, NULL)")
    made.connection.execute(
        "UPDATE waits SET procedure = (SELECT id FROM procedures WHERE name = 'MPI_Recv')"
    )
    messages = summary(made.connection, Evidence(made.connection)).messages
    assert messages is not None
    assert (messages.waiting_seconds, messages.late) == (0.0, None)
    assert messages.percent_not_known_of_mpi == pytest.approx(25.0)  # none of what is in it is certain


def test_nothing_is_known_of_messages() -> None:
    made = Made()
    assert summary(made.connection, made.seen).messages is None

"""What the pages Balance and Time line of a report hold: the numbers of `rankwise show`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import network_jobs
import numpy as np
import profiles
import pytest
from made_profile import Made
from phased_run import INTERVALS, WIDTH, Run

from golden import Golden
from rankwise.analysis.opened import opened_profile
from rankwise.analysis.timing.time_line import time_line
from rankwise.render.page.container import Container
from rankwise.render.page.contents.overview_figures import late_part
from rankwise.render.page.contents.parts.balance import balance_data
from rankwise.render.page.contents.parts.time_line import time_line_data
from rankwise.render.page.contents.subject import subject
from rankwise.views.by import rank, time, waiting
from rankwise.views.view import Detail


def parts_of(path: Path) -> tuple[Any, Any]:
    """The balance and the time line in a report of a profile."""
    with opened_profile(path) as connection:
        container = Container()
        of = subject(path, connection, container)
        data = {"balance": balance_data(of), "time": time_line_data(of)}
        document = network_jobs.data(f'id="data">{container.packed(data)}<'.encode())
        return document["balance"], document["time"]


def test_ranks_have_the_numbers_of_the_view(tmp_path: Path) -> None:
    path = profiles.write_profile(tmp_path / "a.rankwise")
    balance, _ = parts_of(path)
    ranks = balance["ranks"]
    assert list(ranks["rank"]) == [0, 1, 2, 3]
    assert ranks["mpi"] == pytest.approx(profiles.MPI_SECONDS)
    assert ranks["run"] == pytest.approx([profiles.RUN_SECONDS] * 4)
    with opened_profile(path) as connection:
        rows = {row.rank: row for row in rank.view(connection, Detail.BRIEF).data["ranks"]}
    for name, of in (("sent", "bytes_sent"), ("received", "bytes_received"), ("calls", "calls")):
        assert list(ranks[name]) == [getattr(rows[number], of) for number in range(4)]
    assert ranks["states"] == ["finalized"]
    assert ranks["finalized"]


def test_states_of_ranks_that_did_not_finalize(tmp_path: Path) -> None:
    balance, _ = parts_of(profiles.write_partial(tmp_path / "a.rankwise"))
    ranks = balance["ranks"]
    assert not ranks["finalized"]
    assert [ranks["states"][state] for state in ranks["state"]] == [
        *["finalized"] * 2,
        "running, inside Allreduce on W",
        "finalized",
    ]


def test_time_in_files_is_a_part_of_that_in_mpi(tmp_path: Path) -> None:
    run = Made(2)
    run.call(0, "MPI_File_write_all", 0.5)
    run.call(0, "MPI_Barrier", 0.25)
    run.call(1, "MPI_Barrier", 0.5)
    balance, _ = parts_of(run.write(tmp_path / "a.rankwise"))
    assert list(balance["ranks"]["files"]) == [0.5, 0.0]
    assert list(balance["ranks"]["mpi"]) == [0.75, 0.5]


def test_without_ranks_and_arrivals_it_says_why(tmp_path: Path) -> None:
    balance, line = parts_of(profiles.write_empty(tmp_path / "a.rankwise"))
    assert "before MPI_Init" in balance["missing"]
    assert "MPI_Init" in line["missing"]
    balance, _ = parts_of(profiles.write_profile(tmp_path / "b.rankwise"))
    assert "--clock-sync" in balance["late"]["noCollectives"]
    assert "--by call" in balance["late"]["noMessages"]
    assert not len(balance["late"]["rank"])


def waiting_run() -> Made:
    """Rank 3 comes to three barriers 0.3 s after the others, then rank 1 waits 0.2 s for its message."""
    run = Made(4)
    for number in range(3):
        start = float(number)
        run.instance("MPI_Barrier", number, [start] * 3 + [start + 0.3], start + 0.31)
    for caller in range(4):
        run.call(caller, "MPI_Barrier", 3 * (0.01 if caller == 3 else 0.31), calls=3)
    run.wait(1, "MPI_Recv", 3, 5.0, 5.21, 5.2)
    run.call(1, "MPI_Recv", 0.21)
    return run


def test_waiting_by_rank_and_call_adds_up_to_what_the_view_says(tmp_path: Path) -> None:
    path = waiting_run().write(tmp_path / "a.rankwise")
    balance, _ = parts_of(path)
    with opened_profile(path) as connection:
        view = waiting.view(connection, Detail.BRIEF)
    expected = view.data["waiting"]
    late, waits = balance["late"], balance["waits"]
    place_of = {rank: place for place, rank in enumerate(late["rank"].tolist())}
    assert late["title"] == view.title
    assert late["noCollectives"] == late["noMessages"] == ""
    for row in expected.ranks:
        place = place_of[row.rank]
        assert late["waited"][place] == pytest.approx(row.suffered.seconds)
        assert late["caused"][place] == pytest.approx(row.caused.seconds)
        assert late["rootCauseInCollectives"][place] == pytest.approx(row.root_cause_seconds)
    for origin in view.data["message_waits"].origins:
        place = place_of[origin.rank]
        assert late["messagesCaused"][place] == pytest.approx(origin.directly_seconds)
        assert late["rootCauseForMessages"][place] == pytest.approx(origin.origin_seconds)
    by_rank = np.bincount(waits["rank"], waits["collectives"], 4)
    assert by_rank.tolist() == pytest.approx([0.9, 0.9, 0.9, 0.0])
    assert np.bincount(waits["rank"], waits["messages"], 4).tolist() == pytest.approx([0.0, 0.2, 0.0, 0.0])
    assert late["caused"][place_of[3]] == pytest.approx(2.7)


def caused_in_both() -> Made:
    """Rank 0 leaves 20 barriers 0.1 s late: 6 s. Ranks 0 and 1 wait for 2 s for 2, and for 2 s for 3: 8 s."""
    run = Made(4)
    for number in range(20):
        begin = 0.2 * number
        run.instance("MPI_Barrier", number + 1, [begin + 0.1] + [begin] * 3, begin + 0.1, since=[0.0] * 4)
    for caller in range(4):
        run.call(caller, "MPI_Barrier", 2.0 * (caller > 0), calls=20)
    for caller in (0, 1):
        for late, start in ((2, 10.0), (3, 20.0)):
            run.wait(caller, "MPI_Recv", late, start, start + 2.1, start + 2.0)
        run.call(caller, "MPI_Recv", 4.2, calls=2)
    return run


def test_all_pages_blame_the_same_ranks_for_all_waiting(tmp_path: Path, golden: Golden) -> None:
    path = caused_in_both().write(tmp_path / "a.rankwise")
    balance, _ = parts_of(path)
    late = balance["late"]
    causes = dict(zip(late["rank"].tolist(), late["rootCause"].tolist(), strict=True))
    assert causes == pytest.approx({0: 6.0, 1: 0.0, 2: 4.0, 3: 4.0})
    assert late["rootCause"] == pytest.approx(late["rootCauseInCollectives"] + late["rootCauseForMessages"])
    assert sum(causes.values()) == pytest.approx(float((late["waited"] + late["messagesWaited"]).sum()))
    # With 42.9 % of it rank 0 does not stand out, on either page.
    assert "rank 0" not in late["title"]
    with opened_profile(path) as connection:
        overview = late_part(subject(path, connection, Container()))
    assert late["title"].lower().endswith(f"; {overview['title'].lower()}")
    golden.says(overview["title"])
    # Named as late are those that could have come in time: rank 0 left its barriers late.
    assert late["leftLate"].tolist() == pytest.approx([6.0, 0.0, 0.0, 0.0])
    assert {row["rank"]: row["seconds"] for row in overview["rows"]} == pytest.approx(
        {blamed: causes[blamed] for blamed in (2, 3)}
    )
    assert sum(row["share"] for row in overview["rows"]) == pytest.approx(8.0 / 14.0)


def test_time_line_is_that_of_the_view(tmp_path: Path) -> None:
    run = Run()
    run.all_intervals()
    path = run.write(tmp_path / "a.rankwise")
    _, line = parts_of(path)
    assert (line["count"], line["width"], line["together"], line["precision"]) == (INTERVALS, WIDTH, 1, "")
    half = INTERVALS // 2
    share = [1.0] * half + [91.0] * half
    assert line["measures"]["mpi"]["mean"] == pytest.approx(share * 4)
    assert line["measures"]["sent"]["mean"] == pytest.approx(([10.0] * half + [10_000.0] * half) * 4)
    assert line["measures"]["calls"]["mean"] == pytest.approx([10.0] * INTERVALS * 4)
    assert line["phases"]["begin"] == pytest.approx([0.0, 2.0])
    assert line["phases"]["mpi"] == pytest.approx([1.0, 91.0])
    with opened_profile(path) as connection:
        assert line["title"] == time.view(connection, Detail.BRIEF).title


def test_many_ranks_are_rows_together_and_as_precise_as_they_say(tmp_path: Path) -> None:
    ranks = 3001
    run = Run(ranks)
    run.connection.executemany(
        "INSERT INTO intervals (rank, interval, seconds, bytes_sent, bytes_received, messages, calls)"
        " VALUES (?, ?, ?, ?, 0, 0, 1)",
        [
            (caller, number, 0.1 * ((7 * caller + number) % 100) / 100, (caller * 37 + number) % 5000)
            for caller in range(ranks)
            for number in range(INTERVALS)
        ],
    )
    path = run.write(tmp_path / "a.rankwise")
    _, line = parts_of(path)
    together = line["together"]
    rows = -(-ranks // together)
    assert together == 2
    assert rows * INTERVALS <= 100_000
    assert line["precision"] == "Shares are rounded to 0.2 %, other numbers to 1.1 % of their value."
    with opened_profile(path) as connection:
        time_lines = time_line(connection).ranks
    for name, own, off in (("mpi", "mpi_seconds", 0.2), ("sent", "bytes_sent", 0.0115)):
        exact = np.array([getattr(row, own) for row in time_lines]) / WIDTH * (100 if name == "mpi" else 1)
        starts = np.arange(0, ranks, together)
        cells = line["measures"][name]
        levels = cells["levels"]
        means = np.add.reduceat(exact, starts) / np.add.reduceat(np.ones((ranks, 1)), starts)
        for kind, expected in (("mean", means), ("most", np.maximum.reduceat(exact, starts))):
            shown = levels[cells[kind]].reshape(rows, INTERVALS)
            error = np.abs(shown - expected)
            assert (error <= (off + 1e-6 if name == "mpi" else off * expected + 1e-6)).all()

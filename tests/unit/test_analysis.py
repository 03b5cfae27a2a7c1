from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import profiles
import pytest

from rankwise.analysis.calls.communicator_calls import communicator_calls
from rankwise.analysis.calls.communicators import communicators
from rankwise.analysis.calls.families import families
from rankwise.analysis.calls.procedures import opening_and_closing_procedures, procedures
from rankwise.analysis.calls.ranks import ranks
from rankwise.analysis.calls.regions import regions
from rankwise.analysis.calls.sizes import sizes, sizes_by_procedure
from rankwise.analysis.calls.totals import Totals, opening_and_closing
from rankwise.analysis.messages.locality import locality
from rankwise.analysis.messages.pairs import pairs, pairs_in_detail
from rankwise.analysis.nodes.totals import nodes
from rankwise.analysis.opened import opened_profile
from rankwise.analysis.overview import run_facts, trust
from rankwise.analysis.summary import summary
from rankwise.analysis.timing.times import balance, times
from rankwise.analysis.to_json import to_json
from rankwise.errors import RankwiseError

near = pytest.approx


@pytest.fixture
def profile(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    with opened_profile(profiles.write_profile(tmp_path / "a.rankwise")) as connection:
        yield connection


@pytest.fixture
def partial(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    with opened_profile(profiles.write_partial(tmp_path / "p.rankwise")) as connection:
        yield connection


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    with opened_profile(profiles.write_empty(tmp_path / "e.rankwise")) as connection:
        yield connection


def test_run(profile: sqlite3.Connection) -> None:
    run = run_facts(profile)
    assert run.command == profiles.COMMAND
    assert (run.ranks, run.nodes, run.calls) == (4, 2, 4 * 617)
    assert (run.job, run.exit_status, run.wall_seconds) == ("4711", 0, 10.0)


def test_trust_of_a_complete_run(profile: sqlite3.Connection) -> None:
    run_trust = trust(profile)
    assert run_trust.complete
    assert (run_trust.ranks_seen, run_trust.ranks_expected, run_trust.dropped_records) == (4, 4, 0)
    assert run_trust.overhead_seconds_per_rank == near(0.002)
    assert (run_trust.own_calls_per_rank, run_trust.own_seconds_per_call) == (617, near(1e-6))
    assert run_trust.setup_overhead_seconds_per_rank == near(0.001383)
    assert run_trust.overhead_percent_of_wall == near(0.02)
    assert run_trust.warnings == run_trust.not_covered == []


def test_trust_of_a_partial_run(partial: sqlite3.Connection) -> None:
    run_trust = trust(partial)
    assert not run_trust.complete
    assert run_trust.partial_reason == "rank 2 (nodeb) ended inside MPI_Allreduce on W"
    assert (run_trust.dropped_records, run_trust.dropped) == (11, {"call_rows": 7, "requests": 4})
    assert len(run_trust.not_covered) == 5
    assert len(run_trust.warnings) == 2


def test_times(profile: sqlite3.Connection) -> None:
    run_times = times(profile)
    assert run_times.init_finalize_seconds == near(0.14)
    assert run_times.mpi_percent_of_run == near(100 * profiles.MPI_TOTAL / profiles.RUN_TOTAL)
    assert run_times.rest_percent_of_run == near(100 - run_times.mpi_percent_of_run)
    assert run_times.most_in_mpi is not None
    assert run_times.least_in_mpi is not None
    assert (run_times.most_in_mpi.rank, run_times.most_in_mpi.host, run_times.most_in_mpi.seconds) == (
        3,
        "nodeb",
        1.71,
    )
    assert (run_times.least_in_mpi.rank, run_times.least_in_mpi.host, run_times.least_in_mpi.seconds) == (
        0,
        "nodea",
        0.97,
    )


def test_balance(profile: sqlite3.Connection) -> None:
    run_balance = balance(profile)
    assert run_balance is not None
    mpi = run_balance.mpi_seconds
    assert (mpi.total, mpi.average) == (near(5.36), near(1.34))
    assert (mpi.minimum, mpi.minimum_rank, mpi.maximum, mpi.maximum_rank) == (0.97, 0, 1.71, 3)
    outside = run_balance.init_finalize_seconds
    assert (outside.total, outside.average, outside.maximum) == (near(0.56), near(0.14), 0.14)
    share = run_balance.mpi_percent_of_run
    assert (share.total, share.average) == (None, near(536 / 39.44))
    assert (share.minimum, share.maximum) == (near(97 / 9.86), near(171 / 9.86))
    # Ranks 0 and 1 are roots of the Bcast and send 20 bytes more.
    sent = run_balance.bytes_sent
    assert (sent.total, sent.minimum_rank, sent.maximum_rank) == (4 * 860_960 + 40, 2, 0)


def test_families(profile: sqlite3.Connection) -> None:
    by_family = {row.family: row for row in families(profile)}
    assert list(by_family) == [
        "W",
        "W_a1_u1",
        "W_a1",
        "W_a1_u2",
    ]  # most time in MPI first, unused ones left out
    rows = by_family["W_a1_u1"]
    assert (rows.communicators, rows.size_min, rows.size_max) == (2, 2, 2)
    assert (rows.user_names, rows.parent, rows.procedure) == (["row"], "W_a1", "MPI_Cart_sub")
    assert (rows.dims, rows.members) == ([[2]], ["0-1", "2-3"])
    assert (rows.totals.calls, rows.totals.bytes_sent) == (40, 4 * 655_360)
    assert rows.totals.seconds == near(1.6)
    assert rows.totals.percent_of_mpi == near(100 * 1.6 / 5.36)
    assert rows.totals.percent_of_run == near(160 / 39.44)
    assert rows.top_operation is not None
    assert (rows.top_operation.procedure, rows.top_operation.size_low) == ("MPI_Alltoallv", 65_536)
    assert (rows.top_operation.size_high, rows.top_operation.seconds) == (131_071, near(1.6))
    cart = by_family["W_a1"]
    assert (cart.name, cart.reorder, cart.topology, cart.dims) == ("W_a1", True, "cart", [[2, 2]])
    assert cart.top_operation is not None
    assert cart.top_operation.procedure == "MPI_Waitall"


def test_shares_add_up(profile: sqlite3.Connection) -> None:
    for rows in (
        families(profile),
        communicators(profile),
        procedures(profile),
        sizes(profile),
        regions(profile),
    ):
        assert sum(row.totals.percent_of_mpi for row in rows) == near(100)
        assert sum(row.totals.percent_of_run for row in rows) == near(536 / 39.44)
        assert sum(row.totals.seconds for row in rows) == near(profiles.MPI_TOTAL)
        assert sum(row.totals.calls for row in rows) == 4 * 615


def test_init_and_finalize_stand_apart(profile: sqlite3.Connection) -> None:
    apart = opening_and_closing_procedures(profile)
    assert [(row.procedure, row.ranks, row.totals.seconds) for row in apart] == [
        ("MPI_Init", 4, near(0.4)),
        ("MPI_Finalize", 4, near(0.16)),
    ]
    assert {(row.totals.percent_of_mpi, row.totals.percent_of_run) for row in apart} == {(0, 0)}
    assert opening_and_closing(profile) == Totals(8, 0, 0, near(0.56), 0, 0)
    assert not {row.procedure for row in procedures(profile)} & {"MPI_Init", "MPI_Finalize"}
    assert "(none)" not in {row.name for row in communicators(profile)}
    without_bytes = next(row for row in sizes(profile) if row.size_bin == 0)
    assert without_bytes.totals.seconds == near(0.8 + 0.02)
    assert without_bytes.totals.percent_of_mpi == near(100 * 0.82 / 5.36)
    assert not {row.procedure for row in communicator_calls(profile)} & {"MPI_Init", "MPI_Finalize"}


def test_what_counts_comes_first_within_a_communicator(tmp_path: Path) -> None:
    connection = sqlite3.connect(profiles.write_profile(tmp_path / "a.rankwise"))
    connection.execute("UPDATE calls SET communicator = 0 WHERE procedure = 7")
    top = next(row.top_operation for row in communicators(connection) if row.name == "(none)")
    assert top is not None
    assert (top.procedure, top.seconds) == ("MPI_Bcast", near(0.04))  # of the roots: at one size


def test_nothing_but_init_and_finalize(tmp_path: Path) -> None:
    connection = sqlite3.connect(profiles.write_profile(tmp_path / "a.rankwise"))
    connection.execute("DELETE FROM calls WHERE procedure NOT IN (1, 8)")
    connection.execute("UPDATE ranks SET mpi = 0")
    assert procedures(connection) == []
    assert families(connection)[0].totals == Totals()
    run_times = times(connection)
    assert (run_times.mpi_percent_of_run, run_times.rest_percent_of_run) == (0, near(100))


def test_threads_share_the_time(tmp_path: Path) -> None:
    connection = sqlite3.connect(profiles.write_profile(tmp_path / "a.rankwise"))
    connection.execute("UPDATE ranks SET threads = 4")
    connection.execute("UPDATE ranks SET mpi = 4 * run WHERE rank = 0")
    assert times(connection).mpi_percent_of_run == near(100 * (4 * 9.86 + 5.36 - 0.97) / (4 * 39.44))
    assert ranks(connection)[0].percent_of_own_run == near(100)


def test_communicators(profile: sqlite3.Connection) -> None:
    by_name = {row.name: row for row in communicators(profile)}
    assert len(by_name) == 6
    assert by_name["W_a1_u2.1"].totals.bytes_sent == 20
    assert (by_name["W_a1"].dims, by_name["W_a1"].periods, by_name["W_a1"].user_name) == (
        [2, 2],
        [0, 0],
        "grid",
    )
    assert by_name["W"].parent is None


def test_communicator_calls_spread_over_processes(profile: sqlite3.Connection) -> None:
    by_call = {(row.communicator, row.procedure): row for row in communicator_calls(profile)}
    row = by_call["W", "MPI_Allreduce"]
    assert (row.processes, row.seconds_mean, row.seconds_min, row.seconds_max) == (4, near(0.625), 0.25, 1.0)
    # Two rows a communicator, one of each size bin: still one process each.
    assert by_call["W_a1_u2.0", "MPI_Bcast"].processes == 2


def test_a_member_that_never_calls_counts_as_zero(tmp_path: Path) -> None:
    path = profiles.write_profile(tmp_path / "a.rankwise")
    connection = sqlite3.connect(path)
    connection.execute("DELETE FROM calls WHERE procedure = 2 AND rank = 3")
    connection.commit()
    row = next(row for row in communicator_calls(connection) if row.procedure == "MPI_Allreduce")
    assert (row.processes, row.seconds_min, row.seconds_max, row.seconds_mean) == (
        3,
        0.0,
        0.75,
        near(1.5 / 4),
    )


def test_procedures(profile: sqlite3.Connection) -> None:
    rows = procedures(profile)
    assert [row.procedure for row in rows[:3]] == ["MPI_Allreduce", "MPI_Alltoallv", "MPI_Waitall"]
    first = rows[0]
    assert (first.procedure_class, first.ranks, first.totals.calls, first.totals.bytes_sent) == (
        "collective",
        4,
        400,
        3200,
    )
    assert (first.call_seconds_min, first.call_seconds_max) == (near(0.00125), near(0.02))
    waits = rows[2].totals
    assert (waits.bytes_sent, waits.bytes_received) == (0, 0)


def test_sizes(profile: sqlite3.Connection) -> None:
    by_bin = {row.size_bin: row for row in sizes(profile)}
    assert (by_bin[11].size_low, by_bin[11].size_high, by_bin[11].totals.calls) == (1024, 2047, 1600)
    assert (by_bin[0].procedure, by_bin[4].procedure) == ("MPI_Waitall", "MPI_Allreduce")
    assert len(sizes_by_procedure(profile)) == 7


def test_pairs(profile: sqlite3.Connection) -> None:
    rows = pairs(profile)
    assert len(rows) == 8
    first = rows[0]
    assert (first.source, first.destination, first.messages, first.bytes, first.off_node) == (
        0,
        1,
        150,
        153_600,
        False,
    )
    assert first.percent_of_kind_bytes == near(18.75)
    assert {(row.source, row.destination) for row in rows if row.off_node} == {
        (0, 2),
        (1, 3),
        (2, 0),
        (3, 1),
    }
    assert {(row.communicator, row.procedure) for row in pairs_in_detail(profile)} == {("W_a1", "MPI_Isend")}


def test_locality_and_nodes(profile: sqlite3.Connection) -> None:
    traffic = locality(profile)
    assert (traffic.messages, traffic.bytes_on_node, traffic.bytes_off_node) == (800, 614_400, 204_800)
    assert traffic.off_node_percent_of_message_bytes == near(25)
    second, first = nodes(profile)
    assert (second.host, second.ranks, second.seconds) == ("nodeb", 2, near(3.17))
    assert (first.host, first.percent_of_mpi, first.percent_of_own_run) == (
        "nodea",
        near(219 / 5.36),
        near(219 / 19.72),
    )
    assert (first.bytes_on_node, first.bytes_off_node, first.bytes_unplaced) == (307_200, 102_400, 0)


def test_destinations_without_a_host_are_unplaced(tmp_path: Path) -> None:
    path = profiles.write_profile(tmp_path / "a.rankwise")
    connection = sqlite3.connect(path)
    connection.execute(
        "INSERT INTO messages VALUES (0, -1, 3, 'point-to-point', 3, 1, 1000), "
        "(0, -2, 3, 'point-to-point', 3, 1, 24), (0, 1, 3, 'in-collective', 2, 9, 9000)"
    )
    traffic = locality(connection)
    assert (traffic.bytes_on_node, traffic.bytes_off_node, traffic.bytes_unplaced) == (614_400, 204_800, 1024)
    outside = {row.destination: row for row in pairs(connection)}[-1]
    assert (outside.off_node, outside.destination_host) == (None, None)


def test_ranks(partial: sqlite3.Connection) -> None:
    rows = ranks(partial)
    assert [row.rank for row in rows] == [3, 2, 1, 0]
    killed = rows[1]
    assert (killed.state, killed.inside, killed.inside_communicator) == ("running", "MPI_Allreduce", "W")
    assert (killed.calls, killed.bytes_sent, killed.bytes_received) == (615, 860_960, 204_800)
    assert killed.percent_of_own_run == near(146 / 9.86)
    assert (killed.cpu_start, killed.max_rss_bytes, killed.wall_seconds) == (2, 102 * 2**20, 10.0)


def test_regions(profile: sqlite3.Connection) -> None:
    solve, outside = regions(profile)
    assert (solve.name, solve.ranks, solve.entries, solve.wall_seconds) == ("solve", 4, 8, near(32))
    assert solve.totals.seconds == near(5.3)
    assert (outside.region, outside.totals.seconds) == (0, near(0.06))
    assert outside.totals.percent_of_mpi == near(100 * 0.06 / 5.36)


def test_nothing_recorded(empty: sqlite3.Connection) -> None:
    overview = summary(empty)
    assert overview.balance is None
    assert overview.times.most_in_mpi is None
    assert overview.families == overview.calls == []
    assert json.dumps(to_json(overview))


def test_rows_are_flat_and_have_the_same_keys_everywhere(profile: sqlite3.Connection) -> None:
    numbers = {"calls", "bytes_sent", "bytes_received", "seconds", "percent_of_mpi", "percent_of_run"}
    for rows in (
        families(profile),
        communicators(profile),
        procedures(profile),
        sizes(profile),
        regions(profile),
    ):
        assert numbers <= set(to_json(rows)[0])
    assert to_json(summary(profile))["families"] == to_json(families(profile))


def test_foreign_json_is_one_line_that_names_the_file(tmp_path: Path) -> None:
    path = profiles.write_profile(tmp_path / "a.rankwise")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE run SET command = '{'")
    with pytest.raises(RankwiseError, match=f"{path}: .*not JSON"), opened_profile(path) as connection:
        run_facts(connection)

"""Flows between ranks: what is in them, what they belong to, and that nothing is missing silently."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import profiles
import pytest
from made_profile import WORLD, Made

from rankwise.analysis.calls.procedures import procedure_ids
from rankwise.analysis.messages.kinds import IN_COLLECTIVE, OF_THE_PROGRAM
from rankwise.analysis.opened import opened_profile
from rankwise.analysis.selection import Selection, select
from rankwise.errors import RankwiseError
from rankwise.network.job.flows import Flows, flows
from rankwise.profile.store.database import open_profile

KIB = 1024


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Ranks 0, 1 on nodea, 2, 3 on nodeb; see profiles.write_inside."""
    return profiles.write_inside(tmp_path / "inside.rankwise")


def flows_of(path: Path, *only: str, kinds: Sequence[str] = (*OF_THE_PROGRAM, IN_COLLECTIVE)) -> Flows:
    with closing(open_profile(path)) as connection:
        return flows(connection, only, kinds)


def change(path: Path, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(statement, values)
        connection.commit()


def cells(of: Flows) -> dict[tuple[int, int, str, str], tuple[int, int]]:
    """By source, destination, communicator and procedure: messages and bytes."""
    return {
        (source, destination, of.groups[group].communicator, of.groups[group].procedure): (messages, sizes)
        for source, destination, group, messages, sizes in zip(
            *(column.tolist() for column in (of.source, of.destination, of.group, of.messages, of.bytes)),
            strict=True,
        )
    }


def test_each_entry_is_of_one_pair_and_one_group(path: Path) -> None:
    of = flows_of(path)
    inside = {(rank, rank ^ bit, "W", "MPI_Allreduce"): (100, 800) for rank in range(4) for bit in (1, 2)}
    assert cells(of).items() >= inside.items()
    assert cells(of)[0, 1, "(other)", "(not attributed)"] == (2, 6)
    assert {group.kind for group in of.groups} == {"point-to-point", "in-collective"}
    volume = [int(of.bytes[of.group == number].sum()) for number in range(len(of.groups))]
    assert volume == sorted(volume, reverse=True)
    assert 0 not in volume
    assert of.ranks == 4
    assert (of.unplaced_messages, of.unplaced_bytes) == (0, 0)


def test_the_sum_is_that_of_the_table(path: Path) -> None:
    of = flows_of(path)
    with closing(open_profile(path)) as connection:
        sums = connection.execute("SELECT SUM(messages), SUM(bytes) FROM messages").fetchone()
    assert (int(of.messages.sum()), int(of.bytes.sum())) == sums


def test_chosen_calls_and_kinds(path: Path) -> None:
    of = flows_of(path, "allreduce")
    assert of.only == ("MPI_Allreduce",)
    assert {(group.procedure, group.kind) for group in of.groups} == {("MPI_Allreduce", "in-collective")}
    assert len(of) == 8
    own = flows_of(path, kinds=OF_THE_PROGRAM)
    assert {group.kind for group in own.groups} == {"point-to-point"}
    assert int(own.bytes.sum()) == 4 * 200 * KIB
    assert len(flows_of(path, kinds=())) == 0
    with pytest.raises(RankwiseError, match="no MPI procedure 'Reduc'"):
        flows_of(path, "Reduc")


def test_collectives_whose_messages_are_not_seen_are_named(path: Path) -> None:
    hidden = {(collective.procedure, collective.communicator) for collective in flows_of(path).hidden}
    assert len(hidden) == 4
    assert {procedure for procedure, _ in hidden} == {"MPI_Alltoallv", "MPI_Bcast"}
    assert {collective.procedure for collective in flows_of(path, "bcast").hidden} == {"MPI_Bcast"}
    assert all(collective.visibility.text for collective in flows_of(path).hidden)
    assert flows_of(path, "allreduce").hidden == ()
    assert flows_of(path, kinds=OF_THE_PROGRAM).hidden == ()


def test_what_has_no_rank_is_counted(path: Path) -> None:
    for source, destination in ((0, -1), (0, -2), (-1, 3), (1, 4)):
        change(path, "INSERT INTO messages VALUES (?, ?, 3, 'point-to-point', 3, 2, 5)", source, destination)
    before = len(flows_of(path, kinds=[IN_COLLECTIVE]))
    of = flows_of(path)
    assert (of.unplaced_messages, of.unplaced_bytes) == (8, 20)
    assert of.source.min() == of.destination.min() == 0
    assert max(of.source.max(), of.destination.max()) == 3
    assert len(flows_of(path, kinds=[IN_COLLECTIVE])) == before


def test_ranks_send_themselves_nothing_over_a_network(path: Path) -> None:
    before = len(flows_of(path))
    change(path, "INSERT INTO messages VALUES (1, 1, 3, 'point-to-point', 3, 9, 9)")
    assert len(flows_of(path)) == before


def test_a_part_of_the_profile(path: Path) -> None:
    with closing(open_profile(path)) as connection:
        select(connection, Selection(rank="0"), sent_only=True)
        of = flows(connection)
    assert set(of.source.tolist()) == {0}
    assert set(of.destination.tolist()) == {1, 2}
    assert of.ranks == 4


def test_a_run_without_messages() -> None:
    of = flows(Made().connection)
    assert (len(of), of.groups, of.hidden) == (0, (), ())


def test_a_large_all_to_all() -> None:
    """Each of 96 ranks sends each other 2 messages of 64 KiB inside one collective."""
    run = Made(ranks=96)
    [alltoall] = procedure_ids(run.connection, ["alltoall"])
    run.connection.executemany(
        "INSERT INTO messages VALUES (?, ?, ?, 'in-collective', ?, 2, 131072)",
        ((a, b, WORLD, alltoall) for a in range(96) for b in range(96)),
    )
    of = flows(run.connection)
    assert len(of) == 96 * 95
    assert [(group.procedure, group.communicator) for group in of.groups] == [("MPI_Alltoall", "W")]
    assert int(of.bytes.sum()) == 96 * 95 * 131072


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE messages SET bytes = -5 WHERE source = 0",
        "UPDATE messages SET communicator = 99",
        "UPDATE messages SET procedure = 999",
        "UPDATE messages SET bytes = 'many'",
    ],
)
def test_damaged_profiles_are_one_line(path: Path, statement: str) -> None:
    change(path, statement)
    with pytest.raises(RankwiseError, match="damaged profile"), opened_profile(path) as connection:
        flows(connection)

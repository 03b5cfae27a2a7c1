"""Sums that are kept and rows that are packed: what they are sums of, however the profile was made."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from assembled import made, rows
from nodes_synthetic import write_nodes
from synthetic import OTHER, PART, WORLD, Process, call, message, small_world, ticks

from rankwise.analysis.calls.over_ranks import (
    calls_over_ranks,
    communicators_over_ranks,
    families_over_ranks,
    members_read,
    procedures_over_ranks,
)
from rankwise.analysis.calls.spread import spread
from rankwise.profile import assemble as assembling
from rankwise.profile.assemble import assemble
from rankwise.profile.collect.keys import calls_key
from rankwise.profile.collect.layout import CONSTANTS
from rankwise.profile.collect.procedures import PROCEDURES
from rankwise.profile.join.members import parse
from rankwise.profile.store.database import SUMS, open_profile

IDS = {procedure.name: procedure.id for procedure in PROCEDURES}


def world(size: int = 9) -> list[Process]:
    """Make a run with all that rows can be of: regions, one-sided messages, two hosts, a rank that hangs."""
    inside = CONSTANTS["MESSAGE_IN_COLLECTIVE"], CONSTANTS["MESSAGE_ONE_SIDED_FETCH"]
    processes = small_world(size)
    for rank, process in enumerate(processes):
        process.header["host"] = b"node%d" % (rank % 2)
        process.header["own_call_picoticks"] = 1000 + rank
        process.regions.append({"name": b"solve", "entries": 2, "ticks": 10**9})
        process.calls.append(
            [
                call("MPI_Init", 0, seconds=0.4, longest=0.4),
                call("MPI_Bcast", WORLD, 4, region=1, calls=rank + 1, sent=8 * rank, seconds=1 / (rank + 3)),
                call("MPI_Allreduce", PART, 5, seconds=1e-7, shortest=1e-7, longest=1e-7),
                # Two indices without a record, which become one.
                call("MPI_Barrier", 40, calls=2, seconds=0.25, shortest=0.1, longest=0.15),
                call("MPI_Barrier", 41, calls=3, seconds=0.5, shortest=0.05, longest=0.4),
            ]
        )
        process.messages.append(
            [
                message("MPI_Bcast", (rank + 2) % size, 2, 16, kind=inside[0]),
                message("MPI_Get", (rank + 1) % size, 1, 50, kind=inside[1]),
                message("MPI_Send", CONSTANTS["PEER_UNKNOWN"], 1, 5, OTHER),
            ]
        )
    processes[4].header |= {"state": CONSTANTS["STATE_RUNNING"], "stopping": (0, 0, 0), "stopped": (0, 0, 0)}
    processes[4].threads = [
        {"tid": 100, "alive": 1, "inside_key": key, "inside_since": ticks(since)}
        for key, since in (
            (calls_key(0, WORLD, IDS["MPI_Barrier"], 0), 7.0),
            (calls_key(0, WORLD, IDS["MPI_Barrier"], 0), 6.0),
        )
    ]
    return processes


def comparable(table: str, values: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Sort the lists of callers, the last column: their order says nothing."""
    return [(*row[:-1], sorted(parse(row[-1]))) for row in values] if table.endswith("_spreads") else values


def near(value: Any) -> Any:
    """Let numbers in nested lists and dicts differ in their last digits."""
    if isinstance(value, dict):
        return {key: near(element) for key, element in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(near(element) for element in value)
    return pytest.approx(value) if isinstance(value, float) else value


def test_kept_sums_are_the_sums_of_the_rows(tmp_path: Path) -> None:
    path = made(tmp_path, world()).path
    for table, computed in SUMS.items():
        columns = [name for (name,) in rows(path, f"SELECT name FROM pragma_table_info('{table}')")]
        columns = columns[1:] if columns[0] == "id" else columns
        query = f"SELECT {', '.join(columns)} FROM {{}} ORDER BY {', '.join(columns[:4])}"
        kept, sums = (
            comparable(table, rows(path, query.format(source))) for source in (table, f"({computed})")
        )
        assert kept
        assert kept == near(sums)


def test_spreads_are_those_of_the_rows(tmp_path: Path) -> None:
    processes = world()
    for rank in (1, 2, 6):  # not by everyone: the least is that of rank 0
        processes[rank].calls.append([call("MPI_Scan", WORLD, 3, seconds=0.1 * rank)])
    path = made(tmp_path, processes).path
    by_kind: dict[str, dict[tuple[Any, ...], dict[int, float]]] = {}
    for rank, communicator, family, procedure, seconds in rows(
        path,
        "SELECT rank, c.name, family, p.name, seconds FROM calls"
        " JOIN communicators AS c ON c.id = communicator"
        " JOIN procedures AS p ON p.id = calls.procedure WHERE class <> 'environment'",
    ):
        for kind, key in (
            ("procedure", (procedure,)),
            ("communicator", (communicator,)),
            ("family", (family,)),
            ("call", (communicator, procedure)),
        ):
            each = by_kind.setdefault(kind, {}).setdefault(key, {})
            each[rank] = each.get(rank, 0.0) + seconds
    with closing(open_profile(path)) as connection:
        read, read_of_family = members_read(connection), members_read(connection, "communicators.family")
        everyone = {"procedure": lambda _: range(9), "family": read_of_family}
        analysed = {
            "procedure": {(key,): summary for key, summary in procedures_over_ranks(connection).items()},
            "communicator": {
                (key,): summary for key, summary in communicators_over_ranks(connection).items()
            },
            "family": {(key,): summary for key, summary in families_over_ranks(connection).items()},
            "call": calls_over_ranks(connection),
        }
        for kind, groups in by_kind.items():
            members = everyone.get(kind, read)
            expected = {
                key: spread(dict.fromkeys(members(key[0]), 0.0) | each) for key, each in groups.items()
            }
            assert near({key: vars(summary) for key, summary in analysed[kind].items()}) == {
                key: vars(summary) for key, summary in expected.items()
            }
    assert (analysed["procedure"]["MPI_Scan",].minimum, analysed["procedure"]["MPI_Scan",].minimum_rank) == (
        0,
        0,
    )


def test_calls_of_the_packed_rows(tmp_path: Path) -> None:
    path = made(tmp_path, world()).path
    barriers = rows(
        path,
        "SELECT rank, calls.calls, seconds, min, max, unfinished FROM calls"
        " JOIN procedures ON procedures.id = procedure WHERE name = 'MPI_Barrier' AND rank BETWEEN 3 AND 4"
        " ORDER BY rank, communicator",
    )
    other = (5, 0.75, 0.05, 0.4, 0)
    # (The two calls that rank 4 never left are on the world, up to 9 s.)
    assert barriers == [(3, *other), (4, *other), (4, 0, 5.0, 2.0, 3.0, 2)]


# The helper of multiprocessing that outlives the workers ends with this process, or with the first such test.
@pytest.mark.filterwarnings("ignore:resource_tracker")
@pytest.mark.parametrize("with_nodes", [True, False], ids=["node files", "files"])
def test_several_processes_make_the_same_profile_as_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, with_nodes: bool
) -> None:
    run = tmp_path / "run"
    images = [process.to_bytes() for process in world(23)]
    # Ranks are dealt out to the nodes in turn, so no node has neighbours.
    write_nodes(run, [image for first in range(4) for image in images[first::4]], 6 if with_nodes else 1)
    if not with_nodes:
        for rank, process in enumerate(world(23)):
            process.write(run, f"node.{rank}.0")
        for path in run.glob("*.node"):
            path.unlink()
    fractions: list[float] = []
    single = assemble(run, tmp_path / "one.rankwise", exit_status=0)
    monkeypatch.setattr(assembling, "_SHARED_FROM", 1)
    monkeypatch.setattr(assembling, "processors", lambda: 2)
    several = assemble(run, tmp_path / "several.rankwise", exit_status=0, listener=fractions.append)
    assert (several.ranks_seen, several.reason) == (single.ranks_seen, single.reason)
    assert fractions[-1] == pytest.approx(1.0)
    made_of = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name <> 'call_counts'"
    for (table,) in rows(single.path, made_of):
        # (The numbers of places are given as they are met.)
        query = f"SELECT {'rank, communicator, site' if table == 'call_places' else '*'} FROM {table}"
        first, second = (
            comparable(table, sorted(rows(made.path, query), key=str)) for made in (single, several)
        )
        assert first == near(second), table
    assert len(rows(several.path, "SELECT * FROM calls")) > 23 * 6
    assert len(rows(several.path, "SELECT * FROM messages")) > 23 * 3

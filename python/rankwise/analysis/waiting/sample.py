"""The kept arrivals at collectives, as arrays."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from rankwise.analysis.waiting.instances import ALL, NOBODY, Instances
from rankwise.analysis.waiting.procedures import FOR_NEIGHBOURS
from rankwise.profile.join.members import parse
from rankwise.profile.join.neighbours import are_known, neighbours, sources

_COLUMNS = (
    "communicator, procedure, instance, rank, root, bytes, arrival, departure, since, since_in_mpi,"
    " in_sample, COALESCE(entered, arrival), COALESCE(asked / (departure - entered), 1)"
)


def sampled(connection: sqlite3.Connection, *, of_all: bool = False) -> Iterator[Instances]:
    """Return the instances of each collective on each communicator.

    Args:
        connection: to the profile. For a selected part, all members' arrivals are returned at collectives
            with a selected call.
        of_all: return all collectives, even if a part of the run is selected.

    Raises:
        ValueError: the profile is damaged.
    """
    names = dict(connection.execute("SELECT id, name FROM procedures").fetchall())
    hosts, errors = _clocks(connection)
    whole = _whole_table(connection)
    wanted = connection.execute(
        f"SELECT DISTINCT communicator, procedure FROM {whole if of_all else 'arrivals'} ORDER BY 1, 2"
    ).fetchall()
    for communicator, procedure in wanted:
        rows = connection.execute(
            f"SELECT {_COLUMNS} FROM {whole} WHERE communicator = ? AND procedure = ?"
            " ORDER BY instance, rank",
            (communicator, procedure),
        ).fetchall()
        numbers = np.array(rows, np.float64)  # NULL becomes NaN
        instance_numbers, starts = np.unique(numbers[:, 2], return_index=True)
        members = len(rows) // len(instance_numbers)
        if members * len(instance_numbers) != len(rows) or (np.diff([*starts, len(rows)]) != members).any():
            raise ValueError(f"arrivals of communicator {communicator} are not whole")
        table = numbers.reshape(len(instance_numbers), members, numbers.shape[1])
        ranks = table[0, :, 3].astype(np.int64)
        if (table[:, :, 3] != ranks).any():
            raise ValueError(f"arrivals of communicator {communicator} are not those of its members")
        places = _places(connection, communicator, ranks)
        name = str(names[procedure])
        sample = Instances(
            communicator=communicator,
            procedure=name,
            numbers=instance_numbers.astype(np.int64),
            ranks=ranks,
            places=places,
            neighbours=(
                _neighbours(connection, communicator, places, ranks) if name in FOR_NEIGHBOURS else ALL
            ),
            roots=_roots(table[:, 0, 4], ranks),
            bytes=table[:, :, 5].astype(np.int64),
            arrival=table[:, :, 6],
            departure=table[:, :, 7],
            entered=table[:, :, 11],
            asking=np.minimum(table[:, :, 12], 1.0),
            since=table[:, :, 8],
            since_in_mpi=table[:, :, 9],
            in_sample=table[:, 0, 10] == 1,
            selected=_selected(connection, whole, communicator, procedure, instance_numbers, ranks),
            nodes=np.unique([hosts.get(rank, "") for rank in ranks.tolist()], return_inverse=True)[1],
            errors=np.array([errors.get(rank, 0.0) for rank in ranks.tolist()]),
        )
        yield sample.seen_as_synchronised()


def _whole_table(connection: sqlite3.Connection) -> str:
    """Return the name of the table of all arrivals, even if a part is selected."""
    has_whole = connection.execute("SELECT 1 FROM main.sqlite_master WHERE name = 'arrivals'").fetchone()
    return "main.arrivals" if has_whole else "arrivals"


def _clocks(connection: sqlite3.Connection) -> tuple[dict[int, str], dict[int, float]]:
    kept = connection.execute("SELECT 1 FROM main.sqlite_master WHERE name = 'arrivals'").fetchone()
    rows = connection.execute("SELECT rank, host, clock_error FROM main.ranks").fetchall() if kept else []
    return {rank: host for rank, host, _ in rows}, {rank: error or 0.0 for rank, _, error in rows}


def _places(connection: sqlite3.Connection, communicator: int, ranks: NDArray[np.int64]) -> NDArray[np.int64]:
    (text,) = connection.execute("SELECT members FROM communicators WHERE id = ?", (communicator,)).fetchone()
    places = {rank: place for place, rank in enumerate(parse(text))}
    return np.array([places[rank] for rank in ranks.tolist()], np.int64)


def _neighbours(
    connection: sqlite3.Connection,
    communicator: int,
    places: NDArray[np.int64],
    ranks: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Return the members that each member receives data from, as places in the arrays."""
    topology, dims, periods = connection.execute(
        "SELECT topology, dims, periods FROM communicators WHERE id = ?", (communicator,)
    ).fetchone()
    order = places.argsort()
    if not are_known(topology, json.loads(dims), len(places)):
        edges = connection.execute(
            "SELECT source, destination FROM main.neighbours WHERE communicator = ?", (communicator,)
        ).fetchall()
        if not edges:
            raise ValueError(f"neighbours on communicator {communicator} are unknown")
        return sources(ranks, np.array(edges, np.int64))
    grid_sources = neighbours(json.loads(dims), json.loads(periods))[places]
    at: NDArray[np.int64] = np.where(grid_sources != NOBODY, order[grid_sources], NOBODY)
    return at


def _roots(roots: NDArray[np.float64], ranks: NDArray[np.int64]) -> NDArray[np.int64]:
    places = {rank: place for place, rank in enumerate(ranks.tolist())}
    return np.array([NOBODY if np.isnan(root) else places[int(root)] for root in roots.tolist()], np.int64)


def _selected(
    connection: sqlite3.Connection,
    whole: str,
    communicator: int,
    procedure: int,
    instances: NDArray[np.float64],
    ranks: NDArray[np.int64],
) -> NDArray[np.bool_]:
    part = connection.execute("SELECT 1 FROM sqlite_temp_master WHERE name = 'arrivals'").fetchone()
    if whole == "arrivals" or not part:
        return np.ones((len(instances), len(ranks)), bool)
    selected = np.zeros((len(instances), len(ranks)), bool)
    rows = connection.execute(
        "SELECT instance, rank FROM arrivals WHERE communicator = ? AND procedure = ?",
        (communicator, procedure),
    ).fetchall()
    selected_rows = np.array(rows, np.int64).reshape(-1, 2)
    selected[np.searchsorted(instances, selected_rows[:, 0]), np.searchsorted(ranks, selected_rows[:, 1])] = (
        True
    )
    return selected

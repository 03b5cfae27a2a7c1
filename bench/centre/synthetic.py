"""A store of many runs, made in bulk: months of a computing centre whose sizes are set by a few numbers."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
from numpy.typing import NDArray
from pyarrow import compute, parquet

from rankwise.centre.schema import (
    ACCOUNTING,
    CALLS,
    FAMILIES,
    FINDINGS,
    HOSTS,
    PORTS,
    RUNS,
    TABLES,
    TAGS,
    VERSION,
    Table,
)
from rankwise.centre.store import arrow_schema
from rankwise.centre.values import identity
from rankwise.centre.waste import KIND_OF_RULE

_RULES = (*KIND_OF_RULE,)
_KINDS = np.array([KIND_OF_RULE[rule] for rule in _RULES])
_LIBRARIES = np.array([f"Open MPI {version}" for version in ("4.1.4", "4.1.6", "5.0.5", "5.0.6")])
_KERNELS = np.array(["6.1.0-18-amd64", "6.1.0-25-amd64"])
_UPDATE_DAY = 14  # of a month, from 0: all nodes get the second kernel
_SLOWED_PROGRAM, _SLOWED_SECONDS, _SLOWED_BY = 0, 10_000.0, 1.2
"""With the second kernel this program takes longer; it has one MPI library."""
_PARTITIONS = np.array(["standard", "big", "long", "test", "gpu"])
_NODES = np.array([1, 2, 4, 8, 16, 32])
_SHARES = np.array([0.45, 0.15, 0.15, 0.12, 0.08, 0.05])  # of the runs, by their number of nodes
_LEAST_HOSTS = 3  # with a comparison between hosts
_NAME = "made.parquet"
_PROGRAMS_OF_A_USER = 5
_SECOND = np.timedelta64(1, "s")

Numbers = NDArray[np.int64]
Columns = Mapping[str, Any]


@dataclass(frozen=True)
class Centre:
    """A computing centre.

    Attributes:
        programs: number of programs; few are used often.
        users: number of users.
        hosts: number of hosts.
        accounts: number of accounts.
    """

    programs: int = 2000
    users: int = 3000
    hosts: int = 1500
    accounts: int = 300


@dataclass(frozen=True)
class _Runs:
    """What the details of the runs of a month are made of.

    Attributes:
        run: their identities.
        nodes: of each.
        wall: seconds of each.
        hours: node hours of each.
        began: start of each.
        user: number of the owner of each.
        program: number of the program of each.
        kernel: index of the kernel of each.
        diagnosed: whether each has a diagnosis.
    """

    run: Numbers
    nodes: Numbers
    wall: NDArray[np.float64]
    hours: NDArray[np.float64]
    began: Any
    user: Numbers
    program: Numbers
    kernel: Numbers
    diagnosed: NDArray[np.bool_]


def write_month(store: Path, month: str, runs: int, centre: Centre, *, details: bool) -> None:
    """Add a month of runs, one job each, to a store.

    Args:
        store: folder, which is made.
        month: of their starts, 2026-11.
        runs: their number.
        centre: whose runs they are.
        details: whether the tables that no question reads are written, too.
    """
    store.mkdir(parents=True, exist_ok=True)
    (store / "rankwise-centre.json").write_text(json.dumps({"version": VERSION}) + "\n")
    random = np.random.default_rng(int(month.replace("-", "")))
    made = _runs(random, month, runs, centre)
    jobs = np.char.add("", (int(month.replace("-", "")) * 10_000_000 + np.arange(runs)).astype(str))
    columns: dict[Table, Columns] = {
        FINDINGS: _findings(random, made),
        HOSTS: _hosts(random, made, centre),
        PORTS: _ports(random, made, centre),
    }
    largest = _largest(columns[FINDINGS], made)
    columns[RUNS] = _run_columns(random, made, jobs, largest)
    columns[ACCOUNTING] = _accounting(random, made, jobs, centre)
    if details:
        columns |= {TAGS: _tags(made), FAMILIES: _families(random, made), CALLS: _calls(random, made)}
    for table in TABLES:
        if table in columns:
            _write(store, table, month, {**_of_runs(columns[table], columns[RUNS]), **columns[table]})


def copy_month(store: Path, month: str, to: str) -> None:
    """Add a month that is like another one: its runs and jobs have other numbers, and other starts."""
    shift = (np.datetime64(f"{to}-01", "us") - np.datetime64(f"{month}-01", "us")).astype("timedelta64[us]")
    mask = int(to.replace("-", "")) << 40
    for table in TABLES:
        path = _folder(store, table, month) / _NAME
        if not path.is_file():
            continue
        with path.open("rb") as file:
            content = parquet.read_table(file)
        for at, field in enumerate(content.schema):
            column = content.column(at)
            if field.name in ("run", "source", "job_of_user", "allocation"):
                changed = compute.bit_wise_xor(column, pyarrow.scalar(mask, pyarrow.int64()))
            elif field.name in ("started", "ended"):
                changed = compute.add(column, pyarrow.scalar(shift, pyarrow.duration("us")))
            elif field.name in ("job", "leader"):
                changed = compute.binary_join_element_wise(f"{mask >> 40}", column, "")
            else:
                continue
            content = content.set_column(at, field, changed)
        parquet.write_table(content, _folder(store, table, to) / _NAME, compression="zstd")


def _folder(store: Path, table: Table, month: str) -> Path:
    folder = store / table.name / f"month={month}"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _of_runs(columns: Columns, runs: Columns) -> Columns:
    """Return what the rows of a table have of their runs, whose places are its column `of`."""
    if "of" not in columns:
        return {}
    return {
        name: np.asarray(runs[name])[columns["of"]]
        for name in ("run", "cluster", "user", "started", "program")
    }


def _identities(table: Table, columns: Columns) -> dict[str, list[int]]:
    """Return the columns that are numbers for others."""
    return {
        column.name: [*map(identity, *(np.asarray(columns[name]).tolist() for name in column.identifies))]
        for column in table.columns
        if column.identifies
    }


def _write(store: Path, table: Table, month: str, columns: Columns) -> None:
    schema = arrow_schema(table)
    columns = {**columns, **_identities(table, columns)}
    arrays = [pyarrow.array(columns[field.name], field.type, from_pandas=True) for field in schema]
    content = pyarrow.Table.from_arrays(arrays, schema=schema)
    parquet.write_table(content, _folder(store, table, month) / _NAME, compression="zstd")


def _runs(random: np.random.Generator, month: str, runs: int, centre: Centre) -> _Runs:
    nodes = random.choice(_NODES, runs, p=_SHARES)
    wall = np.exp(random.normal(7.5, 1.3, runs)).clip(10, 172_800)
    seconds = np.sort(random.integers(0, 27 * 86_400, runs))
    user = _often(random, runs, centre.users)
    program = _programs_of_users(centre)[user, random.integers(0, _PROGRAMS_OF_A_USER, runs)]
    kernel = (seconds >= _UPDATE_DAY * 86_400).astype(np.int64)
    slowed = _SLOWED_SECONDS * np.where(kernel, _SLOWED_BY, 1.0) * random.normal(1, 0.02, runs)
    wall = np.where(program == _SLOWED_PROGRAM, slowed, wall)
    return _Runs(
        run=random.integers(-(1 << 63), (1 << 63) - 1, runs),
        nodes=nodes,
        wall=wall,
        hours=nodes * wall / 3600,
        began=np.datetime64(f"{month}-01T00:00:00", "us") + seconds * _SECOND,
        user=user,
        program=program,
        kernel=kernel,
        diagnosed=random.random(runs) > 0.01,
    )


def _programs_of_users(centre: Centre) -> Numbers:
    """Return the programs of each user, the same in all months, shape (users, programs)."""
    shape = (centre.users, _PROGRAMS_OF_A_USER)
    return _often(np.random.default_rng(1), centre.users * _PROGRAMS_OF_A_USER, centre.programs).reshape(
        shape
    )


def _often(random: np.random.Generator, count: int, of: int) -> Numbers:
    """Return numbers below `of`, the small ones often (Zipf)."""
    shares = 1 / np.arange(1, of + 1)
    return random.choice(of, count, p=shares / shares.sum())


def _named(prefix: str, numbers: Numbers) -> Any:
    return np.char.add(prefix, numbers.astype(str))


def _run_columns(
    random: np.random.Generator, made: _Runs, jobs: Any, largest: tuple[Any, Any]
) -> dict[str, Any]:
    count = len(made.run)
    ranks = made.nodes * 48
    in_mpi = random.beta(2, 5, count)
    efficiency = np.where(made.diagnosed, 1 - in_mpi, np.nan)
    programs, users = _named("app", made.program), _named("u", made.user)
    variants = random.integers(0, 40, count)
    return {
        "run": made.run,
        "source": random.integers(-(1 << 63), (1 << 63) - 1, count),
        "cluster": np.full(count, "alpha"),
        "job": jobs,
        "user": users,
        "started": made.began,
        "wall_seconds": made.wall,
        "program": programs,
        "arguments": _named("-in case", variants),
        "directory": [f"/scratch/{user}/work{at}" for user, at in zip(users, variants, strict=True)],
        "profile": [
            f"/profiles/{program}.{at}.{user}.{job}.rankwise"
            for program, at, user, job in zip(
                programs, made.began.astype("datetime64[s]"), users, jobs, strict=True
            )
        ],
        "launcher": np.full(count, "srun"),
        "mpi_library": _LIBRARIES[
            np.where(made.program == _SLOWED_PROGRAM, 0, random.integers(0, len(_LIBRARIES), count))
        ],
        "kernel": _KERNELS[made.kernel],
        "rankwise": np.full(count, "0.1.0"),
        "ranks": ranks,
        "nodes": made.nodes,
        "node_hours": made.hours,
        "exit_status": np.zeros(count, np.int64),
        "complete": random.random(count) > 0.03,
        "run_seconds": made.wall * ranks,
        "mpi_seconds": made.wall * ranks * in_mpi,
        "waiting_seconds": made.wall * ranks * in_mpi * random.random(count),
        "init_finalize_seconds": ranks * random.random(count),
        "parallel_efficiency": efficiency,
        "load_balance": np.where(made.diagnosed, 1 - in_mpi / 2, np.nan),
        "bytes_on_node": random.integers(0, 1 << 44, count),
        "bytes_off_node": random.integers(0, 1 << 44, count),
        "limit": np.where(made.diagnosed, "waiting", ""),
        "verdict": [
            f"Waiting limits the run: {percent:.1f} % of it. Most of it is for late ranks." if known else ""
            for percent, known in zip(100 * in_mpi, made.diagnosed, strict=True)
        ],
        "waste_node_hours": np.where(made.diagnosed, largest[0], np.nan),
        "waste": largest[1],
    }


def _findings(random: np.random.Generator, made: _Runs) -> dict[str, Any]:
    counts = np.where(made.diagnosed, random.integers(1, 6, len(made.run)), 0)
    of, place = _repeated(counts)
    rule = _often(random, len(of), len(_RULES))
    share = random.beta(1, 8, len(of))
    confidence = np.array(["high", "high", "medium", "low"])[random.integers(0, 4, len(of))]
    hours = share * made.hours[of]
    return {
        "of": of,
        "place": place + 1,
        "rule": np.array(_RULES)[rule],
        "waste": _KINDS[rule],
        "confidence": confidence,
        "largest": _first_of_kind(of, _KINDS[rule], np.where(confidence == "high", hours, -1.0)),
        "upper_bound": random.random(len(of)) < 0.5,
        "saved_percent": 100 * share,
        "node_hours": hours,
        "title": [
            f"{_RULES[at]}: ranks {first} and {first + 7} cost {percent:.1f} % of the run, {lost:.2f} h"
            for at, first, percent, lost in zip(
                rule, random.integers(0, 999, len(of)), 100 * share, share * made.wall[of], strict=True
            )
        ],
        "command": np.array(["show --by waiting", "map", "tune", "explain"])[rule % 4],
    }


def _first_of_kind(of: Numbers, kinds: Any, hours: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return whether each finding has the most node hours of its kind in its run; below 0: it does not."""
    kind = np.unique(kinds, return_inverse=True)[1]
    order = np.lexsort((-hours, kind, of))
    key = of[order] * len(kinds) + kind[order]
    first = np.zeros(len(of), bool)
    first[order[np.flatnonzero(np.diff(key, prepend=-1))]] = True
    return first & (hours >= 0)


def _largest(findings: Columns, made: _Runs) -> tuple[Any, Any]:
    """Return the node hours and the kind of the largest finding of high confidence of each run."""
    hours = np.where(findings["confidence"] == "high", findings["node_hours"], 0.0)
    order = np.argsort(hours, kind="stable")
    largest, kind = np.zeros(len(made.run)), np.full(len(made.run), "", findings["waste"].dtype)
    largest[findings["of"][order]] = hours[order]
    kind[findings["of"][order]] = findings["waste"][order]
    return largest, np.where(largest > 0, kind, "")


def _repeated(counts: Numbers) -> tuple[Numbers, Numbers]:
    """Return for each detail the index of its run, and its number in the run from 0."""
    of = np.repeat(np.arange(len(counts)), counts)
    return of, np.arange(len(of)) - np.repeat(np.cumsum(counts) - counts, counts)


def _hosts(random: np.random.Generator, made: _Runs, centre: Centre) -> Columns:
    of, place = _repeated(made.nodes)
    count = len(of)
    host = (random.integers(0, centre.hosts, len(made.run))[of] + place) % centre.hosts
    slower = np.where(host == 7, 12.0, 0.0) + random.normal(0, 3, count)
    seconds = made.wall[of]
    caused = seconds * random.random(count)
    return {
        "of": of,
        "host": _named("n", host + 1000),
        "ranks": np.full(count, 48),
        "outside_seconds": seconds * random.random(count),
        "slower_percent": np.where(made.nodes[of] >= _LEAST_HOSTS, slower, np.nan),
        "mpi_seconds": seconds * random.random(count),
        "bytes_on_node": random.integers(0, 1 << 40, count),
        "bytes_off_node": random.integers(0, 1 << 40, count),
        "caused_seconds": caused,
        "caused_node_hours": caused / 48 / 3600,
    }


def _ports(random: np.random.Generator, made: _Runs, centre: Centre) -> Columns:
    of, place = _repeated(made.nodes)
    count = len(of)
    host = (random.integers(0, centre.hosts, len(made.run))[of] + place) % centre.hosts
    return {
        "of": of,
        "host": _named("n", host + 1000),
        "port": np.full(count, "mlx5_0/1"),
        "kind": np.full(count, "infiniband"),
        "seconds": made.wall[of],
        "sent_bytes": random.integers(0, 1 << 40, count),
        "received_bytes": random.integers(0, 1 << 40, count),
        "blocked_percent": random.beta(1, 20, count) * 100,
        "errors": np.where(host == 5, random.integers(0, 50, count), 0),
        "retransmissions": np.zeros(count, np.int64),
        "congestion_marks": random.integers(0, 100, count),
    }


def _accounting(random: np.random.Generator, made: _Runs, jobs: Any, centre: Centre) -> Columns:
    """Return the jobs of the runs, and as many that have none as are usual."""
    count = len(made.run)
    more = count // 4
    nodes = np.concatenate([made.nodes, random.choice(_NODES, more, p=_SHARES)])
    seconds = np.concatenate([made.wall + 60, np.exp(random.normal(7.5, 1.3, more)).clip(10, 172_800)])
    began = np.concatenate([made.began - 30 * _SECOND, random.choice(made.began, more)])
    user = np.concatenate([made.user, random.integers(0, centre.users, more)])
    numbers = np.concatenate([jobs, np.char.add("9", jobs[:more])])
    return {
        "cluster": np.full(count + more, "alpha"),
        "job": numbers,
        "leader": numbers,
        "user": _named("u", user),
        "account": _named("acc", user % centre.accounts),
        "partition": _PARTITIONS[random.integers(0, len(_PARTITIONS), count + more)],
        "name": _named("job", user % 97),
        "state": np.full(count + more, "COMPLETED"),
        "started": began,
        "ended": began + (seconds * 1e6).astype("timedelta64[us]"),
        "nodes": nodes,
        "processors": nodes * 48,
        "node_hours": nodes * seconds / 3600,
    }


def _tags(made: _Runs) -> Columns:
    return {
        "of": np.arange(len(made.run)),
        "name": np.full(len(made.run), "commit"),
        "value": [f"{program:040x}" for program in made.program * 7919],
    }


def _families(random: np.random.Generator, made: _Runs) -> Columns:
    of, place = _repeated(random.integers(1, 9, len(made.run)))
    return {
        "of": of,
        "family": np.where(place == 0, "W", _named("W_a", place)),
        "user_name": np.where(place == 1, "row", ""),
        "communicators": place + 1,
        "least_size": made.nodes[of] * 4,
        "most_size": made.nodes[of] * 48,
        "calls": random.integers(1, 1 << 24, len(of)),
        "bytes_sent": random.integers(0, 1 << 40, len(of)),
        "seconds": made.wall[of] * random.random(len(of)),
    }


def _calls(random: np.random.Generator, made: _Runs) -> Columns:
    of, place = _repeated(random.integers(3, 41, len(made.run)))
    procedures: Sequence[str] = ("Allreduce", "Isend", "Irecv", "Waitall", "Bcast", "Barrier", "Alltoallv")
    return {
        "of": of,
        "family": np.where(place % 5 == 0, "W", _named("W_a", place % 5)),
        "procedure": np.char.add("MPI_", np.array(procedures)[place % len(procedures)]),
        "calls": random.integers(1, 1 << 24, len(of)),
        "bytes_sent": random.integers(0, 1 << 40, len(of)),
        "bytes_received": random.integers(0, 1 << 40, len(of)),
        "seconds": made.wall[of] * random.random(len(of)),
    }

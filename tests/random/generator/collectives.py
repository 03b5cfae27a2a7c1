"""Collectives of all kinds, blocking or nonblocking, on intra- and intercommunicators."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from generator.communicator import Comm
from generator.datatypes import Datatype
from generator.instructions import BLOCKING, PROC_NULL, ROOT, Instruction, call
from generator.program import Step
from generator.state import SHORT, State

Calls = dict[int, Instruction]


def step(state: State, comm: Comm) -> Step:
    """A blocking collective of all members."""
    made = Step("collective", needs={comm.number})
    for rank, instruction in calls(state, comm).items():
        made.add(rank, instruction)
    return made


def calls(state: State, comm: Comm, requests: Mapping[int, int] | None = None) -> Calls:
    """One collective, as every member calls it; nonblocking where there are requests."""
    makers = [*_ANYWHERE] if comm.inter else [*_ANYWHERE, *_INTRA]
    if comm.topology is not None and state.chance(0.6):
        makers = [_neighbour_gather, _neighbour_exchange]
    maker = state.random.choice(makers)
    arguments = maker(state, comm)
    made = {}
    for rank, (operation, values) in arguments.items():
        request = requests[rank] if requests is not None else BLOCKING
        if operation == "Alltoallw" and request != BLOCKING:
            values["in_place"] = False  # fails in Open MPI 4 and MPICH 4, saying that a message is truncated
        made[rank] = call(operation, comm=comm.number, **values, request=request)
    return made


# What the makers give: the operation and its arguments, of each member.
_Made = dict[int, tuple[str, dict[str, Any]]]


def _roots(state: State, comm: Comm) -> dict[int, int]:
    """The root as each member names it."""
    if not comm.inter:
        root = state.random.randrange(len(comm.group))
        return dict.fromkeys(comm.group, root)
    side, other = state.random.sample((comm.group, comm.remote), 2)
    root = state.random.choice(side)
    named = dict.fromkeys(side, PROC_NULL)
    named[root] = ROOT
    return {**named, **dict.fromkeys(other, side.index(root))}


def _is_root(comm: Comm, rank: int, named: int) -> bool:
    return named == ROOT if comm.inter else comm.rank(rank) == named


def _in_place(state: State, comm: Comm) -> bool:
    return not comm.inter and state.chance(0.3)


def _barrier(_: State, comm: Comm) -> _Made:
    return {rank: ("Barrier", {}) for rank in comm.members}


def _bcast(state: State, comm: Comm) -> _Made:
    count, datatype = state.count(), state.pick_type().number
    return {
        rank: ("Bcast", {"count": count, "type": datatype, "root": root})
        for rank, root in _roots(state, comm).items()
    }


def _blocks(state: State, comm: Comm, *, equal: bool) -> dict[int, int]:
    """Elements that each member gives; equal within a group where one call has one count."""
    if not equal:
        return {rank: state.count() for rank in comm.members}
    return {**dict.fromkeys(comm.group, state.count()), **dict.fromkeys(comm.remote, state.count())}


def _gather(state: State, comm: Comm) -> _Made:
    vector, datatype, in_place = state.chance(0.5), state.pick_type().number, _in_place(state, comm)
    blocks = _blocks(state, comm, equal=not vector)
    made: _Made = {}
    for rank, root in _roots(state, comm).items():
        mine = blocks[rank]
        receiving = _is_root(comm, rank, root)
        values = {"sendcount": mine, "sendtype": datatype, "recvtype": datatype, "root": root}
        theirs = [blocks[peer] for peer in comm.peers(rank)]
        if vector:
            values["recvcounts"] = theirs
        else:
            values["recvcount"] = theirs[0]
        values["in_place"] = in_place and receiving
        made[rank] = ("Gatherv" if vector else "Gather", values)
    return made


def _scatter(state: State, comm: Comm) -> _Made:
    vector, datatype, in_place = state.chance(0.5), state.pick_type().number, _in_place(state, comm)
    blocks = _blocks(state, comm, equal=not vector)
    if not state.has("Scatter of many"):
        blocks = {rank: min(block, SHORT) for rank, block in blocks.items()}
    made: _Made = {}
    for rank, root in _roots(state, comm).items():
        values = {"recvcount": blocks[rank], "sendtype": datatype, "recvtype": datatype, "root": root}
        theirs = [blocks[peer] for peer in comm.peers(rank)]
        if vector:
            values["sendcounts"] = theirs
        else:
            values["sendcount"] = theirs[0]
        values["in_place"] = in_place and _is_root(comm, rank, root)
        made[rank] = ("Scatterv" if vector else "Scatter", values)
    return made


def _allgather(state: State, comm: Comm) -> _Made:
    vector, datatype, in_place = state.chance(0.5), state.pick_type().number, _in_place(state, comm)
    blocks = _blocks(state, comm, equal=not vector)
    made: _Made = {}
    for rank in comm.members:
        values = {"sendcount": blocks[rank], "sendtype": datatype, "recvtype": datatype, "in_place": in_place}
        theirs = [blocks[peer] for peer in comm.peers(rank)]
        if vector:
            values["recvcounts"] = theirs
        else:
            values["recvcount"] = theirs[0]
        made[rank] = ("Allgatherv" if vector else "Allgather", values)
    return made


def _alltoall(state: State, comm: Comm) -> _Made:
    datatype, in_place = state.pick_type().number, _in_place(state, comm)
    blocks = _blocks(state, comm, equal=True)
    return {
        rank: (
            "Alltoall",
            {
                "sendcount": blocks[rank],
                "sendtype": datatype,
                "recvcount": blocks[comm.peers(rank)[0]],
                "recvtype": datatype,
                "in_place": in_place,
            },
        )
        for rank in comm.members
    }


def _pairs(state: State, comm: Comm, *, symmetric: bool) -> dict[tuple[int, int], int]:
    """Elements from each process to each of its peers."""
    pairs = {}
    for rank in comm.members:
        for peer in comm.peers(rank):
            pairs[rank, peer] = state.random.choice((0, 1, 2, state.count() % 100))
    if symmetric:
        pairs = {(i, j): pairs[min(i, j), max(i, j)] for i, j in pairs}
    return pairs


def _exchange(state: State, comm: Comm) -> _Made:
    """MPI_Alltoallv and MPI_Alltoallw."""
    in_place = _in_place(state, comm)
    pairs = _pairs(state, comm, symmetric=in_place)
    types = {pair: state.pick_type().number for pair in pairs}
    by_pair = state.chance(0.5)
    datatype = state.pick_type().number
    if in_place:
        types = dict.fromkeys(types, datatype)
    made: _Made = {}
    for rank in comm.members:
        peers = comm.peers(rank)
        values: dict[str, Any] = {
            "sendcounts": [pairs[rank, peer] for peer in peers],
            "recvcounts": [pairs[peer, rank] for peer in peers],
            "in_place": in_place,
        }
        if by_pair:
            values["sendtypes"] = [types[rank, peer] for peer in peers]
            values["recvtypes"] = [types[peer, rank] for peer in peers]
        else:
            values["sendtype"] = values["recvtype"] = datatype
        made[rank] = ("Alltoallw" if by_pair else "Alltoallv", values)
    return made


def _reducible(state: State) -> tuple[Datatype, int]:
    """A datatype and an operation on it."""
    datatype = state.random.choice([candidate for candidate in state.types if candidate.operations])
    return datatype, state.random.choice(datatype.operations)


def _reduce(state: State, comm: Comm) -> _Made:
    datatype, op = _reducible(state)
    count, in_place = state.count(), _in_place(state, comm)
    return {
        rank: (
            "Reduce",
            {
                "count": count,
                "type": datatype.number,
                "op": op,
                "root": root,
                "in_place": in_place and _is_root(comm, rank, root),
            },
        )
        for rank, root in _roots(state, comm).items()
    }


def _allreduce(state: State, comm: Comm) -> _Made:
    return _reduce_alike(state, comm, "Allreduce")


def _scan(state: State, comm: Comm) -> _Made:
    return _reduce_alike(state, comm, state.random.choice(("Scan", "Exscan")))


def _reduce_alike(state: State, comm: Comm, operation: str) -> _Made:
    datatype, op = _reducible(state)
    values = {"count": state.count(), "type": datatype.number, "op": op, "in_place": _in_place(state, comm)}
    return dict.fromkeys(comm.members, (operation, values))


def _reduce_scatter_block(state: State, comm: Comm) -> _Made:
    datatype, op = _reducible(state)
    in_place = _in_place(state, comm)
    # The two groups of an intercommunicator reduce vectors of the same length.
    sizes = [len(comm.group), len(comm.remote) or 1]
    total = state.random.randint(0, 20) * math.lcm(*sizes)
    return {
        rank: (
            "Reduce_scatter_block",
            {
                "count": total // len(comm.local(rank)),
                "type": datatype.number,
                "op": op,
                "in_place": in_place,
            },
        )
        for rank in comm.members
    }


def _reduce_scatter(state: State, comm: Comm) -> _Made:
    datatype, op = _reducible(state)
    in_place = _in_place(state, comm)
    total = state.random.randint(0, 60)
    shares = {group: _share(state, total, len(group)) for group in (comm.group, comm.remote)}
    return {
        rank: (
            "Reduce_scatter",
            {
                "counts": shares[comm.local(rank)],
                "type": datatype.number,
                "op": op,
                "in_place": in_place,
            },
        )
        for rank in comm.members
    }


def _share(state: State, total: int, parts: int) -> list[int]:
    shares = [0] * parts
    for _ in range(total if parts else 0):
        shares[state.random.randrange(parts)] += 1
    return shares


# --- Neighbourhoods ---------------------------------------------------------------------------------------


def _neighbour_gather(state: State, comm: Comm) -> _Made:
    """MPI_Neighbor_allgather, and with a vector of counts."""
    assert comm.topology is not None
    vector, datatype = state.chance(0.5), state.pick_type().number
    # Where the order of the neighbours is not fixed, nobody can say which count is whose.
    blocks = _blocks(state, comm, equal=not vector or not comm.topology.ordered)
    made: _Made = {}
    for place, rank in enumerate(comm.group):
        sources = comm.topology.sources[place]
        values = {"sendcount": blocks[rank], "sendtype": datatype, "recvtype": datatype, "in_place": False}
        theirs = [0 if source < 0 else blocks[comm.group[source]] for source in sources]
        if vector:
            values["recvcounts"] = theirs
        else:
            values["recvcount"] = blocks[rank]
        made[rank] = ("Neighbor_allgatherv" if vector else "Neighbor_allgather", values)
    return made


def _neighbour_exchange(state: State, comm: Comm) -> _Made:
    """MPI_Neighbor_alltoall, with vectors of counts, and of datatypes."""
    assert comm.topology is not None
    form = state.random.choice(("", "v", "w"))
    pairs = _pairs(state, comm, symmetric=False)
    types = {pair: state.pick_type().number for pair in pairs}
    one_count, one_type = state.count() % 100, state.pick_type().number
    if not form or not comm.topology.ordered:
        pairs = dict.fromkeys(pairs, one_count)
        types = dict.fromkeys(types, one_type)
    made: _Made = {}
    for place, rank in enumerate(comm.group):
        # Beyond the edge nobody is there, so any count will do.
        to = [
            (rank, comm.group[neighbour]) if neighbour >= 0 else (rank, rank)
            for neighbour in comm.topology.destinations[place]
        ]
        source = [
            (comm.group[neighbour], rank) if neighbour >= 0 else (rank, rank)
            for neighbour in comm.topology.sources[place]
        ]
        values: dict[str, Any] = {"in_place": False}
        if form:
            values |= {
                "sendcounts": [pairs[pair] for pair in to],
                "recvcounts": [pairs[pair] for pair in source],
            }
        else:
            values |= {"sendcount": one_count, "recvcount": one_count}
        if form == "w":
            values |= {
                "sendtypes": [types[pair] for pair in to],
                "recvtypes": [types[pair] for pair in source],
            }
        else:
            values |= {"sendtype": one_type, "recvtype": one_type}
        made[rank] = (f"Neighbor_alltoall{form}", values)
    return made


_ANYWHERE: list[Callable[[State, Comm], _Made]] = [
    _barrier,
    _bcast,
    _gather,
    _scatter,
    _allgather,
    _alltoall,
    _exchange,
    _reduce,
    _allreduce,
    _reduce_scatter,
    _reduce_scatter_block,
]
_INTRA: list[Callable[[State, Comm], _Made]] = [_scan]

"""Calls that make communicators from others."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from generator.communicator import Comm, Topology
from generator.instructions import Instruction, call
from generator.program import Creation, Step
from generator.state import State

_DEEPEST = 7
_MOST_ALIVE = 14


def can_create(state: State, comm: Comm) -> bool:
    """Whether another communicator may come from this one."""
    return comm.depth < _DEEPEST and len(state.alive) < _MOST_ALIVE


def step(state: State) -> Step | None:
    """A constructor that fits a random communicator; None if there is none that may have children."""
    comm = state.pick_comm()
    if comm is None or not can_create(state, comm):
        return None
    makers: list[Callable[[State, Step, Comm], None]] = [_dup, _split]
    if comm.inter:
        makers += [_merge, _merge]
        makers += [_create_inter] if state.has("Comm_create between groups") else []
    else:
        makers += [_split, _split_type, _create, _create_group, _cart, _graph, _dist_graph]
        if len(comm.group) > 1:
            makers += [_intercomm, _intercomm]
        if comm.topology is not None and comm.topology.kind == "cart" and len(comm.topology.dims) > 1:
            makers += [_cart_sub] * 4
    made = Step("constructor", needs={comm.number})
    state.random.choice(makers)(state, made, comm)
    return made


def _add(state: State, step: Step, procedure: str, parent: Comm, made: list[Comm], tag: int = 0) -> None:
    step.creations.append(Creation(procedure, parent.number, made, tag))
    state.alive += made


def _child(
    state: State,
    parent: Comm,
    group: tuple[int, ...],
    remote: tuple[int, ...] = (),
    topology: Topology | None = None,
) -> Comm:
    return Comm(state.new_number(), group, remote, topology, parent.depth + 1)


def duplicate_world(state: State) -> Step:
    """The first step of a program: a communicator of its own."""
    step = Step("constructor", needs={state.world.number})
    _dup(state, step, state.world)
    return step


def _dup(state: State, step: Step, comm: Comm) -> None:
    procedure = state.random.choice(("Comm_dup", "Comm_dup", "Comm_dup_with_info"))
    child = _child(state, comm, comm.group, comm.remote, comm.topology)
    _add(state, step, procedure, comm, [child])
    for rank in comm.members:
        step.add(rank, call(procedure, comm=comm.number, new=child.number))


def idup(state: State, step: Step, comm: Comm, requests: Mapping[int, int]) -> dict[int, Instruction]:
    """A nonblocking duplicate; may be used from the next step on."""
    procedures = ["Comm_idup", "Comm_idup_with_info"] if state.has("Comm_idup_with_info") else ["Comm_idup"]
    procedure = state.random.choice(procedures)
    child = _child(state, comm, comm.group, comm.remote, comm.topology)
    _add(state, step, procedure, comm, [child])
    return {
        rank: call(procedure, comm=comm.number, new=child.number, request=requests[rank])
        for rank in comm.members
    }


def _split(state: State, step: Step, comm: Comm) -> None:
    random = state.random
    colors = random.randint(1, 3)
    color = {rank: random.randint(-1 if state.chance(0.3) else 0, colors - 1) for rank in comm.members}
    if comm.inter:
        # Each part has members of both sides: an empty side is where the libraries part.
        shared = {color[rank] for rank in comm.group} & {color[rank] for rank in comm.remote}
        color = {rank: value if value in shared else -1 for rank, value in color.items()}
    key = {rank: random.randint(0, 3) for rank in comm.members}
    number: dict[int, int] = {}
    made = []
    for part in sorted(set(color.values()) - {-1}):
        sides = [
            tuple(sorted((r for r in side if color[r] == part), key=lambda r: (key[r], comm.rank(r))))
            for side in (comm.group, comm.remote)
        ]
        child = _child(state, comm, sides[0], sides[1])
        number[part] = child.number
        made.append(child)
    _add(state, step, "Comm_split", comm, made)
    for rank in comm.members:
        arguments = {"color": color[rank], "key": key[rank], "new": number.get(color[rank], state.unused)}
        step.add(rank, call("Comm_split", comm=comm.number, **arguments))


def _split_type(state: State, step: Step, comm: Comm) -> None:
    """All processes of these tests share memory."""
    taking_part = {rank: state.chance(0.85) for rank in comm.group}
    key = {rank: state.random.randint(0, 3) for rank in comm.group}
    group = tuple(sorted((r for r in comm.group if taking_part[r]), key=lambda r: (key[r], comm.rank(r))))
    made = [_child(state, comm, group)] if group else []
    _add(state, step, "Comm_split_type", comm, made)
    for rank in comm.group:
        new = made[0].number if taking_part[rank] else state.unused
        arguments = {"taking_part": taking_part[rank], "key": key[rank], "new": new}
        step.add(rank, call("Comm_split_type", comm=comm.number, **arguments))


def _some(state: State, group: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(state.random.sample(group, state.random.randint(1, len(group))))


def _create(state: State, step: Step, comm: Comm) -> None:
    """One or two groups that have no process in common."""
    groups = [_some(state, comm.group)]
    rest = tuple(rank for rank in comm.group if rank not in groups[0])
    if rest and state.chance(0.5):
        groups.append(_some(state, rest))
    made = [_child(state, comm, group) for group in groups]
    _add(state, step, "Comm_create", comm, made)
    for rank in comm.group:
        child = next((candidate for candidate in made if rank in candidate.group), None)
        ranks = [comm.rank(member) for member in child.group] if child else []
        new = child.number if child else state.unused
        step.add(rank, call("Comm_create", comm=comm.number, ranks=ranks, new=new))


def _create_inter(state: State, step: Step, comm: Comm) -> None:
    sides = _some(state, comm.group), _some(state, comm.remote)
    child = _child(state, comm, *sides)
    _add(state, step, "Comm_create", comm, [child])
    for rank in comm.members:
        # All processes of a side give the same group, whether they are in it or not.
        ranks = [comm.rank(member) for member in (sides[1] if rank in comm.remote else sides[0])]
        new = child.number if rank in child.members else state.unused
        step.add(rank, call("Comm_create", comm=comm.number, ranks=ranks, new=new))


def _create_group(state: State, step: Step, comm: Comm) -> None:
    group, tag = _some(state, comm.group), state.random.randint(0, 2)
    child = _child(state, comm, group)
    _add(state, step, "Comm_create_group", comm, [child], tag)
    ranks = [comm.rank(member) for member in group]
    for rank in group:
        step.add(rank, call("Comm_create_group", comm=comm.number, ranks=ranks, tag=tag, new=child.number))


# --- Topologies -------------------------------------------------------------------------------------------


def _grid(dims: tuple[int, ...], periods: tuple[int, ...]) -> Topology:
    """The neighbours of each process in a Cartesian grid: below and above, dimension by dimension."""
    size = 1
    for length in dims:
        size *= length
    neighbours = []
    for rank in range(size):
        mine: list[int] = []
        stride = size
        for length, period in zip(dims, periods, strict=True):
            stride //= length
            at = rank // stride % length
            for step in (-1, 1):
                there = at + step
                inside = 0 <= there < length
                mine.append(rank + (there % length - at) * stride if inside or period else -1)
        neighbours.append(tuple(mine))
    return Topology("cart", tuple(neighbours), tuple(neighbours), dims=dims, periods=periods)


def _cart(state: State, step: Step, comm: Comm) -> None:
    dims: list[int] = []
    room = len(comm.group)
    for _ in range(state.random.randint(1, 3)):
        dims.append(state.random.randint(1, room))
        room //= dims[-1]
    periods = tuple(state.random.randint(0, 1) for _ in dims)
    topology = _grid(tuple(dims), periods)
    child = _child(state, comm, comm.group[: len(topology.sources)], topology=topology)
    _add(state, step, "Cart_create", comm, [child])
    for rank in comm.group:
        new = child.number if rank in child.group else state.unused
        step.add(rank, call("Cart_create", comm=comm.number, dims=dims, periods=periods, new=new))


def _cart_sub(state: State, step: Step, comm: Comm) -> None:
    assert comm.topology is not None
    dims, periods = comm.topology.dims, comm.topology.periods
    remain = [0] * len(dims)
    for dimension in state.random.sample(range(len(dims)), state.random.randint(1, len(dims))):
        remain[dimension] = 1
    kept = tuple(length for length, keep in zip(dims, remain, strict=True) if keep)
    topology = _grid(kept, tuple(period for period, keep in zip(periods, remain, strict=True) if keep))
    slices: dict[tuple[int, ...], list[int]] = {}
    for place, rank in enumerate(comm.group):
        at, coordinates = place, []
        for length in reversed(dims):
            coordinates.append(at % length)
            at //= length
        fixed = tuple(c for c, keep in zip(reversed(coordinates), remain, strict=True) if not keep)
        slices.setdefault(fixed, []).append(rank)
    made = [_child(state, comm, tuple(group), topology=topology) for group in slices.values()]
    _add(state, step, "Cart_sub", comm, made)
    for child in made:
        for rank in child.group:
            step.add(rank, call("Cart_sub", comm=comm.number, remain=remain, new=child.number))


def _graph(state: State, step: Step, comm: Comm) -> None:
    """A graph whose edges lead both ways, as neighbourhood collectives want it."""
    nodes = state.random.randint(1, len(comm.group))
    edges: list[list[int]] = [[] for _ in range(nodes)]
    for i in range(nodes):
        for j in range(i + 1, nodes):
            if state.chance(0.6):
                edges[i].append(j)
                edges[j].append(i)
    edges = [state.random.sample(ends, len(ends)) for ends in edges]
    neighbours = tuple(map(tuple, edges))
    child = _child(state, comm, comm.group[:nodes], topology=Topology("graph", neighbours, neighbours))
    _add(state, step, "Graph_create", comm, [child])
    index = [sum(len(ends) for ends in edges[: i + 1]) for i in range(nodes)]
    flat = [end for mine in edges for end in mine]
    for rank in comm.group:
        new = child.number if rank in child.group else state.unused
        step.add(rank, call("Graph_create", comm=comm.number, index=index, edges=flat, new=new))


def _dist_graph(state: State, step: Step, comm: Comm) -> None:
    """Edges lead one way. With one of the two constructors the library chooses the neighbours' order."""
    size = len(comm.group)
    adjacent = state.chance(0.6)
    to: list[list[int]] = [[j for j in range(size) if state.chance(0.5)] for _ in range(size)]
    sources = [[i for i in range(size) if j in to[i]] for j in range(size)]
    if adjacent:
        to = [state.random.sample(ends, len(ends)) for ends in to]
        sources = [state.random.sample(ends, len(ends)) for ends in sources]
    topology = Topology("dist_graph", tuple(map(tuple, sources)), tuple(map(tuple, to)), ordered=adjacent)
    procedure = "Dist_graph_create_adjacent" if adjacent else "Dist_graph_create"
    child = _child(state, comm, comm.group, topology=topology)
    _add(state, step, procedure, comm, [child])
    for place, rank in enumerate(comm.group):
        if adjacent:
            mine = {"sources": sources[place], "destinations": to[place]}
        else:
            mine = {"source": place, "destinations": to[place]}
        step.add(rank, call(procedure, comm=comm.number, **mine, new=child.number))


# --- Intercommunicators -----------------------------------------------------------------------------------


def _intercomm(state: State, step: Step, comm: Comm) -> None:
    """Splits a communicator in two and joins the halves, with the communicator itself as the bridge."""
    cut = state.random.randint(1, len(comm.group) - 1)
    shuffled = tuple(state.random.sample(comm.group, len(comm.group)))
    sides = [tuple(sorted(part, key=comm.rank)) for part in (shuffled[:cut], shuffled[cut:])]
    halves = [_child(state, comm, side) for side in sides]
    _add(state, step, "Comm_split", comm, halves)
    for color, half in enumerate(halves):
        for rank in half.group:
            step.add(rank, call("Comm_split", comm=comm.number, color=color, key=0, new=half.number))
    tag = state.random.randint(0, 2)
    leaders = [state.random.randrange(len(side)) for side in sides]
    child = _child(state, halves[0], sides[0], sides[1])
    _add(state, step, "Intercomm_create", comm, [child], tag)
    for here, there in ((0, 1), (1, 0)):
        remote_leader = comm.rank(sides[there][leaders[there]])
        for rank in sides[here]:
            leads = rank == sides[here][leaders[here]]
            arguments = {
                "leader": leaders[here],
                "bridge": comm.number if leads or state.chance(0.5) else state.unused,
                "remote_leader": remote_leader,
                "tag": tag,
            }
            step.add(rank, call("Intercomm_create", comm=halves[here].number, **arguments, new=child.number))


def _merge(state: State, step: Step, comm: Comm) -> None:
    high = state.random.randint(0, 1)
    group = comm.remote + comm.group if high else comm.group + comm.remote
    child = _child(state, comm, group)
    _add(state, step, "Intercomm_merge", comm, [child])
    for rank in comm.members:
        mine = high if rank in comm.group else 1 - high
        step.add(rank, call("Intercomm_merge", comm=comm.number, high=mine, new=child.number))


# --- The end of a communicator ----------------------------------------------------------------------------


def free(state: State) -> Step | None:
    """Frees a communicator; None if there is none to free."""
    in_use = {operations.comm.number for operations in state.persistent}
    unused = [comm for comm in state.alive if comm.number not in in_use]
    if not unused:
        return None
    comm = state.random.choice(unused)
    state.alive.remove(comm)
    procedure = state.random.choice(("Comm_free", "Comm_free", "Comm_disconnect"))
    step = Step("free", needs={comm.number})
    for rank in comm.members:
        step.add(rank, call(procedure, comm=comm.number))
    return step


def name(state: State) -> Step | None:
    """Gives a communicator a name."""
    comm = state.random.choice(state.alive) if state.alive else None
    if comm is None:
        return None
    step = Step("name", needs={comm.number})
    text = state.random.randint(0, 99)
    for rank in comm.members:
        step.add(rank, call("Comm_set_name", comm=comm.number, name=text))
    return step

"""Persistent operations: initialised in one step, started in any number of later ones, at last freed."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from generator import collectives
from generator.communicator import Comm
from generator.instructions import ANY_SOURCE, PROC_NULL, call, persistent
from generator.program import Step
from generator.state import State

_MOST_ALIVE = 5
_SHORT = 4096


@dataclass(frozen=True)
class Ready:
    """A ready send, which may start only after its receive."""

    sender: int
    send: int
    receiver: int
    receive: int


@dataclass
class Operations:
    """Operations on one communicator that start together; requests by world rank.

    Attributes:
        number: by which later steps need the one that made them.
        starts: requests that may start at any time.
        detachable: sends among these whose completion nobody needs to see.
        collective: requests of a collective.
        every: all requests, until they are freed.
        askable: those that may be given to completion calls while they are not started.
    """

    number: int
    comm: Comm
    starts: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    detachable: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    ready: list[Ready] = field(default_factory=list)
    collective: dict[int, int] = field(default_factory=dict)
    may_restart_collective: bool = True
    every: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    askable: dict[int, list[int]] = field(default_factory=dict)


def initialise(state: State) -> Step | None:
    """A few of them on a random communicator."""
    comm = state.pick_comm()
    if comm is None or len(state.persistent) >= _MOST_ALIVE:
        return None
    made = Operations(state.new_number(), comm)
    step = Step("persistent", needs={comm.number}, lasting={made.number})
    for _ in range(state.random.randint(0, 3)):
        _messages(state, step, made)
    if state.has("persistent with nobody") and state.chance(0.3):
        _nobody(state, step, made)
    if state.has("persistent collectives") and state.chance(0.6):
        _collective(state, step, made)
    for rank in comm.members:
        step.add(rank, call("keep"))  # the memory of the receives
        collective = made.collective.get(rank)
        is_askable = state.has("persistent collectives completed by any call")
        made.askable[rank] = [request for request in made.every[rank] if request != collective or is_askable]
    state.persistent.append(made)
    return step


def free(state: State, *, every: bool = False) -> Step | None:
    """Frees what is not started any more; at the end of the program everything."""
    if not state.persistent:
        return None
    random = state.random
    ended = list(state.persistent) if every else [random.choice(state.persistent)]
    step = Step("free persistent", needs={operations.number for operations in ended})
    for operations in ended:
        state.persistent.remove(operations)
        for rank, requests in sorted(operations.every.items()):
            for request in random.sample(requests, len(requests)):
                step.add(rank, call("Request_free", request=request))
    return step


def _new(state: State, made: Operations, rank: int) -> int:
    request = state.new_request()
    made.every[rank].append(request)
    return request


def _messages(state: State, step: Step, made: Operations) -> None:
    """One message, or several to the same process that any of its receives may get."""
    random, comm = state.random, made.comm
    destination = random.choice(comm.members)
    peers = comm.peers(destination)
    from_any = state.chance(0.3)
    tag, datatype = state.new_tag(), state.pick_type()
    counts = [state.count() for _ in range(random.randint(1, 3) if from_any else 1)]
    room_type, room_count = state.at_least(datatype, max(counts))
    for count in counts:
        sender = random.choice(peers)
        short = count * datatype.size <= _SHORT
        modes = ["Send_init", "Ssend_init", "Bsend_init" if short else "Send_init"]
        mode = random.choice(modes if from_any else [*modes, "Rsend_init"])
        send, receive = _new(state, made, sender), _new(state, made, destination)
        common = {"comm": comm.number, "tag": tag}
        sent = {**common, "count": count, "type": datatype.number, "request": send}
        step.add(sender, call(mode, **sent, dest=comm.peers(sender).index(destination)))
        source = ANY_SOURCE if from_any else peers.index(sender)
        room = {**common, "count": room_count, "type": room_type.number, "request": receive}
        step.add(destination, call("Recv_init", count * datatype.size, **room, source=source))
        if mode == "Rsend_init":
            made.ready.append(Ready(sender, send, destination, receive))
            continue
        made.starts[sender].append(send)
        made.starts[destination].append(receive)
        if mode == "Send_init" and short:
            made.detachable[sender].append(send)


def _nobody(state: State, step: Step, made: Operations) -> None:
    """A message to MPI_PROC_NULL, and one from there."""
    rank = state.random.choice(made.comm.members)
    for operation, side in (("Send_init", "dest"), ("Recv_init", "source")):
        request = _new(state, made, rank)
        with_ = {"comm": made.comm.number, "tag": state.new_tag(), side: PROC_NULL}
        room = {"count": state.count(), "type": state.pick_type().number}
        step.add(rank, call(operation, **with_, **room, request=request))
        made.starts[rank].append(request)


def _collective(state: State, step: Step, made: Operations) -> None:
    made.collective = {rank: _new(state, made, rank) for rank in made.comm.members}
    numbers = {rank: persistent(request) for rank, request in made.collective.items()}
    for rank, instruction in collectives.calls(state, made.comm, numbers).items():
        step.add(rank, instruction)
        if instruction.operation == "Scatter" and not state.has("Scatter_init restarted"):
            made.may_restart_collective = False

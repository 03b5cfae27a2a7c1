"""Blocking point-to-point communication."""

from __future__ import annotations

from generator.communicator import Comm
from generator.instructions import ANY_SOURCE, ANY_TAG, AS_PROBED, PROC_NULL, call
from generator.program import Step
from generator.state import State


def chain(state: State, comm: Comm) -> Step:
    """Messages one after the other.

    All ranks keep to one order of the messages, so of those that are not yet through the first one always has
    both its sides waiting.
    """
    random = state.random
    step = Step("chain", needs={comm.number})
    for _ in range(random.randint(2, 6)):
        source = random.choice(comm.members)
        others = [peer for peer in comm.peers(source) if peer != source]
        if not others:
            continue
        destination = random.choice(others)
        datatype, count, tag = state.pick_type(), state.count(), state.new_tag()
        procedure = random.choice(("Send", "Ssend", "Bsend" if count * datatype.size < 4096 else "Send"))
        dest = comm.peers(source).index(destination)
        sent = {"comm": comm.number, "dest": dest, "tag": tag, "count": count, "type": datatype.number}
        step.add(source, call(procedure, **sent))
        room_type, room_count = state.at_least(datatype, count)
        room = {"count": room_count, "type": room_type.number, "ignore": state.chance(0.5)}
        exact = {"source": comm.peers(destination).index(source), "tag": tag}
        where = {"comm": comm.number, **random.choice((exact, exact, {**exact, "source": ANY_SOURCE}))}
        bytes_ = count * datatype.size
        way = random.choice(("Recv", "Recv", "Probe", "Mprobe", "Iprobe", "Improbe"))
        if way == "Recv":
            step.add(destination, call("Recv", bytes_, **where, **room))
            continue
        step.add(destination, call(way, **where))
        if way in ("Probe", "Iprobe"):
            as_probed = {"comm": comm.number, "source": AS_PROBED, "tag": ANY_TAG}
            step.add(destination, call("Recv", bytes_, **as_probed, **room))
        else:
            step.add(destination, call("Mrecv", bytes_, **room))
    return step


def shift(state: State, comm: Comm) -> Step:
    """Everybody sends and receives at once: around a circle, or along a line that ends in MPI_PROC_NULL."""
    random = state.random
    step = Step("shift", needs={comm.number})
    size = len(comm.group)
    by, is_line, replace = random.randint(0, size), state.chance(0.4), state.chance(0.4)
    tag, datatype = state.new_tag(), state.pick_type()
    counts = [state.count() for _ in comm.group]
    for place, rank in enumerate(comm.group):
        to, source = (place + by) % size, (place - by) % size
        if is_line:
            to = to if place + by < size else PROC_NULL
            source = source if place - by >= 0 else PROC_NULL
        come = counts[source] if source != PROC_NULL else 0
        named = ANY_SOURCE if source != PROC_NULL and state.chance(0.2) else source
        both = {"comm": comm.number, "dest": to, "sendtag": tag, "source": named, "recvtag": tag}
        ignore = state.chance(0.5)
        if replace:  # what is received must fit into what is sent
            come = max(counts) if source != PROC_NULL else 0
            buffer = {"count": max(counts), "type": datatype.number, "ignore": ignore}
            made = call("Sendrecv_replace", come * datatype.size, **both, **buffer)
        else:
            room_type, room_count = state.at_least(datatype, max(counts))
            sent = {"sendcount": counts[place], "sendtype": datatype.number}
            room = {"recvcount": room_count, "recvtype": room_type.number, "ignore": ignore}
            made = call("Sendrecv", come * datatype.size, **both, **sent, **room)
        step.add(rank, made)
    return step

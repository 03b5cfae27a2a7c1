"""Nonblocking communication of many kinds at once.

Free of deadlock: every rank first posts all that is nonblocking, then makes its blocking calls, each of which
waits for nothing but what another rank has posted, and at last completes its requests.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from generator import collectives
from generator.communicator import Comm
from generator.completion import Pending, complete
from generator.constructors import can_create, idup
from generator.datatypes import Datatype
from generator.instructions import ANY_SOURCE, ANY_TAG, AS_PROBED, PROC_NULL, Instruction, call
from generator.persistent import Operations
from generator.program import Step
from generator.state import State

_NONBLOCKING_SENDS = ("Isend", "Isend", "Ibsend", "Issend")
_BLOCKING_SENDS = ("Send", "Send", "Bsend", "Ssend")
_PROBED = ("Probe", "Iprobe", "Mprobe", "Improbe", "Mprobe Imrecv")

# How the receives of one process on one communicator name their messages in one step. Unless that is exact,
# any of them may get any of the messages, so all are alike and have room for each.
_EXACT, _ANY_SOURCE, _ANY_TAG, _ANY = range(4)


@dataclass
class _Rank:
    """What one rank does in the three parts of the step."""

    posts: list[list[Instruction]] = field(default_factory=list)
    ordered: list[Instruction] = field(default_factory=list)
    blocking: list[list[Instruction]] = field(default_factory=list)
    requests: list[Pending] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    idle: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class _Message:
    source: int
    destination: int
    datatype: Datatype
    count: int
    tag: int

    @property
    def bytes(self) -> int:
        return self.count * self.datatype.size


class Exchange:
    """One such step in the making."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.random = state.random
        self.step = Step("exchange")
        self.ranks: dict[int, _Rank] = defaultdict(_Rank)
        self.barriers: list[Comm] = []

    def restart(self) -> Step:
        """Nothing but persistent operations."""
        self._persistent(set())
        self._write()
        return self.step

    def make(self) -> Step:
        """The whole step."""
        state, random = self.state, self.random
        wild: set[int] = set()
        comms = {id(comm): comm for comm in (state.pick_comm() for _ in range(random.randint(1, 3))) if comm}
        for comm in comms.values():
            self.step.needs.add(comm.number)
            by_tag = self._messages(comm)
            if not by_tag:
                wild.add(comm.number)
            for _ in range(random.choice((0, 0, 1, 2))):
                self._ordered(comm)
            if state.chance(0.3):
                self._nobody(comm)
            if state.chance(0.25):
                self._cancelled(comm)
            if by_tag and not comm.inter and state.has("Isendrecv") and state.chance(0.3):
                self._ring(comm)
        self._persistent(wild)
        self._write()
        return self.step

    def _request(self, rank: int, may_be_freed: bool = False) -> int:
        number = self.state.new_request()
        self.ranks[rank].requests.append(Pending(number, may_be_freed))
        return number

    # --- Messages ---

    def _messages(self, comm: Comm) -> bool:
        """Messages between random members; True if their receives get no others."""
        random = self.random
        messages: dict[int, list[_Message]] = defaultdict(list)
        shared_tag = self.state.new_tag()
        modes = {rank: random.choice((_EXACT, _EXACT, _ANY_SOURCE, _ANY_TAG, _ANY)) for rank in comm.members}
        if any(mode == _ANY for mode in modes.values()):
            self.barriers.append(comm)
        types = {rank: self.state.pick_type() for rank in comm.members}
        for _ in range(random.randint(1, 6)):
            source = random.choice(comm.members)
            destination = random.choice(comm.peers(source))
            tag = shared_tag if modes[destination] == _ANY_SOURCE else self.state.new_tag()
            datatype = self.state.pick_type() if modes[destination] == _EXACT else types[destination]
            message = _Message(source, destination, datatype, self.state.count(), tag)
            messages[destination].append(message)
        for destination, group in messages.items():
            if modes[destination] == _EXACT:
                for message in group:
                    self._exact(comm, message, modes)
            else:
                self._alike(comm, destination, group, modes[destination])
        return not {_ANY_TAG, _ANY} & set(modes.values())

    def _exact(self, comm: Comm, message: _Message, modes: dict[int, int]) -> None:
        random = self.random
        source, tag = comm.peers(message.destination).index(message.source), message.tag
        roomy = self.state.at_least(message.datatype, message.count)
        way = random.random()
        if way < 0.15 and modes[message.source] in (_EXACT, _ANY_SOURCE):
            self._irecv(comm, message, source, tag, roomy)
            self._send_when_ready(comm, message)
        elif way < 0.6:
            self._irecv(comm, message, source, tag, roomy)
            if self.state.chance(0.5):
                self._send(comm, message, random.choice(_BLOCKING_SENDS))
            else:
                self._isend(comm, message)
        else:
            self._isend(comm, message)
            self._receive(comm, message, source, tag, roomy, random.choice(("Recv", *_PROBED)))

    def _alike(self, comm: Comm, destination: int, group: list[_Message], mode: int) -> None:
        random = self.random
        way = random.choice(("Irecv", "Irecv", "Recv", *_PROBED))
        longest = max(message.count for message in group)
        roomy = self.state.at_least(group[0].datatype, longest + random.choice((0, 1)))
        for message in group:
            source = comm.peers(destination).index(message.source) if mode == _ANY_TAG else ANY_SOURCE
            tag = message.tag if mode == _ANY_SOURCE else ANY_TAG
            if way == "Irecv":
                self._irecv(comm, message, source, tag, roomy)
            else:
                self._receive(comm, message, source, tag, roomy, way)
            if way == "Irecv" and self.state.chance(0.5):
                self._send(comm, message, random.choice(_BLOCKING_SENDS))
            else:
                self._isend(comm, message)

    def _arguments(self, comm: Comm, message: _Message) -> dict[str, int]:
        return {
            "comm": comm.number,
            "dest": comm.peers(message.source).index(message.destination),
            "tag": message.tag,
            "count": message.count,
            "type": message.datatype.number,
        }

    def _send(self, comm: Comm, message: _Message, procedure: str) -> None:
        sent = call(_short(procedure, "Bsend", "Send", message), **self._arguments(comm, message))
        self.ranks[message.source].blocking.append([sent])

    def _isend(self, comm: Comm, message: _Message) -> None:
        procedure = _short(self.random.choice(_NONBLOCKING_SENDS), "Ibsend", "Isend", message)
        number = self._request(message.source, procedure == "Isend" and message.bytes < 1000)
        sent = call(procedure, **self._arguments(comm, message), request=number)
        self.ranks[message.source].posts.append([sent])

    def _irecv(
        self, comm: Comm, message: _Message, source: int, tag: int, roomy: tuple[Datatype, int]
    ) -> None:
        datatype, count = roomy
        number = self._request(message.destination)
        arguments = {"comm": comm.number, "source": source, "tag": tag, "count": count}
        posted = call("Irecv", message.bytes, **arguments, type=datatype.number, request=number)
        self.ranks[message.destination].posts.append([posted])

    def _receive(
        self, comm: Comm, message: _Message, source: int, tag: int, roomy: tuple[Datatype, int], way: str
    ) -> None:
        """A blocking receive, perhaps of a message that was probed for."""
        rank, ignore = message.destination, self.state.chance(0.5)
        room = {"count": roomy[1], "type": roomy[0].number}
        where = {"comm": comm.number, "source": source, "tag": tag}
        if way == "Recv":
            calls = [call("Recv", message.bytes, **where, **room, ignore=ignore)]
        elif way in ("Probe", "Iprobe"):
            as_probed = {"comm": comm.number, "source": AS_PROBED, "tag": ANY_TAG}
            calls = [call(way, **where), call("Recv", message.bytes, **as_probed, **room, ignore=ignore)]
        elif way == "Mprobe Imrecv":
            number = self._request(rank)
            calls = [call("Mprobe", **where), call("Imrecv", message.bytes, **room, request=number)]
        else:
            calls = [call(way, **where), call("Mrecv", message.bytes, **room, ignore=ignore)]
        self.ranks[rank].blocking.append(calls)

    def _send_when_ready(self, comm: Comm, message: _Message) -> None:
        if self.state.chance(0.5):
            sent = call("Rsend", **self._arguments(comm, message))
        else:
            number = self._request(message.source)
            sent = call("Irsend", **self._arguments(comm, message), request=number)
        self._when_ready(comm, message.source, message.destination, sent)

    def _when_ready(self, comm: Comm, sender: int, receiver: int, sent: Instruction) -> None:
        """A ready send. The receiver says that its receive is posted: the last one of its posts."""
        back = self.state.new_tag()
        byte = self.state.types[0].number
        to = comm.peers(receiver).index(sender)
        ready = {"comm": comm.number, "tag": back, "count": 0, "type": byte}
        number = self._request(receiver, may_be_freed=True)
        self.ranks[receiver].posts[-1].append(call("Isend", **ready, dest=to, request=number))
        source = comm.peers(sender).index(receiver)
        heard = call("Recv", **ready, source=source, ignore=self.state.chance(0.5))
        self.ranks[sender].blocking.append([heard, sent])

    # --- What else is nonblocking ---

    def _ordered(self, comm: Comm) -> None:
        """A nonblocking collective: every member calls those of one communicator in the same order."""
        requests = {rank: self._request(rank) for rank in comm.members}
        if self.state.chance(0.12) and can_create(self.state, comm):
            calls = idup(self.state, self.step, comm, requests)
        else:
            calls = collectives.calls(self.state, comm, requests)
        for rank, instruction in calls.items():
            self.ranks[rank].ordered.append(instruction)

    def _nobody(self, comm: Comm) -> None:
        """Messages to and from MPI_PROC_NULL."""
        rank, random = self.random.choice(comm.members), self.random
        datatype, count = self.state.pick_type(), self.state.count()
        room = {"count": count, "type": datatype.number}
        with_ = {"comm": comm.number, "tag": self.state.new_tag()}
        mine = self.ranks[rank]
        for way in random.sample(("Isend", "Irecv", "Send", "Recv", "Mprobe", "Probe", "Issend"), 3):
            if way in ("Isend", "Issend"):
                number = self._request(rank, may_be_freed=True)
                mine.posts.append([call(way, **with_, **room, dest=PROC_NULL, request=number)])
            elif way == "Irecv":
                number = self._request(rank)
                mine.posts.append([call(way, **with_, **room, source=PROC_NULL, request=number)])
            elif way == "Send":
                mine.blocking.append([call(way, **with_, **room, dest=PROC_NULL)])
            elif way == "Recv":
                mine.blocking.append([call(way, **with_, **room, source=PROC_NULL, ignore=False)])
            else:
                probed = call(way, **with_, source=PROC_NULL)
                mine.blocking.append(
                    [probed]
                    if way == "Probe"
                    else [probed, call("Mrecv", **room, ignore=self.state.chance(0.5))]
                )

    def _cancelled(self, comm: Comm) -> None:
        """A receive that nothing is ever sent to."""
        rank = self.random.choice(comm.members)
        number = self.state.new_request()
        source = self.random.randrange(len(comm.peers(rank)))
        datatype, count = self.state.pick_type(), self.state.count()
        arguments = {"comm": comm.number, "source": source, "tag": self.state.new_tag(), "count": count}
        posted = call("Irecv", None, **arguments, type=datatype.number, request=number)
        self.ranks[rank].posts.append([posted])
        cancelled = [
            call("Cancel", request=number),
            call("Wait", request=number, ignore=self.state.chance(0.5)),
        ]
        self.ranks[rank].blocking.append(cancelled)

    def _ring(self, comm: Comm) -> None:
        """MPI_Isendrecv and its like around the communicator, or along a line that ends."""
        size = len(comm.group)
        replace = self.state.has("Isendrecv_replace") and self.state.chance(0.5)
        shift = self.random.randint(1, size)
        is_line = self.state.chance(0.3) and (not replace or self.state.has("Isendrecv_replace from nobody"))
        tag, datatype = self.state.new_tag(), self.state.pick_type()
        counts = [self.state.count() for _ in comm.group]
        for place, rank in enumerate(comm.group):
            to, source = (place + shift) % size, (place - shift) % size
            if is_line:
                to = to if place + shift < size else PROC_NULL
                source = source if place - shift >= 0 else PROC_NULL
            come = counts[source] if source != PROC_NULL else 0
            sent = {"comm": comm.number, "dest": to, "sendtag": tag, "source": source, "recvtag": tag}
            number = self._request(rank)
            if replace:  # what is received must fit into what is sent
                buffer = {"count": max(counts), "type": datatype.number, "request": number}
                come = max(counts) if source != PROC_NULL else 0
                made = call("Isendrecv_replace", come * datatype.size, **sent, **buffer)
            else:
                both = {"sendcount": counts[place], "sendtype": datatype.number, "recvtype": datatype.number}
                room = max(counts) + self.random.randint(0, 2)
                made = call("Isendrecv", come * datatype.size, **sent, **both, recvcount=room, request=number)
            self.ranks[rank].posts.append([made])

    # --- Persistent operations ---

    def _persistent(self, wild: set[int]) -> None:
        """Starts some, but none on communicators where a receive of any tag would get their messages."""
        state, random = self.state, self.random
        for operations in random.sample(state.persistent, len(state.persistent)):
            if (
                operations.comm.number in wild
                or not (operations.starts or operations.ready or operations.collective)
                or state.chance(0.3)
            ):
                for rank, requests in operations.askable.items():
                    self.ranks[rank].idle += requests
                continue
            self.step.needs.add(operations.number)
            self._start(operations)
            if state.chance(0.2):
                self._end(operations)

    def _started(self, request: int) -> Pending:
        return Pending(request, may_be_asked=self.state.has("Request_get_status of a persistent request"))

    def _start(self, operations: Operations) -> None:
        for rank, requests in sorted(operations.starts.items()):
            self.ranks[rank].starts += requests
            self.ranks[rank].requests += [self._started(request) for request in requests]
        for ready in operations.ready:
            self.ranks[ready.receiver].posts.append([call("Start", request=ready.receive)])
            self._when_ready(operations.comm, ready.sender, ready.receiver, call("Start", request=ready.send))
            self.ranks[ready.receiver].requests.append(self._started(ready.receive))
            self.ranks[ready.sender].requests.append(self._started(ready.send))
        only_waited_for = not self.state.has("persistent collectives completed by any call")
        for rank, request in sorted(operations.collective.items()):
            mine = self.ranks[rank]
            some = [mine.starts.pop() for _ in range(self.random.choice((0, 0, 1, 2))) if mine.starts]
            if some or self.state.chance(0.3):
                mine.ordered.append(call("Startall", requests=[*some, request]))
            else:
                mine.ordered.append(call("Start", request=request))
            mine.requests.append(Pending(request, only_waited_for=only_waited_for))
        if not operations.may_restart_collective:
            operations.collective = {}

    def _end(self, operations: Operations) -> None:
        """It was started for the last time. Some sends are freed while they are under way."""
        for rank, requests in sorted(operations.detachable.items()):
            for request in requests:
                if self.state.chance(0.5):
                    self.ranks[rank].blocking.append([call("Request_free", request=request)])
                    self.ranks[rank].requests.remove(self._started(request))
                    operations.every[rank].remove(request)
                    operations.askable[rank].remove(request)
        operations.starts, operations.ready, operations.collective = {}, [], {}

    def _starting(self, requests: list[int]) -> list[list[Instruction]]:
        """Calls that start them all."""
        calls = []
        left = self.random.sample(requests, len(requests))
        while left:
            size = self.random.choice((1, 1, 2, len(left)))
            group, left = left[:size], left[size:]
            if size == 1 and self.state.chance(0.7):
                calls.append([call("Start", request=group[0])])
            else:
                calls.append([call("Startall", requests=group)])
        return calls

    # --- Writing down ---

    def _write(self) -> None:
        random, step = self.random, self.step
        for rank, mine in sorted(self.ranks.items()):
            posts = mine.posts + self._starting(mine.starts)
            random.shuffle(posts)
            for instruction in _merged(self.state, posts, mine.ordered):
                step.add(rank, instruction)
            blocking = [
                operation for calls in random.sample(mine.blocking, len(mine.blocking)) for operation in calls
            ]
            for instruction in blocking:
                step.add(rank, instruction)
            region = (
                random.randint(0, 3) if self.state.chance(0.1) and rank not in self.state.paused else None
            )
            if region is not None:
                step.add(rank, call("Pcontrol", level=1, region=region))
            for instruction in complete(self.state, mine.requests, mine.idle):
                step.add(rank, instruction)
            if region is not None:
                step.add(rank, call("Pcontrol", level=-1, region=region))
        for comm in self.barriers:
            for rank in comm.members:
                step.add(rank, call("Barrier", comm=comm.number, request=-1))


def _short(procedure: str, buffered: str, other: str, message: _Message) -> str:
    """The other procedure, where a message is too long for the buffer of the buffered sends."""
    return other if procedure == buffered and message.bytes > 4096 else procedure


def _merged(state: State, posts: list[list[Instruction]], ordered: list[Instruction]) -> list[Instruction]:
    """The posts, with what must keep its order strewn in."""
    places = sorted(state.random.randint(0, len(posts)) for _ in ordered)
    merged: list[Instruction] = []
    at = 0
    for place, instruction in zip(places, ordered, strict=True):
        merged += [post for group in posts[at:place] for post in group]
        merged.append(instruction)
        at = place
    return merged + [post for group in posts[at:] for post in group]

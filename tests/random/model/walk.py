"""Walks through programs as the ranks do and notes what each call must have left in the profile."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from generator.instructions import BLOCKING, POLLING, PROC_NULL, SELF, Instruction, persistent
from generator.program import Program

from model import volume
from model.expectation import CallKey, CommunicatorRow, Expectation, MessageKey
from model.names import Named, Names
from model.regions import Regions
from model.requests import NONE, Persistent, Request, Requests, common

Polls = Mapping[tuple[int, int], list[tuple[int, int]]]
"""Of a polling call, by rank and line of the script: over which requests it was made (bits), how often."""

_SENDS = {f"{prefix}{mode}send" for prefix in ("", "I") for mode in ("", "b", "s", "r")}
_SENDS = {name[0].upper() + name[1:] for name in _SENDS}
_EXCHANGES = {"Sendrecv", "Sendrecv_replace", "Isendrecv", "Isendrecv_replace"}
_RECEIVES = {"Recv", "Irecv", "Mrecv", "Imrecv"}
_PROBES = {"Probe", "Iprobe", "Mprobe", "Improbe"}
_COMPLETIONS = {
    "Wait",
    "Waitall",
    "Waitany",
    "Waitsome",
    "Test",
    "Testall",
    "Testany",
    "Testsome",
    "Request_get_status",
    "Request_free",
    "Cancel",
}
_CONSTRUCTORS = {
    "Comm_dup",
    "Comm_dup_with_info",
    "Comm_idup",
    "Comm_idup_with_info",
    "Comm_split",
    "Comm_split_type",
    "Comm_create",
    "Comm_create_group",
    "Cart_create",
    "Cart_sub",
    "Graph_create",
    "Dist_graph_create",
    "Dist_graph_create_adjacent",
    "Intercomm_create",
    "Intercomm_merge",
}
_OPERATIONS_ON_WINDOWS = {
    "Put",
    "Get",
    "Accumulate",
    "Get_accumulate",
    "Rput",
    "Rget",
    "Raccumulate",
    "Rget_accumulate",
    "Fetch_and_op",
    "Compare_and_swap",
}
_INITIALISED_SENDS = {f"{mode}_init" for mode in ("Send", "Bsend", "Ssend", "Rsend")}
_ON_ONE_REQUEST = {"Request_get_status", "Request_free", "Cancel"}
_UNRECORDED = {
    "room",
    "keep",
    "forget",
    "type_builtin",
    "type_contiguous",
    "type_vector",
    "type_struct",
    "type_free",
}


def expect(programs: Iterable[Program], polls: Polls) -> Expectation:
    """What the profile of programs that run one after the other in one job must hold."""
    programs = list(programs)
    walk = _Walk(programs[0].ranks, polls)
    for program in programs:
        walk.sizes.update(program.types)
        for step in program.steps:
            for creation in step.creations:
                walk.names.create(creation)
            for rank, calls in sorted(step.calls.items()):
                for call in calls:
                    walk.ranks[rank].call(call)
    return walk.end()


class _Walk:
    """The job as a whole."""

    def __init__(self, ranks: int, polls: Polls) -> None:
        self.polls = polls
        self.expected = Expectation()
        self.names = Names(ranks)
        self.used_selves: set[int] = set()
        self.sizes: dict[int, int] = {}
        self.ranks = [_Rank(self, rank) for rank in range(ranks)]

    def end(self) -> Expectation:
        """MPI_Init and MPI_Finalize, and what only the end tells."""
        expected = self.expected
        for rank, walked in enumerate(self.ranks):
            expected.calls[CallKey(rank, NONE, Regions().current, "MPI_Init", 0)][0] += 1
            # MPI_Finalize first closes what is open.
            expected.calls[CallKey(rank, NONE, Regions().current, "MPI_Finalize", 0)][0] += 1
            expected.entries.update({(rank, name): times for name, times in walked.regions.entries.items()})
        selves = [self.names.selves[rank] for rank in sorted(self.used_selves)]
        every = (self.names.world, *selves, *self.names.made.values(), *self.names.windows.values())
        expected.communicators.update({named.name: _row(named) for named in every})
        return expected


def _sides(named: Named) -> tuple[tuple[int, ...], tuple[int, ...]]:
    low, high = sorted((named.comm.group, named.comm.remote), key=min)
    return low, high


def _row(named: Named) -> CommunicatorRow:
    comm, topology = named.comm, named.comm.topology
    low, high = _sides(named) if comm.inter else (comm.group, comm.remote)
    return CommunicatorRow(
        named.procedure,
        named.user_name,
        len(low),
        len(high),
        low,
        high,
        topology.kind if topology else "",
        topology.dims if topology else (),
        topology.periods if topology else (),
        named.freed == len(comm.members),
    )


class _Rank:
    """One process."""

    def __init__(self, walk: _Walk, rank: int) -> None:
        self.walk = walk
        self.rank = rank
        self.line = -1
        self.regions = Regions()
        self.requests = Requests()
        self.persistent: dict[int, Persistent] = {}
        self.windows: dict[int, Named] = {}
        self.windows_made: Counter[str] = Counter()  # by the communicator's name
        self.matched: Named | None = None  # communicator of the last message that MPI_Mprobe matched
        self.from_nobody = False

    def call(self, call: Instruction) -> None:
        """The next line of the script."""
        self.line += 1
        operation = call.operation
        if operation in _UNRECORDED:
            return
        if operation == "Pcontrol":
            self.regions.control(call["level"], f"region {call['region']}" if call["region"] >= 0 else "")
        elif operation in _COMPLETIONS:
            self._completion(call)
        elif operation in ("Start", "Startall"):
            self._start(call)
        elif operation in _OPERATIONS_ON_WINDOWS:
            self._one_sided(call, self.windows[call["win"]])
        elif operation.startswith("Win_") and "comm" not in call.arguments:
            self._book(call, self.windows[call["win"]].name, 0)
            self.windows[call["win"]].freed += operation == "Win_free"
        elif operation in ("Mrecv", "Imrecv"):
            assert self.matched is not None
            self._receive(call, self.matched)
        else:
            self._on_communicator(call, self._communicator(call["comm"]))

    def _communicator(self, number: int) -> Named:
        if number == SELF:
            self.walk.used_selves.add(self.rank)
        return self.walk.names.of(number, self.rank)

    def _on_communicator(self, call: Instruction, named: Named) -> None:
        operation = call.operation
        if operation in _SENDS:
            self._send(call, named)
        elif operation in _INITIALISED_SENDS:
            sent = volume.sent(call, self.walk.sizes)
            self._initialise(
                call, named, call["request"], sent, sent=sent, message=self._message_key(call, named)
            )
        elif operation == "Recv_init":
            posted = volume.posted(call, self.walk.sizes)
            self._initialise(call, named, call["request"], posted, received=call.bytes or 0)
        elif operation in _EXCHANGES:
            self._exchange(call, named)
        elif operation in _RECEIVES:
            self.from_nobody = call["source"] == PROC_NULL
            self._receive(call, named)
        elif operation in _PROBES:
            times = sum(count for _, count in self._polled()) if operation in POLLING else 1
            self._book(call, named.name, 0, calls=times)
            self.matched, self.from_nobody = named, call["source"] == PROC_NULL
        elif operation in ("Win_create", "Win_allocate"):
            self._book(call, named.name, 0)
            self.windows_made[named.name] += 1
            number = self.windows_made[named.name]
            self.windows[call["win"]] = self.walk.names.window(named, call.procedure, number)
        elif operation in _CONSTRUCTORS:
            self._book(call, named.name, 0)
            self._post(call, named, may_share=True)
        elif operation in ("Comm_free", "Comm_disconnect"):
            self._book(call, named.name, 0)
            named.freed += 1
        elif operation == "Comm_set_name":
            self._book(call, named.name, 0)
            named.user_name = f"name {call['name']}"
        else:
            size, sent = volume.collective(call, named.comm, self.rank, self.walk.sizes)
            if call["request"] < BLOCKING:
                self._initialise(call, named, persistent(call["request"]), size, sent=sent)
                return
            self._book(call, named.name, size, sent=sent)
            self._post(call, named, may_share=True)

    # --- Point-to-point ---

    def _send(self, call: Instruction, named: Named) -> None:
        sent = volume.sent(call, self.walk.sizes)
        self._book(call, named.name, sent, sent=sent)
        self._message(call, named, sent)
        self._post(call, named, may_share=True)

    def _exchange(self, call: Instruction, named: Named) -> None:
        sent = volume.sent(call, self.walk.sizes)
        self._book(call, named.name, sent, sent=sent, received=call.bytes or 0)
        self._message(call, named, sent)
        self._post(call, named, may_share=False)

    def _receive(self, call: Instruction, named: Named) -> None:
        # What completes is booked in the size of the message, what is cancelled in that of the posted buffer.
        size = volume.posted(call, self.walk.sizes) if call.bytes is None else call.bytes
        self._book(call, named.name, size, received=call.bytes or 0)
        self._post(call, named, may_share=self.from_nobody)

    def _message(self, call: Instruction, named: Named, sent: int) -> None:
        self._add_message(self._message_key(call, named), sent)

    def _message_key(self, call: Instruction, named: Named) -> MessageKey | None:
        if call["dest"] == PROC_NULL:
            return None
        to = named.comm.peers(self.rank)[call["dest"]]
        return MessageKey(self.rank, to, named.name, "point-to-point", call.procedure)

    def _add_message(self, key: MessageKey | None, size: int) -> None:
        if key is None or self.regions.paused:
            return
        row = self.walk.expected.messages[key]
        row[0] += 1
        row[1] += size

    # --- One-sided communication ---

    def _one_sided(self, call: Instruction, named: Named) -> None:
        sent, fetched = volume.one_sided(call, self.walk.sizes)
        size = fetched or 0 if sent is None else sent
        self._book(call, named.name, size, sent=sent or 0, received=fetched or 0)
        if call["target"] != PROC_NULL:
            target = named.comm.group[call["target"]]
            for amount, source, destination in ((sent, self.rank, target), (fetched, target, self.rank)):
                if amount is not None:
                    key = MessageKey(source, destination, named.name, "one-sided", call.procedure)
                    self._add_message(key, amount)
        self._post(call, named, may_share=True)

    # --- Persistent operations ---

    def _initialise(
        self,
        call: Instruction,
        named: Named,
        request: int,
        size: int,
        *,
        sent: int = 0,
        received: int = 0,
        message: MessageKey | None = None,
    ) -> None:
        """A call without bytes; what each start books is remembered."""
        self._book(call, named.name, size)
        self.persistent[request] = Persistent(named.name, size, sent, received, message)

    def _start(self, call: Instruction) -> None:
        numbers = [call["request"]] if "request" in call.arguments else call["requests"]
        started = [self.persistent[number] for number in numbers]
        # The call of MPI_Startall, which may start many, has size 0.
        size = started[0].size if call.operation == "Start" else 0
        self._book(call, common({operation.communicator for operation in started}), size)
        for number, operation in zip(numbers, started, strict=True):
            amounts = {"sent": operation.sent, "received": operation.received}
            self._book(call, operation.communicator, operation.size, **amounts, calls=0)
            self._add_message(
                operation.message and operation.message._replace(procedure=call.procedure), operation.sent
            )
            self.requests.post(number, Request(operation.communicator, may_share=False))

    # --- Completion ---

    def _post(self, call: Instruction, named: Named, *, may_share: bool) -> None:
        if call.get("request", -1) >= 0:
            self.requests.post(call["request"], Request(named.name, may_share))

    def _completion(self, call: Instruction) -> None:
        numbers = [call["request"]] if "request" in call.arguments else list(call["requests"])
        on_one = self.persistent.get(numbers[0]) if call.operation in _ON_ONE_REQUEST else None
        if on_one is not None:  # whether it is active or not
            times = sum(count for _, count in self._polled()) if call.operation in POLLING else 1
            self._book(call, on_one.communicator, 0, calls=times)
        elif call.operation not in POLLING:
            self._book_completion(call, numbers, 1)
        else:
            for mask, times in self._polled():
                active = [number for bit, number in enumerate(numbers) if mask >> bit & 1]
                self._book_completion(call, active, times)
                # What is not in the mask any more has completed; a handle of its kind may be given out anew.
        if call.operation not in ("Request_get_status", "Cancel"):
            self.requests.complete(numbers)
        if call.operation == "Request_free":
            self.persistent.pop(numbers[0], None)

    def _book_completion(self, call: Instruction, numbers: list[int], times: int) -> None:
        communicator, or_several = self.requests.communicator_of(numbers)
        if not or_several:
            self._book(call, communicator, 0, calls=times)
        elif not self.regions.paused:
            key = CallKey(self.rank, communicator, self.regions.current, call.procedure, 0)
            self.walk.expected.either[key] += times

    def _polled(self) -> list[tuple[int, int]]:
        return self.walk.polls[self.rank, self.line]

    # --- Rows ---

    def _book(
        self,
        call: Instruction,
        communicator: str,
        size: int,
        *,
        sent: int = 0,
        received: int = 0,
        calls: int = 1,
    ) -> None:
        if self.regions.paused:
            return
        procedure = call.procedure
        key = CallKey(self.rank, communicator, self.regions.current, procedure, volume.size_bin(size))
        row = self.walk.expected.calls[key]
        row[0] += calls
        row[1] += sent
        row[2] += received

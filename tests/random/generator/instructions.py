"""What one rank does, call by call: the lines of the scripts that programs/interpreter.c executes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

# Stand for the constants of MPI in scripts.
PROC_NULL, ANY_SOURCE, ROOT, AS_PROBED = -1, -2, -3, -4
ANY_TAG = -1
BLOCKING = -1  # in place of a request


def persistent(request: int) -> int:
    """In place of a request: the collective is only initialised, under this number."""
    return -2 - request


WORLD, SELF = 0, 1
"""Numbers of the predefined communicators."""

_P2P = "comm dest tag count type"
_EXCHANGE = "comm dest sendtag sendcount sendtype source recvtag recvcount recvtype"
_REPLACE = "comm dest sendtag source recvtag count type"
_MANY = "requests ignore"
_ALL = "comm sendcount sendtype recvcount recvtype in_place request"
_VECTOR = "comm sendcount sendtype recvcounts recvtype in_place request"
_VECTORS = "comm sendcounts sendtype recvcounts recvtype in_place request"
_TYPES = "comm sendcounts sendtypes recvcounts recvtypes in_place request"
_REDUCE = "comm count type op in_place request"

_AT = "win target slot"

_ARGUMENTS = {
    **dict.fromkeys(("room", "keep", "forget"), ""),
    "type_builtin": "type which",
    "type_contiguous": "type count base",
    "type_vector": "type count length stride base",
    "type_struct": "type lengths members",
    "type_free": "type",
    **dict.fromkeys(("Send", "Bsend", "Ssend", "Rsend"), _P2P),
    **dict.fromkeys(("Isend", "Ibsend", "Issend", "Irsend"), f"{_P2P} request"),
    **dict.fromkeys(("Send_init", "Bsend_init", "Ssend_init", "Rsend_init"), f"{_P2P} request"),
    "Recv": "comm source tag count type ignore",
    **dict.fromkeys(("Irecv", "Recv_init"), "comm source tag count type request"),
    "Sendrecv": f"{_EXCHANGE} ignore",
    "Isendrecv": f"{_EXCHANGE} request",
    "Sendrecv_replace": f"{_REPLACE} ignore",
    "Isendrecv_replace": f"{_REPLACE} request",
    **dict.fromkeys(("Probe", "Iprobe", "Mprobe", "Improbe"), "comm source tag"),
    "Mrecv": "count type ignore",
    "Imrecv": "count type request",
    "Cancel": "request",
    "Wait": "request ignore",
    **dict.fromkeys(("Waitall", "Waitany", "Waitsome", "Test", "Testall", "Testany", "Testsome"), _MANY),
    "Request_get_status": "request",
    "Request_free": "request",
    "Start": "request",
    "Startall": "requests",
    "Barrier": "comm request",
    "Bcast": "comm count type root request",
    "Gather": "comm sendcount sendtype recvcount recvtype root in_place request",
    "Gatherv": "comm sendcount sendtype recvcounts recvtype root in_place request",
    "Scatter": "comm sendcount sendtype recvcount recvtype root in_place request",
    "Scatterv": "comm sendcounts sendtype recvcount recvtype root in_place request",
    **dict.fromkeys(("Allgather", "Alltoall", "Neighbor_allgather", "Neighbor_alltoall"), _ALL),
    **dict.fromkeys(("Allgatherv", "Neighbor_allgatherv"), _VECTOR),
    **dict.fromkeys(("Alltoallv", "Neighbor_alltoallv"), _VECTORS),
    **dict.fromkeys(("Alltoallw", "Neighbor_alltoallw"), _TYPES),
    "Reduce": "comm count type op root in_place request",
    **dict.fromkeys(("Allreduce", "Scan", "Exscan", "Reduce_scatter_block"), _REDUCE),
    "Reduce_scatter": "comm counts type op in_place request",
    **dict.fromkeys(("Comm_dup", "Comm_dup_with_info"), "comm new"),
    **dict.fromkeys(("Comm_idup", "Comm_idup_with_info"), "comm new request"),
    "Comm_split": "comm color key new",
    "Comm_split_type": "comm taking_part key new",
    "Comm_create": "comm ranks new",
    "Comm_create_group": "comm ranks tag new",
    "Cart_create": "comm dims periods new",
    "Cart_sub": "comm remain new",
    "Graph_create": "comm index edges new",
    "Dist_graph_create": "comm source destinations new",
    "Dist_graph_create_adjacent": "comm sources destinations new",
    "Intercomm_create": "comm leader bridge remote_leader tag new",
    "Intercomm_merge": "comm high new",
    **dict.fromkeys(("Comm_free", "Comm_disconnect"), "comm"),
    "Comm_set_name": "comm name",
    **dict.fromkeys(("Win_create", "Win_allocate"), "comm slots win"),
    **dict.fromkeys(("Win_free", "Win_fence", "Win_lock_all", "Win_unlock_all", "Win_flush_all"), "win"),
    **dict.fromkeys(("Win_flush_local_all", "Win_sync", "Win_complete", "Win_wait"), "win"),
    **dict.fromkeys(("Win_post", "Win_start"), "win ranks"),
    "Win_lock": "win target exclusive",
    **dict.fromkeys(("Win_unlock", "Win_flush", "Win_flush_local"), "win target"),
    **dict.fromkeys(("Put", "Get"), f"{_AT} count type"),
    **dict.fromkeys(("Rput", "Rget"), f"request {_AT} count type"),
    **dict.fromkeys(("Accumulate", "Get_accumulate"), f"{_AT} count type op"),
    **dict.fromkeys(("Raccumulate", "Rget_accumulate"), f"request {_AT} count type op"),
    "Fetch_and_op": f"{_AT} type op",
    "Compare_and_swap": f"{_AT} type",
    "Pcontrol": "level region",
}

POLLING = {
    "Iprobe",
    "Improbe",
    "Waitany",
    "Waitsome",
    "Test",
    "Testall",
    "Testany",
    "Testsome",
    "Request_get_status",
}
"""Called in a loop until they have what they want: the interpreter reports how often."""


_COLLECTIVES = {
    name
    for name, arguments in _ARGUMENTS.items()
    if arguments.endswith(" request") and not name.startswith(("I", "Comm_")) and not name.endswith("_init")
}


@dataclass
class Instruction:
    """One line of a script.

    Attributes:
        operation: an MPI procedure without "MPI_", or one of the interpreter's own.
        arguments: by name; numbers or lists of numbers.
        bytes: that a receive will receive, for the model; None = none, it is cancelled.
    """

    operation: str
    arguments: dict[str, Any]
    bytes: int | None = 0
    names: list[str] = field(init=False)

    def __post_init__(self) -> None:
        self.names = _ARGUMENTS[self.operation].split()
        if set(self.names) != set(self.arguments):
            raise ValueError(f"{self.operation} takes {self.names}, not {sorted(self.arguments)}")

    def __getitem__(self, name: str) -> Any:
        return self.arguments[name]

    def get(self, name: str, default: Any = None) -> Any:
        """An argument, if the operation has it."""
        return self.arguments.get(name, default)

    @property
    def procedure(self) -> str:
        """The MPI procedure that is called."""
        name = self.operation
        if name in _COLLECTIVES and self.arguments["request"] < BLOCKING:
            name = f"{name}_init"
        elif name in _COLLECTIVES and self.arguments["request"] != BLOCKING:
            name = f"I{name[0].lower()}{name[1:]}"
        return f"MPI_{name}"

    @property
    def line(self) -> str:
        """The line of the script."""
        words = [self.operation]
        for name in self.names:
            value = self.arguments[name]
            words += (
                [str(len(value)), *map(str, value)] if isinstance(value, (list, tuple)) else [str(int(value))]
            )
        return " ".join(words)

    def __str__(self) -> str:
        return f"{self.procedure}({', '.join(f'{name}={self.arguments[name]}' for name in self.names)})"


def call(operation: str, received: int | None = 0, /, **arguments: Any) -> Instruction:
    """An instruction, its arguments by name."""
    return Instruction(operation, arguments, received)

"""Size and bytes of calls by the tables in docs/reference/profile-format.md, "Bytes"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from generator.communicator import Comm
from generator.instructions import PROC_NULL, ROOT, Instruction
from generator.one_sided import NO_OP

Sizes = Mapping[int, int]
"""Bytes of data by number of a datatype."""


def size_bin(size: int) -> int:
    """0 = no bytes, k = 2^(k-1) to 2^k - 1."""
    return size.bit_length()


def sent(call: Instruction, sizes: Sizes) -> int:
    """Bytes that a point-to-point call sends."""
    if call["dest"] == PROC_NULL:
        return 0
    if call.operation in ("Sendrecv", "Isendrecv"):
        return int(call["sendcount"] * sizes[call["sendtype"]])
    return int(call["count"] * sizes[call["type"]])


def posted(call: Instruction, sizes: Sizes) -> int:
    """Bytes that a receive has room for."""
    return 0 if call.get("source") == PROC_NULL else int(call["count"] * sizes[call["type"]])


def collective(call: Instruction, comm: Comm, rank: int, sizes: Sizes) -> tuple[int, int]:
    """Size of a collective on a process, and what the process contributes."""
    peers = comm.peers(rank)
    family = call.operation.removeprefix("Neighbor_")
    if call.operation.startswith("Neighbor_"):
        return _neighbourhood(call, comm, rank, sizes)
    if family == "Barrier":
        return 0, 0
    if family == "Bcast":
        block = call["count"] * sizes[call["type"]]
        others = len(peers) if comm.inter else len(peers) - 1
        return block, block * others if _is_root(call, comm, rank) else 0
    if family in ("Gather", "Gatherv", "Allgather", "Allgatherv"):
        if comm.inter and call.get("root") in (ROOT, PROC_NULL):
            return 0, 0
        block = _gathered(call, comm, rank, sizes)
        return block, block
    if family in ("Scatter", "Scatterv"):
        return _scattered(call, comm, rank, sizes)
    if family in ("Alltoall", "Alltoallv", "Alltoallw"):
        total = sum(_blocks(call, "recv" if call["in_place"] else "send", len(peers), sizes))
        return total // len(peers), total
    if family == "Reduce_scatter":
        block = call["counts"][comm.rank(rank)] * sizes[call["type"]]
        return block, block
    block = call["count"] * sizes[call["type"]]
    if family == "Reduce" and comm.inter and call["root"] in (ROOT, PROC_NULL):
        return block, 0
    if family in ("Scan", "Exscan") and comm.group[-1] == rank:
        return block, 0
    return block, block


def _is_root(call: Instruction, comm: Comm, rank: int) -> bool:
    return call["root"] == (ROOT if comm.inter else comm.rank(rank))


def _gathered(call: Instruction, comm: Comm, rank: int, sizes: Sizes) -> int:
    if not call["in_place"]:
        return int(call["sendcount"] * sizes[call["sendtype"]])
    own = call["recvcounts"][comm.rank(rank)] if call.operation.endswith("v") else call["recvcount"]
    return int(own * sizes[call["recvtype"]])


def _scattered(call: Instruction, comm: Comm, rank: int, sizes: Sizes) -> tuple[int, int]:
    if comm.inter and call["root"] == PROC_NULL:
        return 0, 0
    if not _is_root(call, comm, rank):
        return call["recvcount"] * sizes[call["recvtype"]], 0
    peers = len(comm.peers(rank))
    total = sum(_blocks(call, "send", peers, sizes))
    return total // peers, total


def _blocks(call: Instruction, side: str, n: int, sizes: Sizes) -> Sequence[int]:
    """Bytes of each of n blocks."""
    counts = call.get(f"{side}counts") or [call.get(f"{side}count", 0)] * n
    types = call.get(f"{side}types") or [call.get(f"{side}type", 0)] * n
    return [count * sizes[datatype] for count, datatype in zip(counts, types, strict=True)]


def _neighbourhood(call: Instruction, comm: Comm, rank: int, sizes: Sizes) -> tuple[int, int]:
    assert comm.topology is not None
    to = comm.topology.destinations[comm.rank(rank)]
    real = [destination >= 0 for destination in to]
    if "allgather" in call.operation:
        block = call["sendcount"] * sizes[call["sendtype"]]
        return block, block * sum(real)
    if not to:
        return 0, 0
    total = sum(
        block for block, there in zip(_blocks(call, "send", len(to), sizes), real, strict=True) if there
    )
    return (total // sum(real) if any(real) else 0), total


def one_sided(call: Instruction, sizes: Sizes) -> tuple[int | None, int | None]:
    """Bytes that an operation on a window sends and fetches; None where there is no such message."""
    if call["target"] == PROC_NULL:
        return None, None
    size = call.get("count", 1) * sizes[call["type"]]
    name = call.operation.lower().removeprefix("r")
    if name == "compare_and_swap":
        return 2 * size, size
    fetches = name.startswith(("get", "fetch"))
    sends = name in ("put", "accumulate") or (name != "get" and call["op"] != NO_OP)
    return size if sends else None, size if fetches else None

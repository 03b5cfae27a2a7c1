"""Session.reorder and rankwise.redistribute on four ranks, whose nodes are A B B A (pretend_nodes.c)."""

import os

import numpy as np

import rankwise

rankwise.preload()  # does nothing where the library is there
from mpi4py import MPI  # noqa: E402

world = MPI.COMM_WORLD
rank = world.Get_rank()
nodes = os.environ["PRETEND_NODES"]


def pairs(comm):
    partner = comm.Get_rank() ^ 1
    comm.Sendrecv(np.zeros(1000), partner, recvbuf=np.empty(1000), source=partner)


def refused(name, function):
    try:
        function()
    except rankwise.IntrospectionError as error:
        assert error.name == name, error
    else:
        raise AssertionError(f"nothing was raised, instead of {name}")


with rankwise.session(world) as s:
    pairs(world)
    refused("MPI_M_SESSION_NOT_SUSPENDED", s.reorder)
better, k = s.reorder()
assert sorted(k.tolist()) == [0, 1, 2, 3]
assert better.Get_rank() == k[rank]
node = {new: nodes[old] for old, new in enumerate(k.tolist())}
assert node[0] == node[1]
assert node[2] == node[3]
with rankwise.session(better) as again:
    pairs(better)
same, kept = again.reorder(better)
assert kept.tolist() == [0, 1, 2, 3]

# Nothing is left of the run, or too much is to be handed over.
for repetitions, size in ((0, 0), (1e4, 1e18)):
    forecast = s.reorder_if_profitable(repetitions, size)
    assert forecast.comm is None
    assert forecast.k.tolist() == [0, 1, 2, 3]
    assert forecast.reason.startswith("kept: ")
    assert forecast.gain <= forecast.cost
previous = forecast._replace(distance=100.0)
assert s.reorder_if_profitable(previous=previous).distance == 100.0
profit = s.reorder_if_profitable(1e6, 0)
if profit.comm is not None:
    assert profit.comm.Get_rank() == profit.k[rank]
    assert profit.gain > profit.cost

# Blocks of different shapes and types.
block = np.full((rank + 1, 2), rank, [np.int16, np.float32, np.complex128, np.uint8][rank])
received = rankwise.redistribute(block, world, k)
mine = better.Get_rank()
assert received.shape == (mine + 1, 2)
assert received.dtype == [np.int16, np.float32, np.complex128, np.uint8][mine]
assert (received == mine).all()
stays = rankwise.redistribute(block, world, range(4))
assert stays is not block
assert (stays == block).all()

refused("MPI_M_INVALID_ORDER", lambda: rankwise.redistribute(block, world, [0, 1, 2, 2]))
refused("MPI_M_INVALID_COMM", lambda: s.reorder(MPI.COMM_SELF))
refused("MPI_M_INVALID_MACHINE", lambda: s.reorder(machine="/no/machine.json"))
same.Free()
better.Free()

"""MPI_COMM_WORLD in another order, through mpi4py; the arguments are the new ranks by the launcher's."""

from __future__ import annotations

import os
import sys

from mpi4py import MPI

world = MPI.COMM_WORLD
order = [int(word) for word in sys.argv[1:]]
launched = int(os.environ.get("OMPI_COMM_WORLD_RANK") or os.environ["PMI_RANK"])
rank, size = world.Get_rank(), world.Get_size()
assert rank == order[launched], (rank, launched)
assert (world.rank, world.size) == (rank, size)
assert world.sendrecv(rank, (rank + 1) % size, source=(rank - 1) % size) == (rank - 1) % size
assert world.allgather(launched) == sorted(range(size), key=lambda old: order[old])
assert world.Get_group().Get_rank() == rank
assert world == MPI.COMM_WORLD
assert MPI.Comm.Compare(world, world.Dup()) == MPI.CONGRUENT
assert world.Get_attr(MPI.TAG_UB) >= 32767
key = MPI.Comm.Create_keyval()
world.Set_attr(key, "thing")
assert world.Get_attr(key) == "thing"
assert world.Get_name() == "MPI_COMM_WORLD"
assert world.Split(rank % 2, rank).Get_rank() == rank // 2
if rank == 0:
    print("all as expected")

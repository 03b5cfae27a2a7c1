"""Two sessions distinguish two collectives that follow each other directly."""

import numpy as np
from mpi4py import MPI

import rankwise

comm = MPI.COMM_WORLD
data, total = np.zeros(1000), np.zeros(1000)

with rankwise.session(comm) as broadcast:
    comm.Bcast(data, root=0)
with rankwise.session(comm) as reduction:
    comm.Allreduce(data, total)

for name, session in (("MPI_Bcast", broadcast), ("MPI_Allreduce", reduction)):
    inside, defined = session.bytes("inside").sum(), session.bytes("collective").sum()
    told = f"rank {comm.rank} sends inside {name} {inside} bytes (by definition {defined})"
    for line in comm.gather(told) or []:
        print(line)

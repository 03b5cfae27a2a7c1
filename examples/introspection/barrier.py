"""How is MPI_Barrier built? A session around one barrier shows which ranks send to each other inside it."""

from mpi4py import MPI

import rankwise

comm = MPI.COMM_WORLD
comm.Barrier()  # the first one may include setup messages
with rankwise.session(comm) as session:
    comm.Barrier()

messages = session.matrix("inside", root=0)
if messages is not None:
    print("messages of one MPI_Barrier, a line for each sender")
    for row in messages:
        print("".join(f" {count:3}" for count in row))

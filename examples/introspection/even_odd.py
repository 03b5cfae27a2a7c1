"""A session on the even ranks, one on the odd: they also see their messages on the world."""

from mpi4py import MPI

import rankwise

comm = MPI.COMM_WORLD
half = comm.Split(comm.rank % 2, comm.rank)

with rankwise.session(half) as session:
    for distance in (1, 2):
        comm.sendrecv(
            "data", dest=(comm.rank + distance) % comm.size, source=(comm.rank - distance) % comm.size
        )

# The message to the next rank goes to the other half. The message to the next but one stays.
messages = " ".join(map(str, session.messages("user")))
told = f"rank {comm.rank} to the {'odd' if comm.rank % 2 else 'even'} ranks: {messages}"
for line in comm.gather(told) or []:
    print(line)

"""A little of mpi4py on three ranks; tests/mpi/test_mpi4py.py knows what it calls.

Afterwards each rank starts a Python without MPI, which must not notice anything.
"""

import subprocess
import sys

from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.Get_rank(), world.Get_size()
room = bytearray(1000)

pairs = world.Dup()
for i in range(10):
    if rank == 0:
        pairs.Send([bytearray(10 * i), MPI.BYTE], dest=1)
    elif rank == 1:
        status = MPI.Status()
        pairs.Recv([room, MPI.BYTE], source=0, status=status)
        assert status.Get_count(MPI.BYTE) == 10 * i
pairs.Free()

thing = {"name": "rankwise", "values": list(range(100))}
if rank == 0:
    world.send(thing, dest=2)
    print("pickled", len(MPI.pickle.dumps(thing)), flush=True)
elif rank == 2:
    assert world.recv(source=0) == thing

requests = [
    world.Isend([bytearray(100 + rank), MPI.BYTE], dest=(rank + 1) % size),
    world.Irecv([room, MPI.BYTE], source=(rank - 1) % size),
]
MPI.Request.Waitall(requests)

total = bytearray(80)
world.Allreduce([bytearray(80), MPI.DOUBLE], [total, MPI.DOUBLE])
world.Bcast([room, 50, MPI.BYTE], root=1)
world.Barrier()

subprocess.run([sys.executable, "-c", "print('a Python without MPI', flush=True)"], check=True)

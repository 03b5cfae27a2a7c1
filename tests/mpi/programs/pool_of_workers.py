"""Tasks for a pool of workers, dealt out by mpi4py.futures: rank 0 on one side, the workers on the other."""

from mpi4py import MPI
from mpi4py.futures import MPICommExecutor

with MPICommExecutor(MPI.COMM_WORLD, root=0) as executor:
    if executor is not None:
        print("sum", sum(executor.map(abs, range(-10, 0))), flush=True)

"""Pools of mpi4py.futures: "pool" = of `python -m mpi4py.futures`, "world" = of MPI_COMM_WORLD.

The process with the pool prints the results, its rank, and whether all workers are others.
"""

from __future__ import annotations

import sys
from concurrent.futures import Executor

from mpi4py import MPI
from mpi4py.futures import MPICommExecutor, MPIPoolExecutor

TASKS = 40
ROOT = 1


def task(number: int) -> tuple[int, int]:
    """Return a result, and the rank of the worker."""
    return number * number, MPI.COMM_WORLD.Get_rank()


def work(executor: Executor) -> None:
    """Hand out tasks."""
    done = list(executor.map(task, range(TASKS)))
    rank, size = MPI.COMM_WORLD.Get_rank(), MPI.COMM_WORLD.Get_size()
    workers = {worker for _, worker in done}
    print("results", [result for result, _ in done])
    print("rank", rank, "of", size)
    print("others work:", bool(workers) and workers <= set(range(size)) - {rank}, flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "pool":
        with MPIPoolExecutor() as pool:
            work(pool)
    else:
        with MPICommExecutor(MPI.COMM_WORLD, root=ROOT) as executor:
            if executor is not None:
                work(executor)

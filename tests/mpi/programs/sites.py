"""Lines of Python that call MPI, each known by the comment behind it: tests/mpi/test_sites_of_calls.py."""

import threading

from mpi4py import MPI

world = MPI.COMM_WORLD
rank = world.Get_rank()
room = bytearray(8)


class Solver:
    """A class, so that functions have names with points in them."""

    def step(self) -> None:
        """Call from a method."""
        world.Bcast(room)  # in a method

        def inner() -> None:
            world.Barrier()  # in a function of a function

        inner()


def exchange() -> None:
    """Call from both sides of a message."""
    for _ in range(10):
        if rank == 0:
            world.Send(room, dest=1)  # send
        elif rank == 1:
            world.Recv(room, source=0)  # receive
    [world.bcast(None) for _ in range(5)]  # in a comprehension


def in_thread() -> None:
    """Call from a thread, while the others wait for it."""
    world.Allreduce(MPI.IN_PLACE, [room, MPI.BYTE])  # in a thread


solver = Solver()
for _ in range(3):
    solver.step()
exchange()
try:
    raise ValueError
except ValueError:
    world.Barrier()  # in no function
thread = threading.Thread(target=in_thread)
thread.start()
thread.join()

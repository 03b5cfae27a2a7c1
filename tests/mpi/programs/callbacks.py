"""MPI calls of a callback in Python: the deletion of an attribute when its communicator is freed."""

from mpi4py import MPI

WORLD = MPI.COMM_WORLD


def delete(_comm: MPI.Comm, _key: int, _value: object) -> None:
    """Call MPI."""
    WORLD.Allreduce(bytearray(4), bytearray(4), op=MPI.BOR)
    WORLD.Barrier()


key = MPI.Comm.Create_keyval(delete_fn=delete)
comm = WORLD.Dup()
comm.Set_attr(key, None)
comm.Free()

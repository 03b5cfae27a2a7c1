"""Calls MPI by ctypes, each function looked up on the library's own handle; arguments as of constants.c.

tests/mpi/test_looked_up.py
"""

import ctypes
import sys

path, world_name, int_name = sys.argv[1:]
mpi = ctypes.CDLL(path)


def handle(name: str) -> ctypes.c_void_p:
    """Return a predefined handle: a number, or in Open MPI the address of a variable."""
    if name.isdigit():
        return ctypes.c_void_p(int(name))
    return ctypes.c_void_p(ctypes.addressof(ctypes.c_char.in_dll(mpi, name)))


world, integer = handle(world_name), handle(int_name)
mpi.MPI_Init(None, None)
rank, size = ctypes.c_int(), ctypes.c_int()
mpi.MPI_Comm_rank(world, ctypes.byref(rank))
mpi.MPI_Comm_size(world, ctypes.byref(size))
for _ in range(3):
    mpi.MPI_Barrier(world)
mpi.PMPI_Barrier(world)
ten = (ctypes.c_int * 10)(*range(10))
mpi.MPI_Bcast(ten, 10, integer, 0, world)
if rank.value == 0:
    mpi.MPI_Send(ten, 10, integer, 1, 7, world)
elif rank.value == 1:
    request = ctypes.c_void_p()
    mpi.MPI_Irecv(ten, 10, integer, 0, 7, world, ctypes.byref(request))
    mpi.MPI_Waitall(1, ctypes.byref(request), ctypes.byref((ctypes.c_char * 64)()))
has_large = hasattr(mpi, "MPI_Bcast_c")
if has_large:
    mpi.MPI_Bcast_c(ten, ctypes.c_int64(5), integer, 0, world)
    mpi.MPI_Bcast_c(ten, ctypes.c_int64(5), integer, 0, world)
asked = [
    "MPI_Isendrecv",
    "MPI_Session_init",
    "MPI_Abi_get_info",
    "MPI_None_such",
    "mpi_send_",
    "MPI_T_init_thread",
]
# (One character: launchers may tear lines of several ranks apart.)
print(rank.value, "+" if has_large else "-", [hasattr(mpi, name) for name in asked], list(ten), flush=True)
mpi.MPI_Finalize()

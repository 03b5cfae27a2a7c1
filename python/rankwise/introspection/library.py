"""The functions of MPI_Monitoring.h in this process, from the library that counts.

RATIONALE: a session does not load librankwise_monitoring.so. The program's MPI calls go to the library loaded
before mpi4py's extension module; a later one intercepts none of them, and would report zeros.
"""

from __future__ import annotations

import ctypes
import functools
import sys

from rankwise._files import installed
from rankwise.errors import RankwiseError
from rankwise.introspection.errors import ERRORS, INTERNAL_FAIL, MULTIPLE_CALL, IntrospectionError, check

_LIBRARY = "lib/librankwise_monitoring.so.0"

_INT = ctypes.c_int
_INT_ADDRESS = ctypes.POINTER(ctypes.c_int)
_ARRAY = ctypes.c_void_p  # of unsigned long; None = not wanted
# A number or an address, by the MPI library. Both come in the same register (src/introspection/exported.cpp).
_COMMUNICATOR = ctypes.c_void_p

_ARGUMENTS: dict[str, list[type]] = {
    "MPI_M_init": [],
    "MPI_M_start": [_COMMUNICATOR, _INT_ADDRESS],
    "MPI_M_suspend": [_INT],
    "MPI_M_continue": [_INT],
    "MPI_M_reset": [_INT],
    "MPI_M_free": [_INT],
    "MPI_M_get_info": [_INT, _INT_ADDRESS, _INT_ADDRESS],
    "MPI_M_get_visible": [_INT, _INT_ADDRESS],
    "MPI_M_get_data": [_INT, _ARRAY, _ARRAY, _INT],
    "MPI_M_allgather_data": [_INT, _ARRAY, _ARRAY, _INT],
    "MPI_M_rootgather_data": [_INT, _INT, _ARRAY, _ARRAY, _INT],
    "MPI_M_mapping": [_ARRAY, _INT, _INT_ADDRESS],
    "MPI_M_flush": [_INT, ctypes.c_char_p, _INT],
    "MPI_M_rootflush": [_INT, _INT, ctypes.c_char_p, _INT],
    "MPI_M_get_comm_time": [_COMMUNICATOR, ctypes.c_char_p, ctypes.POINTER(ctypes.c_double)],
    "MPI_M_get_comm_data": [_COMMUNICATOR, ctypes.c_char_p, _ARRAY, _ARRAY, _ARRAY],
    "MPI_M_reorder": [_INT, _COMMUNICATOR, ctypes.c_char_p, ctypes.c_void_p, _INT_ADDRESS],
    "MPI_M_reorder_if_profitable": [
        _INT,
        _COMMUNICATOR,
        ctypes.c_char_p,
        ctypes.c_void_p,
        ctypes.c_void_p,
        _INT_ADDRESS,
    ],
}


def preload() -> None:
    """Load the library that counts, for programs that are started as ever.

    To be called before `mpi4py.MPI` is imported. Where the library is there already, as under `rankwise run`,
    nothing is done.

    Raises:
        IntrospectionError: `mpi4py.MPI` has been imported.
        RankwiseError: the library is missing: the installation is incomplete.
    """
    if hasattr(ctypes.CDLL(None), "MPI_M_init"):
        return
    if "mpi4py.MPI" in sys.modules:
        raise IntrospectionError(
            INTERNAL_FAIL, "too late: call rankwise.preload() before mpi4py.MPI is imported"
        )
    # Global symbols come before the libraries of an extension module that is loaded later.
    ctypes.CDLL(str(installed(_LIBRARY)), ctypes.RTLD_GLOBAL)


@functools.cache
def _loaded() -> ctypes.CDLL:
    functions = ctypes.CDLL(None)
    try:
        for name, arguments in _ARGUMENTS.items():
            function = getattr(functions, name)
            function.argtypes = arguments
            function.restype = _INT
    except AttributeError:
        raise IntrospectionError(INTERNAL_FAIL, _not_there()) from None
    return functions


def _not_there() -> str:
    try:
        variable = f"LD_PRELOAD={installed(_LIBRARY)}"
    except RankwiseError as error:
        variable = str(error)
    return (
        "Rankwise was not loaded before MPI: start the program by `rankwise run -- mpirun ... python ...`, "
        "or without a profile by calling rankwise.preload() before mpi4py.MPI is imported, or with "
        f"{variable}"
    )


def call(name: str, *arguments: object) -> None:
    """Call a function of MPI_Monitoring.h; other Python threads run meanwhile.

    Args:
        name: of the function.
        arguments: as in C.

    Raises:
        IntrospectionError: it refused, or the program was started without Rankwise.
    """
    check(getattr(_loaded(), name)(*arguments))


def open_() -> None:
    """Call MPI_M_init, unless the program has done so. MPI_Finalize closes what is open.

    Raises:
        IntrospectionError: MPI is not open, or the program was started without Rankwise.
    """
    value = _loaded().MPI_M_init()
    if value not in ERRORS or ERRORS[value][0] != MULTIPLE_CALL:
        check(value)

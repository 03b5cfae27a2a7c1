"""Which MPI procedures a program imports that Rankwise does not record.

A program that imports a procedure need not call it; but what it calls, it imports. Left out is what no
communication hides behind: the class "local" of the table and, for names that are not in the table (removed
from the standard long ago, or a library's own, `MPIX_`), the local ones by their names. `MPI_M_` is our own
introspection library.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from rankwise.profile.collect.procedures import PROCEDURES

_LOCAL = re.compile(
    r"MPIX?_(M_|Type_|Info_|Error_|Errhandler_|Add_error_|Op_|Group_|T_|Attr_|Keyval_|Address$|Aint_|Get_|Wt|Status_"
    r"|GPU_|Query_\w+_support|Comm_failure_|Comm_(ack|get)_failed|Comm_is_revoked|Delete_error_"
    r"|Is_thread_main|Initialized|Finalized|Query_thread|Pack|Unpack|Sizeof|Register_datarep|Abi_|Grequest_"
    r"|\w+_(size|rank|group|compare|attr|keyval|errhandler|info|name|get|coords|test|c2f|f2c|toint|fromint)$)"
)
_FORTRAN = re.compile(r"(mpix?_\w+?)(_f08(ts)?)?_{0,2}$", re.IGNORECASE)


def not_covered(imported: Iterable[str]) -> list[str]:
    """MPI procedures among the imported symbols that are not recorded, sorted.

    Args:
        imported: undefined symbols of the program and its libraries: C names, large-count twins (`_c`) and
            the spellings of Fortran compilers.
    """
    table = {p.name.lower(): p for p in PROCEDURES}
    names: set[str] = set()
    for symbol in imported:
        c_name = symbol.startswith(("MPI_", "MPIX_")) and not symbol.isupper()
        fortran = _FORTRAN.fullmatch(symbol)
        key = symbol.lower().removesuffix("_c") if c_name else fortran[1].lower() if fortran else ""
        row = table.get(symbol.lower()) or table.get(key)
        if row is not None:
            if not row.recorded and row.class_name != "local":
                names.add(row.name)
        elif c_name and not _LOCAL.match(symbol):
            # Only C names: a Fortran name that is not in the table may be data (mpi_fortran_bottom_).
            names.add(symbol.removesuffix("_c"))
        elif key.startswith("mpix_") and not _LOCAL.match(extension := f"MPIX_{key[5:].capitalize()}"):
            names.add(extension)
    return sorted(names)

"""The version of an installed MPI library, without starting a job."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

_SECONDS = 20

# MPI_Get_library_version may be called before MPI_Init. It runs in a separate process, as it is foreign code
# and needs the user's search path for libraries.
_PROGRAM = """
import ctypes, sys
library = ctypes.CDLL(sys.argv[1], ctypes.RTLD_GLOBAL)
said = ctypes.create_string_buffer(65536)
if library.MPI_Get_library_version(said, ctypes.byref(ctypes.c_int())) == 0:
    print(said.value.decode(errors="replace").partition("\\n")[0])
"""


def library_version(library: Path, environment: Mapping[str, str]) -> str:
    """Return the first line of MPI_Get_library_version; '' if the library can't be asked.

    Args:
        library: libmpi.so.
        environment: of the program.
    """
    # The user's preloaded libraries are for programs.
    kept = {name: value for name, value in environment.items() if name != "LD_PRELOAD"}
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-c", _PROGRAM, str(library)],
            env=kept,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.decode(errors="replace").strip() if done.returncode == 0 else ""

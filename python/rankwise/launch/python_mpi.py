"""Which MPI a Python interpreter's mpi4py would use: the interpreter is asked, the user's program is not run.

mpi4py's wheels hold one extension module per ABI (MPI.openmpi.*.so, MPI.mpich.*.so) and choose at import
by the libmpi that they find (mpi4py/_mpiabi.py); distributions build one module, linked with its MPI.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

_QUESTION = """
import glob, importlib.util, json, os
spec = importlib.util.find_spec("mpi4py")
found = spec and spec.submodule_search_locations
answer = {"modules": sorted(glob.glob(os.path.join(found[0], "MPI*.so"))) if found else None}
if found and len(answer["modules"]) > 1:
    try:
        from mpi4py import _mpiabi
        answer["abi"] = _mpiabi._get_mpiabi()
    except Exception as error:
        answer["error"] = str(error).splitlines()[0]
    with open("/proc/self/maps") as maps:
        answer["libraries"] = sorted({line.split()[-1] for line in maps if "/" in line})
print(json.dumps(answer))
"""


def ask(interpreter: str, environment: Mapping[str, str]) -> dict[str, object]:
    """Asks an interpreter about its mpi4py.

    Args:
        interpreter: path of the command.
        environment: that it would be started with.

    Returns:
        `modules` (paths of the extension modules, None without mpi4py) and, where there are several,
        `abi`, `error` and `libraries` (everything loaded); empty if it gave no answer in ten seconds.
    """
    import subprocess  # not above: only programs in Python need it

    try:
        answer = subprocess.run(
            [interpreter, "-c", _QUESTION],
            env=dict(environment),
            cwd="/",  # else a module of the user's directory could be imported in mpi4py's place
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=10,
            check=False,
        ).stdout
        parsed = json.loads(answer.splitlines()[-1])
    except (OSError, subprocess.SubprocessError, ValueError, IndexError):
        return {}
    return parsed if isinstance(parsed, dict) else {}


def modules(answer: Mapping[str, object]) -> list[Path]:
    """Return the extension modules in an answer."""
    paths = answer.get("modules")
    return [Path(str(path)) for path in paths] if isinstance(paths, list) else []


def libraries(answer: Mapping[str, object]) -> list[Path]:
    """Return the loaded libraries in an answer."""
    paths = answer.get("libraries")
    return [Path(str(path)) for path in paths] if isinstance(paths, list) else []

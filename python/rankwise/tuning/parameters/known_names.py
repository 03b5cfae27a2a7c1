"""Which parameters the user's MPI library has, and what a name that it doesn't have may be meant for."""

from __future__ import annotations

import difflib
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

from rankwise.probes import mpicc
from rankwise.tuning.parameters.layers import Layers

OPEN_MPI, MPICH, INTEL = "OMPI_MCA_", "MPIR_CVAR_", "I_MPI_"
_INTEL_CONTROL = "MPIR_CVAR_INTEL_"  # of I_MPI_SHM_HEAP in MPI_T: MPIR_CVAR_INTEL_SHM_HEAP
_PRODUCTS = {
    OPEN_MPI: ("Open MPI",),
    "PRTE_MCA_": ("Open MPI",),
    MPICH: ("MPICH", "Cray MPICH", "MVAPICH", "Intel MPI"),
}
_PRODUCTS |= {INTEL: ("Intel MPI",), "HYDRA_": ("MPICH", "MVAPICH", "Intel MPI")}
_TOOLS = {
    OPEN_MPI: (
        ("ompi_info", "--all", "--parsable"),
        re.compile(r"^mca:[^:]*:[^:]*:param:([^:]+):", re.MULTILINE),
    ),
    INTEL: (("impi_info", "-all", "-expert"), re.compile(r"^(I_MPI_\w+)", re.MULTILINE)),
}
_SECONDS = 60

Ask = Callable[[str], frozenset[str]]


def control_of(variable: str) -> str:
    """Return the variable of MPI_T that tells the value of one of the environment; '' if there is none."""
    if variable.startswith(INTEL):
        return _INTEL_CONTROL + variable.removeprefix(INTEL)
    return variable.removeprefix(OPEN_MPI) if variable.startswith((OPEN_MPI, MPICH)) else ""


def tool_names(launcher: str, environment: Mapping[str, str]) -> Ask:
    """Return what asks the library's own tool beside the launcher for all names of a prefix.

    MPI_T does not list what belongs to components that are not in use, nor all of Intel MPI's.

    Args:
        launcher: its command.
        environment: that it is started with.
    """

    def ask(prefix: str) -> frozenset[str]:
        if prefix not in _TOOLS:
            return frozenset()
        words, pattern = _TOOLS[prefix]
        found = shutil.which(launcher, path=environment.get("PATH"))
        # A link may lead away from the tools, or to them.
        places = [Path(found).absolute().parent, Path(found).resolve().parent] if found else []
        tool = next((str(one) for place in places if (one := place / words[0]).is_file()), None)
        if not tool:
            return frozenset()
        try:
            done = mpicc.call([tool, *words[1:]], environment, _SECONDS)
        except (OSError, subprocess.SubprocessError):
            return frozenset()
        return frozenset(pattern.findall(done.stdout))

    return ask


def wrong_name(variable: str, layers: Layers, ask: Ask) -> str:
    """Say why a variable can't be one that the library reads; '' if it can.

    Variables of UCX, and those that are no MPI library's at all, are not known by any list.

    Args:
        variable: of the environment.
        layers: the library.
        ask: for the names that the library's tool has.
    """
    prefix = next((one for one in _PRODUCTS if variable.startswith(one)), "")
    label = layers.version.label
    if not prefix:
        near = [
            one for one in _PRODUCTS if difflib.SequenceMatcher(None, one, variable[: len(one)]).ratio() > 0.8
        ]
        return (
            f"unknown parameter {variable}; did you mean {near[0]}{variable[len(near[0]) :]}?" if near else ""
        )
    if label and label not in _PRODUCTS[prefix]:
        return f"{variable} is a parameter of {_PRODUCTS[prefix][0]}, and the program uses {layers.title}"
    if prefix == OPEN_MPI:
        return _unknown(variable, prefix, layers.names, ask)
    if prefix == MPICH:
        return _unknown(variable, "", layers.names, ask)
    if prefix == INTEL and control_of(variable) not in layers.names and (listed := ask(INTEL)):
        return _unknown(variable, "", listed, ask)
    return ""


def _unknown(variable: str, prefix: str, names: frozenset[str], ask: Ask) -> str:
    name = variable.removeprefix(prefix)
    if name in names or not names or (prefix and name in (names := names | ask(prefix))):
        return ""
    near = difflib.get_close_matches(name, sorted(names), 1)
    return f"unknown parameter {name}" + (f"; did you mean {near[0]}?" if near else "")

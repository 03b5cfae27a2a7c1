"""The layers that carry the MPI library's messages, and its values in force, by the probe `layers`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from rankwise.mpi_libraries import Version, version_of
from rankwise.tuning.parameters.constraint import number_of
from rankwise.tuning.parameters.parameter import Parameter, Setting

_DEVICE = re.compile(r"MPICH Device:\s*ch4:(\w+)")
_SUMMARY = re.compile(r"==== (UCX|OFI) netmod Capability|==== (?:OFI|Capability set configuration)")


@dataclass(frozen=True, kw_only=True)
class Layers:
    """What the MPI library reports in the user's launch.

    Attributes:
        library: lines of MPI_Get_library_version.
        pml: Open MPI's point-to-point layer in use: ob1, ucx, cm; '' = unknown, or another library.
        mtl: through which pml cm sends.
        btls: through which pml ob1 sends.
        netmod: of MPICH's ch4: ucx, ofi; '' = unknown, or another library.
        processors: the largest number that a rank may use; 0 = unknown.
        nodes: with ranks.
        names: of all variables of MPI_T.
        values: of the requested variables, as far as they can be read.
    """

    library: tuple[str, ...]
    pml: str = ""
    mtl: str = ""
    btls: tuple[str, ...] = ()
    netmod: str = ""
    processors: int = 0
    nodes: int = 1
    names: frozenset[str] = frozenset()
    values: Mapping[str, str] = field(default_factory=dict)

    @property
    def version(self) -> Version:
        """Of the library."""
        return version_of(self.library[0]) if self.library else Version()

    @property
    def title(self) -> str:
        """The library for people."""
        return f"{self.version.label} {self.version.number}".strip() or "an unknown MPI library"

    @property
    def text(self) -> str:
        """The layers, for people, as the end of a sentence."""
        if self.pml == "ob1":
            return f"{self.title} sends by pml ob1 with btl {', '.join(sorted(self.btls))}"
        if self.pml:
            return f"{self.title} sends by pml {self.pml}" + (f" with mtl {self.mtl}" if self.mtl else "")
        return f"{self.title} sends by " + (f"ch4:{self.netmod}" if self.netmod else "an unknown layer")


def read_layers(text: str, said: str = "") -> Layers | None:
    """Return what the probe has written; None if it is incomplete.

    Args:
        text: of its file.
        said: stdout of the job: with MPIR_CVAR_DEBUG_SUMMARY=1 MPICH prints its netmod there.
    """
    lines = [line.partition(" ")[::2] for line in text.splitlines()]
    if not lines or lines[-1][0] != "end":
        return None
    library = tuple(content for key, content in lines if key == "library")
    by_key = dict(lines)
    values = dict(content.partition(" ")[::2] for key, content in lines if key == "value")
    return Layers(
        library=library,
        pml=by_key.get("pml", ""),
        mtl=by_key.get("mtl", "") if by_key.get("pml") == "cm" else "",
        btls=tuple(dict.fromkeys(content for key, content in lines if key == "btl"))
        if by_key.get("pml") == "ob1"
        else (),
        netmod=_netmod("\n".join(library), said),
        processors=int(by_key.get("processors", 0)),
        nodes=int(by_key.get("nodes", 1)),
        names=frozenset(content for key, content in lines if key == "variable"),
        values=values,
    )


def _netmod(library: str, said: str) -> str:
    """Return the netmod that MPICH reports, otherwise the first that it was built for, its default."""
    device = _DEVICE.search(library)
    if not device:
        return ""
    match = _SUMMARY.search(said)
    return (match[1] or "ofi").lower() if match else device[1]


def is_in_force(parameter: Parameter, setting: Setting, without: Layers, with_it: Layers) -> bool | None:
    """Return whether a value is in force; None: unknown.

    Args:
        parameter: whose value it is.
        setting: with the value.
        without: the library without Rankwise's settings.
        with_it: the library with the value.
    """
    wanted = setting.value or ""
    if parameter.shows == "pml":
        return with_it.pml == wanted if with_it.pml else None
    if parameter.shows == "processors":
        return with_it.processors < without.processors if with_it.processors and without.processors else None
    before, now = without.values.get(parameter.asked), with_it.values.get(parameter.asked)
    if parameter.shows != "variable" or now is None:
        return None
    if now == wanted or (number_of(now) is not None and number_of(now) == number_of(wanted)):
        return True
    if before is None or now != before:
        return None  # it has changed, into another notation
    # The library turns words such as `true` and names of algorithms into numbers.
    return False if number_of(wanted) is not None else None

"""What carries the messages of the MPI library, and what it has taken: as the probe `layers` wrote it."""

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
    """What the MPI library has told in the user's launch.

    Attributes:
        library: lines of MPI_Get_library_version.
        pml: Open MPI's point-to-point layer in use: ob1, ucx, cm; '' = not known, or another library.
        mtl: what pml cm sends by.
        btls: what pml ob1 sends by.
        netmod: of MPICH's ch4: ucx, ofi; '' = not known, or another library.
        processors: that a rank may use, the most of any; 0 = not known.
        nodes: that the ranks are on.
        names: of all variables of MPI_T.
        values: of those that were asked for, as far as they can be read.
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
        """What was found, a sentence's end for people."""
        if self.pml == "ob1":
            return f"{self.title} sends by pml ob1 with btl {', '.join(sorted(self.btls))}"
        if self.pml:
            return f"{self.title} sends by pml {self.pml}" + (f" with mtl {self.mtl}" if self.mtl else "")
        return f"{self.title} sends by " + (f"ch4:{self.netmod}" if self.netmod else "an unknown layer")


def read_layers(text: str, said: str = "") -> Layers | None:
    """Return what the probe has written; None if that is not whole.

    Args:
        text: of its file.
        said: by the job on stdout: with MPIR_CVAR_DEBUG_SUMMARY=1 MPICH tells there which netmod it uses.
    """
    lines = [line.partition(" ")[::2] for line in text.splitlines()]
    if not lines or lines[-1][0] != "end":
        return None
    library = tuple(rest for key, rest in lines if key == "library")
    one = dict(lines)
    values = dict(rest.partition(" ")[::2] for key, rest in lines if key == "value")
    return Layers(
        library=library,
        pml=one.get("pml", ""),
        mtl=one.get("mtl", "") if one.get("pml") == "cm" else "",
        btls=tuple(dict.fromkeys(rest for key, rest in lines if key == "btl"))
        if one.get("pml") == "ob1"
        else (),
        netmod=_netmod("\n".join(library), said),
        processors=int(one.get("processors", 0)),
        nodes=int(one.get("nodes", 1)),
        names=frozenset(rest for key, rest in lines if key == "variable"),
        values=values,
    )


def _netmod(library: str, said: str) -> str:
    """Return what MPICH says that it uses, else the first that it was built for: its default."""
    device = _DEVICE.search(library)
    if not device:
        return ""
    told = _SUMMARY.search(said)
    return (told[1] or "ofi").lower() if told else device[1]


def is_in_force(parameter: Parameter, setting: Setting, without: Layers, with_it: Layers) -> bool | None:
    """Tell whether a value is in force; None: that can't be told.

    Args:
        parameter: whose value it is.
        setting: with the value.
        without: as the library is without us.
        with_it: as it is with the value.
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
        return None  # it has changed, into something that is written otherwise
    # Words such as `true` or names of algorithms are numbers in the library.
    return False if number_of(wanted) is not None else None

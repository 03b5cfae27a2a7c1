"""Which messages inside collectives are to be seen: the options --inside, --no-inside and --see-all."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cache
from typing import NamedTuple

from rankwise.errors import RankwiseError
from rankwise.mpi_libraries import LIBRARIES

_WITH_MESSAGES = {
    "collective",
    "communicator",
    "dynamic-processes",
    "input-output",
    "neighbourhood",
    "one-sided synchronisation",
    "window",
}
"""Classes of procedures that the MPI library implements with messages."""


def only(names: str) -> list[str]:
    """Return the procedures whose inside is to be recorded.

    Args:
        names: separated by commas, in any case, with or without MPI_; a blocking one's name stands for its
            non-blocking and persistent forms, too.

    Raises:
        RankwiseError: a name is none of a procedure that may have messages inside.
    """
    return sorted({procedure for name in names.split(",") for procedure in _forms(name.strip())})


def choosing(procedures: Collection[str]) -> dict[str, str]:
    """Return the variable that makes these procedures the only ones whose inside is recorded."""
    return {"RANKWISE_ONLY": ",".join(name.removeprefix("MPI_") for name in sorted(procedures))}


def nothing() -> dict[str, str]:
    """Return the variable that keeps the hooks out."""
    return {"RANKWISE_INSIDE": "off"}


def everything(libraries: Collection[str], environment: Mapping[str, str]) -> dict[str, str]:
    """Return what makes the MPI library show all its messages; {} if nothing is needed.

    Args:
        libraries: names of the programs' MPI libraries; unknown names count as any library.
        environment: of the user; its settings take precedence.
    """
    known = set(libraries) & LIBRARIES.keys()
    considered = known if known and len(known) == len(set(libraries)) else LIBRARIES.keys()
    settings = {name: value for library in considered for name, value in LIBRARIES[library].see_all.items()}
    return {name: value for name, value in settings.items() if name not in environment}


def _forms(name: str) -> list[str]:
    wanted = name.lower().removeprefix("mpi_")
    forms = [choice.procedure for choice in _choices() if wanted in (choice.name, choice.blocking)]
    if forms:
        return forms
    import difflib

    near = difflib.get_close_matches(wanted, sorted({choice.blocking for choice in _choices()}))
    hint = f"did you mean {' or '.join(near)}?" if near else "names are MPI's, such as bcast,allreduce"
    raise RankwiseError(f"--inside: no MPI procedure that has messages inside is called '{name}'; {hint}")


class _Choice(NamedTuple):
    """A procedure that may be chosen; names in lower case and without MPI_."""

    procedure: str
    name: str
    blocking: str  # form of it


@cache
def _choices() -> list[_Choice]:
    from rankwise.profile.collect.procedures import (
        PROCEDURES,  # later: `rankwise run` need not load the table
    )

    names = {p.name[4:].lower(): p.name for p in PROCEDURES if p.recorded and p.class_name in _WITH_MESSAGES}

    def blocking(name: str) -> str:
        forms = (name.removesuffix("_init"), name.removeprefix("i"), name.replace("_i", "_", 1))
        return next((form for form in forms if form != name and form in names), name)

    return [_Choice(procedure, name, blocking(name)) for name, procedure in names.items()]

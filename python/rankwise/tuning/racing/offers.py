"""What an installed library offers: read from its own control variables, as the probe has found them.

Open MPI names its algorithms in the variables' enumerations. MPICH names them only in the text that describes
a variable, in the order of their numbers; 4.0 has lost the ends of lines there:

    Variable to select gather algorithmauto - Internal ... TUNING_JSON_FILE)binomial - Force binomial
    algorithmnb       - Force nonblocking algorithm
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from rankwise.tuning.settings.rule import Algorithm

Setting = tuple[str, int]
"""A control variable, and the value that it is given."""


@dataclass(frozen=True)
class Variable:
    """A control variable of the library.

    Attributes:
        name: of it.
        value: that it has.
        writable: whether it can be changed while the job runs.
        items: names of its values, by number; empty if the library does not tell.
        description: what the library says about it.
    """

    name: str
    value: int
    writable: bool
    items: tuple[tuple[int, str], ...]
    description: str


@dataclass(frozen=True)
class Choice:
    """The algorithms of a collective.

    Attributes:
        algorithms: without the library's own choice.
        variable: that takes the number.
        segment_variable: that takes the bytes of segments; '' if there is none.
    """

    algorithms: tuple[Algorithm, ...]
    variable: str
    segment_variable: str = ""


@dataclass(frozen=True)
class Offers:
    """All that can be chosen, and how.

    Attributes:
        choices: by procedure, such as MPI_Allreduce; those without a choice are missing.
        at_calls: the library looks at its variables at each call; if not, when a communicator is made.
        always: what is set with every algorithm.
        without_han: arms with an algorithm need communicators without coll/han.
    """

    choices: Mapping[str, Choice] = field(default_factory=dict)
    at_calls: bool = False
    always: tuple[Setting, ...] = ()
    without_han: bool = False

    def settings(self, procedure: str, algorithm: Algorithm) -> tuple[Setting, ...]:
        """Return what chooses an algorithm of a collective."""
        choice = self.choices[procedure]
        segment = ((choice.segment_variable, algorithm.segment),) if choice.segment_variable else ()
        always = () if algorithm.name.endswith(_NESTED) else self.always
        return (*always, (choice.variable, algorithm.number), *segment)


PROCEDURES = tuple(
    f"MPI_{name}"
    for name in (
        *("Allgather", "Allgatherv", "Allreduce", "Alltoall", "Alltoallv", "Barrier", "Bcast", "Exscan"),
        *("Gather", "Gatherv", "Reduce", "Reduce_scatter", "Reduce_scatter_block", "Scan", "Scatter"),
        "Scatterv",
    )
)
"""The collectives that the probe knows."""

# Open MPI. Its coll_tuned_use_dynamic_rules can be set in the environment only before 5.0.7.
OPENMPI_ENVIRONMENT = {"OMPI_MCA_coll_tuned_use_dynamic_rules": "1"}
"""What the launch needs so that anything can be chosen; it changes nothing by itself."""
_DYNAMIC = "coll_tuned_use_dynamic_rules"
_HAN, _TUNED = "coll_han_priority", "coll_tuned_priority"

# MPICH. "error": a call fails if its algorithm can't do it, where else another one would be taken silently.
_FALLBACK, _FALLBACK_ERROR = "MPIR_CVAR_COLLECTIVE_FALLBACK", 0
# Such an algorithm calls the same collective on parts of the communicator, where it can't be taken itself.
_NESTED = "_smp"
# With parameters, which a selection file would have to state (MPICH 4.1 and later).
_WITH_PARAMETERS = re.compile(r"(k_|recexch|recursive_multiplying$|tree$|pipelined_tree$|ccl$)")
_LISTED = re.compile(r"(\w+)( +)- ")


def read(variables: Iterable[Mapping[str, object]]) -> Offers:
    """Return what a library offers.

    Args:
        variables: as in the probe's file `offers`.
    """
    found = {one.name: one for one in map(_variable, variables)}
    return _openmpi(found) if _DYNAMIC in found else _mpich(found)


def _variable(said: Mapping[str, object]) -> Variable:
    items = said["items"]
    assert isinstance(items, list)
    assert isinstance(said["value"], int)
    return Variable(
        name=str(said["name"]),
        value=said["value"],
        writable=bool(said["writable"]),
        items=tuple((int(number), str(name)) for number, name in items),
        description=str(said["description"]),
    )


def _openmpi(found: Mapping[str, Variable]) -> Offers:
    dynamic = found[_DYNAMIC]
    if not dynamic.value and not dynamic.writable:
        return Offers()  # our environment has not reached the ranks
    choices = {}
    for procedure in PROCEDURES:
        name = f"coll_tuned_{procedure.removeprefix('MPI_').lower()}_algorithm"
        variable = found.get(name)
        # (That of MPI_Allgatherv is constant in all versions up to 5.0: no job can choose it while it runs.)
        if not variable or not variable.writable:
            continue
        algorithms = tuple(Algorithm(item, number) for number, item in variable.items if number)
        segment = f"{name}_segmentsize" if f"{name}_segmentsize" in found else ""
        choices[procedure] = Choice(algorithms, name, segment)
    return Offers(
        choices,
        always=() if dynamic.value else ((_DYNAMIC, 1),),
        without_han=_HAN in found and _TUNED in found and found[_HAN].value > found[_TUNED].value,
    )


def _mpich(found: Mapping[str, Variable]) -> Offers:
    choices = {}
    for procedure in PROCEDURES:
        variable = found.get(f"MPIR_CVAR_{procedure.removeprefix('MPI_').upper()}_INTRA_ALGORITHM")
        if not variable or not variable.writable:
            continue
        algorithms = tuple(
            Algorithm(selection_name(procedure, name), number)
            for number, name in enumerate(names_in(variable.description))
            if number and not _WITH_PARAMETERS.match(name)
        )
        if algorithms:
            choices[procedure] = Choice(algorithms, variable.name)
    always = ((_FALLBACK, _FALLBACK_ERROR),) if _FALLBACK in found else ()
    return Offers(choices, at_calls=True, always=always)


def selection_name(procedure: str, name: str) -> str:
    """Return how MPICH's selection files call an algorithm.

    Args:
        procedure: such as MPI_Bcast.
        name: as in the variable's text, such as binomial.
    """
    kind = "allcomm" if name in ("nb", "linear") else "intra"
    return f"MPIR_{procedure.removeprefix('MPI_')}_{kind}_{name}"


def names_in(description: str) -> list[str]:
    """Return the values' names in the text on a variable of MPICH, by number; none if they can't be told.

    Args:
        description: of the variable; its first value is "auto".
    """
    listed = list(_LISTED.finditer(description))
    if len(listed) < 2 or not listed[0][1].endswith("auto"):
        return []
    if "\n" in description:
        return [one[1] for one in listed]
    # Names are glued to the sentence before, but for the first one, which shows how wide their column is.
    width = len(listed[1][0]) - len("- ")
    names = ["auto"]
    for one in listed[1:]:
        column = f"{one[1]}{one[2]}"
        if len(column) < width:
            return []
        names.append(column[-width:].strip())
    return names

"""The algorithms that an installed library offers, by the control variables that the probe has found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from rankwise.tuning.settings.rule import Algorithm

Setting = tuple[str, int]
"""A control variable, and the value to set."""


@dataclass(frozen=True)
class Variable:
    """A control variable of the library.

    Attributes:
        name: of the variable.
        value: its value.
        writable: whether it can be changed while the job runs.
        items: names of its values, by number; empty if the library names none.
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
        segment_variable: that takes the bytes of segments; '': no such variable.
    """

    algorithms: tuple[Algorithm, ...]
    variable: str
    segment_variable: str = ""


@dataclass(frozen=True)
class Offers:
    """All that can be chosen, and how.

    Attributes:
        choices: by procedure, such as MPI_Allreduce; procedures without a choice are missing.
        at_calls: whether the library reads its variables at each call; if not, when a communicator is made.
        always: settings that go with every algorithm that is not nested.
        nested: algorithms that call the same collective on parts of the communicator.
        overruled: whether a component of the library takes collectives over from the chosen algorithms: arms
            with an algorithm then need communicators without it, and rules TunableLibrary.not_overruled.
    """

    choices: Mapping[str, Choice] = field(default_factory=dict)
    at_calls: bool = False
    always: tuple[Setting, ...] = ()
    nested: frozenset[Algorithm] = frozenset()
    overruled: bool = False

    def settings(self, procedure: str, algorithm: Algorithm) -> tuple[Setting, ...]:
        """Return the settings that choose an algorithm of a collective."""
        choice = self.choices[procedure]
        segment = ((choice.segment_variable, algorithm.segment),) if choice.segment_variable else ()
        always = () if algorithm in self.nested else self.always
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


def control_variables(said: Iterable[Mapping[str, object]]) -> dict[str, Variable]:
    """Return the library's control variables by name.

    Args:
        said: by the probe, in its file `offers`.
    """
    return {variable.name: variable for variable in map(_variable, said)}


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

"""The algorithms to try while a program runs: the file that src/online reads (src/online/plan.h)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rankwise.tuning.gate import REDUCTIONS
from rankwise.tuning.libraries.base import TunableLibrary
from rankwise.tuning.racing.arms import arms_of
from rankwise.tuning.racing.offers import Offers
from rankwise.tuning.settings.rule import Algorithm

PROCEDURES = tuple(
    f"MPI_{name}"
    for name in (
        *("Allgather", "Allgatherv", "Allreduce", "Alltoall", "Alltoallv", "Barrier", "Bcast", "Exscan"),
        *("Gather", "Reduce", "Reduce_scatter", "Reduce_scatter_block", "Scan", "Scatter"),
    )
)
"""The collectives that src/online carries out."""

_MOST_ARMS = 24  # of a collective: src/online/race.h
_MOST_BYTES = 1 << 40  # segments of all sizes are for such messages


@dataclass(frozen=True)
class Plan:
    """The algorithms to try.

    Attributes:
        arms: collective and algorithm, by their number.
        text: for the file.
    """

    arms: tuple[tuple[str, Algorithm], ...]
    text: str


def plan(library: TunableLibrary, offers: Offers, cost: float, *, bitwise: bool) -> Plan:
    """Return the algorithms to try.

    Args:
        library: that the program uses.
        offers: of the library here.
        cost: share of the time for exploring, between 0 and 1.
        bitwise: whether the last digits of results must not change.
    """
    lines = [f"chosen {'calls' if offers.at_calls else 'communicators'}", f"millionths {round(1e6 * cost)}"]
    # Rules don't reach collectives that another component has taken over.
    beside: Mapping[str, str] = library.not_overruled if offers.overruled else {}
    further = [f"{library.control_of(name)} {value}" for name, value in beside.items()]
    arms = []
    for procedure, choice in offers.choices.items():
        if procedure not in PROCEDURES or (bitwise and procedure in REDUCTIONS):
            continue
        raced = arms_of(library, procedure, _MOST_BYTES, choice.algorithms).values()
        for algorithm in [candidate for candidate in raced if candidate is not None][:_MOST_ARMS]:
            chosen = [f"{choice.variable} {algorithm.number}"]
            if choice.segment_variable:
                chosen.append(f"{choice.segment_variable} {algorithm.segment}")
            for_two = int(algorithm.name in library.for_two)
            words = (procedure.removeprefix("MPI_"), for_two, algorithm.segment, *chosen, *further)
            lines.append(f"arm {' '.join(map(str, words))}")
            arms.append((procedure, algorithm))
    return Plan(tuple(arms), "".join(f"{line}\n" for line in lines))

"""The gate: which algorithms a rule must not choose, because a program could go wrong or change its results.

What is refused was seen to break correct programs (tests/mpi/test_tuning_gate.py shows it), or is not known
to be safe.
"""

from __future__ import annotations

from rankwise.mpi_libraries import Version
from rankwise.tuning.settings.rule import Algorithm
from rankwise.tuning.target import Target

REDUCTIONS = frozenset(
    {
        "MPI_Allreduce",
        "MPI_Reduce",
        "MPI_Reduce_scatter",
        "MPI_Reduce_scatter_block",
        "MPI_Scan",
        "MPI_Exscan",
    }
)
"""Collectives with an operation."""

_IN_ORDER = {
    "MPI_Allreduce": frozenset({"basic_linear", "nonoverlapping", "recursive_doubling", "rabenseifner"}),
    "MPI_Reduce": frozenset({"linear", "in-order_binary", "rabenseifner"}),
    "MPI_Reduce_scatter": frozenset({"non-overlapping", "butterfly"}),
    "MPI_Reduce_scatter_block": frozenset(
        {"basic_linear", "recursive_doubling", "recursive_halving", "butterfly"}
    ),
    "MPI_Scan": frozenset({"linear", "recursive_doubling"}),
    "MPI_Exscan": frozenset({"linear", "recursive_doubling"}),
}
"""Algorithms of Open MPI that keep the order of the operands, or stand back where it matters. The others
compute something else, without a word: 4.1 and 5.0, measured."""

_TWO = frozenset({"two_proc"})


def refusal(target: Target, library: Version, algorithm: Algorithm, *, bitwise: bool) -> str:
    """Return why a rule must not choose an algorithm; '' if it may.

    Args:
        target: what the rule is about.
        library: that carries it out.
        algorithm: to be chosen.
        bitwise: whether the last digits of results have to stay as they are.
    """
    is_reduction = target.procedure in REDUCTIONS
    if bitwise and is_reduction and target.traits.rounds:
        return "sums could change in their last digits (--bitwise)"
    if is_reduction and target.traits.not_commutative:
        if library.label == "Open MPI" and algorithm.name not in _IN_ORDER.get(target.procedure, ()):
            return f"it changes the order of operands, and {_maybe(target)}"
        if library.label != "Open MPI":
            return _maybe(target)
    if algorithm.name in _TWO and target.processes != 2:
        return "it is for two processes"
    return ""


def changes_digits(target: Target) -> bool:
    """Tell whether another algorithm may change results in their last digits."""
    return target.procedure in REDUCTIONS and target.traits.rounds


def _maybe(target: Target) -> str:
    if target.traits.known:
        return "an operation is not commutative"
    return "the profile does not tell whether operations are commutative: record it again"

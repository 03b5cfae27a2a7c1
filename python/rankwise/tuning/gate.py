"""The gate: algorithms that a rule must not choose, because the program could fail or change its results.

They were seen to break correct programs (tests/mpi/test_tuning_gate.py), or are not known to be safe.
"""

from __future__ import annotations

from rankwise.mpi_libraries import Version
from rankwise.tuning.libraries import by_label
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


def refusal(target: Target, library: Version, algorithm: Algorithm, *, bitwise: bool) -> str:
    """Return why a rule must not choose an algorithm; '' if it may.

    Args:
        target: what the rule is about.
        library: that carries it out.
        algorithm: to be chosen.
        bitwise: whether the last digits of results must not change.
    """
    known = by_label(library.label)
    is_reduction = target.procedure in REDUCTIONS
    if bitwise and is_reduction and target.traits.rounds:
        return "sums could change in their last digits (--bitwise)"
    if is_reduction and target.traits.not_commutative:
        keeps_order = known.keeps_order(target.procedure, algorithm.name)
        if keeps_order is None:
            return _maybe(target)
        if not keeps_order:
            return f"it changes the order of operands, and {_maybe(target)}"
    if algorithm.name in known.for_two and target.processes != 2:
        return "it is for two processes"
    return ""


def changes_digits(target: Target) -> bool:
    """Return whether another algorithm may change the last digits of results."""
    return target.procedure in REDUCTIONS and target.traits.rounds


def may_round(target: Target) -> bool:
    """Return whether it may change them, also where the profile lacks the types of the calls."""
    return target.procedure in REDUCTIONS and (target.traits.rounds or not target.traits.known)


def _maybe(target: Target) -> str:
    if target.traits.known:
        return "an operation is not commutative"
    return "the profile does not record whether operations are commutative: record it again"

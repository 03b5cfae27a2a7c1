"""What the tuner's gate refuses breaks correct programs, and what it lets through does not."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from libraries import Mpi
from recording import Compile

from rankwise.mpi_libraries import Version
from rankwise.tuning.cells.cell import Cell, Traits
from rankwise.tuning.gate import refusal
from rankwise.tuning.settings.rule import Algorithm
from rankwise.tuning.target import Target, targets

RANKS = 4
LIMIT_SECONDS, BROKEN_SECONDS = (
    20,
    5,
)  # a job that hangs is broken, too; where it is expected, nothing else is

# Of Open MPI 4.1 and 5.0, by number.
ALGORITHMS = {
    "allreduce": (
        "basic_linear",
        "nonoverlapping",
        "recursive_doubling",
        "ring",
        "segmented_ring",
        "rabenseifner",
    ),
    "reduce": ("linear", "chain", "pipeline", "binary", "binomial", "in-order_binary", "rabenseifner"),
    "reduce_scatter": ("non-overlapping", "recursive_halving", "ring", "butterfly"),
    "reduce_scatter_block": ("basic_linear", "recursive_doubling", "recursive_halving", "butterfly"),
    "scan": ("linear", "recursive_doubling"),
}
CASES = [
    pytest.param(collective, number, name, marks=() if number in (1, len(names)) else pytest.mark.exhaustive)
    for collective, names in ALGORITHMS.items()
    for number, name in enumerate(names, 1)
]
"""The first algorithm is a simple one, which does everything in order; the last one is the most recent."""


# Others were not seen to break anything.
pytestmark = pytest.mark.only_on(lambda mpi: mpi.family == "openmpi", "what is refused is of Open MPI")


def _ends(
    mpi: Mpi, compiled: Compile, words: list[str], seconds: float = LIMIT_SECONDS, **variables: str
) -> str:
    """What a case of gate.c prints at its end; '' if it fails or hangs."""
    program = compiled(mpi, "gate.c")
    environment = {**mpi.env(), "OMPI_MCA_coll_tuned_use_dynamic_rules": "1", **variables}
    try:
        done = subprocess.run(
            mpi.launch(RANKS, program, *words),
            env=environment,
            capture_output=True,
            text=True,
            timeout=seconds,
        )
    except subprocess.TimeoutExpired:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def _target(procedure: str, *, not_commutative: bool = False, in_place: bool = False) -> Target:
    traits = Traits(True, not_commutative, not_commutative, in_place)
    cell = Cell(
        procedure=f"MPI_{procedure.capitalize()}",
        processes=RANKS,
        low=4000,
        high=4000,
        size=4000,
        calls=1,
        seconds=1.0,
        tunable_seconds=1.0,
        groupings=(),
        traits=traits,
    )
    return targets([cell])[0]


LIBRARY = Version("Open MPI", "5.0.0")


@pytest.mark.parametrize(("collective", "number", "name"), CASES)
def test_operations_that_do_not_commute(
    mpi: Mpi, compiled: Compile, collective: str, number: int, name: str
) -> None:
    """Exactly the algorithms that compute something else are refused."""
    said = _ends(mpi, compiled, [collective], **{f"OMPI_MCA_coll_tuned_{collective}_algorithm": str(number)})
    refused = refusal(
        _target(collective, not_commutative=True), LIBRARY, Algorithm(name, number), bitwise=False
    )
    assert said == ("wrong" if refused else "right")


def _rules(path: Path, *lines: str) -> str:
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def test_sizes_that_differ_by_process(mpi: Mpi, compiled: Compile, tmp_path: Path) -> None:
    """A rule that divides Scatter by size breaks it; one for all sizes, which the gate makes, does not."""
    assert _target("scatter").high is None
    split = _rules(tmp_path / "split", "1", "15 1", f"{RANKS} 2", "0 2 0 0", "100 1 0 0")
    whole = _rules(tmp_path / "whole", "1", "15 1", f"{RANKS} 1", "0 1 0 0")
    name = "OMPI_MCA_coll_tuned_dynamic_rules_filename"
    assert _ends(mpi, compiled, ["scatter"], BROKEN_SECONDS, **{name: split}) != "right"
    assert _ends(mpi, compiled, ["scatter"], **{name: whole}) == "right"


def test_counts_that_are_ignored_in_place(mpi: Mpi, compiled: Compile, tmp_path: Path) -> None:
    """The same of Allgather with MPI_IN_PLACE."""
    assert _target("allgather", in_place=True).high is None
    assert _target("allgather").high == 4000
    split = _rules(tmp_path / "split", "1", "0 1", f"{RANKS} 2", "0 2 0 0", "100 4 0 0")
    whole = _rules(tmp_path / "whole", "1", "0 1", f"{RANKS} 1", "0 4 0 0")
    name = "OMPI_MCA_coll_tuned_dynamic_rules_filename"
    assert _ends(mpi, compiled, ["allgather"], BROKEN_SECONDS, **{name: split}) != "right"
    assert _ends(mpi, compiled, ["allgather"], **{name: whole}) == "right"


def test_last_digits(mpi: Mpi, compiled: Compile) -> None:
    """Sums change with the algorithm, so --bitwise refuses all of them."""
    sums = {
        _ends(mpi, compiled, ["sum"], OMPI_MCA_coll_tuned_allreduce_algorithm=str(number))
        for number in (1, 4)
    }
    assert len(sums) == 2
    assert "" not in sums
    target = targets(
        [
            Cell(
                procedure="MPI_Allreduce",
                processes=RANKS,
                low=8000,
                high=8000,
                size=8000,
                calls=1,
                seconds=1.0,
                tunable_seconds=1.0,
                groupings=(),
                traits=Traits(True, not_commutative=False, rounds=True, in_place=False),
            )
        ]
    )[0]
    assert refusal(target, LIBRARY, Algorithm("ring", 4), bitwise=True)
    assert not refusal(target, LIBRARY, Algorithm("ring", 4), bitwise=False)


def test_two_processes(mpi: Mpi, compiled: Compile) -> None:
    """An algorithm for two processes fails with more."""
    said = _ends(mpi, compiled, ["allgather"], BROKEN_SECONDS, OMPI_MCA_coll_tuned_allgather_algorithm="6")
    assert said != "right"
    assert refusal(_target("allgather"), LIBRARY, Algorithm("two_proc", 6), bitwise=False)

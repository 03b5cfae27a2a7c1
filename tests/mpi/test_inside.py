"""Messages inside collectives: programs/inside.c with algorithms whose messages are known.

What each algorithm sends: Thakur, Rabenseifner, Gropp, "Optimization of collective communication operations
in MPICH", 2005. The binomial trees come in two forms: a process's parent lacks its lowest or its highest bit.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

import libraries
import pytest
import recording
from libraries import Mpi
from recording import Compile, Recording

BYTES = 96  # of each message of the program
STARTS = 3  # of the persistent collective; calls of MPI_Allreduce on the world, and of MPI_Neighbor_alltoall

Pair = tuple[int, int]
Matrix = dict[Pair, tuple[int, int]]  # (source, destination) -> (messages, bytes)


@dataclass(frozen=True)
class Case:
    """A library, and what makes its algorithms and messages known.

    Attributes:
        name: of the library and its transport.
        parent: of a process in the trees that broadcast from rank 0.
        options: of `rankwise run`.
    """

    name: str
    mpi: Mpi
    parent: Callable[[int], int]
    environment: dict[str, str] = field(default_factory=dict)
    options: tuple[str, ...] = ()

    def run(self, compiled: Compile, directory: Path, ranks: int, *options: str) -> Recording:
        """Record the program, whose output must be its own."""
        mpi = replace(self.mpi, environment={**self.mpi.environment, **self.environment})
        words = mpi.launch(ranks, compiled(self.mpi, "inside.c"))
        done = recording.run_on(mpi, words, directory / "inside.rankwise", *self.options, *options)
        assert done.process.returncode == 0, done.process.stderr
        assert done.process.stdout in ("with persistent collectives\n", "without persistent collectives\n")
        return done


def without_lowest_bit(rank: int) -> int:
    return rank & (rank - 1)


def without_highest_bit(rank: int) -> int:
    return rank - (1 << (rank.bit_length() - 1))


OPENMPI = {
    "OMPI_MCA_coll": "^han,sm,adapt",
    "OMPI_MCA_coll_tuned_use_dynamic_rules": "1",
    "OMPI_MCA_coll_tuned_bcast_algorithm": "6",
    "OMPI_MCA_coll_tuned_allreduce_algorithm": "3",
    "OMPI_MCA_coll_tuned_reduce_algorithm": "5",
    "OMPI_MCA_coll_tuned_barrier_algorithm": "4",
    "OMPI_MCA_coll_tuned_allgather_algorithm": "4",
    "OMPI_MCA_coll_tuned_alltoall_algorithm": "2",
    "OMPI_MCA_coll_tuned_gather_algorithm": "2",
    "OMPI_MCA_coll_libnbc_ibcast_algorithm": "2",
}
MPICH = {
    "MPIR_CVAR_DEVICE_COLLECTIVES": "none",
    "MPIR_CVAR_ENABLE_SMP_COLLECTIVES": "0",
    "MPIR_CVAR_BCAST_INTRA_ALGORITHM": "binomial",
    "MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM": "recursive_doubling",
    "MPIR_CVAR_REDUCE_INTRA_ALGORITHM": "binomial",
    "MPIR_CVAR_ALLGATHER_INTRA_ALGORITHM": "ring",
    "MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM": "pairwise",
    "MPIR_CVAR_GATHER_INTRA_ALGORITHM": "binomial",
    "MPIR_CVAR_IBCAST_INTRA_ALGORITHM": "sched_binomial",
}
INTEL = {
    "I_MPI_ADJUST_BCAST": "1",
    "I_MPI_ADJUST_ALLREDUCE": "1",
    "I_MPI_ADJUST_REDUCE": "2",
    "I_MPI_ADJUST_BARRIER": "1",
    "I_MPI_ADJUST_ALLGATHER": "3",
    "I_MPI_ADJUST_ALLTOALL": "3",
    "I_MPI_ADJUST_GATHER": "1",
    "I_MPI_ADJUST_IBCAST": "1",
}


def cases() -> Iterable[Case]:
    """List the libraries of this machine with the settings that they need."""
    for mpi in libraries.ALL:
        if mpi.family == "openmpi":
            yield Case(mpi.name, mpi, without_highest_bit, OPENMPI)
        elif mpi.name == "mpich-debian":
            # Otherwise its barrier would be one within the node; in 5.0 the algorithm has another name.
            environment = {**MPICH, "MPIR_CVAR_BARRIER_INTRA_ALGORITHM": "dissemination"}
            yield Case(mpi.name, mpi, without_lowest_bit, environment)
        elif mpi.vendor != "Intel":
            environment = {**MPICH, "MPIR_CVAR_CH4_NETMOD": "ucx"}
            yield Case(f"{mpi.name}-ucx", mpi, without_lowest_bit, environment, ("--see-all",))
            if mpi.family == "mpich":
                environment = {**MPICH, "MPIR_CVAR_CH4_NETMOD": "ofi"}
                yield Case(f"{mpi.name}-libfabric", mpi, without_lowest_bit, environment, ("--see-all",))
        else:
            yield Case(f"{mpi.name}-libfabric", mpi, without_lowest_bit, INTEL, ("--see-all",))


CASES = list(cases())
TWO_CASES = list(libraries.first_of_each([case.mpi for case in CASES], lambda mpi: mpi.family))


# --- What is sent ---


def broadcast(ranks: Iterable[int], parent: Callable[[int], int], times: int = 1) -> Matrix:
    """From the first of the ranks to all."""
    members = list(ranks)
    return {(members[parent(i)], members[i]): (times, times * BYTES) for i in range(1, len(members))}


def gather(size: int) -> Matrix:
    """Each process sends what it has from the processes below it, and its own."""
    below = Counter(dict.fromkeys(range(size), 1))
    for i in range(size - 1, 0, -1):
        below[without_lowest_bit(i)] += below[i]
    return {(i, without_lowest_bit(i)): (1, below[i] * BYTES) for i in range(1, size)}


def reduction(size: int) -> Matrix:
    return {(i, without_lowest_bit(i)): (1, BYTES) for i in range(1, size)}


def recursive_doubling(size: int, times: int) -> Matrix:
    """Of the first processes, as many pairs as there are too many for a power of two are as one."""
    power = 1 << (size.bit_length() - 1)
    extra = size - power
    real = [2 * i + 1 if i < extra else i + extra for i in range(power)]
    pairs = [(real[i], real[i ^ (1 << bit)]) for i in range(power) for bit in range(power.bit_length() - 1)]
    for i in range(extra):
        pairs += [(2 * i, 2 * i + 1), (2 * i + 1, 2 * i)]
    return dict.fromkeys(pairs, (times, times * BYTES))


def dissemination(ranks: Iterable[int]) -> Matrix:
    members = list(ranks)
    size = len(members)
    steps = [1 << k for k in range((size - 1).bit_length())]
    return {(members[i], members[(i + step) % size]): (1, 0) for i in range(size) for step in steps}


def ring(size: int, messages: int) -> Matrix:
    return {(i, (i + 1) % size): (messages, messages * BYTES) for i in range(size)}


def both_neighbours(size: int, times: int = 1) -> Matrix:
    """On a ring of at least three."""
    pairs = [(i, (i + step) % size) for i in range(size) for step in (-1, 1)]
    return dict.fromkeys(pairs, (times, times * BYTES))


def all_pairs(size: int) -> Matrix:
    return {(i, j): (1, BYTES) for i in range(size) for j in range(size) if i != j}


def assert_points(done: Recording, size: int) -> None:
    """The program's own messages, whatever is recorded of collectives."""
    assert done.messages("W", procedure="MPI_Send") == ring(size, 1)
    assert done.messages("W_d1", procedure="MPI_Ssend") == ring(size, 1)
    assert done.messages() == ring(size, 2)


def transports(done: Recording) -> set[tuple[object, ...]]:
    return set(done.rows("SELECT transport_state FROM ranks"))


# --- The tests ---


@pytest.mark.parametrize("size", [4, 7])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_known_messages(case: Case, size: int, compiled: Compile, tmp_path: Path) -> None:
    done = case.run(compiled, tmp_path, size)
    everyone, even, odd = range(size), range(0, size, 2), range(1, size, 2)

    def inside(procedure: str, communicator: str | None = None) -> Matrix:
        return done.messages(communicator, "in-collective", procedure)

    assert inside("MPI_Bcast", "W") == broadcast(everyone, case.parent)
    assert inside("MPI_Bcast", "W_d1") == broadcast(everyone, case.parent)
    assert inside("MPI_Bcast", "W_s2.0") == broadcast(even, case.parent)
    assert inside("MPI_Bcast", "W_s2.1") == broadcast(odd, case.parent)
    assert inside("MPI_Allreduce", "W") == recursive_doubling(size, STARTS)
    assert inside("MPI_Allreduce", "W_d1") == recursive_doubling(size, 1)
    assert inside("MPI_Reduce") == reduction(size)
    assert inside("MPI_Barrier", "W") == dissemination(everyone)
    assert inside("MPI_Barrier", "W_s2.0") == dissemination(even)
    assert inside("MPI_Barrier", "W_s2.1") == dissemination(odd)
    assert inside("MPI_Allgather") == ring(size, size - 1)
    assert inside("MPI_Alltoall") == all_pairs(size)
    assert inside("MPI_Gather") == gather(size)
    assert inside("MPI_Neighbor_alltoall", "W_a3") == both_neighbours(size, STARTS)
    assert inside("MPI_Neighbor_alltoallv", "W_a3") == both_neighbours(size)
    assert inside("MPI_Neighbor_allgather", "W_a3") == both_neighbours(size)
    # The messages that other calls handed on belong to the call that started them, and to its communicator.
    assert inside("MPI_Ibcast") == inside("MPI_Ibcast", "W_d1") == broadcast(everyone, case.parent)
    persistent = done.process.stdout.startswith("with ")
    started = broadcast(even, case.parent, STARTS) | broadcast(odd, case.parent, STARTS)
    assert inside("MPI_Bcast_init") == (started if persistent else {})

    assert_points(done, size)
    assert transports(done) == {("active",)}
    assert done.warnings == []
    assert done.dropped == {}
    assert done.process.stderr.startswith("rankwise: --see-all sets ") == ("--see-all" in case.options)


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.mpi in TWO_CASES], ids=lambda case: case.name
)
def test_procedures_chosen_by_the_variable(
    case: Case, compiled: Compile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Names in any case; that of a blocking one stands for all its forms, others for themselves."""
    monkeypatch.setenv("RANKWISE_ONLY", "MPI_BCAST, Iallgather,nosuch")
    done = case.run(compiled, tmp_path, 4)
    rows = done.rows(
        """SELECT DISTINCT name FROM messages JOIN procedures ON procedures.id = messages.procedure
           WHERE kind = 'in-collective'"""
    )
    assert {"MPI_Bcast", "MPI_Ibcast"} <= {name for (name,) in rows} <= BCASTS
    assert done.process.stderr.count("'nosuch'") == 1


BCASTS = {"MPI_Bcast", "MPI_Ibcast", "MPI_Bcast_init", "MPI_Iallgather"}


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.mpi in TWO_CASES], ids=lambda case: case.name
)
def test_chosen_procedures(case: Case, compiled: Compile, tmp_path: Path) -> None:
    size = 4
    done = case.run(compiled, tmp_path, size, "--inside", "MPI_BCAST,allgather")
    procedures = done.rows(
        """SELECT DISTINCT name FROM messages JOIN procedures ON procedures.id = messages.procedure
           WHERE kind = 'in-collective'"""
    )
    persistent = done.process.stdout.startswith("with ")
    chosen = {"MPI_Bcast", "MPI_Ibcast", "MPI_Allgather"} | ({"MPI_Bcast_init"} if persistent else set())
    assert {name for (name,) in procedures} == chosen
    [(only,)] = done.rows("SELECT only FROM run")
    allgather = {"MPI_Allgather", "MPI_Iallgather", "MPI_Allgather_init"}
    assert set(json.loads(str(only))) == {"MPI_Bcast", "MPI_Ibcast", "MPI_Bcast_init"} | allgather
    assert done.messages("W", "in-collective", "MPI_Bcast") == broadcast(range(size), case.parent)
    assert done.messages("W", "in-collective", "MPI_Allgather") == ring(size, size - 1)
    assert_points(done, size)


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.mpi in TWO_CASES], ids=lambda case: case.name
)
def test_nothing_inside(case: Case, compiled: Compile, tmp_path: Path) -> None:
    without = replace(case, options=())
    done = without.run(compiled, tmp_path, 4, "--no-inside")
    assert done.messages(kind="in-collective") == {}
    assert transports(done) == {("disabled",)}
    assert_points(done, 4)

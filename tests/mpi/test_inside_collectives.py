"""The matrices of messages inside collectives are those of the algorithms that the library was told to use.

One job for each library and number of processes: programs/algorithms.c calls every collective as the library
likes it best, then as forced.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import libraries
import marks
import pytest
from libraries import Mpi
from patterns import Seen, seen
from recording import Compile, Recording, run_on

from exhaustive import few

PROCESSES = [4, 7, 8, 12, 16]
COLLECTIVES = (
    *("Bcast", "Gather", "Gatherv", "Scatter", "Scatterv", "Allgather", "Allgatherv"),
    *("Alltoall", "Alltoallv", "Alltoallw", "Reduce", "Allreduce", "Reduce_scatter", "Reduce_scatter_block"),
    *("Scan", "Exscan", "Ibcast", "Iallreduce"),
)
BARRIERS = ("Barrier", "Ibarrier")
# Their sizes may differ by process, so that only the numbers of messages can be compared.
SIZES_DIFFER = {"Gatherv", "Scatterv", "Allgatherv", "Alltoallv", "Alltoallw", "Reduce_scatter"}

# Where the name depends on the number of processes: 0 = any other number.
Expected = str | dict[int, str]

TWO = r"{} \(.+\) \+ {} \(.+\)"
REDUCE_BCAST = TWO.format("reduce", "bcast")
GATHER_BCAST = TWO.format("gather", "bcast")
REDUCE_SCATTER = TWO.format("reduce", "scatter")
DIRECT = "linear or pairwise(, itself included)?"
# Open MPI's own numbers of algorithms, as `ompi_info` lists them. Left out are those for two processes.
OPENMPI: dict[str, dict[int, Expected]] = {
    "Barrier": {
        1: "linear",
        2: "double ring",
        3: "recursive doubling",
        4: "dissemination",
        6: "binomial tree",
    },
    "Bcast": {
        1: "linear",
        2: {4: "linear", 0: "4 chains"},
        3: "chain",
        4: "split binary tree",
        5: "binary tree",
        6: "binomial tree, doubling",
        7: {4: "linear", 0: "4-nomial tree"},
        8: r"scatter \+ recursive doubling allgather",
        9: r"scatter \+ ring allgather",
    },
    "Reduce": {
        1: "linear",
        2: {4: "linear", 0: "4 chains"},
        3: "chain",
        4: "binary tree",
        5: "binomial tree",
        6: "in-order binary tree",
        7: "Rabenseifner",
    },
    "Allreduce": {
        1: r"reduce \(linear\) \+ bcast \(linear\)",
        2: REDUCE_BCAST,
        3: "recursive doubling",
        4: "ring",
        5: "ring",
        6: "Rabenseifner",
    },
    "Gather": {1: "linear", 2: "binomial tree", 3: "linear with synchronisation"},
    "Scatter": {1: "linear", 2: "binomial tree", 3: "linear"},
    # It takes Bruck's algorithm where there is no power of two, and a ring where the number is odd.
    "Allgather": {
        1: GATHER_BCAST,
        2: "Bruck",
        3: {7: "Bruck", 12: "Bruck", 0: "recursive doubling"},
        4: "ring",
        5: {7: "ring", 0: "neighbour exchange"},
    },
    "Alltoall": {1: "linear or pairwise", 2: "linear or pairwise", 3: "Bruck", 4: "linear or pairwise"},
    "Alltoallv": {1: "linear or pairwise", 2: DIRECT},
    "Reduce_scatter": {1: REDUCE_SCATTER, 2: "recursive halving", 3: "ring", 4: "butterfly"},
    "Reduce_scatter_block": {
        1: REDUCE_SCATTER,
        2: "recursive doubling",
        3: "recursive halving",
        4: "butterfly",
    },
    "Scan": {1: "linear", 2: "recursive doubling"},
    "Exscan": {1: "linear", 2: "recursive doubling"},
}
# What it takes by itself for the sizes and numbers of processes tried here; Allgatherv is forced.
OPENMPI_DEFAULTS = {
    "Allgather": "Bruck|recursive doubling",
    "Allreduce": "recursive doubling|Rabenseifner",
    "Alltoall": "linear or pairwise|Bruck",
    "Alltoallv": "linear or pairwise",
    "Alltoallw": "linear or pairwise",
    "Barrier": "linear|recursive doubling",
    "Bcast": "linear|binary tree|binomial tree, doubling|4-nomial tree",
    "Exscan": "linear",
    "Gather": "linear|binomial tree",
    "Gatherv": "linear",
    "Iallreduce": r"reduce \(binomial tree\) \+ bcast \(binomial tree, doubling\)|Rabenseifner",
    "Ibarrier": "dissemination",
    "Ibcast": "linear|binomial tree, doubling",
    "Reduce": "binary tree|binomial tree|chain",
    "Reduce_scatter": "recursive halving",
    "Reduce_scatter_block": f"butterfly|recursive doubling|recursive halving|{REDUCE_SCATTER}",
    "Scan": "linear",
    "Scatter": "linear|binomial tree",
    "Scatterv": "linear",
}
# Open MPI doesn't let this one be set once the program runs: one algorithm a job.
OPENMPI_ALLGATHERV: dict[int, tuple[int, str]] = {
    4: (1, GATHER_BCAST),
    7: (2, "Bruck"),
    8: (4, "neighbour exchange"),
    12: (3, "ring"),
    16: (2, "Bruck"),
}


# Names of MPICH's algorithms by number of processes, and what they send.
MPICH: dict[str, dict[int, tuple[str, str]]] = {
    "Barrier": dict.fromkeys(PROCESSES, ("dissemination", "dissemination")),
    "Bcast": {
        4: ("binomial", "binomial tree"),
        7: ("scatter_ring_allgather", r"scatter \+ ring allgather"),
        8: (
            "scatter_recursive_doubling_allgather",
            r"scatter \+ recursive doubling allgather",
        ),
        12: ("scatter_ring_allgather", r"scatter \+ ring allgather"),
        16: ("binomial", "binomial tree"),
    },
    "Gather": dict.fromkeys(PROCESSES, ("binomial", "binomial tree")),
    "Scatter": dict.fromkeys(PROCESSES, ("binomial", "binomial tree")),
    "Allgather": {
        4: ("ring", "ring"),
        7: ("brucks", "Bruck"),
        8: ("recursive_doubling", "recursive doubling"),
        12: ("ring", "ring"),
        16: ("brucks", "Bruck"),
    },
    "Allgatherv": {
        4: ("recursive_doubling", "recursive doubling"),
        7: ("ring", "ring"),
        8: ("brucks", "Bruck"),
    },
    "Alltoall": {
        4: ("brucks", "Bruck"),
        7: ("brucks", "Bruck"),
        8: ("pairwise", "linear or pairwise"),
        12: ("scattered", DIRECT),
        16: ("brucks", "Bruck"),
    },
    "Reduce": {
        4: ("reduce_scatter_gather", "Rabenseifner"),
        7: ("reduce_scatter_gather", "Rabenseifner"),
        8: ("binomial", "binomial tree"),
        12: ("binomial", "binomial tree"),
        16: ("reduce_scatter_gather", "Rabenseifner"),
    },
    "Allreduce": {
        4: ("recursive_doubling", "recursive doubling"),
        7: ("reduce_scatter_allgather", "Rabenseifner"),
        8: ("reduce_scatter_allgather", "Rabenseifner"),
        12: ("recursive_doubling", "recursive doubling"),
        16: ("recursive_doubling", "recursive doubling"),
    },
    "Reduce_scatter": {
        4: ("pairwise", "pairwise"),
        7: ("recursive_halving", "recursive halving"),
        8: ("recursive_doubling", "recursive doubling"),
        12: ("pairwise", "pairwise"),
    },
    "Reduce_scatter_block": {
        4: ("recursive_halving", "recursive halving"),
        7: ("recursive_doubling", "recursive doubling"),
        8: ("pairwise", "pairwise"),
        12: ("recursive_halving", "recursive halving"),
    },
    "Scan": dict.fromkeys(PROCESSES, ("recursive_doubling", "recursive doubling")),
    "Exscan": dict.fromkeys(PROCESSES, ("recursive_doubling", "recursive doubling")),
}
MPICH_DEFAULTS = {
    "Allgather": "Bruck|recursive doubling|ring",
    "Allgatherv": "Bruck|recursive doubling|ring",
    "Allreduce": "recursive doubling|Rabenseifner",
    "Alltoall": f"{DIRECT}|Bruck",
    "Alltoallv": DIRECT,
    "Alltoallw": DIRECT,
    "Barrier": "dissemination",
    "Bcast": r"binomial tree|scatter \+ (ring|recursive doubling) allgather",
    "Exscan": "recursive doubling",
    "Gather": "binomial tree",
    "Gatherv": "linear",
    "Iallreduce": "recursive doubling|Rabenseifner",
    "Ibarrier": "dissemination",
    "Ibcast": r"binomial tree|scatter \+ (ring|recursive doubling) allgather",
    "Reduce": "binomial tree|Rabenseifner",
    "Reduce_scatter": "recursive halving|pairwise",
    "Reduce_scatter_block": "recursive halving|pairwise",
    "Scan": "recursive doubling",
    "Scatter": "binomial tree",
    "Scatterv": "linear",
}

# Numbers of Intel MPI's algorithms as its manual has them (I_MPI_ADJUST_...), by number of processes.
INTEL: dict[int, dict[str, tuple[int, str]]] = {
    7: {
        "Barrier": (2, "recursive doubling"),
        "Bcast": (3, r"scatter \+ ring allgather"),
        "Allgather": (3, "ring"),
        "Allreduce": (2, "Rabenseifner"),
        "Alltoall": (1, "Bruck"),
        "Gather": (1, "binomial tree"),
        "Reduce": (2, "binomial tree"),
        "Scatter": (1, "binomial tree"),
    },
    8: {
        "Barrier": (1, "dissemination"),
        "Bcast": (2, r"scatter \+ recursive doubling allgather"),
        "Allgather": (2, "Bruck"),
        "Allreduce": (8, "ring"),
        "Alltoall": (3, "linear or pairwise"),
        "Gather": (1, "binomial tree"),
        "Reduce": (1, "chain"),  # "Shumilin's algorithm"
        "Scatter": (1, "binomial tree"),
    },
}
INTEL_DEFAULTS = {
    **MPICH_DEFAULTS,
    "Allreduce": rf"{MPICH_DEFAULTS['Allreduce']}|reduce \(Rabenseifner\) \+ bcast \(binomial tree\)",
    "Gather": "linear|binomial tree",
    "Scatter": "linear|binomial tree",
}


def record(mpi: Mpi, compiled: Compile, place: Path, processes: int, steps: list[str]) -> list[Seen]:
    """Run the program; what it recorded must not have lost anything."""
    program = compiled(mpi, "algorithms.c")
    done: Recording = run_on(mpi, mpi.launch(processes, program, *steps), place / "algorithms.rankwise")
    assert done.process.returncode == 0, done.process.stderr
    assert done.dropped == {}
    return list(seen(done, processes))


def by_default(sizes: Iterable[int]) -> list[str]:
    """The program's steps that call everything once."""
    return [f"{name}:0" for name in BARRIERS] + [f"{name}:{size}" for name in COLLECTIVES for size in sizes]


def check(calls: Iterable[Seen], expected: Callable[[Seen], str]) -> None:
    """Every call has a name that is expected of it."""
    wrong = [f"{call}; expected {expected(call)}" for call in calls if not fits(call, expected(call))]
    assert not wrong, "\n".join(wrong)


def fits(call: Seen, expected: str) -> bool:
    """Whether messages and bytes, as far as they can be known, are those of an expected algorithm."""
    if call.named is None or call.named.exact != (call.collective not in SIZES_DIFFER):
        return False
    return any(
        re.fullmatch(rf"({expected})(, \d+ segments)?", name) for name in (call.named.name, *call.named.also)
    )


def on_one_node(collective: str, expected: str) -> str:
    """What MPICH's algorithms for several nodes make of it on one: they go through process 0."""
    segments = r"(, \d+ segments)?"
    return {
        "Barrier": r"node-aware: dissemination \+ bcast \(.+\)",
        "Bcast": rf"node-aware: root to process 0 \+ bcast \(({expected}){segments}\)",
        "Ibcast": rf"node-aware: root to process 0 \+ bcast \(({expected}){segments}\)",
        "Reduce": rf"{expected}|node-aware: process 0 to root \+ reduce \(({expected})\)",
        "Scan": r"node-aware: recursive doubling \+ bcast \(.+\)",
    }.get(collective, expected)


def name_at(expected: Expected, processes: int) -> str:
    return expected if isinstance(expected, str) else expected.get(processes, expected[0])


NO_POWER_OF_TWO = [
    number if number == 7 else pytest.param(number, marks=pytest.mark.exhaustive) for number in PROCESSES
]


@pytest.mark.parametrize("processes", NO_POWER_OF_TWO)
@pytest.mark.parametrize("mpi", [m for m in libraries.ALL if m.family == "openmpi"], ids=lambda mpi: mpi.name)
def test_openmpi(mpi: Mpi, compiled: Compile, tmp_path: Path, processes: int) -> None:
    allgatherv, allgatherv_name = OPENMPI_ALLGATHERV[processes]
    mpi = replace(
        mpi,
        environment={
            **mpi.environment,
            "OMPI_MCA_coll_tuned_use_dynamic_rules": "1",
            "OMPI_MCA_coll_tuned_allgatherv_algorithm": str(allgatherv),
        },
    )
    steps = by_default([8, 12000, 200_008])
    forced: dict[str, str] = {}
    for collective, algorithms in OPENMPI.items():
        for number, expected in algorithms.items():
            knob = f"coll_tuned_{collective.lower()}_algorithm={number}"
            forced[knob] = name_at(expected, processes)
            steps += [knob, f"on={knob}", "Barrier:0" if collective == "Barrier" else f"{collective}:800"]
        steps.append(f"coll_tuned_{collective.lower()}_algorithm=0")
    calls = record(mpi, compiled, tmp_path, processes, steps)

    assert {call.on for call in calls} == {"", *forced}
    check((call for call in calls if call.on), lambda call: forced[call.on])
    defaults = {**OPENMPI_DEFAULTS, "Allgatherv": allgatherv_name}
    chosen = [call for call in calls if not call.on]
    assert {call.collective for call in chosen} == {*COLLECTIVES, *BARRIERS}
    check(chosen, lambda call: defaults[call.collective])


@marks.NEEDS_SHARED_MEMORY
@pytest.mark.parametrize("processes", NO_POWER_OF_TWO)
@pytest.mark.parametrize(
    "mpi", [m for m in libraries.ALL if m.family == "mpich" and not m.vendor], ids=lambda mpi: mpi.name
)
def test_mpich(mpi: Mpi, compiled: Compile, tmp_path: Path, processes: int) -> None:
    """MPICH 4 of Debian sends everything through UCX; MPICH 5 does if told that each process is a node."""
    apart = not mpi.name.endswith("debian")
    environment = {**mpi.environment, "MPIR_CVAR_NOLOCAL": "1"} if apart else dict(mpi.environment)
    forced = {name: by[processes] for name, by in MPICH.items() if processes in by}
    knobs = {name: f"MPIR_CVAR_{name.upper()}_INTRA_ALGORITHM" for name in forced}
    for name, (way, _) in forced.items():
        environment[knobs[name]] = "k_dissemination" if apart and way == "dissemination" else way
    steps = ["Barrier:0" if name == "Barrier" else f"{name}:800" for name in forced]
    # 0 = the library chooses.
    steps += [*(f"{knob}=0" for knob in knobs.values()), "on=default", *by_default([8, 12000])]
    calls = record(replace(mpi, environment=environment), compiled, tmp_path, processes, steps)

    def expected(call: Seen) -> str:
        name = MPICH_DEFAULTS[call.collective] if call.on else forced[call.collective][1]
        return name if apart else on_one_node(call.collective, name)

    assert {call.collective for call in calls if not call.on} == set(forced)
    assert {call.collective for call in calls if call.on} == {*COLLECTIVES, *BARRIERS}
    check(calls, expected)


def expected_of_intel(call: Seen) -> str:
    """By default it goes through process 0 in some collectives, as MPICH does."""
    name = INTEL_DEFAULTS[call.collective]
    return f"{name}|{on_one_node(call.collective, name)}"


@pytest.mark.parametrize("processes", few([7, 4, 8], 1))
@pytest.mark.parametrize(
    "mpi", [m for m in libraries.ALL if m.family == "mpich" and m.vendor == "Intel"], ids=lambda mpi: mpi.name
)
def test_intel(mpi: Mpi, compiled: Compile, tmp_path: Path, processes: int) -> None:
    """Through libfabric and without algorithms in shared memory, both of which Rankwise doesn't see."""
    forced = INTEL.get(processes, {})
    environment = {
        **mpi.environment,
        "I_MPI_FABRICS": "ofi",
        "I_MPI_COLL_INTRANODE": "pt2pt",
        # Else, on some processors, all agree on the size of a collective with unequal parts before it.
        "I_MPI_TUNING_COLL_VEC_OPS": "0",
    }
    for name, (number, _) in forced.items():
        environment[f"I_MPI_ADJUST_{name.upper()}"] = str(number)
    steps = ["Barrier:0" if name == "Barrier" else f"{name}:800" for name in forced] or by_default([8, 12000])
    calls = record(replace(mpi, environment=environment), compiled, tmp_path, processes, steps)
    if forced:
        assert {call.collective for call in calls} == forced.keys()
        check(calls, lambda call: forced[call.collective][1])
    else:
        assert {call.collective for call in calls} == {*COLLECTIVES, *BARRIERS}
        check(calls, expected_of_intel)

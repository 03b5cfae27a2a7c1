"""The probe that races algorithms, on each MPI: what it finds, computes and chooses."""

from __future__ import annotations

import json
import math
import re
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import libraries
import marks
import pytest
from libraries import Mpi
from patterns import seen
from recording import LIMIT_SECONDS, PROGRAMS, run_on

from rankwise.errors import RankwiseError
from rankwise.launch.signals import Signals
from rankwise.tuning.cells.cell import Cell, Grouping
from rankwise.tuning.libraries import by_version
from rankwise.tuning.racing.batch import Batch
from rankwise.tuning.racing.offers import PROCEDURES, Offers, control_variables
from rankwise.tuning.racing.racer import Racer, Unfit
from rankwise.tuning.racing.start import launched_with, prepare, racing
from rankwise.tuning.settings.rule import Algorithm

ROOT = Path(__file__).parents[2]
PROBE = ROOT / "src" / "probes" / "collective"
COMMON = PROBE.parent / "common"
CHOOSING = [mpi for mpi in libraries.ALL if mpi.family != "mpiabi" and not mpi.vendor]
ONE_OF_EACH = list(libraries.first_of_each(CHOOSING, lambda mpi: mpi.family))
INTEL = [mpi for mpi in libraries.ONE_OF_EACH_LAUNCHER if mpi.vendor == "Intel"]
NAMES = {"ids": lambda mpi: mpi.name}
SIZES = (1001, 40_000)

Build = Callable[[Mpi], Path]


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """Compiles the probe with an MPI, once."""
    done: dict[str, Path] = {}

    def build_(mpi: Mpi) -> Path:
        if mpi.name not in done:
            done[mpi.name] = tmp_path_factory.mktemp("probe") / "collective"
            words = ["-O2", "-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Werror"]
            sources = [*sorted(PROBE.glob("*.c")), *sorted(COMMON.glob("*.c"))]
            mpi.compile(done[mpi.name], *sources, "-lm", options=words)
        return done[mpi.name]

    return build_


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Keeps the probes that `racing` compiles."""
    return tmp_path_factory.mktemp("cache")


def listening(mpi: Mpi) -> Mpi:
    """The library, ready to be told its algorithms, with all its messages where they can be seen."""
    more = launched_with()
    if mpi.family == "mpich" and not mpi.name.endswith("debian"):
        more["MPIR_CVAR_NOLOCAL"] = "1"
    return replace(mpi, environment={**mpi.environment, **more})


def served(mpi: Mpi, program: Path, ranks: int, directory: Path, texts: Sequence[str]) -> list[str]:
    """Runs the probe for batches that are there from the beginning; returns its answers."""
    for number, text in enumerate(texts):
        (directory / f"batch.{number}").write_text(text)
    (directory / "stop").touch()
    done = subprocess.run(
        mpi.launch(ranks, program, directory, str(LIMIT_SECONDS)),
        capture_output=True,
        text=True,
        timeout=LIMIT_SECONDS,
        env=mpi.env(),
    )
    assert done.returncode == 0, (directory / "error").exists() and (directory / "error").read_text()
    return [(directory / f"times.{number}").read_text() for number in range(len(texts))]


def cell(procedure: str, size: int, *groupings: Grouping) -> Cell:
    processes = len(groupings[0].groups[0])
    return Cell(
        procedure=procedure,
        processes=processes,
        low=size,
        high=size,
        size=size,
        calls=1,
        seconds=1.0,
        tunable_seconds=1.0,
        groupings=groupings,
    )


def offers_in(directory: Path) -> Offers:
    said = json.loads((directory / "about").read_text())["library"]
    variables = json.loads((directory / "offers").read_text())["variables"]
    return by_version(said).offers(control_variables(variables))


@pytest.mark.parametrize("mpi", libraries.ALL, **NAMES)
def test_all_collectives_compute_what_they_should(mpi: Mpi, build: Build, tmp_path: Path) -> None:
    """Several communicators at once, in several groupings; ranks 3 and 2 take no part in the first one."""
    groupings = (
        Grouping(((1, 0),), share=0.5, root=1),
        Grouping(((0, 3), (2, 1)), share=0.5, late=((3, 1e-4),)),
    )
    cells = [cell(procedure, size, *groupings) for procedure in PROCEDURES for size in SIZES]
    batches = [Batch(collective, {"default": None}, [["default"]], 1) for collective in cells]
    answers = served(mpi, build(mpi), 4, tmp_path, [batch.text(Offers()) for batch in batches])
    for batch, answer in zip(batches, answers, strict=True):
        (times,) = batch.times(answer)
        # In the grouping that has half of the time, a rank comes 100 us late.
        assert times["default"] >= 0.5e-4, batch.cell.name


@pytest.mark.parametrize("mpi", ONE_OF_EACH, **NAMES)
@pytest.mark.parametrize("size", [1000, 1001])
def test_a_wrong_result_is_seen(mpi: Mpi, tmp_path: Path, size: int) -> None:
    program, place = tmp_path / "wrong", tmp_path / "place"
    place.mkdir()
    sources = [*sorted(PROBE.glob("*.c")), *sorted(COMMON.glob("*.c")), PROGRAMS / "wrong_allreduce.c"]
    mpi.compile(program, *sources, "-lm", options=["-O2"])
    arms = {"default": None, "wrong": None, "right": None}
    batch = Batch(cell("MPI_Allreduce", size, Grouping(((0, 1),))), arms, [list(arms)], 1)
    (answer,) = served(mpi, program, 2, place, [batch.text(Offers())])
    assert re.fullmatch(r"rejected 1 .+\n", answer)


KNOWN = {
    "openmpi": {
        "MPI_Allreduce": {"basic_linear": 1, "recursive_doubling": 3, "ring": 4, "rabenseifner": 6},
        "MPI_Barrier": {"linear": 1, "bruck": 4, "tree": 6},
        "MPI_Reduce_scatter_block": {"basic_linear": 1, "butterfly": 4},
        "MPI_Alltoallv": {"basic_linear": 1, "pairwise": 2},
    },
    "mpich": {
        "MPI_Allreduce": {"MPIR_Allreduce_allcomm_nb": 1, "MPIR_Allreduce_intra_recursive_doubling": 3},
        "MPI_Bcast": {"MPIR_Bcast_intra_binomial": 1, "MPIR_Bcast_intra_scatter_ring_allgather": 5},
        "MPI_Gatherv": {"MPIR_Gatherv_allcomm_linear": 1, "MPIR_Gatherv_allcomm_nb": 2},
        "MPI_Reduce_scatter": {"MPIR_Reduce_scatter_intra_recursive_halving": 5},
    },
}


@pytest.mark.parametrize("mpi", CHOOSING, **NAMES)
def test_what_the_library_offers(mpi: Mpi, build: Build, tmp_path: Path) -> None:
    served(listening(mpi), build(mpi), 2, tmp_path, [])
    about = json.loads((tmp_path / "about").read_text())
    assert len(about["hosts"]) == 2
    assert ("Open MPI" if mpi.family == "openmpi" else "MPICH") in about["library"]
    offers = offers_in(tmp_path)
    assert offers.at_calls == (mpi.family == "mpich")
    for procedure, names in KNOWN[mpi.family].items():
        numbers = {algorithm.name: algorithm.number for algorithm in offers.choices[procedure].algorithms}
        assert names.items() <= numbers.items()
    # The variable for MPI_Allgatherv of Open MPI can't be written to.
    assert ("MPI_Allgatherv" in offers.choices) == (mpi.family == "mpich")


# What the messages of arms look like, on 4 processes.
LOOKS = {
    "openmpi": (
        "MPI_Allreduce",
        {"ring": "ring", "recursive_doubling": "recursive doubling", "rabenseifner": "Rabenseifner"},
    ),
    "mpich": (
        "MPI_Allgather",
        {
            "MPIR_Allgather_intra_ring": "ring",
            "MPIR_Allgather_intra_recursive_doubling": "recursive doubling",
            "MPIR_Allgather_intra_brucks": "Bruck",
        },
    ),
}


def looks(
    mpi: Mpi, program: Path, place: Path, procedure: str, size: int, chosen: Sequence[tuple[str, int]]
) -> list[set[str]]:
    """Names of what algorithms, told by name and segment, may be by their messages on 4 processes.

    The probe is recorded like any other program.
    """
    first, second = place / "first", place / "second"
    first.mkdir()
    second.mkdir()
    served(mpi, program, 2, first, [])
    offers = offers_in(first)
    offered = {algorithm.name: algorithm for algorithm in offers.choices[procedure].algorithms}
    algorithms = [replace(offered[name], segment=segment) for name, segment in chosen]
    arms = {"default": None, **{algorithm.label: algorithm for algorithm in algorithms}}
    batch = Batch(cell(procedure, size, Grouping(((0, 1, 2, 3),))), arms, [list(arms)], 2)
    (second / "batch.0").write_text(batch.text(offers))
    (second / "stop").touch()
    words = mpi.launch(4, program, second, str(LIMIT_SECONDS))
    recording = run_on(mpi, words, place / "probe.rankwise")
    assert recording.process.returncode == 0, recording.process.stderr
    assert len(batch.times((second / "times.0").read_text())) == 1
    candidates: list[set[str]] = [set() for _ in arms]
    for call in seen(recording, 4):
        if call.on and call.named:
            candidates[int(call.on.removeprefix("arm "))] |= {call.named.name, *call.named.also}
    return candidates[1:]


@marks.NEEDS_SHARED_MEMORY
@pytest.mark.parametrize("mpi", CHOOSING, **NAMES)
def test_a_chosen_algorithm_runs(mpi: Mpi, build: Build, tmp_path: Path) -> None:
    procedure, expected = LOOKS[mpi.family]
    chosen = [(name, 0) for name in expected]
    candidates = looks(listening(mpi), build(mpi), tmp_path, procedure, 8000, chosen)
    assert all(look in names for look, names in zip(expected.values(), candidates, strict=True)), candidates


@pytest.mark.parametrize("mpi", [mpi for mpi in CHOOSING if mpi.family == "openmpi"], **NAMES)
def test_messages_are_cut_into_segments(mpi: Mpi, build: Build, tmp_path: Path) -> None:
    chosen = [("pipeline", 0), ("pipeline", 8192)]
    candidates = looks(listening(mpi), build(mpi), tmp_path, "MPI_Bcast", 40_000, chosen)
    assert [sorted(names) for names in candidates] == [["chain"], ["chain, 5 segments"]]


@contextmanager
def raced(mpi: Mpi, cache: Path, place: Path, ranks: int) -> Iterator[Racer]:
    words = mpi.launch(ranks, "./not-there", "--option")
    with Signals() as signals:
        setup = prepare(words, mpi.env(), place, signals, lambda _: None, probe_directory=cache)
        with racing(setup) as racer:
            yield racer


@pytest.mark.parametrize("mpi", CHOOSING, **NAMES)
def test_a_session(mpi: Mpi, cache: Path, tmp_path: Path) -> None:
    """An arm that the library does not know is found out; then others still run."""
    reduction = cell("MPI_Allreduce", 2000, Grouping(((0, 1),)))
    with raced(mpi, cache, tmp_path, 2) as racer:
        assert racer.library
        assert len(racer.hosts) == 2
        offered = racer.offered("MPI_Allreduce")
        arms = {"default": None, "good": offered[0], "strange": Algorithm("strange", 99)}
        with pytest.raises(Unfit) as unfit:
            racer.run(reduction, arms, [list(arms)])
        # MPICH takes any number, and ends the job when it comes to use it.
        said = "it ends the job" if mpi.family == "mpich" else "does not take its value"
        assert said in unfit.value.why["strange"]
        assert set(unfit.value.why) == {"strange"}
        del arms["strange"]
        order = ["good", "default", "default again"]
        times = racer.run(reduction, {**arms, "default again": None}, [order] * 3)
        assert [list(round_times) for round_times in times] == [order] * 3
        assert all(0 < seconds < math.inf for round_times in times for seconds in round_times.values())
        with pytest.raises(RankwiseError, match=r"\brank 2\b.*\b2 ranks\b"):
            racer.run(cell("MPI_Barrier", 0, Grouping(((0, 2),))), arms, [list(arms)])
        assert racer.offered("MPI_Comm_dup") == ()


@pytest.mark.parametrize("mpi", INTEL, **NAMES)
def test_relaunched(mpi: Mpi, cache: Path, tmp_path: Path) -> None:
    with raced(mpi, cache, tmp_path, 2) as racer:
        assert "Intel" in racer.library
        offered = racer.offered("MPI_Alltoall")
        assert [algorithm.number for algorithm in offered] == list(range(1, len(offered) + 1))
        assert len(offered) > 3
        arms = {"default": None, "first": offered[0]}
        times = racer.run(cell("MPI_Alltoall", 800, Grouping(((0, 1),))), arms, [["first", "default"]])
        assert [list(round_times) for round_times in times] == [["first", "default"]]
        assert all(seconds > 0 for seconds in times[0].values())


@pytest.mark.parametrize("mpi", ONE_OF_EACH[:1], **NAMES)
def test_a_launch_that_fails(mpi: Mpi, cache: Path, tmp_path: Path) -> None:
    failing = replace(mpi, options=(*mpi.options, "--no-such-option"))
    with (
        pytest.raises(RankwiseError, match=r"\b\d+\b.*no-such-option"),
        raced(failing, cache, tmp_path, 2),
    ):
        pass

"""Rankwise and another tool in one program: both count everything, and the program computes the same.

programs/tools/tool.c is that tool: in the manner of the MPI standard (it forwards to the PMPI names) or of
preloaded libraries (to whoever comes next), linked with the program or preloaded, behind Rankwise or before.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import libraries
import pytest
import recording
from libraries import Mpi
from recording import PROGRAMS

from golden import assert_facts

MESSAGES, INT = 10, 4
SENT = sum(range(1, MESSAGES + 1)) * INT
SAID = f"sum {2 * sum(range(MESSAGES))}"
KINDS = {"pmpi": [], "next": ["-DNEXT"]}
RANKS = range(2)
GIVEN = 1 * 3 + 2 * 0.5 + sum(i * i for i in range(1, 16))  # to MPI_Pcontrol, each number times its place

pytestmark = pytest.mark.parametrize("mpi", libraries.ONE_OF_EACH, ids=lambda mpi: mpi.name)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Mpi, str], Path]:
    """A folder with libtool.so of a kind, the program `ring`, and `linked`, which has the tool linked in."""
    done: dict[tuple[str, str], Path] = {}

    def build(mpi: Mpi, kind: str) -> Path:
        if (mpi.name, kind) not in done:
            place = done[mpi.name, kind] = tmp_path_factory.mktemp(f"{mpi.name}-{kind}")
            tool, ring = place / "libtool.so", PROGRAMS / "tools" / "ring.c"
            mpi.compile(tool, PROGRAMS / "tools" / "tool.c", options=["-shared", "-fPIC", *KINDS[kind]])
            mpi.compile(place / "ring", ring)
            mpi.compile(place / "linked", ring, tool, options=["-Wl,--no-as-needed", f"-Wl,-rpath,{place}"])
        return done[mpi.name, kind]

    return build


def run(mpi: Mpi, place: Path, words: list[str], environment: dict[str, str]) -> recording.Recording:
    done = recording.run(mpi.launch(len(RANKS), *words), place / "ring.rankwise", environment)
    assert SAID in done.process.stdout, done.process.stderr
    return done


def assert_the_tool_has_all(place: Path, kind: str) -> None:
    for rank in RANKS:
        assert (place / f"tool.{rank}").read_text() == f"1 {MESSAGES} {int(kind == 'next')} {GIVEN:g}\n"


def assert_rankwise_has_all(done: recording.Recording) -> None:
    assert done.process.returncode == 0, done.process.stderr
    assert done.calls("MPI_Send", "W") == dict.fromkeys(RANKS, (MESSAGES, SENT, 0))
    assert done.calls("MPI_Irecv", "W") == dict.fromkeys(RANKS, (MESSAGES, 0, SENT))
    for once in ("MPI_Init", "MPI_Finalize"):
        assert done.calls(once) == dict.fromkeys(RANKS, (1, 0, 0))
    assert done.calls("MPI_Allreduce") == dict.fromkeys(RANKS, (1, INT, 0))


@pytest.mark.parametrize("kind", KINDS)
def test_linked(mpi: Mpi, kind: str, built: Callable[[Mpi, str], Path], tmp_path: Path) -> None:
    done = run(mpi, tmp_path, [str(built(mpi, kind) / "linked")], mpi.env())
    assert_the_tool_has_all(tmp_path, kind)
    assert_rankwise_has_all(done)
    assert done.warnings == []


@pytest.mark.parametrize("kind", KINDS)
def test_preloaded_behind(mpi: Mpi, kind: str, built: Callable[[Mpi, str], Path], tmp_path: Path) -> None:
    folder = built(mpi, kind)
    done = run(mpi, tmp_path, [str(folder / "ring")], {**mpi.env(), "LD_PRELOAD": str(folder / "libtool.so")})
    assert_the_tool_has_all(tmp_path, kind)
    assert_rankwise_has_all(done)
    assert done.warnings == []


@pytest.mark.parametrize("kind", KINDS)
def test_program_that_passes_the_tool_by(
    mpi: Mpi, kind: str, built: Callable[[Mpi, str], Path], tmp_path: Path
) -> None:
    """Its calls by PMPI names are counted; the tool behind us sees the others, with all arguments."""
    folder, program = built(mpi, kind), tmp_path / "past"
    linked = ["-Wl,--no-as-needed", f"-Wl,-rpath,{folder}", "-DPAST"]
    mpi.compile(program, PROGRAMS / "tools" / "ring.c", folder / "libtool.so", options=linked)
    done = run(mpi, tmp_path, [str(program)], mpi.env())
    assert_the_tool_has_all(tmp_path, kind)
    assert done.process.returncode == 0, done.process.stderr
    assert done.calls("MPI_Send", "W") == dict.fromkeys(RANKS, (MESSAGES + 2, SENT, 0))
    assert done.calls("MPI_Allreduce") == dict.fromkeys(RANKS, (1, INT, 0))
    assert_told(done, "PMPI_Pcontrol, PMPI_Send", "past" if kind == "next" else "libtool.so or past")


def before(folder: Path) -> list[str]:
    """The words that start the program with the tool in front of Rankwise."""
    return ["sh", "-c", f'LD_PRELOAD="{folder}/libtool.so:$LD_PRELOAD" exec {folder}/ring']


def test_preloaded_before(mpi: Mpi, built: Callable[[Mpi, str], Path], tmp_path: Path) -> None:
    done = run(mpi, tmp_path, before(built(mpi, "next")), mpi.env())
    assert_the_tool_has_all(tmp_path, "next")
    assert_rankwise_has_all(done)
    assert done.warnings == []


def assert_told(done: recording.Recording, names: str, caller: str) -> None:
    """That the calls came by PMPI names, and whose they are."""
    [warning] = done.warnings
    assert_facts(warning, f" {names} .. {caller} .. 0-1")


def test_preloaded_before_by_profiling_names(
    mpi: Mpi, built: Callable[[Mpi, str], Path], tmp_path: Path
) -> None:
    done = run(mpi, tmp_path, before(built(mpi, "pmpi")), mpi.env())
    assert_the_tool_has_all(tmp_path, "pmpi")
    assert_told(done, "PMPI_Finalize, PMPI_Init, PMPI_Pcontrol, PMPI_Send", "libtool.so")
    assert_rankwise_has_all(done)


def test_built_in(mpi: Mpi, tmp_path: Path) -> None:
    """As mpiP, IPM and in-house timers are linked statically."""
    program = tmp_path / "own"
    mpi.compile(program, PROGRAMS / "tools" / "ring.c", PROGRAMS / "tools" / "tool.c")
    done = run(mpi, tmp_path, [str(program)], mpi.env())
    assert_the_tool_has_all(tmp_path, "pmpi")
    assert_told(done, "PMPI_Finalize, PMPI_Init, PMPI_Pcontrol, PMPI_Send", "own")
    assert_rankwise_has_all(done)


@pytest.mark.parametrize("order", ["built in", "before", "behind", "linked"])
def test_few_wrappers(mpi: Mpi, order: str, tmp_path: Path) -> None:
    """A tool that leaves MPI_Init to us; its own call counts where it can't be told from the program's."""
    sources = [PROGRAMS / "tools" / "ring.c", PROGRAMS / "tools" / "some.c"]
    program, tool = tmp_path / "ring", tmp_path / "libtool.so"
    environment, words = mpi.env(), [str(program)]
    if order == "built in":
        mpi.compile(program, *sources)
    else:
        mpi.compile(tool, sources[1], options=["-shared", "-fPIC"])
        linked = [tool] if order == "linked" else []
        mpi.compile(program, sources[0], *linked, options=["-Wl,--no-as-needed", f"-Wl,-rpath,{tmp_path}"])
        words = before(tmp_path) if order == "before" else words
        environment |= {"LD_PRELOAD": str(tool)} if order == "behind" else {}
    done = run(mpi, tmp_path, words, environment)
    for rank in RANKS:
        assert (tmp_path / f"some.{rank}").read_text() == "1 1\n"
    assert done.process.returncode == 0, done.process.stderr
    in_front = order in ("built in", "before")
    assert done.calls("MPI_Allreduce") == dict.fromkeys(RANKS, (1 + in_front, (1 + in_front) * INT, 0))
    assert done.calls("MPI_Finalize") == dict.fromkeys(RANKS, (1, 0, 0))
    assert done.calls("MPI_Send", "W") == dict.fromkeys(RANKS, (MESSAGES, SENT, 0))
    if in_front:
        assert_told(done, "PMPI_Allreduce, PMPI_Finalize", "ring" if order == "built in" else "libtool.so")
    else:
        assert done.warnings == []

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
    assert done.warnings == []


@pytest.mark.parametrize("kind", KINDS)
def test_linked(mpi: Mpi, kind: str, built: Callable[[Mpi, str], Path], tmp_path: Path) -> None:
    done = run(mpi, tmp_path, [str(built(mpi, kind) / "linked")], mpi.env())
    assert_the_tool_has_all(tmp_path, kind)
    assert_rankwise_has_all(done)


@pytest.mark.parametrize("kind", KINDS)
def test_preloaded_behind(mpi: Mpi, kind: str, built: Callable[[Mpi, str], Path], tmp_path: Path) -> None:
    folder = built(mpi, kind)
    done = run(mpi, tmp_path, [str(folder / "ring")], {**mpi.env(), "LD_PRELOAD": str(folder / "libtool.so")})
    assert_the_tool_has_all(tmp_path, kind)
    assert_rankwise_has_all(done)


def before(folder: Path) -> list[str]:
    """The words that start the program with the tool in front of Rankwise."""
    return ["sh", "-c", f'LD_PRELOAD="{folder}/libtool.so:$LD_PRELOAD" exec {folder}/ring']


def test_preloaded_before(mpi: Mpi, built: Callable[[Mpi, str], Path], tmp_path: Path) -> None:
    done = run(mpi, tmp_path, before(built(mpi, "next")), mpi.env())
    assert_the_tool_has_all(tmp_path, "next")
    assert_rankwise_has_all(done)


def test_preloaded_before_and_past_us(mpi: Mpi, built: Callable[[Mpi, str], Path], tmp_path: Path) -> None:
    # It takes MPI_Init past Rankwise, which then sees no MPI program, says so, and leaves this one alone.
    done = run(mpi, tmp_path, before(built(mpi, "pmpi")), mpi.env())
    assert_the_tool_has_all(tmp_path, "pmpi")
    assert "no MPI process was seen" in done.process.stderr

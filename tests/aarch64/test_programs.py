"""The same programs on AArch64, emulated, and on this machine: their profiles hold the same figures."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass, replace
from pathlib import Path

import comparison
import libraries
import pytest
import recording
from emulation import LIBRARIES, ROOT, compile_there, emulated
from libraries import Mpi
from recording import PROGRAMS, Recording

RANKS = 2
LIMIT_SECONDS = 300
OPEN_MPI = LIBRARIES / "openmpi"

pytestmark = [pytest.mark.exhaustive, pytest.mark.timeout(4 * LIMIT_SECONDS)]


@dataclass(frozen=True)
class Cross:
    """What the compilers are told for an MPI library of the root."""

    c: tuple[str, ...]
    fortran: tuple[str, ...]


CROSS = {
    "openmpi-debian": Cross(
        (f"-I{OPEN_MPI}/include", f"-L{OPEN_MPI}/lib", "-lmpi"),
        (
            f"-I{OPEN_MPI}/include",
            f"-I{LIBRARIES}/fortran/gfortran-mod-15/openmpi",
            f"-L{OPEN_MPI}/lib",
            "-lmpi_usempif08",
            "-lmpi_usempi_ignore_tkr",
            "-lmpi_mpifh",
            "-lmpi",
        ),
    ),
    "mpich-debian": Cross(
        (f"-I{ROOT}/usr/include/aarch64-linux-gnu/mpich", "-lmpich"),
        (
            f"-I{ROOT}/usr/include/aarch64-linux-gnu/mpich",
            f"-I{LIBRARIES}/fortran/gfortran-mod-15/mpich",
            "-lmpichfort",
            "-lmpich",
        ),
    ),
}
FORTRAN = ("-w", "-fallow-argument-mismatch")


@pytest.fixture(params=[mpi for mpi in libraries.ALL if mpi.name in CROSS], ids=lambda mpi: mpi.name)
def mpi(request: pytest.FixtureRequest) -> Mpi:
    """The machine's own libraries: those whose release the root has, too."""
    library: Mpi = request.param
    # Emulated processes may not read each other's memory.
    environment = {**library.environment, "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}
    return replace(library, environment=environment)


def compile_here(mpi: Mpi, target: Path, source: str, *options: str) -> Path:
    """Compile a program, or a plugin, for this machine."""
    if Path(source).suffix == ".c":
        mpi.compile(target, PROGRAMS / source, options=options)
    else:
        words = [mpi.mpifort, *FORTRAN, "-J", target.parent, *options, "-o", target, PROGRAMS / source]
        subprocess.run(words, check=True, timeout=120, env=mpi.env())
    return target


def cross_compile(mpi: Mpi, target: Path, source: str, *options: str) -> Path:
    """Compile it for AArch64."""
    cross = CROSS[mpi.name]
    if Path(source).suffix == ".c":
        return compile_there(target, PROGRAMS / source, *options, *cross.c)
    return compile_there(target, PROGRAMS / source, *FORTRAN, "-J", target.parent, *options, *cross.fortran)


def run(mpi: Mpi, output: Path, *program: str | Path) -> Recording:
    done = recording.run(mpi.launch(RANKS, *program), output, mpi.env(), seconds=LIMIT_SECONDS)
    assert done.process.returncode == 0, done.process.stderr
    return done


def assert_all_the_same(here: Recording, there: Recording) -> None:
    comparison.assert_the_same(here, there)
    state = "SELECT transport, transport_state, transport_sees FROM ranks"
    assert there.rows(state) == here.rows(state)


@pytest.mark.parametrize(
    ("source", "options"),
    [
        ("point_to_point.c", ()),
        ("empty_completions.F90", ("-DBINDING=MPIFH",)),
        ("empty_completions.F90", ("-DBINDING=MPI",)),
        ("empty_completions.F90", ("-DBINDING=MPI_F08",)),
    ],
    ids=lambda value: "".join(value) if isinstance(value, tuple) else Path(value).stem,
)
def test_program(mpi: Mpi, source: str, options: tuple[str, ...], tmp_path: Path) -> None:
    if source.endswith(".F90") and not mpi.mpifort:
        pytest.skip(f"{mpi.name} has no Fortran bindings here")
    here = run(mpi, tmp_path / "here.rankwise", compile_here(mpi, tmp_path / "here", source, *options))
    there = cross_compile(mpi, tmp_path / "there", source, *options)
    assert_all_the_same(here, run(mpi, tmp_path / "there.rankwise", *emulated(there)))


def test_plugin(mpi: Mpi, tmp_path: Path) -> None:
    """Functions that are looked up, and an object opened with RTLD_DEEPBIND."""
    shared = ("-shared", "-fPIC")
    there = cross_compile(mpi, tmp_path / "there", "loads_plugins.c")
    plugin = cross_compile(mpi, tmp_path / "there.so", "plugin.c", *shared)
    done = run(mpi, tmp_path / "there.rankwise", *emulated(there), "deep", plugin)
    here = compile_here(mpi, tmp_path / "here", "loads_plugins.c")
    plugin = compile_here(mpi, tmp_path / "here.so", "plugin.c", *shared)
    assert_all_the_same(run(mpi, tmp_path / "here.rankwise", here, "deep", plugin), done)
    assert done.calls("MPI_Bcast") != {}

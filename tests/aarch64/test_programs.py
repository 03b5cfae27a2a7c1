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


def test_call_paths(mpi: Mpi, tmp_path: Path) -> None:
    """Return addresses may be signed, and are followed all the same."""
    shared = ("-shared", "-fPIC", "-Wl,-soname,libways.so.1")
    options = ("-O2", "-g", "-fomit-frame-pointer")
    signed = ("-mbranch-protection=pac-ret+leaf",)

    def ways(done: Recording) -> set[tuple[str, str, int]]:
        names = {str(number): str(name) for number, name in done.rows("SELECT id, function FROM frames")}
        return {
            (" ".join(names[frame] for frame in str(frames).split(",")), str(ends), int(str(samples)))
            for frames, ends, samples in done.rows(
                "SELECT frames, ends, samples FROM paths JOIN procedures ON procedures.id = procedure"
                " WHERE name = 'MPI_Allreduce'"
            )
        }

    library = cross_compile(mpi, tmp_path / "libways.so.1", "paths_library.c", *shared, *options, *signed)
    linked = (str(library), f"-Wl,-rpath,{tmp_path}", "-lpthread")
    there = cross_compile(mpi, tmp_path / "there", "paths.c", *options, *signed, *linked)
    paths = ways(run(mpi, tmp_path / "there.rankwise", *emulated(there), "3"))
    samples = {"solve": 18 * RANKS, "norm": 9 * RANKS, "output": 3 * RANKS}
    assert {(way.split()[0], ends, number) for way, ends, number in paths} == {
        (name, "whole", number) for name, number in samples.items()
    }
    assert all(way.split()[1] == "step" and way.split()[-1] == "main" for way, _, _ in paths)


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

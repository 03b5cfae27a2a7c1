"""The MPI libraries that the tests run on: all that this machine has."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Mpi:
    """One installed MPI library."""

    name: str
    family: str  # openmpi, mpich, mpiabi
    mpicc: str
    mpirun: str
    mpifort: str = ""
    options: tuple[str, ...] = ()
    environment: dict[str, str] = field(default_factory=dict, hash=False)
    compile_options: tuple[str, ...] = ()
    vendor: str = ""  # "Intel" where the family alone doesn't tell
    share: float = 1.0  # of the files that `make test` runs on it, compared with other libraries

    def compile(self, program: Path, *sources: str | Path, options: Sequence[str] = ()) -> None:
        """Builds a C program."""
        before = [self.mpicc, "-std=gnu11", "-pthread", *options, "-o"]
        words = [*before, str(program), *map(str, sources), *self.compile_options]
        subprocess.run(words, check=True, timeout=120, env=self.env())

    def launch(self, ranks: int, *program: str | Path) -> list[str]:
        """The words that start a program."""
        return [self.mpirun, *self.options, "-n", str(ranks), *map(str, program)]

    def env(self) -> dict[str, str]:
        """The environment for a launch: containers and CI run as root and have few cores."""
        return {**os.environ, **self.environment}


# Where ranks have no /dev/shm in common, or little room in it, libraries have to do without. (MPICH hangs in
# MPI_Finalize in one of three runs over UCX's TCP, without Rankwise as well; System V memory is no file.)
WITHOUT_SHARED_MEMORY = {
    "OMPI_MCA_btl": "self,tcp",
    "OMPI_MCA_pml": "ob1",
    "OMPI_MCA_coll": "^sm",
    "MPIR_CVAR_NOLOCAL": "1",
    "UCX_TLS": "sysv,self",
    "I_MPI_FABRICS": "ofi",
}
_LEAST_SHARED_MEMORY = 256 << 20  # bytes: what the libraries of a few jobs of the tests ask for

OPENMPI_AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def family_of(mpirun: str) -> str:
    """openmpi or mpich, by what the launcher says of itself."""
    text = version(mpirun)
    return "openmpi" if "Open MPI" in text or "OpenRTE" in text else "mpich"


def version(mpirun: str) -> str:
    """What the launcher says of itself."""
    return subprocess.run([mpirun, "--version"], capture_output=True, text=True, timeout=60).stdout


def openmpi(name: str, mpicc: str, mpirun: str, mpifort: str = "") -> Mpi:
    """An Open MPI that may run as root, with more ranks than cores, yielding the core while it waits.

    One-sided without UCX, which is noisy where it finds no network; and in 4.1 without osc/rdma, which on one
    node mixes up the windows of disjoint communicators and crashes in MPI_Compare_and_swap.
    """
    of_4 = ") 4." in version(mpirun)
    without = "^ucx,rdma" if of_4 else "^ucx"
    environment = {**OPENMPI_AS_ROOT, "OMPI_MCA_mpi_yield_when_idle": "1", "OMPI_MCA_osc": without}
    share = 1.0 if of_4 else 0.25  # 5.0 takes more than a second to start
    return Mpi(name, "openmpi", mpicc, mpirun, mpifort, ("--oversubscribe",), environment, share=share)


def intel(name: str, prefix: Path) -> list[Mpi]:
    """Intel MPI by its own ABI (MPICH's) and by the standard ABI, from the wheels impi-rt and impi-devel."""
    # Its mpirun starts the first mpiexec.hydra on PATH, which may be another library's.
    launcher = str(prefix / "bin" / "mpiexec")
    environment = {
        "I_MPI_ROOT": str(prefix),
        "LD_LIBRARY_PATH": str(prefix / "lib"),
        "I_MPI_THREAD_YIELD": "3",
        "I_MPI_HYDRA_BOOTSTRAP": "fork",
    }
    own = Mpi(
        name,
        "mpich",
        str(prefix / "bin" / "mpicc"),
        launcher,
        environment=environment,
        vendor="Intel",
        share=0.5,
    )
    # No compiler wrapper for the standard ABI comes with the wheels, and its header has another name.
    header = prefix / "include" / "abi" / "mpi.h"
    if not (prefix / "include" / "mpi_abi.h").exists():
        return [own]
    if not header.exists():
        header.parent.mkdir(exist_ok=True)
        header.write_text('#include "../mpi_abi.h"\n')
    options = (f"-I{header.parent}", f"-L{prefix / 'lib'}", "-lmpi_abi")
    return [own, replace(own, name=f"{name}-abi", family="mpiabi", mpicc="cc", compile_options=options)]


def found_in_environments() -> list[Mpi]:
    """Those that `make test` has put into build/mpi, one environment each."""
    libraries: list[Mpi] = []
    for prefix in sorted((ROOT / "build" / "mpi").glob("*/bin/mpicc")):
        place = prefix.parent
        name = f"{place.parent.name}-pypi"
        mpirun = str(place / "mpirun")
        if (place / "impi_info").exists():
            libraries += intel(name, place.parent)
        elif family_of(mpirun) == "openmpi":
            libraries.append(openmpi(name, str(prefix), mpirun))
        else:
            libraries.append(Mpi(name, "mpich", str(prefix), mpirun))
            if (place / "mpicc_abi").exists():
                libraries.append(Mpi(f"{name}-abi", "mpiabi", str(place / "mpicc_abi"), mpirun))
    return libraries


def found_on_path() -> list[Mpi]:
    """Debian's names for the libraries that are installed side by side, else the machine's mpicc."""
    which = shutil.which
    libraries = []
    if which("mpicc.openmpi") and which("mpirun.openmpi"):
        fortran = "mpifort.openmpi" if which("mpifort.openmpi") and which("gfortran") else ""
        libraries.append(openmpi("openmpi-debian", "mpicc.openmpi", "mpirun.openmpi", fortran))
    if which("mpicc.mpich") and which("mpirun.mpich"):
        fortran = "mpifort.mpich" if which("mpifort.mpich") and which("gfortran") else ""
        libraries.append(Mpi("mpich-debian", "mpich", "mpicc.mpich", "mpirun.mpich", fortran))
    if not libraries and which("mpicc") and which("mpirun"):
        mpirun = str(which("mpirun"))
        if family_of(mpirun) == "openmpi":
            libraries.append(openmpi("mpi", str(which("mpicc")), mpirun))
        else:
            libraries.append(Mpi("mpi", "mpich", str(which("mpicc")), mpirun))
    return libraries


def first_of_each(libraries: Sequence[Mpi], kind: Callable[[Mpi], str]) -> Iterator[Mpi]:
    """One library of each kind, for tests whose answer can't depend on more."""
    seen = set()
    for mpi in libraries:
        if kind(mpi) not in seen:
            seen.add(kind(mpi))
            yield mpi


def without_shared_memory(mpi: Mpi) -> Mpi:
    """The same library, told to use no files in /dev/shm."""
    return replace(mpi, environment={**mpi.environment, **WITHOUT_SHARED_MEMORY})


def does_without_shared_memory(mpi: Mpi) -> bool:
    """Whether a job of a few processes that makes communicators comes to its end without Rankwise."""
    with tempfile.TemporaryDirectory() as directory, nothing_left_in_shared_memory():
        program = Path(directory, "job")
        mpi.compile(program, Path(__file__).parent / "programs" / "communicators.c")
        words = mpi.launch(6, program)
        return subprocess.run(words, capture_output=True, timeout=120, env=mpi.env()).returncode == 0


@contextmanager
def nothing_left_in_shared_memory() -> Iterator[None]:
    """One process of the tests at a time removes what jobs that die of it leave: others need the room."""
    with Path(tempfile.gettempdir(), "rankwise-tests.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        before = set(Path("/dev/shm").iterdir())
        yield
        for left in set(Path("/dev/shm").iterdir()) - before:
            left.unlink(missing_ok=True)


def in_turn(some: Sequence[Mpi]) -> Callable[[pytest.FixtureRequest], Mpi]:
    """Return a fixture: each of these libraries in turn."""
    import pytest  # not above: the benchmark asks this module where there is no pytest

    @pytest.fixture(params=some, ids=lambda mpi: mpi.name)
    def mpi(request: pytest.FixtureRequest) -> Mpi:
        library: Mpi = request.param
        return library

    return mpi


ALL = found_on_path() + found_in_environments()
LEFT_OUT: list[Mpi] = []
HAS_SHARED_MEMORY = Path("/dev/shm").is_dir() and shutil.disk_usage("/dev/shm").free >= _LEAST_SHARED_MEMORY
if not HAS_SHARED_MEMORY:
    LEFT_OUT = [mpi for mpi in map(without_shared_memory, ALL) if not does_without_shared_memory(mpi)]
    ALL = [mpi for mpi in map(without_shared_memory, ALL) if mpi not in LEFT_OUT]
ONE_OF_EACH = list(first_of_each(ALL, lambda mpi: mpi.family))
ONE_OF_EACH_LAUNCHER = list(first_of_each(ALL, lambda mpi: mpi.mpirun))

"""Finding the compiler of an MPI library, and compiling probes with it."""

from __future__ import annotations

import os
from pathlib import Path

import fake_mpi
import pytest
from fake_mpi import MPICH, OPENMPI, compiler, launcher, script

from golden import Golden
from rankwise.errors import RankwiseError
from rankwise.probes import build, mpicc


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return fake_mpi.environment(tmp_path)


def test_compiler_beside_the_launcher(tmp_path: Path, environment: dict[str, str]) -> None:
    compiler(tmp_path / "bin" / "mpicc", MPICH)
    beside = compiler(tmp_path / "opt" / "mpicc", OPENMPI)
    mpirun = launcher(tmp_path / "opt" / "mpirun", "mpirun (Open MPI) 5.0.1")
    assert mpicc.find(str(mpirun), environment) == beside
    link = tmp_path / "elsewhere" / "mpirun"
    link.parent.mkdir()
    link.symlink_to(mpirun)
    assert mpicc.find(str(link), environment) == beside


def test_compiler_with_the_launchers_suffix(
    tmp_path: Path, environment: dict[str, str], golden: Golden
) -> None:
    """As Debian installs several libraries: links over links, and mpicc may be another library's."""
    places = tmp_path / "bin"
    launcher(places / "orterun", "mpirun (Open MPI) 4.1.4")
    launcher(places / "mpiexec.hydra", "HYDRA build details:\n    Version:   4.0")
    (tmp_path / "alternatives").mkdir()
    (places / "mpirun.openmpi").symlink_to("orterun")
    (tmp_path / "alternatives" / "mpirun").symlink_to(places / "mpirun.openmpi")
    (places / "mpirun").symlink_to(tmp_path / "alternatives" / "mpirun")
    (places / "mpirun.mpich").symlink_to("mpiexec.hydra")
    ours = compiler(places / "mpicc.openmpi", OPENMPI)
    theirs = compiler(places / "mpicc.mpich", MPICH)
    (places / "mpicc").symlink_to(theirs)
    assert mpicc.find("mpirun", environment) == mpicc.find("mpirun.openmpi", environment) == ours
    assert mpicc.find("mpirun.mpich", environment) == theirs
    # Nothing but the directory tells here, and what the compiler says of itself.
    assert mpicc.find("mpiexec.hydra", environment) == places / "mpicc"
    assert mpicc.find("orterun", environment | {"MPICC": "mpicc.openmpi"}) == ours
    with pytest.raises(RankwiseError) as error:
        mpicc.find("orterun", environment)
    golden.says(error.value, "MPI")


def test_compiler_that_the_user_names(tmp_path: Path, environment: dict[str, str]) -> None:
    launcher(tmp_path / "bin" / "srun", "slurm 23.02.1")
    on_path = compiler(tmp_path / "bin" / "mpicc", OPENMPI)
    other = compiler(tmp_path / "bin" / "cc-of-mpi", "")
    assert mpicc.find("srun", environment) == on_path
    assert mpicc.find("srun", environment | {"MPICC": "cc-of-mpi"}) == other
    assert mpicc.find("srun", environment | {"MPICC": "none"}, str(other)) == other
    for wanted, variables, what in (("none", {}, "--mpicc none"), ("", {"MPICC": "none"}, "MPICC= none")):
        with pytest.raises(RankwiseError, match=f"{what}: command not found"):
            mpicc.find("srun", environment | variables, wanted)


def test_intels_compilers(tmp_path: Path, environment: dict[str, str]) -> None:
    mpiexec = launcher(tmp_path / "impi" / "mpiexec", "Intel(R) MPI Library for Linux* OS, Version 2021.18")
    other = compiler(tmp_path / "impi" / "mpiicx", "-v) echo 'mpiicx for the Intel(R) MPI Library 2021';;")
    assert mpicc.find(str(mpiexec), environment) == other


def test_a_probe_is_compiled_once_for_each_library(tmp_path: Path, environment: dict[str, str]) -> None:
    directory = tmp_path / "lib"
    directory.mkdir()
    (directory / "libmpi.so").write_bytes(b"first")
    openmpi = compiler(tmp_path / "bin" / "mpicc", OPENMPI, shown=f"cc -L{directory} -lmpi")
    mpich = compiler(tmp_path / "bin" / "mpicc.mpich", MPICH)
    said: list[str] = []

    def built(with_: Path, place: Path | None = None) -> Path:
        return build.build("latency", with_, environment, place, said.append)

    first = built(openmpi)
    assert first.parent.parent == tmp_path / "cache" / "rankwise" / "probes"
    assert first.name == "latency"
    assert os.access(first, os.X_OK)
    assert [path.name for path in first.parent.iterdir()] == ["latency"]
    assert built(openmpi) == first
    assert len(said) == 1
    assert built(mpich) != first
    assert built(openmpi, tmp_path / "shared").parent.parent == tmp_path / "shared"
    (directory / "libmpi.so").write_bytes(b"an update")
    assert built(openmpi) != first
    assert len(said) == 4
    assert len(Path(f"{openmpi}.calls").read_text().splitlines()) == 3


def test_a_probe_that_others_may_have_changed_is_compiled_again(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    openmpi = compiler(tmp_path / "bin" / "mpicc", OPENMPI)
    said: list[str] = []
    build.build("latency", openmpi, environment, None, said.append).chmod(0o777)
    build.build("latency", openmpi, environment, None, said.append)
    build.build("latency", openmpi, environment, None, said.append)
    assert len(said) == 2


@pytest.mark.parametrize(
    ("does", "what"),
    [
        ("echo 'In file a'; echo 'main.c:3: fatal error: mpi.h: none'; exit 1", "fatal error: mpi.h: none"),
        ("echo no licence >&2; exit 3", "no licence"),
        ("exit 1", "it says nothing"),
        ("exit 0", "it says nothing"),
    ],
)
def test_a_compiler_that_fails(tmp_path: Path, environment: dict[str, str], does: str, what: str) -> None:
    with pytest.raises(RankwiseError, match=f"probe: .*{what}"):
        build.build("latency", script(tmp_path / "mpicc", does), environment)


def test_a_cache_that_is_none(tmp_path: Path, environment: dict[str, str]) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(RankwiseError, match="--probe-dir"):
        build.build("latency", compiler(tmp_path / "mpicc", MPICH), environment, tmp_path / "file")
    home = {"XDG_CACHE_HOME": "relative"}
    assert build.cache(home) == Path.home() / ".cache" / "rankwise" / "probes"


def test_the_library_behind_a_compiler(tmp_path: Path) -> None:
    file = tmp_path / "libmpich.so"
    file.write_bytes(b"1234")
    expected = [f"{file} {file.stat().st_mtime_ns} 4"]
    assert build.identity(f"cc -I/x -L{tmp_path} -lm -lmpich", {}) == expected
    assert build.identity("cc -lmpich", {"LD_LIBRARY_PATH": f":{tmp_path}"}) == expected
    assert build.identity("cc 'unfinished -lmpich", {"LD_LIBRARY_PATH": str(tmp_path)}) == []

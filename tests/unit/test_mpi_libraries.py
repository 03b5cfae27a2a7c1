"""MPI libraries are told apart by the names of their files, by what these define, and by what they say."""

from __future__ import annotations

import pytest

from rankwise.mpi_libraries import ANY, CORE, LIBRARIES, by_file, fortran_binding, version_of


@pytest.mark.parametrize(
    ("name", "defines", "expected"),
    [
        ("libmpi.so.40", "", "openmpi"),
        ("libmpi.so.12", "MPI_Init", "mpich"),
        ("libmpi.so.12", "MPI_Init ompi_mpi_comm_world", "openmpi"),
        ("libmpi.so", "MPI_Init", "mpich"),
        ("libmpi.so", "", "unknown"),
        ("libmpich.so.12", "", "mpich"),
        ("libmpi_gnu_112.so.12", "", "mpich"),
        ("libmpi_cray.so.12", "", "mpich"),
        ("libmpi-3f2a.so.40.30.4", "MPI_Init ompi_mpi_comm_world", "openmpi"),  # as in a wheel of Python
        ("libmpi_abi.so.1", "", "mpiabi"),
    ],
)
def test_cores(name: str, defines: str, expected: str) -> None:
    assert CORE.match(name)
    assert ANY.match(name)
    assert by_file(name, lambda symbol: symbol in defines.split()) == expected


@pytest.mark.parametrize(
    ("name", "binding"),
    [
        ("libmpi_usempif08.so.40", "use mpi_f08"),
        ("libmpi_usempi_ignore_tkr.so.40", "use mpi"),
        ("libmpi_mpifh.so.40", "mpif.h"),
        ("libmpifort.so.12", "Fortran"),
        ("libmpichcxx.so.12", ""),
    ],
)
def test_what_comes_with_a_core(name: str, binding: str) -> None:
    assert ANY.match(name)
    assert not CORE.match(name)
    assert fortran_binding(name) == binding


@pytest.mark.parametrize("name", ["libmpfr.so.6", "libmpi4py.so", "libimpi.so.1", "mpi.so"])
def test_strangers(name: str) -> None:
    assert not ANY.match(name)


@pytest.mark.parametrize(
    ("said", "label", "number"),
    [
        ("Open MPI v5.0.9, package: Open MPI x@y Distribution, ident: 5.0.9", "Open MPI", "5.0.9"),
        ("Intel(R) MPI Library 2021.18 for Linux* OS\n", "Intel MPI", "2021.18"),
        ("MPICH Version:\t4.2.1\nMPICH Release date:\tx", "MPICH", "4.2.1"),
        ("MVAPICH2 Version      :\t2.3.7\n", "MVAPICH", "2.3.7"),
        ("MPI VERSION    : CRAY MPICH version 8.1.28.15 (ANL base 3.4a2)", "Cray MPICH", "8.1.28.15"),
        ("another MPI 1.0", "", ""),
        ("", "", ""),
    ],
)
def test_versions(said: str, label: str, number: str) -> None:
    assert version_of(said) == (label, number)


def test_each_is_found_by_its_name() -> None:
    assert list(LIBRARIES) == ["openmpi", "mpich", "mpiabi"]  # which decides where two have a symbol
    assert all(library.name == name for name, library in LIBRARIES.items())
    assert all(set(library.launched_by) <= set(LIBRARIES) for library in LIBRARIES.values())

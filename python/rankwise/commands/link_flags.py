"""Print the flags to link a program with: for a static MPI library, or to query its own counters.

  mpicc -o app app.o $(rankwise link-flags) ...
  mpicc -o app app.c $(rankwise link-flags --monitoring)
  cc -o place place.c $(rankwise link-flags --placement)
  mpifort -o app $(rankwise link-flags --monitoring-module) app.f90 $(rankwise link-flags --monitoring)
  LD_PRELOAD=$(rankwise link-flags --monitoring-preload) mpirun -n 4 python app.py

The flags go after the program's own objects and before the MPI library. Without an option they are for MPI
libraries that are linked statically: the program is then recorded under `rankwise run`, and otherwise runs as
before. With --monitoring they are for programs that include MPI_Monitoring.h and query their own counters
while they run; those do not need `rankwise run`. With --placement they are for programs that call the
placement engine.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from rankwise._files import installed
from rankwise.errors import RankwiseError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the flags may be for."""
    use = parser.add_mutually_exclusive_group()
    use.add_argument(
        "--monitoring",
        action="store_true",
        help="flags to compile and link a program that uses MPI_Monitoring.h",
    )
    use.add_argument(
        "--placement",
        action="store_true",
        help="flags to compile and link a program that uses placement.h",
    )
    use.add_argument(
        "--root",
        action="store_true",
        help="the directory with lib/pkgconfig and lib/cmake, for pkg-config and CMake",
    )
    use.add_argument(
        "--monitoring-module",
        action="store_true",
        help="the Fortran source of the module MPI_Monitoring, to be compiled before the program's own",
    )
    use.add_argument(
        "--monitoring-preload",
        action="store_true",
        help="the library for LD_PRELOAD of a Python program that uses rankwise.session",
    )


def run(arguments: argparse.Namespace) -> int:
    """Print the flags.

    Returns:
        The exit status.

    Raises:
        RankwiseError: a file is missing, or the shell would take its path apart.
    """
    if arguments.monitoring:
        include = _in_one_word(installed("include/MPI_Monitoring.h")).parent
        directory = _in_one_word(installed("lib/librankwise_monitoring.so")).parent
        # A linker with --as-needed would find every MPI function in our library and drop MPI's own.
        # (librankwise is named for musl's loader, which knows no filters.)
        whole = "-Wl,--no-as-needed"
        print(f"-I{include} -L{directory} -Wl,-rpath,{directory} {whole} -lrankwise -lrankwise_monitoring")
    elif arguments.placement:
        include = _in_one_word(installed("include/placement.h")).parent
        directory = _in_one_word(installed("lib/librankwise_placement.so")).parent
        print(f"-I{include} -L{directory} -Wl,-rpath,{directory} -lrankwise_placement")
    elif arguments.root:
        print(_in_one_word(installed("lib/pkgconfig/rankwise-placement.pc")).parents[2])
    elif arguments.monitoring_preload:
        print(_in_one_word(installed("lib/librankwise_monitoring.so.0")))
    elif arguments.monitoring_module:
        print(_in_one_word(installed("include/MPI_Monitoring.f90")))
    else:
        print(_in_one_word(installed("lib/librankwise.a")), "-lpthread")
    return 0


def _in_one_word(path: Path) -> Path:
    if any(c.isspace() for c in str(path)):
        raise RankwiseError(f"a shell would split {path}: install Rankwise in a path without blanks")
    return path

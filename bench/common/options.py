"""The part of the command line that all parts share."""

from __future__ import annotations

import argparse
from pathlib import Path

from common.errors import BenchError
from common.mpis import Mpi, default_mpis, find_mpi
from rankwise._files import installed


def positive(text: str) -> int:
    """Read a positive whole number."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive whole number")
    return int(text)


def numbers(text: str) -> list[int]:
    """Read positive whole numbers with commas between them."""
    return [positive(part) for part in text.split(",") if part]


def parser_of_pairs(description: str) -> argparse.ArgumentParser:
    """Make the parser of a part that runs MPI jobs without and with the library, in pairs."""
    parser = argparse.ArgumentParser(prog="bench", description=description)
    parser.add_argument(
        "--mpi",
        action="append",
        metavar="NAME=MPICC,MPIRUN",
        help="repeatable (default: mpicc.openmpi, mpicc.mpich and mpicc, as far as they are there)",
    )
    parser.add_argument("--pairs", type=positive, help="pairs of runs (default: what each part needs)")
    parser.add_argument("--library", type=Path, help="what to preload (default: the installed library)")
    return parser


def library(given: Path | None) -> Path:
    """Find the library to preload."""
    if given is not None:
        if not given.is_file():
            raise BenchError(f"--library {given}: no such file")
        return given.resolve()
    return installed("lib/librankwise.so")


def mpis(definitions: list[str] | None) -> list[Mpi]:
    """Find the MPIs that are asked for, or all."""
    if not definitions:
        known = default_mpis()
        if not known:
            raise BenchError("no MPI found on PATH: name one with --mpi NAME=MPICC,MPIRUN")
        return known
    named = []
    for definition in definitions:
        mpi = find_mpi(definition)
        if mpi is None:
            raise BenchError(f"--mpi {definition}: no such program")
        named.append(mpi)
    return named

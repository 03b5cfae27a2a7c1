"""Which MPI a program uses, found out without running it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import NamedTuple

from rankwise import mpi_libraries
from rankwise.launch import privilege, python_mpi
from rankwise.launch.elf import defined_symbols, is_elf, mentions, read
from rankwise.launch.loader import Loader
from rankwise.mpi_libraries import LIBRARIES, UNKNOWN
from rankwise.profile.collect.programs import is_python

_STARTS = {"MPI_Init", "MPI_Init_thread", "MPI_Session_init"}
_ARCHIVE_MARK = "rankwise_in_program"
_SHELLS = ("sh", "bash", "dash", "zsh", "ksh", "csh", "tcsh", "fish")


class Kind(Enum):
    """What sort of thing is to be started."""

    MPI = "an MPI program"
    STATIC = "an MPI program with MPI linked in statically"
    LINKED = "an MPI program with MPI and Rankwise linked in statically"
    OTHER = "not linked with MPI"
    PYTHON = "a Python program"
    SCRIPT = "a script"
    CONTAINED = "in a container"
    MISSING = "not found"


class Detection(NamedTuple):
    """The facts about a program before it runs."""

    program: str  # as on the command line
    kind: Kind
    mpi: str = UNKNOWN  # its library: openmpi, mpich, mpiabi or unknown
    how: str = ""  # that was found, in words
    path: Path | None = None
    library: Path | None = None  # the MPI library that the loader would take
    missing: tuple[str, ...] = ()  # shared objects that the loader would not find
    fortran: tuple[str, ...] = ()  # Fortran bindings linked
    callers: tuple[Path, ...] = ()  # the program and those of its libraries that are linked with MPI

    @property
    def static(self) -> bool:
        """Whether nothing can be preloaded in front of its MPI."""
        return self.kind is Kind.STATIC

    @property
    def privilege(self) -> str:
        """What gives an MPI program other rights, so that the loader ignores LD_PRELOAD; '' = nothing."""
        return privilege.of(self.path) if self.path and self.kind is Kind.MPI else ""


def detect(
    program: Sequence[str],
    environment: Mapping[str, str],
    directory: Path | None = None,
    *,
    ask_python: bool = True,
) -> Detection:
    """Look at a program.

    Args:
        program: its words; only the first is looked at.
        environment: that it would be started with: PATH and LD_LIBRARY_PATH count.
        directory: that it would be started in.
        ask_python: ask the interpreter of a Python program which MPI it would use.
    """
    word = program[0]
    path = find(word, environment, directory or Path.cwd())
    if path is None:
        return Detection(program=word, kind=Kind.MISSING)
    interpreter = _interpreter(path)
    if interpreter is None:
        return Detection(program=word, kind=Kind.OTHER, path=path, how="neither an ELF file nor a script")
    if is_python(path.name):
        interpreter = str(path)
    if is_python(Path(interpreter).name):
        if not ask_python:
            return Detection(program=word, kind=Kind.PYTHON, path=path, how=f"{interpreter} was not queried")
        return _python(word, path, interpreter, environment)
    if not is_elf(path) or path.name in _SHELLS:
        return Detection(program=word, kind=Kind.SCRIPT, path=path, how=f"run by {interpreter}")
    return _elf(word, path, environment)


def find(word: str, environment: Mapping[str, str], directory: Path) -> Path | None:
    """Find the file that a command names: launchers look on PATH, then in the working directory."""
    where = shutil.which(word, path=environment.get("PATH", os.defpath)) if "/" not in word else None
    path = Path(where) if where else directory / word
    return path if path.is_file() else None


def _interpreter(path: Path) -> str | None:
    """Return the file itself if it is ELF, the `#!` interpreter of a script, None for anything else."""
    if is_elf(path):
        return str(path)
    try:
        with path.open("rb") as file:
            first = file.readline(512).decode(errors="replace")
    except OSError:
        return None
    if not first.startswith("#!"):
        # A text without `#!` is run by the shell.
        return "/bin/sh" if first.isprintable() or first.rstrip("\n").isprintable() else None
    words = first[2:].split()
    if words and Path(words[0]).name == "env":
        words = [w for w in words[1:] if not w.startswith("-") and "=" not in w]
    return words[0] if words else "/bin/sh"


def _elf(word: str, path: Path, environment: Mapping[str, str]) -> Detection:
    image = read(path)
    if image is None:
        return Detection(program=word, kind=Kind.OTHER, path=path, how="a damaged ELF file")
    if not image.dynamic:
        return _static(word, path)
    tree = Loader(environment).tree(image, leaf=mpi_libraries.CORE)
    names = [i.path.name for i in tree.images[1:]] + list(tree.missing)
    core = next((i.path for i in tree.images[1:] if mpi_libraries.CORE.match(i.path.name)), None)
    absent = next((Path(name) for name in tree.missing if mpi_libraries.CORE.match(name)), None)
    if core is None and absent is None:
        # MPI inside the program itself: the calls never pass the loader.
        return _static(word, path)._replace(missing=tree.missing)
    own = [i.path for i in tree.images if not mpi_libraries.ANY.match(i.path.name)]
    callers = [p for p in own if p == path or any(mpi_libraries.ANY.match(n) for n in _needed(p))]
    soname = (core or absent or Path()).name
    return Detection(
        program=word,
        kind=Kind.MPI,
        mpi=_mpi(core or Path(soname)),
        how=f"linked with {soname}",
        path=path,
        library=core,
        missing=tree.missing,
        fortran=tuple(sorted({b for name in names if (b := mpi_libraries.fortran_binding(name))})),
        callers=tuple(callers),
    )


def _mpi(library: Path) -> str:
    return mpi_libraries.by_file(library.name, lambda symbol: mentions(library, symbol))


def _static(word: str, path: Path) -> Detection:
    """Look for MPI inside the program, and for our archive in front of it."""
    marks = {library.symbol for library in LIBRARIES.values()}
    symbols = defined_symbols(path, {*_STARTS, *marks, _ARCHIVE_MARK})
    mpi = mpi_libraries.by_symbols(lambda symbol: symbol in symbols | _STARTS)
    if _ARCHIVE_MARK in symbols:
        return Detection(program=word, kind=Kind.LINKED, mpi=mpi, how="statically linked", path=path)
    kind = Kind.STATIC if _STARTS & symbols else Kind.OTHER
    return Detection(program=word, kind=kind, path=path, how="statically linked")


def _needed(path: Path) -> tuple[str, ...]:
    image = read(path)
    return image.needed if image else ()


def _python(word: str, path: Path, interpreter: str, environment: Mapping[str, str]) -> Detection:
    executable = shutil.which(interpreter, path=environment.get("PATH"))
    answer = python_mpi.ask(executable, environment) if executable else {}
    modules = python_mpi.modules(answer)
    if not modules:
        how = "its Python has no mpi4py" if answer else f"{interpreter} did not report its mpi4py"
        return Detection(program=word, kind=Kind.PYTHON, path=path, how=how)
    if len(modules) == 1:
        linked = _elf(word, modules[0], environment)
        how = f"{modules[0].name}: {linked.how}"
        return linked._replace(kind=Kind.PYTHON, how=how, path=path, callers=())
    library = next((p for p in python_mpi.libraries(answer) if mpi_libraries.CORE.match(p.name)), None)
    mpi = str(answer.get("abi"))
    mpi = mpi if mpi in LIBRARIES else UNKNOWN
    how = "found by mpi4py" if library else f"mpi4py: {answer.get('error', 'MPI4PY_MPIABI')}"
    return Detection(program=word, kind=Kind.PYTHON, mpi=mpi, how=how, path=path, library=library)

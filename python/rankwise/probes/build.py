"""Compiles a probe once for each MPI library, and keeps it."""

from __future__ import annotations

import hashlib
import os
import platform
import shlex
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from rankwise._files import installed
from rankwise.errors import RankwiseError
from rankwise.probes import mpicc

_OPTIONS = ("-O2", "-std=gnu11")
_LIBRARIES = ("-lm",)
_SECONDS = 600


def build(
    name: str,
    compiler: Path,
    environment: Mapping[str, str],
    directory: Path | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> Path:
    """Return a probe, compiled now or before.

    Two that do this at once both compile, and the last one's program stays.

    Args:
        name: of the probe: a folder of share/probes, and the program's own name.
        compiler: the MPI library's.
        environment: that it is called with.
        directory: that keeps programs and is seen by all nodes; None = the user's cache directory.
        say: is called before something is compiled.

    Raises:
        RankwiseError: it can't be compiled, or the directory can't be written to.
    """
    own = installed(f"share/probes/{name}/main.c").parent
    sources = [source for folder in (own, own.parent / "common") for source in sorted(folder.glob("*.[ch]"))]
    place = (directory or cache(environment)).absolute() / _key(sources, compiler, environment)
    program = place / name
    if _is_ours(program):
        return program
    say(f"compiling the probe for this MPI library, once, with {compiler}")
    try:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=place) as temporary:
            made = Path(temporary) / name
            _compile(sources, compiler, environment, made)
            made.replace(program)
    except OSError as error:
        cure = "give another directory, which every node sees, with --probe-dir"
        raise RankwiseError(f"{error.filename or place}: {error.strerror}; {cure}") from None
    return program


def cache(environment: Mapping[str, str]) -> Path:
    """Return the directory for compiled probes: the user's, by the XDG base directory specification."""
    base = environment.get("XDG_CACHE_HOME", "")
    # A relative path is to be ignored, says the specification.
    return (Path(base) if Path(base).is_absolute() else Path.home() / ".cache") / "rankwise" / "probes"


def _is_ours(program: Path) -> bool:
    """Whether the program is there and no other user can have put it there."""
    try:
        status = program.stat()
    except OSError:
        return False
    return status.st_uid == os.geteuid() and not status.st_mode & 0o022 and os.access(program, os.X_OK)


def _key(sources: Sequence[Path], compiler: Path, environment: Mapping[str, str]) -> str:
    shown = mpicc.answer(compiler, "-show", environment)
    about = [platform.machine(), *_OPTIONS, str(compiler.resolve()), str(compiler), shown]
    about += identity(shown, environment)
    digest = hashlib.sha256("\0".join(about).encode("utf-8", "surrogateescape"))
    for source in sources:
        digest.update(f"\0{source.parent.name}/{source.name}\0".encode() + source.read_bytes())
    return digest.hexdigest()[:20]


def identity(shown: str, environment: Mapping[str, str]) -> list[str]:
    """Return what tells the MPI library that a compiler links from others, and from itself after an update.

    Args:
        shown: what the compiler prints for -show.
        environment: that it is called with.

    Returns:
        path, time of change in ns and size of each library of MPI that is linked; empty if none is found.
    """
    try:
        words = shlex.split(shown)
    except ValueError:  # not what we think it is
        return []
    named = environment.get("LD_LIBRARY_PATH", "").split(":")
    directories = [Path(word[2:]) for word in words if word.startswith("-L")] + [Path(n) for n in named if n]
    names = [f"lib{word[2:]}.so" for word in words if word.startswith("-lmpi")]
    stamps = []
    for name in names:
        places = (directory / name for directory in directories)
        if place := next((place for place in places if place.is_file()), None):
            status = place.stat()
            stamps.append(f"{place.resolve()} {status.st_mtime_ns} {status.st_size}")
    return stamps


def _compile(sources: Sequence[Path], compiler: Path, environment: Mapping[str, str], program: Path) -> None:
    code = [str(source) for source in sources if source.suffix == ".c"]
    words = [str(compiler), *_OPTIONS, "-o", str(program), *code, *_LIBRARIES]
    try:
        done = mpicc.call(words, environment, _SECONDS)
    except subprocess.TimeoutExpired:
        raise RankwiseError(f"{compiler} did not end within {_SECONDS} s: {mpicc.CURE}") from None
    except OSError as error:
        raise RankwiseError(f"{compiler}: {error.strerror}: {mpicc.CURE}") from None
    if done.returncode or not program.is_file():
        raise RankwiseError(f"{compiler} can't compile the probe: {_complaint(done.stdout)}; {mpicc.CURE}")


def _complaint(output: str) -> str:
    """Return the compiler's first error."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    words = ("error", "not found", "cannot", "can't")
    said = next((line for line in lines if any(word in line.lower() for word in words)), "")
    return said or (lines[0] if lines else "it says nothing about why")

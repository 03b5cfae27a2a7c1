"""Which mpicc belongs to a launcher.

Several MPI libraries are often installed side by side, and a program of one under the launcher of another
runs as separate single processes. Hence the compiler is looked for where the launcher is, link by link:

/usr/bin/mpirun -> /etc/alternatives/mpirun -> /usr/bin/mpirun.openmpi -> /usr/bin/orterun
                                               /usr/bin/mpicc.openmpi
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from rankwise.errors import RankwiseError
from rankwise.launchers import version
from rankwise.mpi_libraries import LIBRARIES

_NAMES = ("mpicc", "mpiicx", "mpiicc")  # the latter two are Intel's, where no gcc is
_LAUNCHER = re.compile(r"(?:mpirun|mpiexec|orterun|prterun)(?P<suffix>[.-].+)?")
_SECONDS = 20
CURE = "name the compiler of the launcher's MPI library with --mpicc"


def find(launcher: str, environment: Mapping[str, str], wanted: str = "") -> Path:
    """Return the compiler for programs that a launcher starts.

    Args:
        launcher: name or path of the command.
        environment: as the launcher sees it: PATH, and MPICC if that is set.
        wanted: the user's choice, '' without one.

    Raises:
        RankwiseError: no compiler was found.
    """
    path = environment.get("PATH")
    for chosen, origin in ((wanted, "--mpicc"), (environment.get("MPICC", ""), "MPICC=")):
        if chosen:
            if compiler := shutil.which(chosen, path=path):
                return Path(compiler).absolute()
            raise RankwiseError(f"{origin} {chosen}: command not found; check its name, or load its module")
    for place in candidates(launcher, path):
        if shutil.which(place) and fits(launcher, place):
            return place
    raise RankwiseError(
        f"no mpicc of the MPI library of {launcher} found, beside it or on PATH: install the library's "
        f"development files, or {CURE}"
    )


def candidates(launcher: str, path: str | None) -> Iterator[Path]:
    """Give all places to look at, the likeliest first: each of them may be missing.

    Args:
        launcher: name or path of the command.
        path: value of PATH.
    """
    launcher_path = shutil.which(launcher, path=path)
    links = list(reversed(_links(Path(launcher_path).absolute()))) if launcher_path else []
    matched = [(link, match["suffix"] or "") for link in links if (match := _LAUNCHER.fullmatch(link.name))]
    # A suffix distinguishes libraries in one directory: it says more than the directory.
    for link, suffix in sorted(matched, key=lambda match_of_link: not match_of_link[1]):
        yield from (link.with_name(name + suffix) for name in _NAMES)
    for link, _ in matched:
        yield from (link.with_name(name) for name in _NAMES)
    for name in _NAMES:
        if on_path := shutil.which(name, path=path):
            yield Path(on_path).absolute()


def _links(path: Path) -> list[Path]:
    """Return a path and what its links lead to, one after the other."""
    links = [path]
    while links[-1].is_symlink() and len(links) < 40:  # the kernel's own limit
        links.append(links[-1].parent / links[-1].readlink())
    return links


def fits(launcher: str, compiler: Path) -> bool:
    """Whether a compiler may be of the same library as a launcher, as far as the two tell."""
    wanted = version.ask(launcher)[2]
    return not wanted or _library(compiler) in (wanted, "")


def _library(compiler: Path) -> str:
    """Return the name of a compiler's MPI library, '' if it does not tell."""
    for library in LIBRARIES.values():
        if library.compiler:
            option, answered = library.compiler
            if answered.search(answer(compiler, option)):
                return library.name
    return ""


def answer(compiler: Path, option: str, environment: Mapping[str, str] | None = None) -> str:
    """Return what a compiler prints for an option that asks about itself; '' if it can't be asked."""
    try:
        return call([str(compiler), option], environment, _SECONDS).stdout
    except (OSError, subprocess.SubprocessError):
        return ""


def call(
    words: Sequence[str], environment: Mapping[str, str] | None, seconds: float
) -> subprocess.CompletedProcess[str]:
    """Run a compiler, or another tool of an MPI library; what it says, complaints included, is its stdout.

    Args:
        words: of the command.
        environment: that it is called with; None: ours.
        seconds: that it may take.

    Raises:
        OSError: it can't be started.
        subprocess.TimeoutExpired: it took longer.
    """
    return subprocess.run(
        words,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        timeout=seconds,
        check=False,
    )

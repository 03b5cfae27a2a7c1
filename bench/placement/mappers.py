"""The engine, Scotch and TreeMatch, each in a separate process."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from common.errors import BenchError
from placement.graphs import Graph
from placement.machine import DISTANCES, arities, cost, objects, repaired

_PROGRAMS = Path(__file__).parents[1] / "programs"
_OPEN_MPI_4 = (
    ("/usr/lib/*/libmpi.so.40", "openmpi/lib/openmpi3/mca_topo_treematch.so"),  # Debian
    ("/usr/local/lib/libmpi.so.40", "openmpi/mca_topo_treematch.so"),
    ("/usr/lib64/openmpi/lib/libmpi.so.40", "openmpi/mca_topo_treematch.so"),
)
_INCLUDES = ("/usr/include/scotch", "/usr/local/include/scotch", "/usr/local/include")


@dataclass(frozen=True)
class Mapped:
    """What came out, and what it took.

    Attributes:
        cost: sum of bytes x distance, after the repair.
        doubled: ranks that had been given the slot of another.
        cpu, wall: seconds.
        mb: what the process grew by, with the graph.
    """

    cost: float
    doubled: int
    cpu: float
    wall: float
    mb: float


def engine(graph: Graph, effort: int, threads: int, directory: Path, timeout: float) -> Mapped | None:
    """Place with the engine; None if that takes too long."""
    traffic, places, result = (directory / name for name in ("traffic.npz", "places.npz", "slots"))
    np.savez(
        traffic,
        ranks=graph.ranks,
        one=graph.one.astype(np.int32),
        other=graph.other.astype(np.int32),
        bytes=graph.bytes.astype(np.float64),
    )
    np.savez(places, objects=objects(graph.ranks), per_byte=np.array(DISTANCES, dtype=np.float64))
    words = [sys.executable, str(_PROGRAMS / "place.py"), str(traffic), str(places), str(result)]
    return _run([*words, str(effort), str(threads)], graph, result, threads, timeout)


def scotch(graph: Graph, program: Path, threads: int, directory: Path, timeout: float) -> Mapped | None:
    """Place with Scotch's default strategy; None if that takes too long."""
    source, result = directory / "graph", directory / "slots"
    _write(graph, source)
    words = [str(program), str(source), str(result), "tree", *_shape(graph)]
    return _run(words, graph, result, threads, timeout)


def scotch_seconds(graph: Graph, program: Path, length: Sequence[int], directory: Path) -> float:
    """Map onto a torus with Scotch's default strategy, one thread; CPU seconds, the least of three runs."""
    source, result = directory / "graph", directory / "slots"
    _write(graph, source)
    words = [str(program), str(source), str(result), "torus", *map(str, reversed(length))]
    return min(float(_usage(words, 1, None)["cpu"]) for _ in range(3))


@dataclass(frozen=True)
class TreeMatch:
    """The program that calls TreeMatch, and where Open MPI has it."""

    program: Path
    libmpi: Path
    plugin: Path

    def place(self, graph: Graph, way: str, directory: Path, timeout: float) -> Mapped | None:
        """Place `padded` with silent ranks to all slots, or with `constraints` to the first ones.

        Returns:
            None if that takes too long.
        """
        source, result = directory / "graph", directory / "slots"
        _write(graph, source)
        words = [str(self.program), str(self.libmpi), str(self.plugin), str(source), str(result), way]
        return _run([*words, *_shape(graph)], graph, result, 1, timeout)


def _write(graph: Graph, path: Path) -> None:
    first, second = np.concatenate((graph.one, graph.other)), np.concatenate((graph.other, graph.one))
    order = np.lexsort((second, first))
    begin = np.searchsorted(first[order], np.arange(graph.ranks + 1))
    weight = np.concatenate((graph.bytes, graph.bytes))[order]
    parts = ([graph.ranks, len(first)], begin, second[order], weight)
    path.write_bytes(b"".join(np.asarray(part, dtype=np.int32).tobytes() for part in parts))


def _shape(graph: Graph) -> list[str]:
    return [str(word) for level in zip(arities(graph.ranks), DISTANCES, strict=True) for word in level]


def build_treematch(directory: Path) -> TreeMatch | None:
    """Compile the program that calls TreeMatch; None if there is no Open MPI 4 with it."""
    for libraries, plugin in _OPEN_MPI_4:
        for libmpi in sorted(Path("/").glob(libraries[1:])):
            if (libmpi.parent / plugin).is_file():
                program = _built("treematch", directory, [], ["-ldl"])
                return TreeMatch(program, libmpi, libmpi.parent / plugin)
    return None


def build_scotch(directory: Path) -> Path | None:
    """Compile the program that calls Scotch; None if Scotch is not installed."""
    headers = [place for place in _INCLUDES if Path(place, "scotch.h").is_file()]
    if not headers:
        return None
    libraries = ["-lscotch", "-lscotcherr", "-lm", "-pthread"]
    return _built("scotch", directory, [f"-I{headers[0]}"], libraries)


def _built(name: str, directory: Path, options: list[str], libraries: list[str]) -> Path:
    program = directory / name
    compiler = os.environ.get("CC") or shutil.which("cc") or "gcc"
    words = [*compiler.split(), "-O2", "-std=c11", *options, "-o", str(program), str(_PROGRAMS / f"{name}.c")]
    words += libraries
    answer = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    if answer.returncode != 0:
        raise BenchError(f"{' '.join(words)} failed:\n{answer.stderr.strip()}")
    return program


def _run(words: list[str], graph: Graph, result: Path, threads: int, timeout: float) -> Mapped | None:
    try:
        usage = _usage(words, threads, timeout)
    except subprocess.TimeoutExpired:
        return None
    slot: NDArray[np.int32] = np.fromfile(result, dtype=np.int32)
    slot, doubled = repaired(slot, graph.ranks)
    return Mapped(cost(graph, slot), doubled, usage["cpu"], usage["wall"], usage["kb"] / 1024)


def _usage(words: list[str], threads: int, timeout: float | None) -> dict[str, Any]:
    variables = {**os.environ, "SCOTCH_PTHREAD_NUMBER": str(threads), "OMP_NUM_THREADS": "1"}
    answer = subprocess.run(
        words, capture_output=True, text=True, env=variables, timeout=timeout, check=False
    )
    if answer.returncode != 0:
        raise BenchError(f"{' '.join(words)} failed:\n{answer.stderr.strip()}")
    usage: dict[str, Any] = json.loads(answer.stdout.strip().splitlines()[-1])  # TreeMatch may print before
    return usage

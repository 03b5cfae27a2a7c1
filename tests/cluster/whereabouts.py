"""Asks ranks where they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from libraries import Mpi

SOURCE = Path(__file__).parent / "programs" / "whereabouts.c"


def compiled(mpi: Mpi, directory: Path) -> Path:
    """Compile the program, once."""
    program = directory / f"whereabouts.{mpi.name}"
    if not program.exists():
        mpi.compile(program, SOURCE)
    return program


def check(answers: Path, hosts: Sequence[str], processors: Sequence[int | None]) -> None:
    """Look at what the program wrote to `answers`.<rank>.

    Args:
        answers: the program's argument.
        hosts: expected of each rank; ranks of one host share memory.
        processors: the one that each rank is bound to; None for ranks that are not told one.
    """
    lines = [file.read_text().split() for file in sorted(answers.parent.glob(f"{answers.name}.*"), key=_rank)]
    ranks_on = Counter(hosts)
    assert [(host, int(sharing)) for host, sharing, *_ in lines] == [(host, ranks_on[host]) for host in hosts]
    for (_, _, *allowed), cpu in zip(lines, processors, strict=True):
        assert cpu is None or allowed == [str(cpu)]


def _rank(file: Path) -> int:
    return int(file.suffix[1:])

"""Names that something might obey, from the program to the screen: they are data everywhere."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import libraries
import pytest
import recording
from libraries import Mpi
from recording import RANKWISE, Compile, Recording

from exhaustive import few

RANKS = 2
BAD = "\N{REPLACEMENT CHARACTER}"
NAMES = [
    f"{BAD}[31mred{BAD}[2J",
    "[bold red]markup[/] :smile:",
    "'; DROP TABLE calls; --",
    '"quotes" `id` $(id) ;& | >x',
    f"two{BAD}lines{BAD} and{BAD}more",
    f"not {BAD}{BAD} UTF-8 {BAD}(",
    f"turned {BAD} around",
    "<script>alert(1)</script>",
    "=1+1",
]
# Regions are named in printable ASCII; what else there is is no name.
REGIONS = [name for name in NAMES if BAD not in name]
PROGRAMS = ["new\nline", ";touch x;$(touch y)`touch z`", "two words", 'it\'s "quoted"', "\x1b[31m[red]"]


mpi = libraries.in_turn(libraries.ONE_OF_EACH)


def shown(done: Recording, *words: str) -> str:
    text = done.shown(*words)
    assert all(line.isascii() and line.isprintable() for line in text.splitlines())
    return text


def test_names_of_communicators_and_regions(mpi: Mpi, compiled: Compile, tmp_path: Path) -> None:
    path = tmp_path / "x.rankwise"
    done = recording.run(mpi.launch(RANKS, compiled(mpi, "hostile.c")), path, mpi.env())
    assert (done.process.returncode, done.process.stdout) == (0, ""), done.process.stderr
    given = [name for (name,) in done.rows("SELECT user_name FROM communicators WHERE procedure <> ''")]
    assert given == NAMES
    regions = [name for (name,) in done.rows("SELECT name FROM regions WHERE id BETWEEN 1 AND 4094")]
    assert sorted(map(str, regions)) == sorted(REGIONS)
    barriers = done.calls("MPI_Barrier")
    assert barriers == dict.fromkeys(range(RANKS), (len(NAMES), 0, 0))
    shown(done, "-v")
    text = shown(done, "--by", "communicator", "-v", "--limit", "0")
    assert [name for name in NAMES if BAD not in name and f'"{name}"' not in text] == []
    text = shown(done, "--by", "region", "--limit", "0")
    assert [name for name in REGIONS if name not in text] == []


@pytest.mark.parametrize("name", few(PROGRAMS, 2), ids=["newline", "shell", "blank", "quotes", "escape"])
@pytest.mark.parametrize("mpi", libraries.ONE_OF_EACH[:1], ids=lambda mpi: mpi.name, indirect=True)
def test_paths_of_programs(mpi: Mpi, compiled: Compile, tmp_path: Path, name: str) -> None:
    program = tmp_path / name
    shutil.copy2(compiled(mpi, "hostile.c"), program)
    before = {path.name for path in tmp_path.iterdir()}
    words = [str(RANKWISE), "run", "--", *mpi.launch(RANKS, program)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, cwd=tmp_path, env=mpi.env())
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert all(line.isprintable() for line in done.stderr.splitlines()), done.stderr
    [path] = {path for path in tmp_path.iterdir() if path.name not in before}
    assert path.name.startswith(name) and path.name.endswith(".rankwise")
    assert path.stat().st_mode & 0o777 == 0o600
    shown(Recording(done, path))

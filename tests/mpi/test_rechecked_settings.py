"""`rankwise tune recheck` on each MPI library, with settings files made by hand."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import libraries
import pytest
from libraries import Mpi
from recording import LIMIT_SECONDS, RANKWISE, Compile

from golden import assert_facts
from rankwise.launch.detect import detect
from rankwise.mpi_libraries import version_of
from rankwise.tuning.settings.file import read, write
from rankwise.tuning.settings.installed import library_version
from rankwise.tuning.settings.model import Settings
from rankwise.tuning.settings.rule import Raced

sys.path.append(str(Path(__file__).parents[1] / "unit"))
from settings_made import rule, settings

LIBRARIES = [library for library in libraries.ONE_OF_EACH_LAUNCHER if library.family != "mpiabi"]
mpi = libraries.in_turn(LIBRARIES)

ALGORITHMS = {"Open MPI": ("linear", 99), "MPICH": ("MPIR_Allgather_intra_ring", 99), "Intel MPI": ("2", 2)}
"""One that each has, with a number that it need not have."""
RACED = (Raced(512, 10, 1.0, 0, ("1-0:-1",)),)
VERDICTS = {"still wins", "no longer wins", "slower now", "can't be told"}

Recheck = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Keeps the probes of all tests: each library's is compiled once."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def recheck(mpi: Mpi, compiled: Compile, cache: Path, tmp_path: Path) -> Recheck:
    """Runs it: recheck(file, *options, ranks=2)."""
    program = compiled(mpi, "cells.c")

    def recheck_(
        file: str, *options: str, ranks: int = 2, **variables: str
    ) -> subprocess.CompletedProcess[str]:
        words = [str(RANKWISE), "tune", "recheck", file, "--mpicc", mpi.mpicc, *options]
        return subprocess.run(
            [*words, "--", *mpi.launch(ranks, program)],
            capture_output=True,
            text=True,
            timeout=2 * LIMIT_SECONDS,
            env={**mpi.env(), "XDG_CACHE_HOME": str(cache), **variables},
            cwd=tmp_path,
        )

    return recheck_


@pytest.fixture
def given(mpi: Mpi, compiled: Compile) -> Settings:
    """Settings for the library: a rule that it can have, one for all sizes, one that it can't have."""
    library = detect([str(compiled(mpi, "cells.c"))], mpi.env()).library
    assert library
    version = library_version(library, mpi.env())
    name, number = ALGORITHMS[version_of(version).label]
    known = replace(rule("Allgather", 2, 256, 512, name, number), raced=RACED)
    made = settings(known, rule("Bcast", 2, 0, None, "no_such", 1), environment={"A": "b"}, library=version)
    return replace(made, about=replace(made.about, abi="openmpi" if mpi.family == "openmpi" else "mpich"))


def _one_line(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("rankwise: ")
    return done.stderr


def test_each_rule_gets_a_verdict(mpi: Mpi, recheck: Recheck, given: Settings, tmp_path: Path) -> None:
    write(given, tmp_path / "s.json")
    done = recheck("s.json", "--json", "-o", "new.json")
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    assert answer["same_library"]
    assert not answer["same_hosts"]
    known, unknown = answer["rules"]
    assert known["verdict"] in VERDICTS
    assert known["as_found"]
    assert known["held_out"]["evidence"]["rounds"] == (12 if mpi.vendor == "Intel" else 64)
    assert unknown["verdict"] == "no longer offered"
    assert unknown["held_out"] is None
    # The variables stay in any case; a rule if it wins.
    new = read(tmp_path / "new.json")
    assert dict(new.environment) == {"A": "b"}
    assert (new.about.library, new.about.gain) == (given.about.library, None)
    assert len(new.rules) == (known["verdict"] == "still wins")
    for kept_rule in new.rules:
        assert kept_rule.algorithm.name == given.rules[0].algorithm.name
        assert kept_rule.algorithm.number < 99
        assert (kept_rule.low, kept_rule.high, kept_rule.raced) == (256, 512, RACED)
        assert kept_rule.evidence is not None
        assert kept_rule.evidence != given.rules[0].evidence
    assert read(tmp_path / "s.json") == given


def test_nothing_is_written_unasked(recheck: Recheck, given: Settings, tmp_path: Path) -> None:
    write(replace(given, rules=given.rules[1:], environment={}), tmp_path / "s.json")
    before = (tmp_path / "s.json").read_bytes()
    done = recheck("s.json")
    assert done.returncode == 0, done.stderr
    assert "no longer offered" in " ".join(done.stdout.split())
    assert_facts(done.stdout, "0 .. 1")
    done = recheck("s.json", "--force", "-o", "s.json")
    assert done.returncode == 0, done.stderr
    assert_facts(done.stdout, "0 .. 1")
    assert (tmp_path / "s.json").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["s.json"]


def test_files_that_are_none(recheck: Recheck, given: Settings, tmp_path: Path) -> None:
    assert_facts(_one_line(recheck("none.json")), f"none.json: {os.strerror(errno.ENOENT)}")
    (tmp_path / "s.json").write_text("{")
    assert_facts(_one_line(recheck("s.json")), "s.json: .. JSON")
    write(replace(given, rules=()), tmp_path / "s.json", force=True)
    assert_facts(_one_line(recheck("s.json", "--force")), "s.json .. collectives")


def test_what_does_not_fit(mpi: Mpi, recheck: Recheck, given: Settings, tmp_path: Path) -> None:
    file = tmp_path / "s.json"
    write(given, file)
    assert_facts(_one_line(recheck("s.json", ranks=1)), "2 .. 1")
    assert_facts(_one_line(recheck("s.json", "-o", "s.json")), "s.json .. --force")
    variable = {
        "Open MPI": "OMPI_MCA_coll_tuned_bcast_algorithm",
        "MPICH": "MPIR_CVAR_BCAST_INTRA_ALGORITHM",
        "Intel MPI": "I_MPI_ADJUST_BCAST",
    }[version_of(given.about.library).label]
    assert f"{variable}=1 in the environment" in _one_line(recheck("s.json", **{variable: "1"}))
    other = {"openmpi": ("MPICH Version:\t4.0.2", "mpich")}.get(mpi.family, ("Open MPI v4.1.4", "openmpi"))
    about = replace(given.about, library=other[0], abi=other[1])
    write(replace(given, about=about), file, force=True)
    assert_facts(_one_line(recheck("s.json")), version_of(about.library).label)
    assert list(tmp_path.iterdir()) == [file]

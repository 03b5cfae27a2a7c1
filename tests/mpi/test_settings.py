"""`rankwise run --with`: a rule changes the messages of its cell, and of no other."""

from __future__ import annotations

import errno
import json
import os
import shlex
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import libraries
import pytest
from libraries import Mpi
from recording import LIMIT_SECONDS, RANKWISE, Compile, Recording, rankwise, run_on

from golden import assert_complaint, assert_facts
from rankwise.commands.settings_files import write_settings
from rankwise.launch.detect import detect
from rankwise.launchers.binding import Binding
from rankwise.mpi_libraries import version_of
from rankwise.tuning.settings.file import write, write_all
from rankwise.tuning.settings.installed import library_version
from rankwise.tuning.settings.model import Settings
from rankwise.tuning.settings.rule import Rule

sys.path.append(str(Path(__file__).parents[1] / "unit"))
from settings_made import rule, settings

mpi = libraries.in_turn(libraries.ALL)

RANKS = 6
EXACT = {
    "Open MPI": [
        rule("Bcast", 5, 4096, 4096, "pipeline", 3, 1024),
        rule("Allreduce", 5, 65536, 65536, "basic_linear", 1),
        rule("Allgather", 4, 4096, 4096, "linear", 1),
        rule("Reduce_scatter_block", 6, 64, 64, "basic_linear", 1),
    ],
    "MPICH": [
        rule("Bcast", 6, 65536, 65536, "scatter_ring_allgather"),
        rule("Allreduce", 5, 65536, 65536, "MPIR_Allreduce_intra_recursive_doubling"),
        rule("Allgather", 5, 4096, 4096, "ring"),
        rule("Reduce_scatter_block", 6, 64, 64, "pairwise"),
    ],
}
"""Rules that change messages, on libraries that can tell sizes and processes apart at once."""

not_intel = pytest.mark.only_on(
    lambda mpi: mpi.vendor != "Intel", "it can't tell sizes and processes apart at once"
)

Cell = tuple[str, str, int]  # communicator, collective, bytes
Messages = dict[Cell, frozenset[tuple[object, ...]]]


@pytest.fixture
def seen(mpi: Mpi) -> tuple[str, ...]:
    """The option with which the messages inside collectives can be seen."""
    return () if mpi.family == "openmpi" or mpi.name == "mpich-debian" else ("--see-all",)


def messages(recording: Recording) -> Messages:
    """The messages of each cell."""
    rows = recording.rows(
        """SELECT patterns.id, communicators.user_name, procedures.name, patterns.size
           FROM patterns JOIN communicators ON communicators.id = patterns.communicator
           JOIN procedures ON procedures.id = patterns.procedure
           WHERE communicators.user_name LIKE 'n_' AND procedures.name <> 'MPI_Alltoallv'"""
    )
    cells: Messages = {}
    for pattern, communicator, procedure, size in rows:
        sent = "SELECT source, destination, messages, bytes FROM pattern_messages WHERE pattern = ?"
        cells[str(communicator), str(procedure), int(str(size))] = frozenset(recording.rows(sent, pattern))
    assert len(cells) == 4 * 9
    assert all(cells.values())
    return cells


def changed(before: Messages, after: Messages) -> set[Cell]:
    assert before.keys() == after.keys()
    return {cell for cell in before if before[cell] != after[cell]}


def recorded(mpi: Mpi, compiled: Compile, output: Path, *options: str, status: int = 0) -> Recording:
    done = run_on(mpi, mpi.launch(RANKS, compiled(mpi, "cells.c")), output, "--force", *options)
    assert done.process.returncode == status, done.process.stderr
    return done


def for_library(before: Recording, *rules: Rule) -> Settings:
    """Settings that were found with the library of a run, on its host."""
    [(library, abi)] = before.rows("SELECT mpi_library, mpi_abi FROM run")
    hosts = tuple(str(host) for (host,) in before.rows("SELECT DISTINCT host FROM ranks"))
    made = settings(*rules)
    about = replace(made.about, library=str(library), abi=str(abi), hosts=hosts)
    return replace(made, about=about)


@not_intel
def test_only_the_cells_change(mpi: Mpi, compiled: Compile, seen: tuple[str, ...], tmp_path: Path) -> None:
    output = tmp_path / "a.rankwise"
    first = recorded(mpi, compiled, output, *seen)
    before = messages(first)
    given = for_library(first)
    label = version_of(given.about.library).label
    file = tmp_path / "s.json"
    write(replace(given, rules=tuple(EXACT[label])), file)
    done = recorded(mpi, compiled, output, *seen, "--with", str(file))
    assert "tune recheck" not in done.process.stderr
    cells = {(f"n{exact.processes}", exact.procedure, exact.low) for exact in EXACT[label]}
    assert changed(before, messages(done)) == cells
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.rankwise", "s.json"]


@not_intel
def test_files_are_used_without_us(
    mpi: Mpi, compiled: Compile, seen: tuple[str, ...], tmp_path: Path
) -> None:
    """What stands beside the file for a shell has the same effect."""
    first = recorded(mpi, compiled, tmp_path / "a.rankwise", *seen)
    given = for_library(first)
    label = version_of(given.about.library).label
    [_, shell, _] = write_all(
        replace(given, rules=tuple(EXACT[label][:1])),
        tmp_path / "s.json",
        library_path=library_of(mpi, compiled),
    )
    words = ["sh", "-c", f". {shell} && env -0"]
    printed = subprocess.run(words, capture_output=True, text=True, check=True, env=mpi.env()).stdout
    environment = dict(entry.split("=", 1) for entry in printed.split("\0") if entry)
    with_file = replace(mpi, environment={**mpi.environment, **environment})
    done = recorded(with_file, compiled, tmp_path / "b.rankwise", *seen)
    exact = EXACT[label][0]
    cells = {(f"n{exact.processes}", exact.procedure, exact.low)}
    assert changed(messages(first), messages(done)) == cells


def library_of(mpi: Mpi, compiled: Compile) -> Path | None:
    return detect([str(compiled(mpi, "cells.c"))], mpi.env()).library


@pytest.mark.only_on(lambda mpi: mpi.vendor == "Intel", "only Intel MPI")
def test_intel(mpi: Mpi, compiled: Compile, seen: tuple[str, ...], tmp_path: Path) -> None:
    """It can tell processes apart, or sizes; what has no rule is chosen without the tuning file."""
    chosen = {"I_MPI_ADJUST_BCAST": "0", "I_MPI_ADJUST_ALLREDUCE": "0"}
    without_file = replace(mpi, environment={**mpi.environment, **chosen})
    first = recorded(without_file, compiled, tmp_path / "a.rankwise", *seen)
    before = messages(first)
    file = tmp_path / "s.json"
    rules = rule("Bcast", 5, number=3), rule("Allreduce", 5, 4096, 4096, "3", 3)
    write(for_library(first, *rules), file)
    done = recorded(mpi, compiled, tmp_path / "b.rankwise", *seen, "--with", str(file))
    assert changed(before, messages(done)) == {
        *(("n5", "MPI_Bcast", size) for size in (64, 4096, 65536)),
        *((name, "MPI_Allreduce", 4096) for name in ("n4", "n5", "n6")),
    }


@pytest.mark.only_on(
    lambda mpi: mpi.family == "openmpi", "MPICH has one algorithm, Intel MPI's have no names"
)
def test_alltoallv_on_one_size_of_communicator(mpi: Mpi, compiled: Compile, tmp_path: Path) -> None:
    """Its algorithms send the same messages, so the library itself is watched."""
    watch = tmp_path / "watch.so"
    source = Path(__file__).parent / "programs" / "alltoallv_names.c"
    words = [mpi.mpicc, "-shared", "-fPIC", "-o", str(watch), str(source), "-ldl"]
    subprocess.run(words, check=True, timeout=60, env=mpi.env())
    watched = replace(mpi, environment={**mpi.environment, "LD_PRELOAD": str(watch)})

    def algorithms(*options: str) -> set[str]:
        done = recorded(watched, compiled, tmp_path / "a.rankwise", *options)
        said = done.process.stderr.splitlines()
        return {line for line in said if line.startswith("alltoallv of ")}

    before = algorithms()
    assert before == {f"alltoallv of {n}: basic_linear" for n in (4, 5, 6)}
    file = tmp_path / "s.json"
    write(for_library(Recording(None, tmp_path / "a.rankwise"), rule("Alltoallv", 5, number=2)), file)  # type: ignore[arg-type]
    after = algorithms("--with", str(file))
    assert after == before - {"alltoallv of 5: basic_linear"} | {"alltoallv of 5: pairwise"}


def test_refused_before_anything_is_started(mpi: Mpi, compiled: Compile, tmp_path: Path) -> None:
    """Settings of another library, and settings of the user's own."""
    file = tmp_path / "s.json"
    output = tmp_path / "a.rankwise"
    others = {"openmpi": "MPICH Version:\t4.0.2"}.get(mpi.family, "Open MPI v4.1.4, package")
    write(settings(library=others), file)
    done = recorded(mpi, compiled, output, "--with", str(file), status=2)
    assert_complaint(done.process.stderr, f"--with {file}: .. {version_of(others).label}")
    (tmp_path / "s.json").unlink()
    library = library_of(mpi, compiled)
    assert library
    version = library_version(library, mpi.env())
    label = version_of(version).label
    variable = {
        "Open MPI": "OMPI_MCA_coll_tuned_bcast_algorithm",
        "MPICH": "MPIR_CVAR_BCAST_INTRA_ALGORITHM",
        "Intel MPI": "I_MPI_ADJUST_BCAST",
    }[label]
    write(settings(rule("Bcast", 5, 0, None, "binomial", 6), library=version), file)
    theirs = replace(mpi, environment={**mpi.environment, variable: "1"})
    done = recorded(theirs, compiled, output, "--with", str(file), status=2)
    assert f"{variable}=1 in the environment: remove them" in done.process.stderr
    assert done.process.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == [file]


def test_another_version_and_another_host(mpi: Mpi, compiled: Compile, tmp_path: Path) -> None:
    """The settings are applied, and a line each says what to do."""
    output = tmp_path / "a.rankwise"
    made = for_library(recorded(mpi, compiled, output))
    label = version_of(made.about.library).label
    older = {
        "Open MPI": "Open MPI v3.0.9, package",
        "MPICH": "MPICH Version:\t3.9.9",
        "Intel MPI": "Intel(R) MPI Library 2019.1 for Linux* OS",
    }[label]
    file = tmp_path / "s.json"
    write(replace(made, about=replace(made.about, library=older, hosts=("elsewhere",))), file)
    command = mpi.launch(RANKS, compiled(mpi, "cells.c"))
    done = rankwise_run(mpi, output, file, command)
    assert done.returncode == 0
    lines = [line for line in done.stderr.splitlines() if line.startswith("rankwise: --with ")]
    assert len(lines) == 2
    for line in lines:
        assert_facts(line, f" {label} .. `rankwise tune recheck {file}`")
    assert_facts(lines[0], "on elsewhere")
    assert_facts(lines[1], f"on elsewhere .. {os.uname().nodename}")


def rankwise_run(mpi: Mpi, output: Path, file: Path, command: list[str]) -> subprocess.CompletedProcess[str]:
    """With what is said to the user."""
    words = [str(RANKWISE), "run", "--force", "-o", str(output), "--with", str(file), "--", *command]
    return subprocess.run(words, capture_output=True, text=True, timeout=LIMIT_SECONDS, env=mpi.env())


def test_variables_reach_the_ranks(mpi: Mpi, compiled: Compile, tmp_path: Path) -> None:
    file = tmp_path / "s.json"
    output = tmp_path / "a.rankwise"
    made = for_library(recorded(mpi, compiled, output))
    write(replace(made, environment={"OUR_SETTING": "a value; with = signs"}), file)
    # To files, and not at once the end: MPICH 5's launcher loses what such a process says.
    says = f'printf %s "$OUR_SETTING" > "{tmp_path}/said.$$"; sleep 0.3'
    done = rankwise_run(mpi, output, file, mpi.launch(2, "sh", "-c", says))
    assert [path.read_text() for path in tmp_path.glob("said.*")] == ["a value; with = signs"] * 2
    assert "no MPI process was seen" in done.stderr


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two processors")
@pytest.mark.only_on(
    lambda mpi: mpi.family == "openmpi",
    "one launcher is enough: the others are tested with rankwise map",
)
def test_places(mpi: Mpi, compiled: Compile, tmp_path: Path) -> None:
    """The ranks change places."""
    output = tmp_path / "a.rankwise"
    program = compiled(mpi, "cells.c")
    bound = replace(mpi, options=("--bind-to", "core", *(o for o in mpi.options if o != "--oversubscribe")))
    first = run_on(bound, bound.launch(2, program), output)
    assert first.process.returncode == 0, first.process.stderr
    places = [cpus for (cpus,) in first.rows("SELECT cpus_allowed FROM ranks ORDER BY rank")]
    made = for_library(first)
    [host] = made.about.hosts
    seats = tuple(Binding(rank, host, 0, 1 - rank, 1 - rank) for rank in (0, 1))
    file = tmp_path / "s.json"
    write(replace(made, bindings=seats), file)
    second = run_on(bound, bound.launch(2, program), output, "--force", "--with", str(file))
    assert second.process.returncode == 0, second.process.stderr
    again = [cpus for (cpus,) in second.rows("SELECT cpus_allowed FROM ranks ORDER BY rank")]
    assert again == places[::-1]
    [(command,)] = second.rows("SELECT command FROM run")
    assert json.loads(str(command)) == bound.launch(2, program)
    about = replace(made.about, command=tuple(bound.launch(2, program)))
    write_settings(replace(made, about=about, bindings=seats), tmp_path / "w.json", None, force=False)
    lines = (tmp_path / "w.env").read_text().splitlines()
    launch = next(line for line in lines if f"{tmp_path}/w.places/openmpi" in line)  # the measured launch
    without_us = run_on(bound, shlex.split(launch.lstrip("# ")), output, "--force")
    assert without_us.process.returncode == 0, without_us.process.stderr
    alone = [cpus for (cpus,) in without_us.rows("SELECT cpus_allowed FROM ranks ORDER BY rank")]
    assert alone == places[::-1]
    third = run_on(bound, bound.launch(3, program), output, "--force", "--with", str(file))
    assert third.process.returncode == 2
    assert_facts(third.process.stderr, "2 .. 3")


def test_no_file() -> None:
    done = rankwise("run", "--with", "none.json", "--", "true")
    assert done.returncode == 2
    assert_complaint(done.stderr, f"none.json: {os.strerror(errno.ENOENT)}")

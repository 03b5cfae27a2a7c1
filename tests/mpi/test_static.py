"""A program with MPI and our archive linked in statically has the profile of the shared program."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

import libraries
import marks
import pytest
import recording
from libraries import Mpi
from recording import LIMIT_SECONDS, PROGRAMS, RANKWISE, Compile, Recording

from golden import assert_complaint

CALLS = """SELECT rank, communicators.name, procedures.name, size_bin,
                  sum(calls), sum(bytes_sent), sum(bytes_received)
           FROM calls JOIN procedures ON procedures.id = calls.procedure
           JOIN communicators ON communicators.id = calls.communicator
           WHERE procedures.name NOT LIKE '%test%'  -- how often a program asks is chance
           GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4"""
MESSAGES = """SELECT communicators.name, kind, procedures.name, source, destination, sum(messages), sum(bytes)
              FROM messages JOIN procedures ON procedures.id = messages.procedure
              JOIN communicators ON communicators.id = messages.communicator
              WHERE kind <> 'in-collective'  -- seen by a hook that static programs don't have
              GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5"""


def link_flags() -> list[str]:
    words = [str(RANKWISE), "link-flags"]
    return subprocess.run(
        words, capture_output=True, text=True, check=True, timeout=LIMIT_SECONDS
    ).stdout.split()


def archives(mpi: Mpi, compiler: str) -> tuple[list[str], list[str]]:
    """What a compiler wrapper would call, without MPI's libraries; and these as archives, if all are."""
    shown = subprocess.run(
        [compiler, "-show"],
        capture_output=True,
        text=True,
        timeout=LIMIT_SECONDS,
        env=mpi.env(),
        check=False,
    )
    words = shlex.split(shown.stdout)
    places = [Path(word[2:]) for word in words if word.startswith("-L")]
    names = [word for word in words if word.startswith("-lmpi")]
    files = [[place / f"lib{name[2:]}.a" for place in places] for name in names]
    archived = [next((str(file) for file in these if file.exists()), "") for these in files]
    return [word for word in words if word not in names], archived if all(archived) else []


OWN_ABI = [mpi for mpi in libraries.ALL if mpi.family in ("openmpi", "mpich")]
STATIC = [mpi for mpi in OWN_ABI if archives(mpi, mpi.mpicc)[1]]
# What an archive of the MPI library itself wants, of what is there.
WANTED = ["-lhwloc", "-lucp", "-lucs", "-lpthread", "-lm"]

Link = Callable[[str, list[str]], Path]


@pytest.fixture(params=STATIC or [None], ids=lambda mpi: mpi.name if mpi else "none")
def mpi(request: pytest.FixtureRequest) -> Mpi:
    """The MPI libraries that can be linked statically."""
    if request.param is None:
        pytest.skip("no MPI library here comes as an archive")
    library: Mpi = request.param
    return library


@pytest.fixture
def link(mpi: Mpi, tmp_path: Path) -> Link:
    """Links a program statically with MPI, behind some flags; skips if that fails without them, too."""

    def link_(source: str, flags: list[str]) -> Path:
        program = tmp_path / Path(source).stem
        words, archived = archives(mpi, mpi.mpifort if source.endswith(".f90") else mpi.mpicc)
        *bindings, library = archived
        words += ["-pthread", "-o", str(program), str(PROGRAMS / source), *bindings]

        def linked(flags: list[str]) -> subprocess.CompletedProcess[str]:
            command = [*words, *flags, library, *WANTED]
            return subprocess.run(
                command,
                capture_output=True,
                text=True,
                timeout=LIMIT_SECONDS,
                env=mpi.env(),
                cwd=tmp_path,
                check=False,
            )

        done = linked(flags)
        if done.returncode and linked([]).returncode:
            pytest.skip(f"{mpi.name}: its archive wants more libraries than are here")
        assert done.returncode == 0, done.stderr
        return program

    return link_


def assert_same(done: Recording, shared: Recording, ranks: int) -> None:
    assert shared.calls("MPI_Init") == done.calls("MPI_Init") == dict.fromkeys(range(ranks), (1, 0, 0))
    assert done.communicators() == shared.communicators()
    assert done.rows(CALLS) == shared.rows(CALLS)
    assert done.rows(MESSAGES) == shared.rows(MESSAGES)
    assert (done.warnings, done.dropped) == (shared.warnings, shared.dropped)


@marks.NEEDS_SHARED_MEMORY
@pytest.mark.parametrize(
    ("source", "ranks"),
    [
        ("collectives.c", 4),
        pytest.param("communicators.c", 6, marks=pytest.mark.exhaustive),
        pytest.param("one_sided.c", 4, marks=pytest.mark.exhaustive),
    ],
)
def test_same_as_shared(
    mpi: Mpi, compiled: Compile, link: Link, tmp_path: Path, source: str, ranks: int
) -> None:
    static = link(source, link_flags())
    done = recording.run(mpi.launch(ranks, static), tmp_path / "static.rankwise", mpi.env())
    assert done.process.returncode == 0, done.process.stderr
    shared = recording.run(mpi.launch(ranks, compiled(mpi, source)), tmp_path / "shared.rankwise", mpi.env())
    assert_same(done, shared, ranks)


def test_fortran(mpi: Mpi, compiled: Compile, link: Link, tmp_path: Path) -> None:
    if not mpi.mpifort or not archives(mpi, mpi.mpifort)[1]:
        pytest.skip(f"the Fortran bindings of {mpi.name} are no archive here")
    static = link("fortran_mpi.f90", link_flags())
    done = recording.run(mpi.launch(4, static), tmp_path / "static.rankwise", mpi.env())
    assert done.process.returncode == 0, done.process.stderr
    shared = recording.run(
        mpi.launch(4, compiled(mpi, "fortran_mpi.f90")), tmp_path / "shared.rankwise", mpi.env()
    )
    assert_same(done, shared, 4)


def test_without_rankwise_run_it_is_not_recorded(mpi: Mpi, link: Link, tmp_path: Path) -> None:
    static = link("forks.c", link_flags())
    before = sorted(tmp_path.iterdir())
    plain = subprocess.run(
        mpi.launch(2, static),
        capture_output=True,
        text=True,
        timeout=LIMIT_SECONDS,
        env=mpi.env(),
        check=True,
        cwd=tmp_path,
    )
    assert "rank 1: child ends with 3" in plain.stdout
    assert plain.stderr == ""
    assert sorted(tmp_path.iterdir()) == before


def test_without_the_archive_it_is_refused(mpi: Mpi, link: Link, tmp_path: Path) -> None:
    static = link("forks.c", [])
    done = recording.run(mpi.launch(2, static), tmp_path / "static.rankwise", mpi.env())
    assert done.process.returncode == 2
    assert "`rankwise link-flags`" in done.process.stderr
    assert done.process.stdout == ""


def test_it_can_not_have_another_order(mpi: Mpi, link: Link, tmp_path: Path) -> None:
    """That is said before it runs, or, where only the run shows what a script starts, in MPI_Init."""
    words = mpi.launch(2, link("reads_rank.c", link_flags()))
    script, order = tmp_path / "job.sh", tmp_path / "order"
    script.write_text(f"#!/bin/sh\nexec {shlex.join(words)}\n")
    script.chmod(0o755)
    order.write_text("1,0\n")
    place = ("--place", str(order))
    refused = recording.run(words, tmp_path / "refused.rankwise", mpi.env(), *place)
    assert (refused.process.returncode, refused.process.stdout) == (2, "")
    assert_complaint(refused.process.stderr, "--place .. linked in statically")
    done = recording.run([str(script)], tmp_path / "kept.rankwise", mpi.env(), *place)
    assert done.process.returncode == 0, done.process.stderr
    assert sorted(done.process.stdout.split("\n")) == ["", "0 is 0", "1 is 1"]
    assert "MPI_COMM_WORLD keeps its order" in done.process.stderr
    [why] = [text for text in done.warnings if "kept its order" in text]
    assert "statically" in why


def test_doctor_knows_it(mpi: Mpi, link: Link) -> None:
    static = link("forks.c", link_flags())
    words = [str(RANKWISE), "doctor", "--", *mpi.launch(2, static)]
    done = subprocess.run(
        words, capture_output=True, text=True, timeout=LIMIT_SECONDS, env=mpi.env(), check=False
    )
    assert "MPI and Rankwise linked in statically" in done.stdout
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("mpi", libraries.ONE_OF_EACH[:1], ids=lambda mpi: mpi.name)
def test_the_description_follows_what_is_linked(mpi: Mpi, compiled: Compile, tmp_path: Path) -> None:
    """Open MPI is told by its variables, here those of its shared library; nothing is preloaded."""
    if mpi.family != "openmpi":
        pytest.skip("no Open MPI here")
    program = tmp_path / "program"
    mpi.compile(program, PROGRAMS / "communicators.c", *link_flags())
    directory = tmp_path / "static.rankwise-run"
    directory.mkdir(mode=0o700)
    environment = {**mpi.env(), "RANKWISE_DIR": str(directory)}
    subprocess.run(
        mpi.launch(6, program), capture_output=True, timeout=LIMIT_SECONDS, env=environment, check=True
    )
    words = [str(RANKWISE), "recover", str(directory)]
    recovered = subprocess.run(words, capture_output=True, text=True, check=True, timeout=LIMIT_SECONDS)
    done = Recording(recovered, tmp_path / "static.rankwise")
    shared = recording.run(
        mpi.launch(6, compiled(mpi, "communicators.c")), tmp_path / "shared.rankwise", mpi.env()
    )
    assert_same(done, shared, 6)

"""MPI_Monitoring.h: a program asks for its own counters, linked with our library or with ours preloaded."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import libraries
import pytest
import recording
from libraries import Mpi
from recording import LIMIT_SECONDS, PROGRAMS, RANKWISE, Compile
from test_static import CALLS, MESSAGES

EXAMPLES = Path(__file__).parents[2] / "examples" / "introspection"
RANKS = 4
# The program checks for itself what can be known by construction.
CHECKED = ("counts", "logical", "states", "so_far", "many")

Link = Callable[[str | Path], Path]


def flags(option: str) -> list[str]:
    words = [str(RANKWISE), "link-flags", option]
    shown = subprocess.run(words, capture_output=True, text=True, check=True, timeout=LIMIT_SECONDS)
    return shown.stdout.split()


@pytest.fixture(scope="session")
def linked_programs() -> dict[tuple[str, Path], Path]:
    """What has been linked, by MPI and source."""
    return {}


@pytest.fixture
def link(
    mpi: Mpi, linked_programs: dict[tuple[str, Path], Path], tmp_path_factory: pytest.TempPathFactory
) -> Link:
    """Compiles a program and links it with the library, once a session."""

    def link_(source: str | Path) -> Path:
        path = PROGRAMS / source
        if (mpi.name, path) not in linked_programs:
            program = tmp_path_factory.mktemp("linked") / path.stem
            mpi.compile(program, path, options=flags("--monitoring"))
            linked_programs[mpi.name, path] = program
        return linked_programs[mpi.name, path]

    return link_


def run(mpi: Mpi, directory: Path, *words: str | Path, ranks: int = RANKS, **variables: str) -> str:
    """Runs a program without `rankwise run`; what it printed."""
    done = subprocess.run(
        mpi.launch(ranks, *words),
        capture_output=True,
        text=True,
        timeout=LIMIT_SECONDS,
        env={**mpi.env(), **variables},
        cwd=directory,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def visible_within_a_node(mpi: Mpi) -> bool:
    """Whether messages inside collectives are: Debian's MPICH has no shared memory to send them by."""
    return mpi.family == "openmpi" or mpi.name == "mpich-debian"


def assert_broadcasts(printed: str, visible: bool) -> None:
    """Ten broadcasts of 1024 bytes: everybody but the root gets each once, from whomever.

    If they are not visible, none is. The session says which.
    """
    said, *lines = printed.splitlines()
    assert said == f"visible {2 if visible else 0}"
    received: dict[int, int] = {}
    for line in lines:
        _, to, messages, size = map(int, line.split())
        assert size == 1024 * messages
        received[to] = received.get(to, 0) + messages
    assert received == (dict.fromkeys(range(1, RANKS), 10) if visible else {})


def test_linked(mpi: Mpi, link: Link, tmp_path: Path) -> None:
    printed = run(mpi, tmp_path, link("introspection.c"), *CHECKED, "inside", "files", "session")
    assert_broadcasts(printed, visible_within_a_node(mpi))
    # Nothing is written to the disk but what the program asks for.
    assert_files(tmp_path)


def assert_files(directory: Path) -> None:
    """Of a ring with 2 messages of 100 bytes; the root of the matrices is rank 1."""
    expected = {f"session_{what}.1.prof" for what in ("counts", "sizes")}
    next_ = [(rank + 1) % RANKS for rank in range(RANKS)]
    for rank in range(RANKS):
        name = f"session.{rank}.prof"
        there = [f"{rank} {to} 2 200" if to == next_[rank] else f"{rank} {to} 0 0" for to in range(RANKS)]
        head, *rows = (directory / name).read_text().splitlines()
        assert (head[0], rows) == ("#", there)
        expected.add(name)
    for what, each in (("counts", "2"), ("sizes", "200")):
        lines = (directory / f"session_{what}.1.prof").read_text().splitlines()
        rows = [[each if to == next_[rank] else "0" for to in range(RANKS)] for rank in range(RANKS)]
        assert [line.split(" ") for line in lines] == rows
    assert {path.name for path in directory.iterdir()} == expected


def test_files_tell_what_they_lack(mpi: Mpi, link: Link, tmp_path: Path) -> None:
    run(mpi, tmp_path, link("introspection.c"), "warnings", "sent")
    warning = "# of the messages inside collectives none can be seen here, and these are not counted"
    expected = [] if visible_within_a_node(mpi) else [warning]
    paths = sorted(tmp_path.iterdir())
    rows = [f"sent.{rank}.prof" for rank in range(RANKS)]
    assert [path.name for path in paths] == sorted([*rows, "sent_counts.0.prof", "sent_sizes.0.prof"])
    for path in paths:
        lines = path.read_text().splitlines()
        assert [line for line in lines if line.startswith("# of")] == lines[: len(expected)] == expected


def test_header_brings_what_its_users_need(mpi: Mpi, tmp_path: Path) -> None:
    """As the papers of the original library do, without a header for NULL."""
    source = tmp_path / "listing.c"
    source.write_text(
        "#include <MPI_Monitoring.h>\n"
        "int main(void) { return MPI_M_get_data(1, NULL, NULL, MPI_M_ALL_COMM) == MPI_SUCCESS; }\n"
    )
    mpi.compile(tmp_path / "listing", source, options=[*flags("--monitoring"), "-Werror"])


@pytest.mark.only_on(
    lambda mpi: mpi.family != "openmpi" and not mpi.vendor,
    "it can't be told to treat the processes of a node as if they were on several",
)
def test_inside_collectives_through_the_transport(mpi: Mpi, link: Link, tmp_path: Path) -> None:
    """The peers are known by their addresses only, which the processes tell each other."""
    assert_broadcasts(
        run(mpi, tmp_path, link("introspection.c"), "inside", MPIR_CVAR_NOLOCAL="1"), visible=True
    )


def test_threads(mpi: Mpi, link: Link, tmp_path: Path) -> None:
    run(mpi, tmp_path, link("introspection.c"), "threads", ranks=2)


def test_outside_of_mpi(mpi: Mpi, link: Link, tmp_path: Path) -> None:
    run(mpi, tmp_path, link("introspection.c"), "closed", ranks=1)


def test_preloaded(mpi: Mpi, link: Link, tmp_path: Path) -> None:
    program = link("introspection.c")
    done = recording.run_on(mpi, mpi.launch(RANKS, program, *CHECKED, "inside"), tmp_path / "all.rankwise")
    assert done.process.returncode == 0, done.process.stdout + done.process.stderr
    assert_broadcasts(done.process.stdout, visible_within_a_node(mpi))
    # Rings of `counts`: nothing that sessions do themselves is in the profile, and nothing is there twice.
    assert set(done.calls("MPI_Sendrecv", "W")) == set(range(RANKS))
    assert done.calls("MPI_Gather", "W")[0][0] == 1  # of `logical`; not that of MPI_M_rootgather_data
    assert done.calls("MPI_Allgather", "W")[0][0] == 1


def test_profile_is_the_same(mpi: Mpi, compiled: Compile, link: Link, tmp_path: Path) -> None:
    """Under `rankwise run` the library that the program is linked with stands back."""
    plain = recording.run_on(
        mpi, mpi.launch(RANKS, compiled(mpi, "collectives.c")), tmp_path / "plain.rankwise"
    )
    linked = recording.run_on(mpi, mpi.launch(RANKS, link("collectives.c")), tmp_path / "linked.rankwise")
    assert linked.process.returncode == plain.process.returncode == 0, linked.process.stderr
    assert linked.calls("MPI_Init") == plain.calls("MPI_Init") == dict.fromkeys(range(RANKS), (1, 0, 0))
    assert linked.rows(CALLS) == plain.rows(CALLS)
    assert linked.rows(MESSAGES) == plain.rows(MESSAGES)
    assert (linked.warnings, linked.dropped) == (plain.warnings, plain.dropped)


def look_at_examples(mpi: Mpi, printed_by: Callable[[str], str]) -> None:
    # Launchers may put a line of one rank into that of another.
    assert sorted(re.findall(r"rank \d to the \w+ ranks: \d \d", printed_by("even_odd"))) == [
        "rank 0 to the even ranks: 0 1",
        "rank 1 to the odd ranks: 0 1",
        "rank 2 to the even ranks: 1 0",
        "rank 3 to the odd ranks: 1 0",
    ]
    printed = printed_by("two_sessions")
    assert printed.count("(by definition 24000)") == 1 + RANKS  # the broadcast at its root, and the reduction
    head, *rows = printed_by("barrier").splitlines()
    assert head == "messages of one MPI_Barrier, a line for each sender"
    assert [len(row.split()) for row in rows] == [RANKS] * RANKS
    if mpi.family == "openmpi":
        assert any(int(messages) for row in rows for messages in row.split())


@pytest.mark.parametrize("mpi", libraries.ONE_OF_EACH, ids=lambda mpi: mpi.name, indirect=True)
def test_examples(mpi: Mpi, link: Link, tmp_path: Path) -> None:
    look_at_examples(mpi, lambda name: run(mpi, tmp_path, link(EXAMPLES / f"{name}.c")))


bindings = pytest.mark.only_on(lambda mpi: mpi.mpifort, "no Fortran bindings here")


def in_fortran(mpi: Mpi, source: Path, tmp_path: Path) -> Path:
    program = tmp_path / source.stem
    words = [mpi.mpifort, "-J", str(tmp_path), "-o", str(program), *flags("--monitoring-module")]
    words += [str(source), *flags("--monitoring")]
    subprocess.run(words, check=True, timeout=LIMIT_SECONDS, env=mpi.env())
    return program


@bindings
@pytest.mark.parametrize("mpi", libraries.ONE_OF_EACH, ids=lambda mpi: mpi.name, indirect=True)
def test_examples_in_fortran(mpi: Mpi, tmp_path: Path) -> None:
    look_at_examples(
        mpi, lambda name: run(mpi, tmp_path, in_fortran(mpi, EXAMPLES / f"{name}.f90", tmp_path))
    )


@bindings
@pytest.mark.parametrize("source", ["introspection.f90", "introspection_f08.f90"])
def test_fortran(mpi: Mpi, tmp_path: Path, source: str) -> None:
    run(mpi, tmp_path, in_fortran(mpi, PROGRAMS / source, tmp_path))

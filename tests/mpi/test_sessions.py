"""Programs with sessions: nothing is lost without MPI_Init, and all give a communicator the same name."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from libraries import Mpi
from recording import LIMIT_SECONDS, Compile, Record, Recording, run_on

pytestmark = pytest.mark.each_family

ALL = "forg.rankwise/all-of-us:0"


@pytest.fixture
def library(mpi: Mpi, tmp_path: Path) -> Mpi:
    """A library that has sessions."""
    source = tmp_path / "has.c"
    source.write_text("#include <mpi.h>\nint main(void) { return MPI_Session_finalize(0); }\n")
    words = [mpi.mpicc, "-Werror", "-o", str(source.with_suffix("")), str(source), *mpi.compile_options]
    if subprocess.run(words, capture_output=True, timeout=LIMIT_SECONDS, env=mpi.env()).returncode:
        pytest.skip(f"{mpi.name} has no sessions")
    return mpi


def plain_names(done: Recording) -> dict[str, str]:
    """Members by name without hashes; sorted by name."""
    return {re.sub(r"~[0-9a-f]{8}", "", name): members for name, members in done.communicators().items()}


def volumes(done: Recording) -> dict[str, dict[tuple[int, int], tuple[int, int]]]:
    """Messages by communicator and pair of world ranks, names without hashes."""
    by_name = {re.sub(r"~[0-9a-f]{8}", "", name): done.messages(name) for name in done.communicators()}
    return {name: messages for name, messages in by_name.items() if messages}


def ring(members: list[int], size: int) -> dict[tuple[int, int], tuple[int, int]]:
    """One message of a size from each to the next."""
    return {(member, members[(i + 1) % len(members)]): (1, size) for i, member in enumerate(members)}


WORK = {
    ALL: ring([0, 1, 2], 10),
    f"{ALL}#2": ring([0, 1, 2], 20),
    "fpart:1": ring([1, 2], 30),
    "ybridge:0": {(0, 2): (1, 1)},
}


@pytest.mark.usefixtures("library")
def test_a_session_alone(record: Record) -> None:
    """No MPI_Init, no MPI_COMM_WORLD: ranks, names, members and messages are there all the same."""
    done = record("sessions.c", 3, "s")
    assert done.process.stdout.count("done") == 3
    assert plain_names(done) == {
        "W": "0-2",
        ALL: "0-2",
        f"{ALL}_s1.0": "0",
        f"{ALL}_s1.1": "1-2",
        f"{ALL}#2": "0-2",
        "fpart:1": "1-2",
        "ybridge:0": "0",
    }
    assert volumes(done) == WORK
    assert done.calls("MPI_Session_init") == dict.fromkeys(range(3), (1, 0, 0))
    assert done.calls("MPI_Session_finalize") == dict.fromkeys(range(3), (1, 0, 0))
    assert done.calls("MPI_Comm_create_from_group") == {0: (2, 0, 0), 1: (3, 0, 0), 2: (3, 0, 0)}
    assert done.calls("MPI_Intercomm_create_from_groups") == dict.fromkeys(range(3), (1, 0, 0))
    assert done.calls("MPI_Barrier") == dict.fromkeys(range(3), (1, 0, 0))
    assert done.rows("SELECT ranks_expected, ranks_seen, partial, not_covered FROM run") == [(3, 3, 0, "[]")]
    assert done.warnings == []


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize("order", ["wsf", "twfe", "wtfe"])
def test_a_session_beside_the_world(record_if_able: Record, order: str) -> None:
    """The recording goes on as long as the world or a session is open, in whichever order they close."""
    done = record_if_able("sessions.c", 3, order)
    expected = {"W": ring([0, 1, 2], 50)}
    expected |= WORK if "s" in order else {"fkept:0": ring([0, 1, 2], 40)}
    assert volumes(done) == expected
    assert done.calls("MPI_Init") == done.calls("MPI_Finalize") == dict.fromkeys(range(3), (1, 0, 0))
    assert {state for (state,) in done.rows("SELECT state FROM ranks")} == {"finalized"}
    assert done.warnings == []


@pytest.mark.usefixtures("library")
def test_mpi_is_opened_again(record_if_able: Record) -> None:
    """What comes after the last session was finalised is recorded as well, in the same profile."""
    done = record_if_able("sessions.c", 3, "sswf")
    twice = {name: {pair: (m, b) for pair, (m, b) in pairs.items()} for name, pairs in WORK.items()}
    twice |= {f"{ALL}#3": WORK[ALL], f"{ALL}#4": WORK[f"{ALL}#2"]}
    twice |= {"fpart:1#2": WORK["fpart:1"], "ybridge:0#2": WORK["ybridge:0"], "W": ring([0, 1, 2], 50)}
    assert volumes(done) == twice
    assert done.calls("MPI_Session_init") == dict.fromkeys(range(3), (2, 0, 0))
    assert done.rows("SELECT partial FROM run") == [(0,)]
    assert done.warnings == []


def test_a_session_before_the_world_keeps_its_order(library: Mpi, compiled: Compile, tmp_path: Path) -> None:
    """The communicators of the session have the launcher's order already; `rankwise run --place` says so."""
    words = library.launch(3, compiled(library, "sessions.c"), "twfe")
    plain = subprocess.run(words, capture_output=True, timeout=LIMIT_SECONDS, env=library.env())
    if plain.returncode:
        pytest.skip(f"{library.name} itself fails (status {plain.returncode})")
    order = tmp_path / "order"
    order.write_text("2,0,1\n")
    done = run_on(library, words, tmp_path / "a.rankwise", "--place", str(order))
    assert done.process.returncode == 0, done.process.stderr
    assert volumes(done) == {"W": ring([0, 1, 2], 50), "fkept:0": ring([0, 1, 2], 40)}
    [why] = done.warnings
    assert "a session before MPI_Init" in why

"""What the views say of the messages inside collectives of programs/collectives.c, on every MPI."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import libraries
import pytest
from libraries import Mpi
from recording import Compile, Record, run_on

from golden import assert_facts
from rankwise.__main__ import main
from rankwise.analysis.collectives.asked import CLASSES, collectives
from rankwise.analysis.collectives.patterns import algorithms
from rankwise.analysis.collectives.visibility import NOT_VISIBLE

RANKS = 5
OPENMPI = [mpi for mpi in libraries.ALL if mpi.family == "openmpi"]


def test_every_collective_shows_messages_or_says_why_not(
    mpi: Mpi, record: Record, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = record("collectives.c", RANKS)
    states = {state for (state,) in run.rows("SELECT transport_state FROM ranks")}
    with run.database as database:
        rows = [row for row in collectives(database) if row.class_name in CLASSES]
        shapes = algorithms(database)
    assert len(rows) > 20
    for row in rows:
        assert (row.messages is None) == row.visibility.text.startswith(NOT_VISIBLE), row
        assert row.messages != 0
    if states != {"active"}:
        assert all(row.messages is None for row in rows)
        assert {row.text.partition(":")[0] for row in shapes} == {NOT_VISIBLE}
    else:
        # All ranks were read, so nothing is unknown, and nothing is missing.
        assert run.rows("SELECT COUNT(*) FROM messages WHERE kind = 'in-collective' AND destination < 0") == [
            (0,)
        ]
        incomplete = run.rows(
            "SELECT patterns.id FROM patterns JOIN communicators ON communicators.id = communicator"
            " WHERE NOT complete AND remote_size = 0"
        )
        assert incomplete == []
    if mpi.family == "openmpi":
        assert states == {"active"}
        assert sum(row.algorithm is not None for row in shapes) > 10
    monkeypatch.setenv("COLUMNS", "80")
    for view in (["--by", "collective"], ["--by", "algorithm"], ["--by", "pair"], ["--matrix"]):
        assert main(["show", str(run.path), *view]) == 0
        assert max(map(len, capsys.readouterr().out.splitlines())) <= 80


@pytest.mark.parametrize("mpi", OPENMPI, ids=lambda mpi: mpi.name)
def test_shared_memory_beside_messages(
    mpi: Mpi, compiled: Compile, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Open MPI's coll/sm sends messages in the first call alone, to set itself up."""
    environment = {**mpi.environment, "OMPI_MCA_coll_sm_priority": "90", "OMPI_MCA_coll": "^han"}
    by_shared_memory = replace(mpi, environment=environment)
    sizes = [8, 800, 80_000]
    steps = [f"Bcast:{size}" for size in sizes]
    words = by_shared_memory.launch(RANKS, compiled(mpi, "algorithms.c"), *steps, "Alltoall:8")
    done = run_on(by_shared_memory, words, tmp_path / "shared.rankwise")
    assert done.process.returncode == 0, done.process.stderr
    with done.database as database:
        rows = {row.procedure: row for row in collectives(database)}
        shapes = {row.size: row for row in algorithms(database) if row.procedure == "MPI_Bcast"}
    broadcast, exchange = rows["MPI_Bcast"], rows["MPI_Alltoall"]
    assert broadcast.messages is not None
    assert broadcast.factor is None
    assert not broadcast.visibility.whole
    assert_facts(broadcast.visibility.text, "2 .. 3")
    assert {shapes[size].algorithm for size in sizes} == {None}
    # It does no Alltoall, so all of this is seen.
    assert exchange.visibility.text == ""
    assert exchange.factor is not None
    assert exchange.factor >= (RANKS - 1) / RANKS
    assert main(["show", str(done.path), "--matrix"]) == 0
    last_line = capsys.readouterr().out.splitlines()[-1]
    assert_facts(last_line, "--by collective")

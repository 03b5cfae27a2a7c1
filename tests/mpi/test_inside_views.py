"""What the views say of the messages inside collectives of programs/collectives.c, on every MPI."""

from __future__ import annotations

import pytest
from libraries import Mpi
from recording import Record

from rankwise.__main__ import main
from rankwise.analysis.collectives import CLASSES, collectives
from rankwise.analysis.patterns import algorithms
from rankwise.analysis.visibility import NOT_VISIBLE

RANKS = 5


def test_every_collective_shows_messages_or_says_why_not(
    mpi: Mpi, record: Record, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = record("collectives.c", RANKS)
    states = {state for (state,) in run.rows("SELECT transport_state FROM ranks")}
    with run.database as database:
        found = [row for row in collectives(database) if row.class_name in CLASSES]
        shapes = algorithms(database)
    assert len(found) > 20
    for row in found:
        assert (row.messages is None) == row.visibility.text.startswith(NOT_VISIBLE), row
        assert row.messages != 0
    if states != {"active"}:
        assert all(row.messages is None for row in found)
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
    for view in (["--by", "collective"], ["--by", "algorithm"], ["--by", "pair"], ["--matrix", "rank"]):
        assert main(["show", str(run.path), *view]) == 0
        assert max(map(len, capsys.readouterr().out.splitlines())) <= 80

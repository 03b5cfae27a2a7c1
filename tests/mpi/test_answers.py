"""Runs as data, on every MPI: the answers are those of the command line, and what differs is told exactly."""

from __future__ import annotations

import json
from pathlib import Path

import recording
from libraries import Mpi
from recording import Compile, rankwise

import rankwise as package
from rankwise.views.by import VIEWS

RANKS, CALLS = 2, 40
SMALL, LARGE = 64, 1 << 20


def recorded(mpi: Mpi, program: Path, name: str, calls: int, size: int) -> Path:
    command = mpi.launch(RANKS, program, str(calls), str(size))
    done = recording.run_on(mpi, command, program.parent / f"{program.name}.{name}.rankwise", "--force")
    assert done.process.returncode == 0, done.process.stderr
    return done.path


def test_a_larger_broadcast(mpi: Mpi, compiled: Compile) -> None:
    program = compiled(mpi, "broadcasts.c")
    before = recorded(mpi, program, "small", CALLS, SMALL)
    after = recorded(mpi, program, "large", CALLS + 6, LARGE)
    answer = package.diff(before, after, fail_above=100, metric="bytes_sent")
    (row,) = (row for row in answer.found.rows["communicator_calls"] if row.procedure == "MPI_Bcast")
    assert row.user_name == "mine"
    assert row.only == ""
    # All ranks call, the root sends.
    assert (row.calls.before, row.calls.after, row.calls.change) == (RANKS * CALLS, RANKS * (CALLS + 6), 12)
    assert (row.calls.verdict, row.calls.exact) == ("more", True)
    assert (row.bytes_sent.before, row.bytes_sent.after) == (CALLS * SMALL, (CALLS + 6) * LARGE)
    assert row.seconds.verdict == "unknown"
    # No other call differs in number, and Bcast explains all of the bytes.
    others = [row for row in answer.found.rows["calls"] if row.procedure != "MPI_Bcast"]
    assert others
    assert {(row.calls.verdict, row.bytes_sent.verdict) for row in others} == {("same", "same")}
    assert answer.found.figure("bytes_sent").value.change == row.bytes_sent.change
    assert answer.failed
    assert rankwise("diff", before, after, "--fail-above", "100%", "--metric", "bytes_sent").returncode == 1


def test_equal_runs(mpi: Mpi, compiled: Compile) -> None:
    program = compiled(mpi, "broadcasts.c")
    runs = [recorded(mpi, program, f"equal-{number}", CALLS, SMALL) for number in range(6)]
    difference = package.diff(runs[:3], runs[3:]).found
    assert difference.noise_known
    assert difference.renamed == {}
    # (Other programs may have taken processors.)
    assert not [sentence for sentence in difference.unlike if "processors" not in sentence]
    for kind, rows in difference.rows.items():
        for row in rows:
            assert row.only == "", (kind, row)
            assert (row.calls.verdict, row.calls.exact) == ("same", True), (kind, row)
            assert (row.bytes_sent.verdict, row.bytes_sent.exact) == ("same", True), (kind, row)
    # (Of times nothing can be promised on a machine that others use: tests/unit/test_diff.py plants them.)
    done = rankwise("diff", *runs[:3], "--", *runs[3:])
    assert done.returncode == 0, done.stderr
    assert "Mann-Whitney" in " ".join(done.stdout.split())


def test_answers_are_those_of_the_command_line(mpi: Mpi, compiled: Compile) -> None:
    profile = package.open(recorded(mpi, compiled(mpi, "broadcasts.c"), "answers", CALLS, SMALL))
    assert profile.run.ranks == RANKS
    for name in VIEWS:
        view = profile.view(name)
        done = rankwise("show", profile.path, "--by", name, "--json")
        assert done.returncode == 0, done.stderr
        assert json.loads(json.dumps(view.data)) == json.loads(done.stdout)
        for key in view.names:
            assert len(view.to_pandas(key)) == len(view.rows(key))
    calls = profile.calls(communicator="mine").to_pandas().set_index("procedure")
    assert calls.loc["MPI_Bcast", ["calls", "bytes_sent"]].tolist() == [RANKS * CALLS, CALLS * SMALL]
    assert calls.loc["MPI_Barrier", "calls"] == RANKS
    inside = profile.matrix(call="Bcast")
    sent = profile.pairs(call="Bcast").to_pandas()
    assert inside.to_numpy().sum() == (sent.bytes.sum() if len(sent) else 0)

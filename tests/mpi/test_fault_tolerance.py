"""Procedures for fault tolerance (MPIX_), which some libraries have: programs/fault_tolerance.c."""

from __future__ import annotations

from recording import Record

RANKS = range(2)


def test_fault_tolerance(record_if_able: Record) -> None:
    done = record_if_able("fault_tolerance.c", len(RANKS))  # MPICH has the names, and nothing behind some
    has = {line.split()[1] for line in done.process.stdout.splitlines() if line.startswith("has ")}
    each = dict.fromkeys(RANKS, (1, 0, 0))
    expected = {
        "MPIX_Comm_agree": ("W", dict.fromkeys(RANKS, (3, 0, 0))),
        "MPIX_Comm_iagree": ("W", each),
        "MPIX_Comm_shrink": ("W", each),
        "MPIX_Comm_revoke": (f"W_d{1 + ('MPIX_Comm_shrink' in has)}", {0: (1, 0, 0)}),
    }
    for name, (communicator, calls) in expected.items():
        assert done.calls(name, communicator) == done.calls(name) == (calls if name in has else {})
    if "MPIX_Comm_iagree" in has:
        assert done.calls("MPI_Wait", "W") == each
    if "MPIX_Comm_shrink" in has:
        assert done.communicators()["W_v1"] == "0-1"
        assert done.calls("MPI_Barrier", "W_v1") == each
    assert done.rows("SELECT not_covered FROM run") == [("[]",)]

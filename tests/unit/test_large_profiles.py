"""The large profiles that tests make are what they say: Rankwise reads their sums back."""

from __future__ import annotations

from pathlib import Path

import large_profiles
import pytest
from large_profiles import FACES, STEPS, Grid

from rankwise.analysis.opened import opened_profile
from rankwise.reading.profile import open_profile

SMALL = Grid(8, 4, 4)


@pytest.fixture(scope="module")
def stencil(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return large_profiles.kept_stencil(tmp_path_factory, SMALL)


def test_stencil_has_the_messages_it_says(stencil: Path) -> None:
    with opened_profile(stencil) as connection:
        sums = {
            (kind, name): (messages, size)
            for kind, name, messages, size in connection.execute(
                "SELECT kind, name, SUM(messages), SUM(bytes) FROM messages"
                " JOIN procedures ON procedures.id = procedure GROUP BY kind, name"
            )
        }
    assert sums == {
        ("point-to-point", "MPI_Isend"): (SMALL.halo_messages, SMALL.halo_bytes),
        ("in-collective", "MPI_Allreduce"): (SMALL.reduced_messages, 8 * SMALL.reduced_messages),
        ("in-collective", "MPI_Alltoall"): (SMALL.column_messages, 64 * SMALL.column_messages),
    }


def test_neighbours_get_their_faces(stencil: Path) -> None:
    cells = {
        (cell["source"], cell["destination"]): cell["bytes"]
        for cell in open_profile(stencil).matrix(kind="point-to-point").data["matrix"]["cells"]
    }
    # Rank 9 is at (1, 1, 0) of 8 x 4 x 4: its neighbours along x, y and z, around the edge, too.
    assert {other: size for (source, other), size in cells.items() if source == 9} == {
        10: STEPS * FACES[0],
        8: STEPS * FACES[0],
        17: STEPS * FACES[1],
        1: STEPS * FACES[1],
        41: STEPS * FACES[2],
        105: STEPS * FACES[2],
    }


def test_all_wait_for_the_slow_node(stencil: Path) -> None:
    with opened_profile(stencil) as connection:
        (seconds,) = connection.execute(
            "SELECT SUM(seconds) FROM calls JOIN procedures ON procedures.id = procedure"
            " WHERE name = 'MPI_Allreduce'"
        ).fetchone()
        rows = connection.execute(
            "SELECT host, SUM(mpi) FROM ranks GROUP BY host ORDER BY SUM(mpi)"
        ).fetchall()
    fast = SMALL.ranks - large_profiles.RANKS_A_NODE
    assert seconds == pytest.approx(fast * SMALL.reduced_s)
    assert rows[0][0] == large_profiles.node_name(SMALL.slow_node)


def test_it_is_a_complete_run(stencil: Path) -> None:
    with opened_profile(stencil) as connection:
        assert connection.execute("SELECT partial, ranks_seen FROM run").fetchone() == (0, SMALL.ranks)
        assert connection.execute("SELECT COUNT(*) FROM warnings").fetchone() == (0,)


def test_dense_is_from_each_to_each(tmp_path: Path) -> None:
    path = large_profiles.write_dense(tmp_path / "dense.rankwise", 32)
    with opened_profile(path) as connection:
        row = connection.execute("SELECT COUNT(*), MIN(bytes), MAX(bytes) FROM messages").fetchone()
    assert row == (32 * 32, STEPS * 64, STEPS * 64)

"""What is not known of waiting is said first, by the same number everywhere; nobody is named from little."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_profile import Made

from rankwise.analysis.evidence import Evidence
from rankwise.analysis.opened import opened_profile
from rankwise.diagnosis.kept import diagnosis
from rankwise.diagnosis.sentences import waiting_fields
from rankwise.render.page.container import Container
from rankwise.render.page.contents.overview_figures import late_part
from rankwise.render.page.contents.parts.balance import balance_data
from rankwise.render.page.contents.subject import subject
from rankwise.views.by.waiting import view
from rankwise.views.view import Detail

UNKNOWN = (
    "MPI_Win_fence",
    "MPI_Win_complete",
    "MPI_Neighbor_alltoall",
    "MPI_Test",
    "MPI_Parrived",
    "MPI_Comm_split",
)


def said(path: Path, procedure: str, seconds: float) -> list[str]:
    """Three of four ranks wait 0.1 s in a barrier for rank 2; and each is in a call of another kind.

    Returns:
        what the summary, the view, and the pages Overview and Balance say of waiting.
    """
    made = Made()
    for rank in range(4):
        made.call(rank, "MPI_Barrier", 0.0 if rank == 2 else 0.1)
        made.call(rank, procedure, seconds)
    made.instance("MPI_Barrier", 1, (1.0, 1.0, 1.1, 1.0), 1.1)
    with opened_profile(made.write(path / "a.rankwise")) as connection:
        of = subject(path / "a.rankwise", connection, Container())
        return [
            " ".join(waiting_fields(diagnosis(Evidence(connection)))),
            view(connection, Detail.BRIEF).title,
            late_part(of)["title"] + late_part(of)["missing"],
            balance_data(of)["late"]["title"],
        ]


@pytest.mark.parametrize("procedure", UNKNOWN)
def test_nobody_is_named_from_a_small_part(tmp_path: Path, procedure: str) -> None:
    """Of 3 s in MPI 2.7 are in calls of which nobody knows whether they waited."""
    for text in said(tmp_path, procedure, 0.675):
        assert "90.0 %" in text
        assert "ank 2" not in text


@pytest.mark.parametrize("procedure", UNKNOWN)
def test_the_share_is_of_what_is_known(tmp_path: Path, procedure: str) -> None:
    """Of 0.4 s in MPI 0.1 are in such calls: the rest is waiting for one rank."""
    fields, title, overview, balance = said(tmp_path, procedure, 0.025)
    assert "25.0 %" in fields
    assert "ank 2" in fields
    for text in (title, overview, balance):
        assert "ank 2" in text
        assert "100.0 %" in text


def test_little_is_not_worth_a_word(tmp_path: Path) -> None:
    for text in said(tmp_path, "MPI_Win_fence", 0.001):
        assert "1.3 %" not in text
        assert "ank 2" in text

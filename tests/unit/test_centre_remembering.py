"""The engine itself would give the same answers, in any order of questions."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("duckdb")

from centre_made import planted_month

from rankwise.centre import questions
from rankwise.centre.asked import Asked
from rankwise.centre.engines.duckdb_engine import DuckDB
from rankwise.centre.engines.remembering import Remembering
from rankwise.centre.store import Store


def test_answers_are_those_of_the_engine_in_any_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planted_month(tmp_path / "store")
    asked = [
        Asked(),
        Asked(user="alice"),
        Asked(program="vasp"),
        Asked(user="bob"),
        Asked(since="2026-10-10"),
    ]
    with DuckDB(Store(tmp_path / "store"), threads=1) as engine:  # (Others add in any order.)
        remembering = Remembering(engine)
        for one in (*asked, *reversed(asked)):
            for question in (questions.waste, questions.jobs, questions.trends, questions.programs):
                assert question(remembering, one, 5) == question(engine, one, 5), (one, question)
        monkeypatch.setattr(engine, "ask", None)  # nothing is asked twice
        for one in asked:
            questions.jobs(remembering, one, 5)

"""The wheel of a release, and a profile."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from released import ROOT, only


@pytest.fixture(scope="session")
def wheel() -> Path:
    return only(f"rankwise-*_{os.uname().machine}.whl")


@pytest.fixture(scope="session")
def profile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The profile that is kept of the first release."""
    path = tmp_path_factory.mktemp("profile") / "kept.rankwise"
    kept = ROOT / "tests" / "references" / "releases" / "0.1.0.sql"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(kept.read_text(encoding="utf-8"))
    return path

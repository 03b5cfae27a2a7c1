"""What is on the screen, word by word. Here alone: all other tests ask for what the words are made of."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from screens_made import WIDTH, Screen
from screens_of_jobs import SCREENS as OF_JOBS
from screens_of_profiles import SCREENS as OF_PROFILES
from screens_of_runs import SCREENS as OF_RUNS

from golden import Golden

SCREENS = OF_PROFILES | OF_JOBS | OF_RUNS
FOLDER = Path(__file__).with_name("screens")
OTHER_ARGPARSE = "argparse words what it says otherwise since Python 3.12"


@pytest.fixture(autouse=True)
def greenwich(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Times of day are those of the reader's place."""
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "UTC")
        time.tzset()
        yield
    time.tzset()


@pytest.mark.parametrize(("name", "screen"), SCREENS.items(), ids=SCREENS)
def test_a_screen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, golden: Golden, name: str, screen: Screen
) -> None:
    if name.startswith("help") and sys.version_info >= (3, 12):
        pytest.skip(OTHER_ARGPARSE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", str(WIDTH))
    golden.check(FOLDER / f"{name}.txt", screen(tmp_path).replace(str(tmp_path), "/DIR"))


def test_no_screen_is_left_over() -> None:
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(SCREENS)

"""Golden files: whole screens as text, which `make screens` writes anew from what Rankwise says now."""

from __future__ import annotations

from pathlib import Path

import pytest

_OPTION = "--rewrite-screens"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(_OPTION, action="store_true", help="write golden files anew instead of comparing them")


class Golden:
    """Compares texts with files, or rewrites the files."""

    def __init__(self, *, rewrite: bool) -> None:
        self._rewrite = rewrite

    def check(self, path: Path, text: str) -> None:
        """Fail if the file holds something else; `make screens` makes it hold this text."""
        if self._rewrite:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        kept = path.read_text(encoding="utf-8") if path.exists() else ""
        assert text.splitlines() == kept.splitlines(), f"{path.name}: `make screens` writes it anew"


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    return Golden(rewrite=request.config.getoption(_OPTION))

"""Words in golden files, which `make screens` writes anew: whole screens, and single sentences by test.

A test hands what Rankwise says to `golden` and names the facts that must be in it. The words are in files of
`tests/unit/screens/`, so that another wording changes files, and no test.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

_OPTION = "--rewrite-screens"
_SENTENCES = Path(__file__).parent / "unit" / "screens" / "sentences"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(_OPTION, action="store_true", help="write golden files anew instead of comparing them")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what has nothing to rewrite."""
    if config.getoption(_OPTION):
        items[:] = [item for item in items if "golden" in getattr(item, "fixturenames", ())]


class Golden:
    """Compares texts with files, or rewrites the files."""

    def __init__(self, test: str, file: Path, places: dict[str, str], *, rewrite: bool) -> None:
        self._test, self._file, self._places, self._rewrite = test, file, places, rewrite
        self._said: list[str] = []

    def check(self, path: Path, text: str) -> None:
        """Fail if the file holds something else; `make screens` makes it hold this text."""
        if self._rewrite:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        kept = path.read_text(encoding="utf-8") if path.exists() else ""
        assert text.splitlines() == kept.splitlines(), f"{path.name}: `make screens` writes it anew"

    def says(self, said: object, facts: str = "") -> None:
        """Fail unless these are the words that are kept, and the facts are in them in this order.

        Args:
            said: a sentence or a few.
            facts: names and numbers, with ` .. ` between them.
        """
        text = str(said).strip()
        assert_facts(text, facts)
        for place, name in self._places.items():
            text = text.replace(place, name)
        self._said.append(_as_ascii(text))
        if self._rewrite:
            self._write()
        kept = [text for test, text in _kept(self._file) if test == self._test]
        assert kept[: len(self._said)] == self._said, "`make screens` writes it anew"

    def _write(self) -> None:
        others = [(test, text) for test, text in _kept(self._file) if test != self._test]
        lines = [f"{test}\t{text}\n" for test, text in others]
        lines += [f"{self._test}\t{text}\n" for text in self._said]
        self._file.parent.mkdir(parents=True, exist_ok=True)
        self._file.write_text("".join(sorted(lines, key=_test_of)), encoding="utf-8")


def assert_facts(text: str, facts: str) -> None:
    """Fail unless the facts are in one paragraph of a text, in this order; between them is ` .. `."""
    pattern = ".*?".join(map(_as_word, facts.split(" .. ")))
    paragraphs = [" ".join(block.split()) for block in re.split(r"\n\s*\n", text)]
    assert any(re.search(pattern, paragraph) for paragraph in paragraphs), f"{facts!r} is not in {text!r}"


def assert_complaint(said: str, facts: str = "") -> None:
    """Fail unless Rankwise says one line, which has these facts in this order."""
    assert said.startswith("rankwise: "), said
    assert said.count("\n") == 1, said
    assert_facts(said, facts)


def _as_word(fact: str) -> str:
    """Return the pattern of a fact, which is no part of a longer number."""
    before = r"(?<![\w.])" if fact[:1].isdigit() else ""
    after = r"(?!\w|\.\d)" if fact[-1:].isdigit() else ""
    return before + re.escape(fact) + after


def _as_ascii(text: str) -> str:
    return text.encode("unicode_escape").decode("ascii")


def _test_of(line: str) -> str:
    return line.partition("\t")[0]


def _kept(file: Path) -> list[tuple[str, str]]:
    if not file.exists():
        return []
    lines = file.read_text(encoding="utf-8").splitlines()
    return [(_test_of(line), line.partition("\t")[2]) for line in lines]


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    places = {str(request.config.rootpath): "/CHECKOUT"}
    if "tmp_path" in request.fixturenames:
        places[str(request.getfixturevalue("tmp_path"))] = "/DIR"
    return Golden(
        _as_ascii(request.node.name),
        _SENTENCES / f"{request.path.stem.removeprefix('test_')}.txt",
        places,
        rewrite=request.config.getoption(_OPTION),
    )

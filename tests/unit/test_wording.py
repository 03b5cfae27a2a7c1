"""Tests assert facts: the words of sentences are in golden files (`tests/golden.py`), and can change.

This looks at all folders of tests, and also at the helpers in them.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

TESTS = Path(__file__).parents[1]
LISTED = Path(__file__).with_name("wording.txt")
"""How many such strings there still are, by file. The numbers may only shrink."""
SENTENCE = re.compile(r"(?:^|(?<=[\s(]))[a-z][a-z']*(?: [a-z][a-z']*){3,}(?![\w-])")


WORDS = ("match", "has_text", "has_not_text")
"""Arguments by which an exception or an element of a page is known by its words."""
EXPECTING = ("assert_facts", "assert_complaint", "says", "parametrize", "get_by_text", "wait_for_selector")
"""Functions whose arguments say what a test expects."""


def asserted(tree: ast.AST) -> Iterator[ast.expr]:
    """Yield what is asserted: by `assert`, by what looks for words, in the cases of parametrised tests."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert):
            yield node.test
        elif isinstance(node, ast.Call):
            yield from (keyword.value for keyword in node.keywords if keyword.arg in WORDS)
            if ast.unparse(node.func).rpartition(".")[2] in EXPECTING:
                yield from node.args


def sentences(source: str) -> set[tuple[int, str]]:
    """Return the strings with four lower-case words in a row in what is asserted, with their lines."""
    return {
        (node.lineno, node.value)
        for expression in asserted(ast.parse(source))
        for node in ast.walk(expression)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and SENTENCE.search(node.value)
    }


def listed() -> dict[str, int]:
    lines = (line.split() for line in LISTED.read_text(encoding="utf-8").splitlines())
    return {name: int(count) for count, name in lines}


@cache
def counted() -> dict[str, int]:
    counts = {path: len(sentences(path.read_text(encoding="utf-8"))) for path in TESTS.rglob("*.py")}
    return {path.relative_to(TESTS).as_posix(): count for path, count in counts.items() if count}


def test_words_are_seen_where_they_are_asserted() -> None:
    words = '"of 3: nothing is written here"'
    assert len(sentences(f"assert {words} in text")) == 1
    assert len(sentences(f"pytest.raises(ValueError, match={words})")) == 1
    assert len(sentences(f'@pytest.mark.parametrize("a", [(1, {words})])\ndef test(a): ...')) == 1
    assert len(sentences(f"assert_facts(text, {words})")) == 1
    assert len(sentences(f"page.get_by_text({words})")) == 1
    assert len(sentences(f"page.filter(has_text={words})")) == 1
    assert not sentences(f"say({words})\nassert 'rankwise show a.rankwise --by rank' in text")


def test_no_test_asserts_more_words_than_before() -> None:
    most = listed()
    more = {name: count for name, count in counted().items() if count > most.get(name, 0)}
    assert not more, "assert facts, and hand the words to the fixture `golden`"


def test_what_was_made_better_stays_so() -> None:
    now = counted()
    fewer = {name: now.get(name, 0) for name, count in listed().items() if now.get(name, 0) < count}
    assert not fewer, f"write these smaller numbers into {LISTED.name}, and leave out those of 0"

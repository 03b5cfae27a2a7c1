"""One idea has one spelling on the command line, and one spelling has one idea."""

from __future__ import annotations

import argparse
import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import rankwise
from rankwise.__main__ import parsers

# What was there before, and what it is called: one idea with two spellings, or one spelling with two ideas.
RETIRED = {
    "--apply": "--output",
    "--continue": "the same command once more",
    "--guidelines": "the sub-verb guidelines",
    "--live-dir": "--run-dir",
    "--nodes": "--node",
    "--only": "--call, or --inside of run",
    "--only-kind": "--kind",
    "--parameters": "the sub-verb parameters",
    "--predict": "the sub-verb predict",
    "--reorder-machine": "--machine",
    "--save": "the sub-verb save",
    "--time-limit": "--budget",
    "--to": "--format",
    "--verify": "the sub-verb verify",
}
# What an option takes has one name and is read in one way; these show what is special in a verb's own words.
OWN_WORDS = {"--by", "--format", "--of", "--output", "--place", "--size"}
# A way of reading a value that belongs to one option, and what the value is called.
READ_AS = {"_row_limit": ("--limit", "N"), "_seed": ("--seed", "N")}
METAVARS = {"duration": "TIME", "_percent": "PERCENT", "percentage": "PERCENT"}


def options() -> Iterator[tuple[str, argparse.Action]]:
    """All options of all verbs, each with the verb."""
    for verb, parser in parsers().items():
        for action in parser._actions:
            if action.option_strings:
                yield verb, action


@cache
def by_spelling() -> dict[str, list[tuple[str, argparse.Action]]]:
    spellings = defaultdict(list)
    for verb, action in options():
        spellings[action.option_strings[-1]].append((verb, action))
    return dict(spellings)


def reader(action: argparse.Action) -> str:
    return getattr(action.type, "__name__", "text")


def test_what_is_retired_stays_so() -> None:
    assert not RETIRED.keys() & by_spelling().keys()
    [top] = by_spelling()["--top"]
    assert top[0] == "run"  # which shows the job as `rankwise top` does


def test_no_sentence_names_an_option_that_is_retired() -> None:
    """A cure that names one can't be followed."""
    named = defaultdict(set)
    for path in Path(rankwise.__file__).parent.rglob("*.py"):
        if path.name == "containers.py":  # the options of others
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                for option in RETIRED.keys() & set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", node.value)):
                    named[option].add(path.name)
    assert named == {}


@pytest.mark.parametrize("spelling", by_spelling())
def test_a_spelling_has_one_idea(spelling: str) -> None:
    def idea(action: argparse.Action) -> tuple[Any, ...]:
        return tuple(action.option_strings), action.nargs, action.metavar, reader(action), str(action.choices)

    ideas = {idea(action) for _, action in by_spelling()[spelling]}
    if spelling in OWN_WORDS:  # no more is special than what is taken
        ideas = {(names, nargs) for names, nargs, *_ in ideas}
    assert len(ideas) == 1


def test_an_idea_has_one_spelling() -> None:
    meanings = defaultdict(set)
    for _, action in options():
        if action.dest != "help":
            meanings[action.help, action.metavar].add(action.option_strings[-1])
    assert {said: names for said, names in meanings.items() if len(names) > 1} == {}


def test_a_short_option_is_short_for_one_long_one() -> None:
    long = defaultdict(set)
    for _, action in options():
        for name in action.option_strings[:-1]:
            long[name].add(action.option_strings[-1])
    assert {name: names for name, names in long.items() if name != "--clock-sync"} == {
        "-h": {"--help"},
        "-o": {"--output"},
        "-q": {"--quiet"},
        "-v": {"--verbose"},
    }


def test_units_are_the_same_everywhere() -> None:
    for verb, action in options():
        spelling, read = action.option_strings[-1], reader(action)
        if read in READ_AS:
            assert (spelling, action.metavar) == READ_AS[read], verb
        if read in METAVARS:
            assert action.metavar == METAVARS[read], (verb, spelling)
        if action.metavar in ("TIME", "PERCENT"):
            assert read in METAVARS or read == "_every", (verb, spelling)
        assert read != "float", (verb, spelling)
    for spelling in ("--limit", "--seed"):
        assert {reader(action) for _, action in by_spelling()[spelling]} <= READ_AS.keys()

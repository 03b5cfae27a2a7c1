"""Every command line that Rankwise prints, proposes or documents is one that its parser takes."""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from rankwise.__main__ import VERBS, parsers
from rankwise.errors import RankwiseError

ROOT = Path(__file__).parents[2]
PLACES = {
    "documentation": ("*.md", "docs/**/*.md", "examples/**/*.md", "bench/**/*.md"),
    "programs": ("python/**/*.py", "examples/**/*.py", "src/**/*.cpp", "src/**/*.h", "src/**/*.c"),
    "page": ("web/src/**/*.ts",),
    "screens": ("tests/unit/screens/**/*.txt",),
}
LEAST = {"documentation": 200, "programs": 100, "page": 3, "screens": 50}

IN_CODE = re.compile(r"`rankwise ([^`\n]+)`")
# (`env` is a command of the system, too.)
WITHOUT_THE_NAME = re.compile(rf"`((?:{'|'.join(set(VERBS) - {'env'})})(?: [^`\n]*)? --?[a-z][^`\n]*)`")
ON_A_LINE = re.compile(r"^ *(?:command +|(?:\$|->) )?(?:\S*/)?rankwise ([a-z][^\n]*)$", re.MULTILINE)
COMMENT = re.compile(r"\s+#\s.*|  +\S.*| > .*|, .*")
# What stands for words of the user: RUNDIR, NxM, F.json, $DIR, {name}, [options], ...
PLACEHOLDER = re.compile(r"[A-Z][\w.|]*|\[.*|\{.*|\.\.\.|\$.*|.*[{}\[\]].*")


@cache
def known() -> dict[str, argparse.ArgumentParser]:
    return parsers()


def lines_of(text: str) -> Iterator[str]:
    for line in (*IN_CODE.findall(text), *WITHOUT_THE_NAME.findall(text), *ON_A_LINE.findall(text)):
        yield COMMENT.sub("", line)


def words_of(line: str) -> list[str] | None:
    """The words up to the program's command; None of a sentence that only begins with the name."""
    try:
        words = shlex.split(line.removesuffix(" ...").rstrip(","))
    except ValueError:
        return None
    if not words or words[0] not in VERBS:
        return None
    return words[: words.index("--")] if "--" in words else words


def wrong(words: list[str]) -> str:
    """What is wrong with a command line; '' if nothing is."""
    name = " ".join(words[:2]) if " ".join(words[:2]) in known() else words[0]
    parser = known()[name]
    words = words[len(name.split()) :]
    options = parser._option_string_actions
    for word in words:
        option = word.partition("=")[0]
        if re.fullmatch(r"--?[a-z][\w-]*", option) and option not in options and word != "-vv":
            return f"{name} has no {option}"
    try:
        _, unknown = parser.parse_known_args(words)
    except SystemExit:  # --help
        return ""
    except RankwiseError as error:
        message = str(error)
        is_a_mention = "are required" in message or "expected one argument" in message
        return "" if is_a_mention or any(map(PLACEHOLDER.fullmatch, words)) else message
    return f"{name} takes no {unknown}" if unknown and not any(map(PLACEHOLDER.fullmatch, unknown)) else ""


def found_in(place: str) -> dict[str, str]:
    """The files with each command line that is found in a place."""
    files = {}
    for path in sorted(file for pattern in PLACES[place] for file in ROOT.glob(pattern)):
        text = path.read_text(encoding="utf-8")
        if place == "screens":  # what was typed may be wrong on purpose; what is told may not
            text = re.sub(r"^\$.*\n", "", text, flags=re.MULTILINE)
        files |= dict.fromkeys(lines_of(text), str(path.relative_to(ROOT)))
    return files


@pytest.mark.parametrize("place", PLACES)
def test_every_command_line_is_taken(place: str) -> None:
    lines = {line: words for line in found_in(place) if (words := words_of(line))}
    assert len(lines) > LEAST[place]  # they are found at all
    assert {
        (found_in(place)[line], line): reason for line, words in lines.items() if (reason := wrong(words))
    } == {}


def test_that_mistakes_are_found() -> None:
    assert wrong(["show", "F.rankwise", "--only", "Bcast"]) == "show has no --only"
    assert "nothing" in wrong(["show", "f.rankwise", "--by", "nothing"])
    assert wrong(["map", "f.rankwise", "other.rankwise"])
    assert wrong(["map", "verify", "f.rankwise", "--budget", "20min"]) == ""
    assert list(lines_of("`rankwise top` and\n    $ rankwise show F  # all")) == ["top", "show F"]

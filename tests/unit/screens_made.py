"""Whole screens of Rankwise, each from files that are made and known: what golden files are compared with."""

from __future__ import annotations

import io
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, redirect_stderr, redirect_stdout
from pathlib import Path
from shlex import join

from made_profile import Made

from rankwise.__main__ import main

WIDTH = 100
Screen = Callable[[Path], str]
"""Writes files into a directory, which is the current one, and returns what is seen."""


def seen(*words: str) -> str:
    """Return the command with all that it prints, and its exit status if that is not 0."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        status = main(words)
    lines = [f"$ rankwise {join(words)}", *out.getvalue().splitlines()]
    lines += [f"(stderr) {line}" for line in err.getvalue().splitlines()]
    return "\n".join([*lines, *([f"(exit status {status})"] if status else []), "", ""])


def drawn(command: str, draw: Callable[[io.StringIO], None]) -> str:
    """Return a command, and what is drawn for it; it is not run, as it would start jobs."""
    out = io.StringIO()
    draw(out)
    return f"$ {command}\n{out.getvalue()}\n"


def of_profile(write: Callable[[Path], object], *commands: Sequence[str]) -> Screen:
    """Return the screen of commands on a profile."""

    def made(directory: Path) -> str:
        write(directory / "a.rankwise")
        return "".join(seen(*("a.rankwise" if word == "F" else word for word in words)) for words in commands)

    return made


def views(*names: str) -> Iterator[tuple[str, ...]]:
    """Yield the commands that show these views, and all there is of them."""
    for name in names:
        yield ("show", "F", "--by", name)
        yield ("show", "F", "--by", name, "-v")


SUMMARIES: tuple[tuple[str, ...], ...] = (
    ("show", "F"),
    ("show", "F", "-v"),
    ("show", "F", "-vv"),
    ("explain", "F"),
    ("explain", "F", "-v"),
)
MATRICES = [("show", "F", "--matrix", *words) for words in ((), ("--by", "node"), ("--of", "messages"))]


def found(make: Callable[[], Made], *commands: Sequence[str]) -> Screen:
    """Return what is said of a made run."""
    return of_profile(lambda path: make().write(path), *(commands or SUMMARIES))


def changed(write: Callable[[Path], object], *statements: str) -> Callable[[Path], object]:
    """Return a writer of a profile that SQL has changed."""

    def written(path: Path) -> None:
        write(path)
        with closing(sqlite3.connect(path)) as connection, connection:
            for statement in statements:
                connection.execute(statement)

    return written

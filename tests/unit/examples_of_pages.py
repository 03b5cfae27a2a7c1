"""Carries out the example of a page in docs/: puts its code where the page says, and runs its test."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import rankwise

DOCS = Path(__file__).parents[2] / "docs"
TESTS = """
import example
for name, test in list(vars(example).items()):
    if name.startswith("test_"):
        test()
        print(name)
"""


def blocks(page: str, language: str = "python") -> list[str]:
    """The pieces of code in a language on a page, in their order."""
    [path] = DOCS.rglob(page)
    text = path.read_text(encoding="utf-8")
    pieces: list[str] = re.findall(rf"```{re.escape(language)}\n(.*?)```", text, re.DOTALL)
    return pieces


def link(source: Path, target: Path, way: list[str]) -> None:
    """Make a directory of links to what is in another one, and directories of links along the way down."""
    target.mkdir()
    for entry in source.iterdir():
        if entry.name not in ("__pycache__", *way[:1]):
            (target / entry.name).symlink_to(entry.resolve())
    if way:
        link(source / way[0], target / way[0], way[1:])


def carried_out(place: Path, package: str, name: str, module: str, test: str, more: str = "") -> str:
    """Add a module to a package, run its test, which must have one, and more code; what this code prints.

    Args:
        place: a directory, in which all of Rankwise is by links, with the module beside the others.
        package: full name of the package; the real one stays as it is.
        name: of the module.
        module: its text.
        test: text of its test, which may import what is beside this file.
        more: Python code, run after the tests.
    """
    source, target = Path(rankwise.__file__).parent, place / "rankwise"
    link(source, target, package.split(".")[1:])
    target.joinpath(*package.split(".")[1:], f"{name}.py").write_text(module)
    (place / "example.py").write_text(test)
    path = [str(place), str(Path(__file__).parent)]
    done = subprocess.run(
        [sys.executable, "-c", f"import sys\nsys.path[:0] = {path}\n{TESTS}\n{more}"],
        cwd=place,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    names = re.findall(r"^def (test_\w+)", test, re.MULTILINE)
    assert names
    lines = done.stdout.splitlines(keepends=True)
    assert [line.strip() for line in lines[: len(names)]] == names
    return "".join(lines[len(names) :])

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
    text = (DOCS / page).read_text(encoding="utf-8")
    found: list[str] = re.findall(rf"```{re.escape(language)}\n(.*?)```", text, re.DOTALL)
    return found


def carried_out(place: Path, package: str, name: str, module: str, test: str, more: str = "") -> str:
    """Add a module to a package, run its test, which must have one, and more code; what this code prints.

    Args:
        place: an empty directory.
        package: full name of the package, which stays as it is on the disk.
        name: of the module.
        module: its text.
        test: text of its test, which may import what is beside this file.
        more: Python code, run after the tests.
    """
    added = place / "added"
    added.mkdir()
    (added / f"{name}.py").write_text(module)
    (place / "example.py").write_text(test)
    code = f"import importlib\nimportlib.import_module({package!r}).__path__.append({str(added)!r})\n"
    path = [str(place), str(Path(rankwise.__file__).parents[1]), str(Path(__file__).parent)]
    done = subprocess.run(
        [sys.executable, "-c", f"import sys\nsys.path[:0] = {path}\n{code}{TESTS}\n{more}"],
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
